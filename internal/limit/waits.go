package limit

import "time"

// Waits makes keys wait before they may try again, for as long as they are told to.
type Waits[K comparable] struct {
	*table[K, time.Time]
	kept time.Duration
}

// NewWaits makes waits, each of which is remembered for a time after its end: a key
// that has waited may try then.
func NewWaits[K comparable](o Options, kept time.Duration) *Waits[K] {
	w := &Waits[K]{kept: kept}
	w.table = newTable[K](o, func() time.Time { return time.Time{} }, func(until, now time.Time) time.Duration {
		return max(0, until.Add(kept).Sub(now))
	})
	return w
}

// Begin makes a key wait from now on.
func (w *Waits[K]) Begin(key K, d time.Duration) {
	now := w.now()
	s := w.part(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	w.put(s, key, now).state = now.Add(d)
}

// Try tells how long a key waits yet; 0: it may try. A key of which no wait is
// remembered begins one of d.
func (w *Waits[K]) Try(key K, d time.Duration) time.Duration {
	now := w.now()
	s := w.part(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	var left time.Duration
	switch p := s.at[key]; {
	case p != nil && now.Sub(p.state) < w.kept:
		left = max(0, p.state.Sub(now))
	case d > 0:
		w.put(s, key, now).state = now.Add(d)
		left = d
	}
	if left > 0 {
		s.refused++
	}
	return left
}

// Left tells how long a key waits yet, and begins nothing.
func (w *Waits[K]) Left(key K) time.Duration { return w.Try(key, 0) }

// Forget lets a key off.
func (w *Waits[K]) Forget(key K) { w.forget(key) }
