package clock

import (
	"sync"
	"time"
)

// livedPace is how much time passes at most in an hour of the process: more than
// one hour, so that what passed while nothing ran is caught up with.
const livedPace = 4

// Lived tells how far time has come, for what is removed once it is old enough and
// is gone for good then. Where the clock leaps ahead, as on a machine that starts
// with a wrong one, time follows it at a slow pace, so that nothing is old at once;
// and all that is done meanwhile is to keep things for longer. It is safe for
// concurrent use.
type Lived struct {
	ran func() time.Duration

	mu    sync.Mutex
	known time.Time     // how far it has come for certain
	asked time.Duration // what ran said then
}

// NewLived goes on from how far time had come when that was known last. ran is how
// long has passed, by a clock that nobody sets.
func NewLived(known time.Time, ran func() time.Duration) *Lived {
	return &Lived{ran: ran, known: known.Round(0), asked: ran()}
}

// Until is how far time has come where the clock shows now: never later than that.
func (l *Lived) Until(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, ran := now.Round(0), l.ran() // without what tells of time that passed
	come := l.known.Add(livedPace * (ran - l.asked))
	l.asked = ran
	if come.After(now) {
		come = now
	}
	// A clock that is behind, as after a start without the time, takes back nothing
	// of what is known: once it is right that holds again.
	if come.After(l.known) {
		l.known = come
	}
	if l.known.After(now) {
		return now
	}
	return l.known
}

// Known is how far time has come for certain, to go on from after a restart.
func (l *Lived) Known() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}
