package clock_test

import (
	"testing"
	"time"

	"tilth/internal/platform/clock"
)

// Time that passes is no leap, however much; what is set ahead is, once, by how
// far; what is set back, or kept right, is none.
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
			t.Errorf("%v passed, set by %v: leapt %v", step.passed, step.set, got)
		}
	}
}

// Without another clock the times themselves tell: of those that have no more
// than what they show, all that differs has passed.
func TestJumpDetectorWithoutElapsedSource(t *testing.T) {
	shown := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	if got := clock.NewJumpDetector(shown, nil).Jump(shown.Add(time.Hour)); got != 0 {
		t.Errorf("leapt %v", got)
	}
	now := time.Now()
	l := clock.NewJumpDetector(now, nil)
	if got := l.Jump(time.Now()); got != 0 {
		t.Errorf("leapt %v while nobody set the clock", got)
	}
}
