package reading

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

// written returns a store that led a log and appended n entries, one of them an erasure.
func written(t testing.TB, log *FakeLog, n int, o Options) *Store {
	t.Helper()
	s := openStore(t, o)
	lead(t, s, log)
	for i := range n {
		if i == n-2 {
			erase(t, s, device.Ref{Tenant: 1, ID: 1})
			continue
		}
		mustAppend(t, s, numberedBatch(i)...)
	}
	return s
}

// A log that lost its end gets it again from a store that has it; the store's batches are as before.
func TestLeadMendsTheLog(t *testing.T) {
	for _, kept := range []uint64{0, 1, 4, 5} {
		log := NewFakeLog("life", 0)
		s := written(t, log, 6, Options{})
		before := slices.Clone(log.entries)
		log.lose(kept)
		s = reopen(t, s)
		if m := lead(t, s, log); m != (Mended{kept + 1, 6}) {
			t.Errorf("kept %d: mended %+v", kept, m)
		}
		same(t, "log", log.entries, before)
		mustAppend(t, s, numberedBatch(6)...)
		other := openStore(t, Options{})
		catchUp(t, other, log)
		sameContent(t, "a node that follows the mended log", other, s)
	}
	log := NewFakeLog("life", 0)
	s := reopen(t, written(t, log, 6, Options{}))
	if m := lead(t, s, log); m != (Mended{}) {
		t.Errorf("nothing was lost, mended %+v", m)
	}
}

// A mend that ends early goes on the next time.
func TestInterruptedMendGoesOn(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := reopen(t, written(t, log, 6, Options{}))
	log.lose(2)
	log.hold()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := s.Lead(ctx, log.Own())
		failed <- err
	}()
	<-log.waiting
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || s.Broken() != nil {
		t.Errorf("lead: %v, broken %v", err, s.Broken())
	}
	log.held = nil
	if err := log.Own().Append(t.Context(), must(s.ownEntry(3))); err != nil {
		t.Fatal(err)
	}
	if m := lead(t, s, log); m != (Mended{4, 6}) {
		t.Errorf("mended %+v", m)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A store whose entries differ from the log's does not lead, wherever they begin to differ.
func TestDivergedStoreDoesNotLead(t *testing.T) {
	for name, then := range map[string]func(t *testing.T, log *FakeLog){
		"the log ends at the same position": func(t *testing.T, log *FakeLog) { appendOthers(t, log, 2) },
		"the log is shorter":                func(t *testing.T, log *FakeLog) { appendOthers(t, log, 1) },
		"the log is longer":                 func(t *testing.T, log *FakeLog) { appendOthers(t, log, 5) },
	} {
		t.Run(name, func(t *testing.T) {
			log := NewFakeLog("life", 0)
			s := reopen(t, written(t, log, 6, Options{}))
			log.lose(4)
			then(t, log)
			before := contentOf(t, s)
			_, err := s.Lead(t.Context(), log.Own())
			if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "tilth join") {
				t.Errorf("lead: %v", err)
			}
			sameContents(t, "store", contentOf(t, s), before)
			if err := s.Append(t.Context(), numberedBatch(9)); !errors.Is(err, ErrNotLeading) {
				t.Errorf("append: %v", err)
			}
		})
	}
}

// appendOthers appends entries to the log by a node that has nothing but the log.
func appendOthers(t *testing.T, log *FakeLog, n int) *Store {
	t.Helper()
	other := openStore(t, Options{})
	lead(t, other, log)
	for i := range n {
		mustAppend(t, other, numberedBatch(100+i)...)
	}
	return other
}

// A store that follows and holds more than the log waits. It goes on when the log has its entries
// again, and ends when the log has others in their place.
func TestFollowerAheadOfTheLog(t *testing.T) {
	for _, mended := range []bool{true, false} {
		log := NewFakeLog("life", 0)
		s := written(t, log, 6, Options{})
		follower := openStore(t, Options{})
		catchUp(t, follower, log)
		log.lose(4)
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { ended <- follower.Follow(ctx, log, time.Millisecond) }()
		reads := func() int {
			log.mu.Lock()
			defer log.mu.Unlock()
			return log.reads
		}
		for before := reads(); reads() < before+3; {
			time.Sleep(time.Millisecond)
		}
		if !mended {
			appendOthers(t, log, 4)
			if err := <-ended; !errors.Is(err, ErrDiverged) {
				t.Errorf("follow: %v", err)
			}
			continue
		}
		s = reopen(t, s)
		lead(t, s, log)
		mustAppend(t, s, numberedBatch(7)...)
		await(t, "the follower", func() bool { return follower.Position() == 7 })
		sameContent(t, "follower", follower, s)
	}
}

// Mending needs the journal back to the log's end; without it the store does not lead, and the log
// gets none of its entries.
func TestMendBeyondTheJournal(t *testing.T) {
	now := time.UnixMilli(start)
	log := NewFakeLog("life", 0)
	s := written(t, log, 6, Options{Now: func() time.Time { return now }})
	s.Trim(6)
	checkpoint(t, s)
	now = now.Add(2 * time.Hour)
	mustAppend(t, s, numberedBatch(6)...)
	checkpoint(t, s)
	same(t, "journal", storedEntries(t, s), []uint64{7})
	s = reopen(t, s)
	log.lose(6)
	if m := lead(t, s, log); m != (Mended{7, 7}) {
		t.Errorf("mended %+v", m)
	}
	s = reopen(t, s)
	for _, kept := range []uint64{5, 3} {
		log.lose(kept)
		_, err := s.Lead(t.Context(), log.Own())
		if !errors.Is(err, ErrGap) || !strings.Contains(err.Error(), "journal") ||
			!strings.Contains(err.Error(), "tilth join") {
			t.Errorf("lead: %v", err)
		}
		if log.last(t) != kept {
			t.Errorf("the log ends at %d, want %d", log.last(t), kept)
		}
	}
}

// A store that lacks or holds damaged any of the entries to append appends none of them.
func TestMendIsAllOrNothing(t *testing.T) {
	for want, damage := range map[error]func(s *Store) error{
		ErrGap: func(s *Store) error { return s.db.Delete(appendJournalKey(nil, 4), pebble.Sync) },
		ErrCorrupt: func(s *Store) error {
			return s.db.Set(appendJournalKey(nil, 4), must(s.get(appendJournalKey(nil, 3))), pebble.Sync)
		},
	} {
		log := NewFakeLog("life", 0)
		s := written(t, log, 6, Options{})
		if err := damage(s); err != nil {
			t.Fatal(err)
		}
		s = reopen(t, s)
		log.lose(2)
		if _, err := s.Lead(t.Context(), log.Own()); !errors.Is(err, want) {
			t.Errorf("lead: %v, want %v", err, want)
		}
		if log.last(t) != 2 {
			t.Errorf("%v: the log ends at %d, want 2", want, log.last(t))
		}
	}
}

// A replicated store keeps evaluated entries for JournalKeep, and longer after a start. The chain of
// the entry before them stays too, and so the chain of the newest entry stays for ever.
func TestJournalKeep(t *testing.T) {
	now := time.UnixMilli(start)
	o := Options{Dir: "data", fs: vfs.NewCrashableMem(), Now: func() time.Time { return now }, JournalKeep: time.Hour}
	log := NewFakeLog("life", 0)
	s := openStore(t, o)
	lead(t, s, log)
	step := func(wantJournal, wantChains []uint64) {
		t.Helper()
		s.Trim(1 << 60)
		checkpoint(t, s)
		same(t, "journal", storedEntries(t, s), wantJournal)
		same(t, "chains", storedChains(t, s), wantChains)
		now = now.Add(40 * time.Minute)
	}
	mustAppend(t, s, numberedBatch(1)...)
	mustAppend(t, s, numberedBatch(2)...)
	step(positions(1, 2), positions(1, 2)) // at 0:00
	mustAppend(t, s, numberedBatch(3)...)
	step(positions(1, 3), positions(1, 3)) // at 0:40
	mustAppend(t, s, numberedBatch(4)...)
	step(positions(3, 4), positions(2, 4)) // at 1:20
	step(positions(4, 4), positions(3, 4)) // at 2:00
	step(nil, positions(4, 4))             // at 2:40
	s = crash(t, s)
	if m := lead(t, s, log); m != (Mended{}) {
		t.Errorf("mended %+v", m)
	}
	mustAppend(t, s, numberedBatch(5)...)
	step(positions(5, 5), positions(4, 5))
	step(positions(5, 5), positions(4, 5))
	step(nil, positions(5, 5))
	mustAppend(t, s, numberedBatch(6)...)
	now = now.Add(time.Hour)
	s.opts.JournalKeep = 2 * time.Hour
	step(positions(6, 6), positions(5, 6))
	erase(t, s, device.Ref{Tenant: 1, ID: 1})
	s.opts.JournalKeep = time.Minute
	step(positions(7, 7), positions(6, 7))
	step(nil, positions(7, 7)) // an erasure is as any other entry
}

// What is not evaluated stays however old it is.
func TestJournalKeepsWhatIsNotEvaluated(t *testing.T) {
	now := time.UnixMilli(start)
	s := written(t, NewFakeLog("life", 0), 6, Options{Now: func() time.Time { return now }})
	for range 5 {
		s.Trim(2)
		checkpoint(t, s)
		now = now.Add(time.Hour)
	}
	checkpoint(t, s)
	same(t, "journal", storedEntries(t, s), positions(3, 6))
}

// The log's entries after the store's position, and the store's life, must be there.
func TestLeadRefusesAnotherLog(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := reopen(t, written(t, log, 6, Options{}))
	empty := openStore(t, Options{})
	embedded := openStore(t, Options{})
	mustAppend(t, embedded, numberedBatch(0)...)
	for name, c := range map[string]struct {
		store *Store
		log   *FakeLog
		want  error
	}{
		"another life":           {s, NewFakeLog("other", 0), ErrOtherLife},
		"another begin":          {s, NewFakeLog("life", 3), ErrOtherLife},
		"an empty store":         {empty, NewFakeLog("life", 3), ErrOtherLife},
		"a store without a life": {embedded, log, ErrOtherLife},
		"entries that are dropped": {openStore(t, Options{}), func() *FakeLog {
			l := NewFakeLog("life", 0)
			written(t, l, 6, Options{})
			l.drop(2)
			return l
		}(), ErrGap},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.store.Lead(t.Context(), c.log.Own())
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "tilth join") {
				t.Errorf("lead: %v", err)
			}
			if err := followEnds(t, c.store, c.log); !errors.Is(err, c.want) {
				t.Errorf("follow: %v", err)
			}
		})
	}
	if empty.Life() != "" || embedded.Life() != "" || s.Life() != "life" {
		t.Errorf("lives %q, %q, %q", empty.Life(), embedded.Life(), s.Life())
	}
}

// Batches that a store wrote without its log are in no log: it must not go on as if they were.
func TestStoreWrittenWithoutItsLog(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := reopen(t, written(t, log, 3, Options{}))
	mustAppend(t, s, numberedBatch(9)...)
	for range 2 {
		if _, err := s.Lead(t.Context(), log.Own()); !errors.Is(err, ErrDiverged) {
			t.Errorf("lead: %v", err)
		}
		s = reopen(t, s)
	}
}

// The log's damage is not applied.
func TestDamagedEntryIsNotApplied(t *testing.T) {
	for name, body := range map[string][]byte{
		"cut off":          {2, 1, 1},
		"no fields":        {1, 1, 1, 0, 0, 0},
		"tenant 0":         append([]byte{1, 0, 1, 0, 0, 3}, appendFrame(nil, []Field{num(1, 1)})...),
		"time of no day":   append([]byte{1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 3}, appendFrame(nil, []Field{num(1, 1)})...),
		"kind of erasures": nil,
	} {
		t.Run(name, func(t *testing.T) {
			log := NewFakeLog("life", 0)
			e := Entry{Position: 1, Kind: EntryFrames, Body: body}
			if body == nil {
				e.Kind, e.Body = EntryErasure, []byte{1}
			}
			e.Chain = e.ChainAfter(BeginChain("life", 0))
			log.entries = []Entry{e}
			s := openStore(t, Options{})
			if err := followEnds(t, s, log); !errors.Is(err, ErrCorrupt) {
				t.Errorf("follow: %v", err)
			}
			if s.Position() != 0 || len(storedEntries(t, s)) != 0 || len(s.journal.slots) != 0 {
				t.Errorf("position %d, entries %v", s.Position(), storedEntries(t, s))
			}
		})
	}
}

func TestDecodeErasure(t *testing.T) {
	ref := device.Ref{Tenant: 300, ID: 1 << 40}
	body := appendErasure(nil, ref)
	if got, err := decodeErasure(body); err != nil || got != ref {
		t.Errorf("%v (%v)", got, err)
	}
	for n := range body {
		if _, err := decodeErasure(body[:n]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	negative := appendErasure(nil, device.Ref{Tenant: -1, ID: 1})
	for _, bad := range [][]byte{append(slices.Clone(body), 0), {0, 1}, {1, 0}, negative} {
		if _, err := decodeErasure(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("% x: %v", bad, err)
		}
	}
}

// The chain is what the nodes of a cluster agree on, so it never changes.
func TestChainIsFixed(t *testing.T) {
	e := Entry{Position: 8, Kind: EntryErasure, Body: []byte{1, 2}}
	if begin, next := BeginChain(
		"mark",
		7,
	), e.ChainAfter(
		0x0102030405060708,
	); begin != 0x37272de1f0783e3e ||
		next != 0x6b820cb982ee82d4 {
		t.Errorf("%#x, %#x", begin, next)
	}
}

// BeginLife is durable, and so is all that was written before. Copies of the store belong to the life.
func TestBeginLife(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	mustAppend(t, s, numberedBatch(0)...)
	mustAppend(t, s, numberedBatch(1)...)
	if err := s.BeginLife(""); err == nil {
		t.Error("a life without a mark")
	}
	for _, mark := range []string{"first", "second"} {
		if err := s.BeginLife(mark); err != nil {
			t.Fatal(err)
		}
		log := NewFakeLog(mark, s.Position())
		s = crash(t, s)
		if s.Life() != mark || s.Position() != log.begin {
			t.Errorf("life %q from %d", s.Life(), s.Position())
		}
		lead(t, s, log)
		mustAppend(t, s, numberedBatch(5)...)
		if err := s.BeginLife("late"); err == nil {
			t.Error("a life began while the store leads")
		}
		erase(t, s, device.Ref{Tenant: 1, ID: 1})
		s = reopen(t, s)
		lead(t, s, log)
		mustAppend(t, s, numberedBatch(6)...)
		s = reopen(t, s)
	}
	same(t, "chains of the second life", storedChains(t, s), positions(6, 8))
}

// A snapshot of a store that leads, not synced, is a node of the same life that can follow.
func TestSnapshotFollows(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := written(t, log, 6, Options{})
	dir := t.TempDir() + "/copy"
	if err := s.Snapshot(t.Context(), dir, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	copied := openStore(t, Options{Dir: dir})
	if copied.Position() != 6 || copied.Life() != "life" {
		t.Errorf("position %d of %q", copied.Position(), copied.Life())
	}
	log.drop(5)
	mustAppend(t, s, numberedBatch(7)...)
	catchUp(t, copied, log)
	sameContent(t, "copy", copied, s)
	if err := copied.Close(); err != nil {
		t.Fatal(err)
	}
	if found, err := Examine(t.Context(), dir, 0, anyDevice); err != nil || !found.OK() || found.Entries != 7 {
		t.Errorf("%+v (%v)", found, err)
	}
}

func TestExamineNamesDamagedChains(t *testing.T) {
	for want, damage := range map[string]func(s *Store) error{
		"chain of journal entry 3: it does not continue": func(s *Store) error {
			return s.db.Set(chainKey(3), appendChain(nil, &Entry{Kind: EntryFrames, Chain: 1}), pebble.Sync)
		},
		"chain of journal entry 4: it does not continue": func(s *Store) error {
			return s.db.Set(appendJournalKey(nil, 4), must(s.get(appendJournalKey(nil, 3))), pebble.Sync)
		},
		"chain of journal entry 5: the journal entry of an erasure": func(s *Store) error {
			return s.db.Set(appendJournalKey(nil, 5), must(s.get(appendJournalKey(nil, 3))), pebble.Sync)
		},
		"chain of journal entry 2: stored reading is damaged": func(s *Store) error {
			return s.db.Set(chainKey(2), []byte{1}, pebble.Sync)
		},
		"malformed key": func(s *Store) error { return s.db.Set([]byte{tagChain, 1}, []byte{1}, pebble.Sync) },
	} {
		t.Run(want, func(t *testing.T) {
			s := written(t, NewFakeLog("life", 0), 6, Options{})
			if err := damage(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			f := mustExamine(t, s.opts, anyDevice)
			if f.OK() || !strings.Contains(strings.Join(f.Problems, "\n"), want) {
				t.Errorf("%q", f.Problems)
			}
		})
	}
}

// LargestIDs names the largest of all readings, also of a device that was erased or expired.
func TestLargestIDs(t *testing.T) {
	s := openStore(t, Options{})
	check := func(wantTenant, wantDevice, wantProperty uint64) {
		t.Helper()
		tenant, device, property, err := s.LargestIDs(t.Context())
		if err != nil || tenant != wantTenant || device != wantDevice || property != wantProperty {
			t.Errorf(
				"%d, %d, %d (%v), want %d, %d, %d",
				tenant,
				device,
				property,
				err,
				wantTenant,
				wantDevice,
				wantProperty,
			)
		}
	}
	check(0, 0, 0)
	mustAppend(t, s, arrival(3, 5, start, num(8, 1), num(70, 1)), arrival(2, 90, start-msPerDay, num(9, 1)))
	check(3, 90, 70)
	seal(t, s, time.UnixMilli(start+5*msPerDay))
	checkpoint(t, s)
	s = reopen(t, s)
	check(3, 90, 70)
	erase(t, s, device.Ref{Tenant: 2, ID: 90})
	erase(t, s, device.Ref{Tenant: 3, ID: 5})
	check(3, 90, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.LargestIDs(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
