package limit

import (
	"context"
	"sync"
	"time"
)

// restFactor: once a key has no free work left, each of its tasks occupies the key for restFactor
// times as long as the task took.
const restFactor = 3

// ThrottleOptions say how much work a key of a Throttle may do.
type ThrottleOptions struct {
	// FreeWork is how long a key may work without queueing; a third of the time that passes is
	// given back.
	FreeWork      time.Duration
	MaxConcurrent int           // tasks of a key that run at the same time while it has free work left
	MaxWaiting    int           // tasks of a key that wait
	LongTask      time.Duration // a task that takes longer, without free work left, occupies its key beyond its end
}

// Throttle lets each key work freely for a while. A key that works without a pause then runs one
// task at a time and, after each long task, waits for twice as long as the task took. It so gets a
// third of the time, a key that works now and then notices nothing, and no key waits for another
// key. The throttle remembers only keys that have worked lately.
type Throttle[K comparable] struct {
	ThrottleOptions

	mu      sync.Mutex
	keys    map[K]*throttledKey
	refused uint64
}

// throttledKey is the state of one key.
type throttledKey struct {
	busy     int
	waiting  []chan struct{} // closed when the task may run; the first come first
	worked   time.Duration   // and not given back, as of at
	at       time.Time
	expiring bool // a timer is set that checks whether the key can be forgotten
}

// NewThrottle makes a throttle. Of the Options it needs Name and Meter.
func NewThrottle[K comparable](o Options, lo ThrottleOptions) *Throttle[K] {
	l := &Throttle[K]{ThrottleOptions: lo, keys: map[K]*throttledKey{}}
	o.Meter.add(o.Name, l.stats)
	return l
}

// spent is how long a key has worked, less what was given back.
func (m *throttledKey) spent(now time.Time) time.Duration {
	m.worked = max(0, m.worked-now.Sub(m.at)/restFactor)
	m.at = now
	return m.worked
}

// maxBusy is how many tasks of a key may run at once.
func (l *Throttle[K]) maxBusy(m *throttledKey, now time.Time) int {
	if m.spent(now) < l.FreeWork {
		return l.MaxConcurrent
	}
	return 1
}

// Enter waits until a task of the key may run; the caller then calls leave once. Without leave, why
// tells the reason: FullForKey if too many tasks wait, NotFull if ctx has ended.
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
	ready := make(chan struct{})
	mine.waiting = append(mine.waiting, ready)
	l.mu.Unlock()
	return l.wait(ctx, key, ready)
}

// leaveFunc makes the function that ends a task which starts now.
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

// wait waits for the turn of a queued task.
func (l *Throttle[K]) wait(ctx context.Context, key K, ready chan struct{}) (leave func(), why Full) {
	select {
	case <-ready:
		return l.leaveFunc(key), NotFull
	case <-ctx.Done():
	}
	l.mu.Lock()
	mine := l.keys[key]
	for i, other := range mine.waiting {
		if other == ready {
			mine.waiting = append(mine.waiting[:i:i], mine.waiting[i+1:]...)
			l.mu.Unlock()
			return nil, NotFull
		}
	}
	l.mu.Unlock()
	l.leave(key) // the task was started just then
	return nil, NotFull
}

// leave ends a task and starts waiting ones.
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

// expire forgets a key without tasks, once all its work is given back.
func (l *Throttle[K]) expire(key K, mine *throttledKey, now time.Time) {
	switch spent := mine.spent(now); {
	case mine.busy > 0 || mine.expiring: // the last task to end checks again
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
