package limit

import "time"

// SlidingWindows remembers the times of the newest events of each key. It is meant for small
// limits: it keeps up to most times per key.
type SlidingWindows[K comparable] struct {
	*table[K, events]
	most   int
	within time.Duration
}

// events are the times of the newest events, oldest first; never more than most.
type events []time.Time

// NewSlidingWindows remembers most events per key, each for the given time.
func NewSlidingWindows[K comparable](o Options, most int, within time.Duration) *SlidingWindows[K] {
	r := &SlidingWindows[K]{most: most, within: within}
	r.table = newTable[K](o, func() events { return nil }, func(at events, now time.Time) time.Duration {
		if len(at) == 0 {
			return 0
		}
		// Several events weigh more than one, so that keys that are locked out are kept longest.
		return r.left(at[len(at)-1], now) * time.Duration(len(at))
	})
	return r
}

// Allow counts and allows an event, unless most events were allowed within the time before it.
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

// Add counts an event without a check.
func (r *SlidingWindows[K]) Add(key K) {
	now := r.now()
	s := r.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := r.getOrCreate(s, key, now)
	p.state = r.with(p.state, now)
}

// Count returns how many events of a key are remembered.
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

// LockedFor returns how long a key is still locked out; 0: it is not. A key is locked out if its
// last most events that were added lie within the time of each other; the lockout lasts for that
// time from the last one. A caller that gets a time to wait counts as refused.
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

// Forget drops all events of a key.
func (r *SlidingWindows[K]) Forget(key K) { r.reset(key) }

// with appends an event, and drops the oldest if there are already most events.
func (r *SlidingWindows[K]) with(at events, now time.Time) events {
	if len(at) == r.most {
		at = append(at[:0], at[1:]...)
	}
	return append(at, now)
}

// left is how long an event still counts.
func (r *SlidingWindows[K]) left(at, now time.Time) time.Duration {
	return max(0, r.within-now.Sub(at))
}

// Left returns how long a key has to wait until fewer than most events lie within the time before;
// 0: an event may happen now. It counts nothing as refused.
func (r *SlidingWindows[K]) Left(key K) time.Duration {
	now := r.now()
	s := r.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.entries[key]; p != nil && len(p.state) == r.most {
		return r.left(p.state[0], now)
	}
	return 0
}

// Free returns how many events of a key may happen now.
func (r *SlidingWindows[K]) Free(key K) int { return r.most - r.Count(key) }
