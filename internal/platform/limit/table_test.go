package limit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// fakeClock is a clock that a test moves.
type fakeClock struct{ at time.Time }

func newFakeClock() *fakeClock { return &fakeClock{time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)} }

func (h *fakeClock) now() time.Time { return h.at }

func (h *fakeClock) advance(d time.Duration) { h.at = h.at.Add(d) }

// checkInvariants tells what is wrong with a table: it remembers too much, or its shards are
// inconsistent.
func (t *table[K, S]) checkInvariants() error {
	for i := range t.shards {
		s := &t.shards[i]
		if len(s.ring) > t.maxPerShard {
			return fmt.Errorf("%d entries in a ring, the limit is %d", len(s.ring), t.maxPerShard)
		}
		holding := 0
		for key, p := range s.entries {
			switch {
			case p.key != key, t.shardFor(key) != s, p.pins < 0:
				return fmt.Errorf("the entry of %v has key %v and %d pins", key, p.key, p.pins)
			case p.pins > 0:
				holding++
			case s.ring[p.index] != p:
				return fmt.Errorf("%v is not in the ring", key)
			}
		}
		if len(s.entries) != len(s.ring)+holding {
			return fmt.Errorf("%d keys, %d in the ring and %d pinned", len(s.entries), len(s.ring), holding)
		}
	}
	return nil
}

// Whatever keys come, however often, pinned or not: the table remembers no more than its limit, and
// considers no more entries than it may.
func TestTableIsBounded(t *testing.T) {
	for _, most := range []int{1, 5, 100, shardCount * minShardKeys, 5000} {
		clock, random := newFakeClock(), rand.New(rand.NewPCG(1, uint64(most)))
		b := NewBuckets[int](Options{MaxKeys: most, Now: clock.now}, 1e-3, 3)
		looked, owed := 0, b.debt
		b.debt = func(s *rate.Limiter, now time.Time) time.Duration { looked++; return owed(s, now) }
		var holds []PinnedBucket[int]
		for range 40_000 {
			looked = 0
			switch key := int(random.ExpFloat64() * float64(2*most)); random.IntN(12) {
			case 0:
				clock.advance(time.Duration(random.IntN(5000)) * time.Millisecond)
			case 1:
				if len(holds) < 20 {
					holds = append(holds, b.Pin(key))
				}
			case 2:
				if n := len(holds); n > 0 {
					holds[n-1].Release()
					holds = holds[:n-1]
				}
			case 3:
				b.Peek(key, One)
			case 4:
				b.Reserve(key, One)
			default:
				b.Allow(key, One)
			}
			if looked > evictionSamples+1 { // unpin considers its entry, too
				t.Fatalf("limit %d: %d entries were considered", most, looked)
			}
		}
		if err := b.checkInvariants(); err != nil {
			t.Errorf("limit %d: %v", most, err)
		}
		if f := b.stats(); f.Keys > most+len(holds) || f.Evicted == 0 {
			t.Errorf("limit %d: stats %+v", most, f)
		}
	}
}

// kinds are the kinds of limit with a table: 3 events at once, and some of them per second.
var kinds = map[string]func(o Options) (allow func(key int) State, stats func() Stats){
	"buckets": func(o Options) (func(key int) State, func() Stats) {
		b := NewBuckets[int](o, 2, 3)
		return func(key int) State { return b.Allow(key, One) }, b.stats
	},
	"fixed windows": func(o Options) (func(key int) State, func() Stats) {
		w := NewFixedWindows[int](o, 3, time.Second)
		return w.Allow, w.stats
	},
	"sliding windows": func(o Options) (func(key int) State, func() Stats) {
		r := NewSlidingWindows[int](o, 3, time.Second)
		return r.Allow, r.stats
	},
}

// Eviction of idle keys changes no answer: while no other key must go, a small table answers as one
// with room for all keys.
func TestEvictingIdleKeysChangesNoAnswer(t *testing.T) {
	const room, keys, events = 64, 2000, 20_000
	for name, kind := range kinds {
		clock, random, refused := newFakeClock(), rand.New(rand.NewPCG(5, 6)), 0
		some, stats := kind(Options{MaxKeys: room, Now: clock.now})
		all, _ := kind(Options{MaxKeys: keys, Now: clock.now})
		for i := range events {
			key := i*keys/events + random.IntN(6) // no key stays for long
			got, want := some(key), all(key)
			if got != want {
				t.Fatalf("%s, event %d: state %+v, with room for all keys %+v", name, i, got, want)
			}
			if !got.Allowed() {
				refused++
			}
			clock.advance(time.Duration(random.IntN(60)) * time.Millisecond)
		}
		if f := stats(); f.Evicted > 0 || f.Keys > room || f.Refused != uint64(refused) || refused < events/20 {
			t.Errorf("%s: stats %+v, %d refused", name, f, refused)
		}
	}
}

// A flood of keys does not free a refused key, as long as each of them does less than that key did.
func TestFloodEvictsItsOwnKeysFirst(t *testing.T) {
	const room, flood = 500, 20_000
	for name, kind := range kinds {
		clock := newFakeClock()
		allow, stats := kind(Options{MaxKeys: room, Now: clock.now})
		for range 4 {
			allow(-1)
		}
		for key := range flood {
			allow(key)
		}
		if allow(-1).Allowed() {
			t.Errorf("%s: the refused key was evicted", name)
		}
		if f := stats(); f.Keys != room || f.Evicted != flood+1-room {
			t.Errorf("%s: stats %+v", name, f)
		}
		// A flood whose keys are all refused does evict the key: the table has room for only so
		// many.
		for key := range 20 * room {
			for range 4 {
				allow(flood + key)
			}
		}
		if !allow(-1).Allowed() {
			t.Errorf("%s: the refused key was never evicted", name)
		}
	}
}

// A pinned bucket is not evicted, is the same for all callers, and may be evicted again after the
// last Release.
func TestPinnedBucketIsNotEvicted(t *testing.T) {
	clock := newFakeClock()
	b := NewBuckets[int](Options{MaxKeys: 10, Now: clock.now}, 1, 3)
	b.Allow(-1, One)
	one, two := b.Pin(-1), b.Pin(-1)
	for range 2 {
		if wait := one.Reserve(clock.now(), One); wait != 0 {
			t.Errorf("Reserve waits %s", wait)
		}
	}
	for key := range 1000 {
		b.Allow(key, Events(3))
	}
	if wait := two.Reserve(clock.now(), One); wait != time.Second || b.Peek(-1, One).Retry != 2*time.Second {
		t.Errorf("Reserve waits %s, the next event %s", wait, b.Peek(-1, One).Retry)
	}
	if f := b.stats(); f.Keys != 11 || f.Refused != 1 {
		t.Errorf("stats %+v", f)
	}
	one.Release()
	for key := range 1000 {
		b.Allow(key, Events(3))
	}
	two.Release()
	if wait := b.Peek(-1, One).Retry; wait != 2*time.Second {
		t.Errorf("after Release, Reserve waits %s", wait)
	}
	if err := b.checkInvariants(); err != nil || b.stats().Keys != 10 {
		t.Errorf("%v, %d keys kept", err, b.stats().Keys)
	}
	// A bucket that is idle at its last Release needs no room.
	three := b.Pin(-2)
	three.Reserve(clock.now(), One)
	clock.advance(time.Second)
	three.Release()
	if err := b.checkInvariants(); err != nil || b.stats().Keys != 10 {
		t.Errorf("%v, %d keys kept", err, b.stats().Keys)
	}
}

// Keys spread evenly over the shards, and differently in each process.
func TestKeysSpreadEvenlyOverShards(t *testing.T) {
	const most = 1 << 14
	clock := newFakeClock()
	a, b := NewFixedWindows[int](
		Options{MaxKeys: most, Now: clock.now},
		1,
		time.Second,
	), NewFixedWindows[int](
		Options{MaxKeys: most, Now: clock.now},
		1,
		time.Second,
	)
	same := 0
	for key := range most / 2 {
		a.Allow(key)
		for i := range a.shards {
			if a.shardFor(key) == &a.shards[i] && b.shardFor(key) == &b.shards[i] {
				same++
			}
		}
	}
	for i := range a.shards {
		if n := len(a.shards[i].ring); n < most/2/shardCount*2/3 || n > most/2/shardCount*3/2 {
			t.Errorf("%d keys are in shard %d of %d", n, i, shardCount)
		}
	}
	if same > most/2/shardCount*2 {
		t.Errorf("%d of %d keys are in the same shard of both tables", same, most/2)
	}
}

// Concurrent callers with common keys take as much as sequential ones would.
func TestManyAtOnce(t *testing.T) {
	const workers, events, most = 8, 2000, 2048
	clock := newFakeClock()
	b := NewBuckets[int](Options{MaxKeys: most, Now: clock.now}, 1e-9, 100)
	r := NewSlidingWindows[int](Options{MaxKeys: most, Now: clock.now}, 10, time.Minute)
	w := NewFixedWindows[int](Options{MaxKeys: 16, Now: clock.now}, 10, time.Minute)
	s := NewSlots[int](Options{}, 3, 10)
	meter := &Meter{}
	meter.add("all", b.stats)
	var passed [2]atomic.Int64
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(worker)))
			mine := b.Pin(2)
			defer mine.Release()
			for range events {
				if b.Allow(1, One).Allowed() {
					passed[0].Add(1)
				}
				if r.Allow(1).Allowed() {
					passed[1].Add(1)
				}
				mine.Reserve(clock.now(), One)
				b.Reserve(random.IntN(3*most)+3, One)
				b.Pin(random.IntN(100) + 3).Release()
				r.Add(random.IntN(100) + 3)
				r.LockedFor(random.IntN(100) + 3)
				r.Forget(random.IntN(100) + 3)
				w.Allow(random.IntN(100))
				if key := random.IntN(5); s.Enter(key) == NotFull {
					s.Leave(key)
				}
				meter.Stats()
			}
		})
	}
	group.Wait()
	if passed[0].Load() != 100 || passed[1].Load() != 10 {
		t.Errorf("%d and %d events were allowed", passed[0].Load(), passed[1].Load())
	}
	for _, err := range []error{b.checkInvariants(), r.checkInvariants(), w.checkInvariants()} {
		if err != nil {
			t.Error(err)
		}
	}
	if n := b.Peek(2, One).Retry; n < math.MaxInt64/4 || s.stats().Keys != 0 {
		t.Errorf("the pinned bucket has a debt of %s, %d keys hold slots", n, s.stats().Keys)
	}
}
