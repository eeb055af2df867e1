package limit

import "time"

// Cooldowns makes keys wait before they may try again, for as long as they are told to.
type Cooldowns[K comparable] struct {
	*table[K, time.Time]
	kept time.Duration
}

// NewCooldowns makes waits, each of which is remembered for a time after its end: a key
// that has waited may try then.
func NewCooldowns[K comparable](o Options, kept time.Duration) *Cooldowns[K] {
	w := &Cooldowns[K]{kept: kept}
	w.table = newTable[K](o, func() time.Time { return time.Time{} }, func(until, now time.Time) time.Duration {
		return max(0, until.Add(kept).Sub(now))
	})
	return w
}

// Begin makes a key wait from now on.
func (w *Cooldowns[K]) Begin(key K, d time.Duration) {
	now := w.now()
	s := w.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	w.getOrCreate(s, key, now).state = now.Add(d)
}

// Try tells how long a key waits yet; 0: it may try. A key of which no wait is
// remembered begins one of d.
func (w *Cooldowns[K]) Try(key K, d time.Duration) time.Duration {
	now := w.now()
	s := w.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	var left time.Duration
	switch p := s.entries[key]; {
	case p != nil && now.Sub(p.state) < w.kept:
		left = max(0, p.state.Sub(now))
	case d > 0:
		w.getOrCreate(s, key, now).state = now.Add(d)
		left = d
	}
	if left > 0 {
		s.refused++
	}
	return left
}

// Left tells how long a key waits yet, and begins nothing.
func (w *Cooldowns[K]) Left(key K) time.Duration { return w.Try(key, 0) }

// Forget lets a key off.
func (w *Cooldowns[K]) Forget(key K) { w.reset(key) }
