package limit

import "time"

// SlidingWindows remembers the newest events of a key, and when they were. It is for
// small numbers: of most events it keeps each.
type SlidingWindows[K comparable] struct {
	*table[K, events]
	most   int
	within time.Duration
}

// events are when the newest events were, oldest first; never more than most.
type events []time.Time

// NewSlidingWindows remembers most events, and each of them for a time.
func NewSlidingWindows[K comparable](o Options, most int, within time.Duration) *SlidingWindows[K] {
	r := &SlidingWindows[K]{most: most, within: within}
	r.table = newTable[K](o, func() events { return nil }, func(at events, now time.Time) time.Duration {
		if len(at) == 0 {
			return 0
		}
		// Many owe more than one: keys that are locked out are kept longest.
		return r.left(at[len(at)-1], now) * time.Duration(len(at))
	})
	return r
}

// Allow counts an event and lets it through, unless most of them were within the
// time before it.
func (r *SlidingWindows[K]) Allow(key K) State {
	now := r.now()
	s := r.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.entries[key]
	if p != nil && len(p.state) == r.most {
		if wait := r.left(p.state[0], now); wait > 0 {
			s.refused++
			return State{Reset: r.left(p.state[r.most-1], now), Retry: wait}
		}
	}
	p = r.getOrCreate(s, key, now)
	p.state = r.with(p.state, now)
	return State{Remaining: r.most - r.count(p.state, now), Reset: r.within}
}

// Add counts an event, whatever there was before.
func (r *SlidingWindows[K]) Add(key K) {
	now := r.now()
	s := r.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := r.getOrCreate(s, key, now)
	p.state = r.with(p.state, now)
}

// Count is how many events of a key are remembered.
func (r *SlidingWindows[K]) Count(key K) (n int) {
	now := r.now()
	s := r.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.entries[key]; p != nil {
		n = r.count(p.state, now)
	}
	return n
}

func (r *SlidingWindows[K]) count(at events, now time.Time) (n int) {
	for _, one := range at {
		if r.left(one, now) > 0 {
			n++
		}
	}
	return n
}

// LockedFor tells for how long yet a key is locked out by what was added: from the
// last of most events, which were within the time of each other, for as long. 0:
// it is not. Who is told to wait counts as refused.
func (r *SlidingWindows[K]) LockedFor(key K) time.Duration {
	now := r.now()
	s := r.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.entries[key]
	if p == nil || len(p.state) < r.most || p.state[r.most-1].Sub(p.state[0]) >= r.within {
		return 0
	}
	wait := r.left(p.state[r.most-1], now)
	if wait > 0 {
		s.refused++
	}
	return wait
}

// Forget forgives a key everything.
func (r *SlidingWindows[K]) Forget(key K) { r.reset(key) }

// with adds an event to those that are remembered.
func (r *SlidingWindows[K]) with(at events, now time.Time) events {
	if len(at) == r.most {
		at = append(at[:0], at[1:]...)
	}
	return append(at, now)
}

// left is how long an event counts yet.
func (r *SlidingWindows[K]) left(at, now time.Time) time.Duration {
	return max(0, r.within-now.Sub(at))
}
