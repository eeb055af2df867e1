package clock

import (
	"sync"
	"time"
)

// catchUpFactor is how much time passes at most in an hour of the process: more than
// one hour, so that what passed while nothing ran is caught up with.
const catchUpFactor = 4

// RetentionClock tells how far time has come, for what is removed once it is old enough and
// is gone for good then. Where the clock leaps ahead, as on a machine that starts
// with a wrong one, time follows it at a slow pace, so that nothing is old at once;
// and all that is done meanwhile is to keep things for longer. It is safe for
// concurrent use.
type RetentionClock struct {
	elapsed func() time.Duration

	mu          sync.Mutex
	confirmed   time.Time     // how far it has come for certain
	lastElapsed time.Duration // what ran said then
}

// NewRetentionClock goes on from how far time had come when that was known last. ran is how
// long has passed, by a clock that nobody sets.
func NewRetentionClock(confirmed time.Time, elapsed func() time.Duration) *RetentionClock {
	return &RetentionClock{elapsed: elapsed, confirmed: confirmed.Round(0), lastElapsed: elapsed()}
}

// Advance is how far time has come where the clock shows now: never later than that.
func (l *RetentionClock) Advance(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, elapsed := now.Round(0), l.elapsed() // without what tells of time that passed
	reached := l.confirmed.Add(catchUpFactor * (elapsed - l.lastElapsed))
	l.lastElapsed = elapsed
	if reached.After(now) {
		reached = now
	}
	// A clock that is behind, as after a start without the time, takes back nothing
	// of what is known: once it is right that holds again.
	if reached.After(l.confirmed) {
		l.confirmed = reached
	}
	if l.confirmed.After(now) {
		return now
	}
	return l.confirmed
}

// Confirmed is how far time has come for certain, to go on from after a restart.
func (l *RetentionClock) Confirmed() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.confirmed
}
