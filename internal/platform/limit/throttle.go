package limit

import (
	"context"
	"sync"
	"time"
)

// restFactor is how many times as long as a piece takes is its key's until the next, once
// it has no free work left.
const restFactor = 3

// ThrottleOptions say how much a key of a Line may do.
type ThrottleOptions struct {
	FreeWork      time.Duration // of work that a key may do without waiting in the line; a third of the time that passes is given back
	MaxConcurrent int           // pieces of it at the same time
	MaxWaiting    int           // that wait
	LongTask      time.Duration // a piece in the line that takes longer keeps its place
}

// Throttle lets each key work freely for a while; one that goes on without a pause then
// works on one piece after the other, and waits after each that takes long for twice
// as long. So it has a third of what would be there, whoever asks now and then feels
// nothing of it, and nobody waits for another key. It remembers keys that have worked
// lately, and no others.
type Throttle[K comparable] struct {
	ThrottleOptions

	mu      sync.Mutex
	keys    map[K]*throttledKey
	refused uint64
}

// throttledKey is one key's.
type throttledKey struct {
	busy     int
	waiting  []chan struct{} // closed when it is one's turn, the first come first
	worked   time.Duration   // and not given back, at the time at
	at       time.Time
	expiring bool // somebody looks whether it can be forgotten
}

// NewThrottle makes a line. Of the options Name and Meter are needed.
func NewThrottle[K comparable](o Options, lo ThrottleOptions) *Throttle[K] {
	l := &Throttle[K]{ThrottleOptions: lo, keys: map[K]*throttledKey{}}
	o.Meter.add(o.Name, l.stats)
	return l
}

// spent is how much a key has worked that is not given back.
func (m *throttledKey) spent(now time.Time) time.Duration {
	m.worked = max(0, m.worked-now.Sub(m.at)/restFactor)
	m.at = now
	return m.worked
}

// maxBusy is how many pieces of a key's may be worked on at once.
func (l *Throttle[K]) maxBusy(m *throttledKey, now time.Time) int {
	if m.spent(now) < l.FreeWork {
		return l.MaxConcurrent
	}
	return 1
}

// Enter waits until it is the key's turn; leave is to be called then, once. Without
// one too many are waiting, or ctx has ended: Full or NotFull tells which.
func (l *Throttle[K]) Enter(ctx context.Context, key K) (leave func(), why Full) {
	l.mu.Lock()
	mine, now := l.keys[key], time.Now()
	if mine == nil {
		mine = &throttledKey{at: now}
		l.keys[key] = mine
	}
	switch {
	case len(mine.waiting) == 0 && mine.busy < l.maxBusy(mine, now):
		mine.busy++
		l.mu.Unlock()
		return l.leaveFunc(key), NotFull
	case len(mine.waiting) >= l.MaxWaiting:
		l.refused++
		l.mu.Unlock()
		return nil, FullForKey
	}
	turn := make(chan struct{})
	mine.waiting = append(mine.waiting, turn)
	l.mu.Unlock()
	return l.wait(ctx, key, turn)
}

// leaveFunc is for who has got in just now.
func (l *Throttle[K]) leaveFunc(key K) func() {
	began := time.Now()
	return func() {
		l.mu.Lock()
		now := time.Now()
		took, mine := now.Sub(began), l.keys[key]
		free := mine.spent(now) < l.FreeWork
		mine.worked += took
		l.mu.Unlock()
		if took > l.LongTask && !free {
			time.AfterFunc((restFactor-1)*took, func() { l.leave(key) })
			return
		}
		l.leave(key)
	}
}

// wait waits for a turn that was asked for.
func (l *Throttle[K]) wait(ctx context.Context, key K, turn chan struct{}) (leave func(), why Full) {
	select {
	case <-turn:
		return l.leaveFunc(key), NotFull
	case <-ctx.Done():
	}
	l.mu.Lock()
	mine := l.keys[key]
	for i, other := range mine.waiting {
		if other == turn {
			mine.waiting = append(mine.waiting[:i:i], mine.waiting[i+1:]...)
			l.mu.Unlock()
			return nil, NotFull
		}
	}
	l.mu.Unlock()
	l.leave(key) // it was its turn just then
	return nil, NotFull
}

// leave hands the turn on.
func (l *Throttle[K]) leave(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine, now := l.keys[key], time.Now()
	mine.busy--
	for len(mine.waiting) > 0 && mine.busy < l.maxBusy(mine, now) {
		close(mine.waiting[0])
		mine.waiting = mine.waiting[1:]
		mine.busy++
	}
	l.expire(key, mine, now)
}

// expire forgets a key that does nothing, once all that it worked is given back.
func (l *Throttle[K]) expire(key K, mine *throttledKey, now time.Time) {
	switch spent := mine.spent(now); {
	case mine.busy > 0 || mine.expiring: // whoever ends last looks
	case spent == 0:
		delete(l.keys, key)
	default:
		mine.expiring = true
		time.AfterFunc(restFactor*spent, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			mine.expiring = false
			l.expire(key, mine, time.Now())
		})
	}
}

func (l *Throttle[K]) stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Refused: l.refused, Keys: len(l.keys)}
}
