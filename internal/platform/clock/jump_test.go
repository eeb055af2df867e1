package clock_test

import (
	"testing"
	"time"

	"tilth/internal/platform/clock"
)

// Elapsed time is no jump, however much. A step forward is reported once, with its size; a step
// back, or a small correction, is not.
func TestJumpDetectorReportsForwardJumps(t *testing.T) {
	now, elapsed := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC), time.Duration(0)
	l := clock.NewJumpDetector(now, func() time.Duration { return elapsed })
	for _, step := range []struct{ passed, set, want time.Duration }{
		{},
		{passed: 30 * 24 * time.Hour},
		{set: time.Hour, want: time.Hour},
		{},
		{passed: time.Second, set: clock.MinJump + time.Millisecond, want: clock.MinJump + time.Millisecond},
		{set: -48 * time.Hour},
		{passed: time.Hour, set: clock.MinJump},
		{passed: time.Hour, set: clock.MinJump},
		{passed: 5 * time.Minute, set: 48 * time.Hour, want: 48 * time.Hour},
	} {
		elapsed, now = elapsed+step.passed, now.Add(step.passed+step.set)
		if got := l.Jump(now); got != step.want {
			t.Errorf("%v passed, set by %v: jumped %v", step.passed, step.set, got)
		}
	}
}

// Without a source of elapsed time the times themselves tell; for times without a monotonic
// reading, the whole difference counts as elapsed.
func TestJumpDetectorWithoutElapsedSource(t *testing.T) {
	shown := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	if got := clock.NewJumpDetector(shown, nil).Jump(shown.Add(time.Hour)); got != 0 {
		t.Errorf("jumped %v", got)
	}
	now := time.Now()
	l := clock.NewJumpDetector(now, nil)
	if got := l.Jump(time.Now()); got != 0 {
		t.Errorf("jumped %v although nobody set the clock", got)
	}
}
