// Package clock tells time that passed from a clock that was set.
package clock

import "time"

// LeapLeast is how far a clock has to leap ahead to count as a leap: less is how
// clocks are kept right.
const LeapLeast = time.Minute

// Leaps notices when a clock leaps ahead, as when a machine without one learns
// the time or wakes up. It is not safe for concurrent use.
type Leaps struct {
	ran   func() time.Duration
	begun time.Time
	first time.Time // when nothing had run yet, by the clock as it was last
}

// NewLeaps makes one for a clock that shows now. ran is how long has passed, by a
// clock that nobody sets; nil: as the times themselves tell, which those of
// time.Now do.
func NewLeaps(now time.Time, ran func() time.Duration) *Leaps {
	l := &Leaps{ran: ran, begun: now}
	l.first = l.start(now)
	return l
}

// Ahead is how far the clock leapt ahead since it was asked last; 0: it did not.
// now is what the clock shows.
func (l *Leaps) Ahead(now time.Time) time.Duration {
	first := l.start(now)
	leap := first.Sub(l.first)
	l.first = first
	if leap <= LeapLeast {
		return 0
	}
	return leap
}

// start is when nothing had run yet, by the clock that shows now.
func (l *Leaps) start(now time.Time) time.Time {
	ran := now.Sub(l.begun)
	if l.ran != nil {
		ran = l.ran()
	}
	return now.Round(0).Add(-ran) // without what tells of time that passed
}
