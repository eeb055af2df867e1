// Package clock tells passed time from a clock that was set.
package clock

import "time"

// MinJump is the smallest forward step that counts as a jump; smaller steps are ordinary clock
// corrections.
const MinJump = time.Minute

// JumpDetector notices when the clock jumps forward, as when a machine without a battery-backed
// clock learns the time or a machine wakes up. It is not safe for concurrent use.
type JumpDetector struct {
	elapsed func() time.Duration
	created time.Time
	origin  time.Time // when nothing had elapsed yet, by the clock at its last reading
}

// NewJumpDetector makes a detector for a clock that shows now. elapsed is how much time has passed
// by a clock that nobody sets; nil: the difference of the times themselves, which is right for
// times from time.Now.
func NewJumpDetector(now time.Time, elapsed func() time.Duration) *JumpDetector {
	l := &JumpDetector{elapsed: elapsed, created: now}
	l.origin = l.originAt(now)
	return l
}

// Jump is how far the clock jumped forward since the last call; 0: it did not. now is the time on
// the clock.
func (l *JumpDetector) Jump(now time.Time) time.Duration {
	origin := l.originAt(now)
	jump := origin.Sub(l.origin)
	l.origin = origin
	if jump <= MinJump {
		return 0
	}
	return jump
}

// originAt is when nothing had elapsed yet, by a clock that shows now.
func (l *JumpDetector) originAt(now time.Time) time.Time {
	elapsed := now.Sub(l.created)
	if l.elapsed != nil {
		elapsed = l.elapsed()
	}
	return now.Round(0).Add(-elapsed) // Round drops the monotonic reading
}
