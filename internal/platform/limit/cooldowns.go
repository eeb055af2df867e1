package limit

import "time"

// Cooldowns makes each key wait for a given time before its next attempt.
type Cooldowns[K comparable] struct {
	*table[K, time.Time]
	kept time.Duration
}

// NewCooldowns makes cooldowns. Each is remembered for kept after its end; during that time the key
// may try without starting a new cooldown.
func NewCooldowns[K comparable](o Options, kept time.Duration) *Cooldowns[K] {
	w := &Cooldowns[K]{kept: kept}
	w.table = newTable[K](o, func() time.Time { return time.Time{} }, func(until, now time.Time) time.Duration {
		return max(0, until.Add(kept).Sub(now))
	})
	return w
}

// Begin starts a cooldown of d for a key.
func (w *Cooldowns[K]) Begin(key K, d time.Duration) {
	now := w.now()
	s := w.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	w.getOrCreate(s, key, now).state = now.Add(d)
}

// Try returns how long a key still has to wait; 0: it may try. If no cooldown of the key is
// remembered, Try starts one of d.
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

// Left returns how long a key still has to wait, and starts nothing.
func (w *Cooldowns[K]) Left(key K) time.Duration { return w.Try(key, 0) }

// Forget ends the cooldown of a key.
func (w *Cooldowns[K]) Forget(key K) { w.reset(key) }
