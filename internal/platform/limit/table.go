package limit

import (
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// shardCount is the number of shards of a table, each with its own lock. A table whose shards
	// would have fewer than minShardKeys keys has one shard.
	shardCount   = 16
	minShardKeys = 64

	// evictionSamples is how many entries the table considers to make room for a key.
	evictionSamples = 8
)

// table remembers a state per key, for at most Options.MaxKeys keys.
type table[K comparable, S any] struct {
	now         func() time.Time
	maxPerShard int // keys of a shard, pinned ones not counted
	seed        maphash.Seed
	shards      []shard[K, S]

	// fresh makes the state of a key that was never seen.
	fresh func() S
	// debt is what would be given away if a state were evicted: mostly the time until the key is
	// idle, weighted where keys with little to lose should go first. 0: nothing, the key is idle and
	// its state is as good as fresh.
	debt func(state S, now time.Time) time.Duration
}

// shard is a part of a table, with the keys whose hash selects it. Nobody outside the process can
// know or choose which keys share a shard.
type shard[K comparable, S any] struct {
	mu      sync.Mutex
	entries map[K]*entry[K, S] // all entries
	ring    []*entry[K, S]     // entries that may be evicted, in any order
	refused uint64
	evicted uint64

	_ [64]byte // keeps the next shard's lock on another cache line
}

// entry is what is remembered of a key.
type entry[K comparable, S any] struct {
	key   K
	state S
	index int // in the ring
	pins  int // while there are any, the entry is not in the ring
}

func newTable[K comparable, S any](
	o Options,
	fresh func() S,
	owed func(state S, now time.Time) time.Duration,
) *table[K, S] {
	n := 1
	if o.MaxKeys >= shardCount*minShardKeys {
		n = shardCount
	}
	t := &table[K, S]{
		now:         o.Now,
		maxPerShard: max(1, o.MaxKeys/n),
		seed:        maphash.MakeSeed(),
		shards:      make([]shard[K, S], n),
		fresh:       fresh,
		debt:        owed,
	}
	for i := range t.shards {
		t.shards[i].entries = map[K]*entry[K, S]{}
	}
	o.Meter.add(o.Name, t.stats)
	return t
}

// shardFor returns the shard of a key.
func (t *table[K, S]) shardFor(key K) *shard[K, S] {
	if len(t.shards) == 1 {
		return &t.shards[0]
	}
	return &t.shards[maphash.Comparable(t.seed, key)%shardCount]
}

// getOrCreate returns the entry of a key, with a fresh state if there was none. Callers hold the
// lock.
func (t *table[K, S]) getOrCreate(s *shard[K, S], key K, now time.Time) *entry[K, S] {
	p := s.entries[key]
	if p == nil {
		p = t.allocate(s, now)
		p.key, s.entries[key] = key, p
	}
	return p
}

// allocate returns an entry in the ring: an idle one, a new one, or the one with the smallest debt.
// The state of an idle entry is as good as fresh.
func (t *table[K, S]) allocate(s *shard[K, S], now time.Time) *entry[K, S] {
	p, owed := t.evictionCandidate(s, now)
	switch {
	case p == nil, owed > 0 && len(s.ring) < t.maxPerShard:
		p = &entry[K, S]{state: t.fresh()}
		s.addToRing(p)
		return p
	case owed > 0:
		s.evicted++
		p.state = t.fresh()
	}
	delete(s.entries, p.key)
	return p
}

// evictionCandidate considers some adjacent entries of the ring, from a random place up to the
// first idle one; it returns nil if the ring is empty.
func (t *table[K, S]) evictionCandidate(s *shard[K, S], now time.Time) (best *entry[K, S], least time.Duration) {
	if len(s.ring) == 0 {
		return nil, 0
	}
	first := rand.IntN(len(s.ring))
	for i := range min(evictionSamples, len(s.ring)) {
		p := s.ring[(first+i)%len(s.ring)]
		if owed := t.debt(p.state, now); best == nil || owed < least {
			best, least = p, owed
		}
		if least <= 0 {
			break
		}
	}
	return best, least
}

// pin protects the entry of a key from eviction until unpin is called as often as pin.
func (t *table[K, S]) pin(key K) *entry[K, S] {
	s := t.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.entries[key]
	switch {
	case p == nil:
		p = &entry[K, S]{key: key, state: t.fresh()}
		s.entries[key] = p
	case p.pins == 0:
		s.removeFromRing(p)
	}
	p.pins++
	return p
}

// unpin ends one pin. An entry that is no longer pinned and has no debt is dropped.
func (t *table[K, S]) unpin(p *entry[K, S]) {
	now := t.now()
	s := t.shardFor(p.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.pins--; p.pins > 0 {
		return
	}
	delete(s.entries, p.key)
	if t.debt(p.state, now) > 0 {
		t.getOrCreate(s, p.key, now).state = p.state
	}
}

func (s *shard[K, S]) addToRing(p *entry[K, S]) {
	p.index = len(s.ring)
	s.ring = append(s.ring, p)
}

// removeFromRing takes an entry out of the ring.
func (s *shard[K, S]) removeFromRing(p *entry[K, S]) {
	end := len(s.ring) - 1
	s.ring[p.index] = s.ring[end]
	s.ring[p.index].index = p.index
	s.ring[end] = nil
	s.ring = s.ring[:end]
}

// reset gives a key a fresh state.
func (t *table[K, S]) reset(key K) {
	s := t.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.entries[key]; p != nil {
		p.state = t.fresh()
	}
}

func (t *table[K, S]) stats() (f Stats) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		f.Refused += s.refused
		f.Evicted += s.evicted
		f.Keys += len(s.entries)
		s.mu.Unlock()
	}
	return f
}
