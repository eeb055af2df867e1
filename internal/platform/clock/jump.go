// Package clock tells time that passed from a clock that was set.
package clock

import "time"

// MinJump is how far a clock has to leap ahead to count as a leap: less is how
// clocks are kept right.
const MinJump = time.Minute

// JumpDetector notices when a clock leaps ahead, as when a machine without one learns
// the time or wakes up. It is not safe for concurrent use.
type JumpDetector struct {
	elapsed func() time.Duration
	created time.Time
	origin  time.Time // when nothing had run yet, by the clock as it was last
}

// NewJumpDetector makes one for a clock that shows now. ran is how long has passed, by a
// clock that nobody sets; nil: as the times themselves tell, which those of
// time.Now do.
func NewJumpDetector(now time.Time, elapsed func() time.Duration) *JumpDetector {
	l := &JumpDetector{elapsed: elapsed, created: now}
	l.origin = l.originAt(now)
	return l
}

// Jump is how far the clock leapt ahead since it was asked last; 0: it did not.
// now is what the clock shows.
func (l *JumpDetector) Jump(now time.Time) time.Duration {
	origin := l.originAt(now)
	jump := origin.Sub(l.origin)
	l.origin = origin
	if jump <= MinJump {
		return 0
	}
	return jump
}

// originAt is when nothing had run yet, by the clock that shows now.
func (l *JumpDetector) originAt(now time.Time) time.Time {
	elapsed := now.Sub(l.created)
	if l.elapsed != nil {
		elapsed = l.elapsed()
	}
	return now.Round(0).Add(-elapsed) // without what tells of time that passed
}
