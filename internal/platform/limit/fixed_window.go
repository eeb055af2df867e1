package limit

import "time"

// FixedWindows allows each key a number of events per window of time. A window begins with the
// key's first event.
type FixedWindows[K comparable] struct {
	*table[K, window]
	most   int
	within time.Duration
}

// window counts the events of a key since its window began; the zero window has ended.
type window struct {
	began  time.Time
	events int // allowed events
}

// NewFixedWindows makes windows of the given length with at most most events each.
func NewFixedWindows[K comparable](o Options, most int, within time.Duration) *FixedWindows[K] {
	w := &FixedWindows[K]{most: most, within: within}
	w.table = newTable[K](o, func() window { return window{} }, func(one window, now time.Time) time.Duration {
		// Weighted by events, so that keys with one event are evicted before full ones.
		return w.left(one, now) * time.Duration(one.events)
	})
	return w
}

// Allow counts an event unless the key's window is full.
func (w *FixedWindows[K]) Allow(key K) State {
	now := w.now()
	s := w.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	one := &w.getOrCreate(s, key, now).state
	left := w.left(*one, now)
	if left == 0 {
		*one, left = window{began: now}, w.within
	}
	if one.events >= w.most {
		s.refused++
		return State{Reset: left, Retry: left}
	}
	one.events++
	return State{Remaining: w.most - one.events, Reset: left}
}

// left is how long a window still lasts.
func (w *FixedWindows[K]) left(one window, now time.Time) time.Duration {
	if one.events == 0 {
		return 0
	}
	return max(0, w.within-now.Sub(one.began))
}
