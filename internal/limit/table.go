package limit

import (
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// parts is how many parts a table is in, each with a lock of its own, unless
	// they would have less than smallPart keys.
	parts     = 16
	smallPart = 64

	// looks is how many places are looked at to make room for a key.
	looks = 8
)

// table remembers something of each key, of Options.Most keys at most.
type table[K comparable, S any] struct {
	now    func() time.Time
	most   int // keys of a part, those that are held apart
	seed   maphash.Seed
	shards []shard[K, S]

	// fresh is the state of a key that was never seen.
	fresh func() S
	// owed is what would be given away if a state were forgotten: mostly how long
	// it needs to rest. 0: nothing, the state has rested and is as good as fresh.
	owed func(state S, now time.Time) time.Duration
}

// shard is a part of a table, with the keys that fall to it by their hash. Whose
// keys these are nobody can know outside, or choose.
type shard[K comparable, S any] struct {
	mu       sync.Mutex
	at       map[K]*place[K, S] // all there are
	ring     []*place[K, S]     // those that may have to make room, in any order
	refused  uint64
	forgiven uint64

	_ [64]byte // the next part's lock is on another cache line
}

// place is what is remembered of a key.
type place[K comparable, S any] struct {
	key     K
	state   S
	index   int // in the ring
	holders int // while there are any, it is not in the ring
}

func newTable[K comparable, S any](o Options, fresh func() S, owed func(state S, now time.Time) time.Duration) *table[K, S] {
	n := 1
	if o.Most >= parts*smallPart {
		n = parts
	}
	t := &table[K, S]{now: o.Now, most: max(1, o.Most/n), seed: maphash.MakeSeed(), shards: make([]shard[K, S], n), fresh: fresh, owed: owed}
	for i := range t.shards {
		t.shards[i].at = map[K]*place[K, S]{}
	}
	o.Meter.add(o.Name, t.figures)
	return t
}

// part gives the part that a key falls to.
func (t *table[K, S]) part(key K) *shard[K, S] {
	if len(t.shards) == 1 {
		return &t.shards[0]
	}
	return &t.shards[maphash.Comparable(t.seed, key)%parts]
}

// put gives the place of a key, with a fresh state where nothing was remembered
// of it. Callers hold the lock.
func (t *table[K, S]) put(s *shard[K, S], key K, now time.Time) *place[K, S] {
	p := s.at[key]
	if p == nil {
		p = t.room(s, now)
		p.key, s.at[key] = key, p
	}
	return p
}

// room makes room in the ring: by a place that has rested, by one more, or by the
// one that owes least. A state that has rested is fresh enough.
func (t *table[K, S]) room(s *shard[K, S], now time.Time) *place[K, S] {
	p, owed := t.leastOwing(s, now)
	switch {
	case p == nil, owed > 0 && len(s.ring) < t.most:
		p = &place[K, S]{state: t.fresh()}
		s.join(p)
		return p
	case owed > 0:
		s.forgiven++
		p.state = t.fresh()
	}
	delete(s.at, p.key)
	return p
}

// leastOwing looks at some places of the ring that are next to each other,
// somewhere, up to the first that has rested; nil where there are none.
func (t *table[K, S]) leastOwing(s *shard[K, S], now time.Time) (best *place[K, S], least time.Duration) {
	if len(s.ring) == 0 {
		return nil, 0
	}
	first := rand.IntN(len(s.ring))
	for i := range min(looks, len(s.ring)) {
		p := s.ring[(first+i)%len(s.ring)]
		if owed := t.owed(p.state, now); best == nil || owed < least {
			best, least = p, owed
		}
		if least <= 0 {
			break
		}
	}
	return best, least
}

// hold keeps the place of a key from making room, until as many calls of release.
func (t *table[K, S]) hold(key K) *place[K, S] {
	s := t.part(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.at[key]
	switch {
	case p == nil:
		p = &place[K, S]{key: key, state: t.fresh()}
		s.at[key] = p
	case p.holders == 0:
		s.leave(p)
	}
	p.holders++
	return p
}

// release ends a hold. What owes nothing then is forgotten.
func (t *table[K, S]) release(p *place[K, S]) {
	now := t.now()
	s := t.part(p.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.holders--; p.holders > 0 {
		return
	}
	delete(s.at, p.key)
	if t.owed(p.state, now) > 0 {
		t.put(s, p.key, now).state = p.state
	}
}

func (s *shard[K, S]) join(p *place[K, S]) {
	p.index = len(s.ring)
	s.ring = append(s.ring, p)
}

// leave takes a place out of the ring.
func (s *shard[K, S]) leave(p *place[K, S]) {
	end := len(s.ring) - 1
	s.ring[p.index] = s.ring[end]
	s.ring[p.index].index = p.index
	s.ring[end] = nil
	s.ring = s.ring[:end]
}

// forget makes the state of a key fresh.
func (t *table[K, S]) forget(key K) {
	s := t.part(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.at[key]; p != nil {
		p.state = t.fresh()
	}
}

func (t *table[K, S]) figures() (f Figures) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		f.Refused += s.refused
		f.Forgiven += s.forgiven
		f.Kept += len(s.at)
		s.mu.Unlock()
	}
	return f
}
