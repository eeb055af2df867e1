package reading

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

// TestNodesOfOneLogHoldTheSame: three nodes share a log. Readings arrive late, again, corrected and
// removed; devices are erased; the nodes follow more or less of the log, seal, expire, checkpoint and
// trim by themselves, and lose unsynced data in crashes; the lead changes, and the log loses its end
// and is mended. In the end all hold the same, which is what was appended.
func TestNodesOfOneLogHoldTheSame(t *testing.T) {
	mended := 0
	for range 12 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n := newNodes(t, rand.New(rand.NewPCG(seed, 1)))
			for range 150 {
				n.step()
			}
			n.check()
			mended += n.mended
		})
	}
	if mended == 0 {
		t.Error("the log was never mended")
	}
}

// nodes are the stores of a log, and what they should hold.
type nodes struct {
	t        *testing.T
	rng      *rand.Rand
	log      *FakeLog
	stores   []*Store
	leader   int // -1: none
	want     model
	appended uint64 // entries
	mended   int
	archive  *FakeArchive // nil: there is none
	wentBack bool         // the archive did
	keptTo   uint64       // the log loses nothing up to here: the database dropped a part of it then

	beyondModel bool // readings are removed and expire, which the model does not know
}

func newNodes(t *testing.T, rng *rand.Rand) *nodes {
	n := &nodes{t: t, rng: rng, log: NewFakeLog("life", 0), leader: -1, want: model{}, beyondModel: rng.IntN(2) == 0}
	for range 3 {
		n.stores = append(n.stores, openStore(t, Options{
			Dir: "data", fs: vfs.NewCrashableMem(), memTableBytes: 64 << 10, Retention: 420 * 24 * time.Hour,
		}))
	}
	return n
}

func (n *nodes) step() {
	if n.leader < 0 {
		n.elect()
	}
	i := n.rng.IntN(len(n.stores))
	s := n.stores[i]
	var err error
	switch n.rng.IntN(20) {
	case 0:
		ref := device.Ref{Tenant: 1, ID: device.ID(1 + n.rng.IntN(modelDevices))}
		erase(n.t, n.stores[n.leader], ref)
		delete(n.want, ref)
		n.appended++
	case 1, 2, 3:
		if i != n.leader {
			n.follow(s, s.Position()+n.rng.Uint64N(12))
		}
	case 4:
		cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: n.rng.IntN(101), RNG: n.rng}
		o := s.opts
		o.fs = s.opts.fs.(*vfs.MemFS).CrashClone(cfg)
		n.replace(i, openStore(n.t, o))
	case 5:
		n.replace(i, reopen(n.t, s))
	case 6:
		n.loseEnd()
	case 7:
		s.Trim(n.rng.Uint64N(s.Position() + 1))
		err = s.checkpoint(n.t.Context())
	case 8:
		err = s.db.Flush()
	case 9:
		err = s.db.Compact(n.t.Context(), []byte{0}, []byte{0xff}, false)
	case 10, 11:
		err = s.Seal(n.t.Context(), time.UnixMilli(modelTimes[n.rng.IntN(len(modelTimes))]+2*msPerDay))
	case 12:
		if n.beyondModel {
			err = n.expire(s)
		}
	default:
		var batch []Arrival
		for range 1 + n.rng.IntN(6) {
			a := randomReading(n.rng)
			if n.beyondModel && n.rng.IntN(8) == 0 {
				a.Fields[0].Value = Value{} // removes the reading
			}
			batch = append(batch, a)
		}
		mustAppend(n.t, n.stores[n.leader], batch...)
		n.want.append(batch)
		n.appended++
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

// replace replaces a store that has ended. A leader does not lead after its end.
func (n *nodes) replace(i int, s *Store) {
	n.stores[i] = s
	if i == n.leader {
		n.leader = -1
	}
}

// elect lets a node lead: any, while the log has everything; otherwise the one that has the most.
func (n *nodes) elect() {
	if n.archive != nil {
		n.caughtUp()
	}
	i := n.rng.IntN(len(n.stores))
	if n.log.last(n.t) < n.appended {
		for j, s := range n.stores {
			if s.Position() > n.stores[i].Position() {
				i = j
			}
		}
	}
	if m := lead(n.t, n.stores[i], n.log); m != (Mended{}) {
		n.mended++
	}
	if got := n.stores[i].Position(); got != n.appended || n.log.last(n.t) != n.appended {
		n.t.Fatalf("the leader is at %d, the log at %d, want %d", got, n.log.last(n.t), n.appended)
	}
	n.leader = i
	if n.archive != nil {
		n.archive.term++
		n.stores[i].SetArchive(n.archive)
	}
}

// loseEnd takes a part of the log's end that at least one node holds. The node that leads is opened
// again, as after a failover of the database.
func (n *nodes) loseEnd() {
	pos := max(n.appended-n.rng.Uint64N(min(n.appended, 8)+1), n.keptTo)
	n.log.lose(pos)
	if n.archive != nil {
		n.archive.goBack(pos)
		n.wentBack = true
	}
	n.replace(n.leader, reopen(n.t, n.stores[n.leader]))
	n.elect()
}

// follow lets a store follow the log up to a position.
func (n *nodes) follow(s *Store, upTo uint64) {
	n.t.Helper()
	upTo = min(upTo, n.log.last(n.t))
	ctx, cancel := context.WithCancel(n.t.Context())
	defer cancel()
	err := s.Follow(ctx, &readerUpTo{n.log, upTo, cancel}, time.Millisecond)
	if !errors.Is(err, context.Canceled) || s.Position() < upTo {
		n.t.Fatalf("follow to %d: position %d (%v)", upTo, s.Position(), err)
	}
}

// readerUpTo is a log that ends at a position, where it calls ended.
type readerUpTo struct {
	LogReader
	upTo  uint64
	ended func()
}

func (r *readerUpTo) After(ctx context.Context, pos uint64, fn func(Entry) error) error {
	defer r.ended()
	err := r.LogReader.After(ctx, pos, func(e Entry) error {
		if e.Position > r.upTo {
			return errChunkFull
		}
		return fn(e)
	})
	if errors.Is(err, errChunkFull) {
		return nil
	}
	return err
}

// expiryOfModel is a moment at which the oldest readings of the model tests have expired.
var expiryOfModel = time.UnixMilli(start + 400*msPerDay)

func (n *nodes) expire(s *Store) error { return s.Expire(n.t.Context(), expiryOfModel) }

func (n *nodes) check() {
	if n.leader < 0 {
		n.elect()
	}
	for _, s := range n.stores {
		if s != n.stores[n.leader] {
			n.follow(s, n.appended)
		}
		if n.beyondModel {
			if err := n.expire(s); err != nil {
				n.t.Fatal(err)
			}
		} else {
			n.want.check(n.t, s, n.rng)
		}
	}
	for i, s := range n.stores {
		sameContent(n.t, fmt.Sprintf("node %d", i), s, n.stores[n.leader])
	}
	for i, s := range n.stores {
		again := reopen(n.t, s)
		chain, _, err := again.chainAt(n.appended)
		if err != nil || again.Position() != n.appended {
			n.t.Errorf("node %d opened again: position %d (%v)", i, again.Position(), err)
		}
		if _, want, err := n.log.Last(n.t.Context()); err != nil || chain != want {
			n.t.Errorf("node %d opened again: chain %x, want %x (%v)", i, chain, want, err)
		}
		if !n.beyondModel {
			n.want.check(n.t, again, n.rng)
		}
	}
}

// A follower and a leader that lose power at any moment, with any part of what is not synced, hold a
// beginning of the log and go on from there.
func TestCrashOfAReplicatedStore(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	lost := 0
	for range 20 {
		log := NewFakeLog("life", 0)
		o := Options{Dir: "data", memTableBytes: 64 << 10}
		o.fs = vfs.NewCrashableMem()
		leader := openStore(t, o)
		o.fs = vfs.NewCrashableMem()
		follower := openStore(t, o)
		lead(t, leader, log)
		stop := follow(t, follower, log)
		var disks []*vfs.MemFS
		batches := 50 + rng.IntN(200)
		crashes := map[int]bool{rng.IntN(batches): true, rng.IntN(batches): true, batches - 1: true}
		for n := range batches {
			if n%40 == 39 {
				erase(t, leader, device.Ref{Tenant: 1, ID: device.ID(1 + rng.IntN(crashDevices))})
			} else {
				mustAppend(t, leader, crashBatch(n)...)
			}
			if rng.IntN(30) == 0 {
				checkpoint(t, leader)
				checkpoint(t, follower)
			}
			if rng.IntN(30) == 0 {
				seal(t, follower, time.UnixMilli(start+10*msPerDay))
			}
			if crashes[n] {
				for _, s := range []*Store{leader, follower} {
					cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}
					disks = append(disks, s.opts.fs.(*vfs.MemFS).CrashClone(cfg))
				}
			}
		}
		await(t, "the follower", func() bool { return follower.Position() == uint64(batches) })
		stop()
		for _, disk := range disks {
			o.fs = disk
			s := openStore(t, o)
			at := s.Position()
			if at < uint64(batches) {
				lost++
			}
			checkPrefix(t, s, log.entries[:at])
			catchUp(t, s, log)
			same(t, "latest after catching up", storedChainsFrom(t, s, at), positions(max(at, 1), uint64(batches)))
			for d := range device.ID(crashDevices + 1) {
				what := fmt.Sprintf("device %d, from %d", d+1, at)
				same(t, what, s.Latest(t.Context(), 1, d+1), leader.Latest(t.Context(), 1, d+1))
				same(t, what, readRange(t, s, 1, d+1, minTime, maxTime, 1, 2),
					readRange(t, leader, 1, d+1, minTime, maxTime, 1, 2))
			}
		}
	}
	if lost == 0 {
		t.Error("no crash lost anything")
	}
}

// checkPrefix compares a store with one that applied the given entries and never crashed.
func checkPrefix(t *testing.T, s *Store, entries []Entry) {
	t.Helper()
	log := NewFakeLog("life", 0)
	log.entries = entries
	want := openStore(t, Options{Dir: "data", fs: vfs.NewMem()})
	catchUp(t, want, log)
	for d := range device.ID(crashDevices + 1) {
		what := fmt.Sprintf("device %d at %d", d+1, len(entries))
		same(t, what, s.Latest(t.Context(), 1, d+1), want.Latest(t.Context(), 1, d+1))
		same(
			t,
			what,
			readRange(t, s, 1, d+1, minTime, maxTime, 1, 2),
			readRange(t, want, 1, d+1, minTime, maxTime, 1, 2),
		)
	}
}

func storedChainsFrom(t testing.TB, s *Store, from uint64) (found []uint64) {
	t.Helper()
	if err := s.each(t.Context(), tagChain, chainKey(from), func(it *pebble.Iterator) error {
		pos, err := parsePositionKey(it.Key(), tagChain)
		found = append(found, pos)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}
