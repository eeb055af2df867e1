package limit

import (
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// shardCount is how many parts a table is in, each with a lock of its own, unless
	// they would have less than minShardKeys keys.
	shardCount   = 16
	minShardKeys = 64

	// evictionSamples is how many places are looked at to make room for a key.
	evictionSamples = 8
)

// table remembers something of each key, of Options.Most keys at most.
type table[K comparable, S any] struct {
	now         func() time.Time
	maxPerShard int // keys of a part, those that are held apart
	seed        maphash.Seed
	shards      []shard[K, S]

	// fresh is the state of a key that was never seen.
	fresh func() S
	// debt is what would be given away if a state were forgotten: mostly how long
	// it needs to rest. 0: nothing, the state has rested and is as good as fresh.
	debt func(state S, now time.Time) time.Duration
}

// shard is a part of a table, with the keys that fall to it by their hash. Whose
// keys these are nobody can know outside, or choose.
type shard[K comparable, S any] struct {
	mu      sync.Mutex
	entries map[K]*entry[K, S] // all there are
	ring    []*entry[K, S]     // those that may have to make room, in any order
	refused uint64
	evicted uint64

	_ [64]byte // the next part's lock is on another cache line
}

// entry is what is remembered of a key.
type entry[K comparable, S any] struct {
	key   K
	state S
	index int // in the ring
	pins  int // while there are any, it is not in the ring
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

// shardFor gives the part that a key falls to.
func (t *table[K, S]) shardFor(key K) *shard[K, S] {
	if len(t.shards) == 1 {
		return &t.shards[0]
	}
	return &t.shards[maphash.Comparable(t.seed, key)%shardCount]
}

// getOrCreate gives the place of a key, with a fresh state where nothing was remembered
// of it. Callers hold the lock.
func (t *table[K, S]) getOrCreate(s *shard[K, S], key K, now time.Time) *entry[K, S] {
	p := s.entries[key]
	if p == nil {
		p = t.allocate(s, now)
		p.key, s.entries[key] = key, p
	}
	return p
}

// allocate makes room in the ring: by a place that has rested, by one more, or by the
// one that owes least. A state that has rested is fresh enough.
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

// evictionCandidate looks at some places of the ring that are next to each other,
// somewhere, up to the first that has rested; nil where there are none.
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

// pin keeps the place of a key from making room, until as many calls of release.
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

// unpin ends a hold. What owes nothing then is forgotten.
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

// removeFromRing takes a place out of the ring.
func (s *shard[K, S]) removeFromRing(p *entry[K, S]) {
	end := len(s.ring) - 1
	s.ring[p.index] = s.ring[end]
	s.ring[p.index].index = p.index
	s.ring[end] = nil
	s.ring = s.ring[:end]
}

// reset makes the state of a key fresh.
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
