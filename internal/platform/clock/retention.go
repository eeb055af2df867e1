package clock

import (
	"sync"
	"time"
)

// catchUpFactor is by how much the retention clock may at most outpace the process's own time. It
// is more than 1, so that the clock catches up on the time in which the process did not run.
const catchUpFactor = 4

// RetentionClock tells the time by which old data is removed for good. If the system clock jumps
// forward, as on a machine that starts with a wrong time, the retention clock follows slowly, so
// that nothing becomes old at once; the only effect meanwhile is that data is kept longer. It is
// safe for concurrent use.
type RetentionClock struct {
	elapsed func() time.Duration

	mu          sync.Mutex
	confirmed   time.Time     // the latest time that is certain
	lastElapsed time.Duration // what elapsed returned then
}

// NewRetentionClock continues from confirmed, the latest time that was certain before. elapsed is
// how much time has passed by a clock that nobody sets.
func NewRetentionClock(confirmed time.Time, elapsed func() time.Duration) *RetentionClock {
	return &RetentionClock{elapsed: elapsed, confirmed: confirmed.Round(0), lastElapsed: elapsed()}
}

// Advance returns the retention time when the system clock shows now: never later than now.
func (l *RetentionClock) Advance(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, elapsed := now.Round(0), l.elapsed() // Round drops the monotonic reading
	reached := l.confirmed.Add(catchUpFactor * (elapsed - l.lastElapsed))
	l.lastElapsed = elapsed
	if reached.After(now) {
		reached = now
	}
	// A clock that is behind, as after a start with a wrong time, does not lower the confirmed
	// time, which counts again once the clock is right.
	if reached.After(l.confirmed) {
		l.confirmed = reached
	}
	if l.confirmed.After(now) {
		return now
	}
	return l.confirmed
}

// Confirmed is the latest time that is certain, from which to continue after a restart.
func (l *RetentionClock) Confirmed() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.confirmed
}
