package reading

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestNodesOfOneArchiveHoldTheSame is TestNodesOfOneLogHoldTheSame with an archive: whoever leads copies
// to it, nodes are lost with their disks and begin again with what archive and log hold, and the log
// drops what is archived. At every moment each node gives the same answers, whether it has fetched a day
// yet or reads it from the archive; in the end all hold the same, and the archive, too.
func TestNodesOfOneArchiveHoldTheSame(t *testing.T) {
	filled := 0
	for range 12 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n := newNodes(t, rand.New(rand.NewPCG(seed, 1)))
			n.beyondModel = n.rng.IntN(3) == 0
			n.archive = NewFakeArchive()
			n.archive.log = n.log
			for i, s := range n.stores {
				o := s.opts
				o.Archive, o.Archiving, o.fs = n.archive, true, vfs.NewCrashableMem()
				o.RetentionClock = func() time.Time { return expiryOfModel }
				if !n.beyondModel {
					o.Retention = 100 * 365 * 24 * time.Hour
				}
				n.stores[i] = openStore(t, o)
			}
			for range 150 {
				n.step()
				filled += n.archiveStep()
			}
			n.checkArchive()
			n.check()
		})
	}
	if filled == 0 {
		t.Error("no node was filled from the archive")
	}
}

// archiveStep does one of what concerns the archive, and returns how many nodes it filled.
func (n *nodes) archiveStep() int {
	n.caughtUp()
	if n.wentBack {
		n.wentBack = false
		for i, s := range n.stores { // what they lack is not in the archive any more
			if s.hasMissing() && n.archive.state.Complete {
				n.fill(i)
			}
		}
	}
	i := n.rng.IntN(len(n.stores))
	s := n.stores[i]
	var err error
	switch n.rng.IntN(12) {
	case 0, 1, 2:
		if n.leader >= 0 {
			checkpoint(n.t, n.stores[n.leader])
			err = n.copyPass()
		}
	case 3:
		if state := n.archive.state; i != n.leader && state.Position <= s.Position() {
			err = s.NoteArchived(n.t.Context(), state)
		}
	case 4:
		if err = s.FetchMissing(n.t.Context()); errors.Is(err, ErrArchiveIncomplete) || errors.Is(err, ErrGap) {
			err = nil // the database went back
		}
	case 5:
		// The log keeps its newest entry.
		if to := min(n.archive.state.Position, n.log.last(n.t)-1); n.archive.state.Complete && to > n.log.dropped {
			n.log.drop(to)
			n.keptTo = n.log.last(n.t)
			n.caughtUp()
		}
	case 6, 7:
		// The log must have what the archive does not: it may have lost its end with its database.
		if n.archive.state.Complete && n.log.last(n.t) >= n.appended {
			n.fill(i)
			return 1
		}
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return 0
}

// caughtUp fills the nodes that lack what the log has dropped.
func (n *nodes) caughtUp() {
	for i, s := range n.stores {
		if s.Position() < n.log.dropped {
			n.fill(i)
		}
	}
}

func (n *nodes) copyPass() error {
	return n.stores[n.leader].copyPass(n.t.Context(), n.archive)
}

// fill replaces a node by one that begins with the archive.
func (n *nodes) fill(i int) {
	n.t.Helper()
	o := n.stores[i].opts
	o.fs = vfs.NewCrashableMem()
	f, err := Fill(n.t.Context(), o, n.log)
	if err != nil {
		n.t.Fatal(err)
	}
	s := openStore(n.t, o)
	if s.Position() != f.Position || len(s.missingDays()) != f.Days {
		n.t.Fatalf("filled with %+v, opened at %d with %d days missing", f, s.Position(), len(s.missingDays()))
	}
	n.replace(i, s)
	n.keptTo = n.appended // its journal could not mend more
}

// checkArchive copies once more, and compares a node that is filled with the others.
func (n *nodes) checkArchive() {
	if n.leader < 0 {
		n.elect()
	}
	checkpoint(n.t, n.stores[n.leader])
	if err := n.stores[n.leader].Seal(n.t.Context(), time.UnixMilli(start+1000*msPerDay)); err != nil {
		n.t.Fatal(err)
	}
	if n.beyondModel {
		if err := n.expire(n.stores[n.leader]); err != nil {
			n.t.Fatal(err)
		}
	}
	if err := n.copyPass(); err != nil {
		n.t.Fatal(err)
	}
	other := (n.leader + 1) % len(n.stores)
	n.fill(other)
	s := n.stores[other]
	n.follow(s, n.appended)
	if n.beyondModel {
		if err := n.expire(s); err != nil {
			n.t.Fatal(err)
		}
	}
	sameContent(n.t, "a node that reads the archive", s, n.stores[n.leader])
	if !n.beyondModel {
		n.want.check(n.t, s, n.rng)
	}
	for _, s := range []*Store{s, n.stores[n.leader]} {
		if err := s.FetchMissing(n.t.Context()); err != nil {
			n.t.Fatal(err)
		}
	}
	n.archive.reads = 0
	sameContent(n.t, "a node that has fetched the archive", s, n.stores[n.leader])
	s = reopen(n.t, s)
	n.stores[other] = s
	sameContent(n.t, "a node that is opened again", s, n.stores[n.leader])
	if n.archive.reads != 0 || s.hasMissing() {
		n.t.Errorf("%d reads of the archive, though everything was fetched", n.archive.reads)
	}
	if limit := n.stores[n.leader].archivedLimit(); limit != n.archive.state.Position || !n.archive.state.Complete {
		n.t.Errorf("the log may drop up to %d, the archive reaches to %+v", limit, n.archive.state)
	}
}
