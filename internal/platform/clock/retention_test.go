package clock_test

import (
	"testing"
	"time"

	"tilth/internal/platform/clock"
)

// Time comes with a clock that is right; it follows one that leapt ahead slowly,
// is never ahead of one that is behind, and takes nothing back for that.
func TestRetentionClockFollowsForwardJumpSlowly(t *testing.T) {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	begin := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	now, elapsed := begin, time.Duration(0)
	l := clock.NewRetentionClock(begin, func() time.Duration { return elapsed })
	for _, step := range []struct {
		what        string
		passed, set time.Duration
		until       time.Duration // after begin
		known       time.Duration
	}{
		{what: "at once"},
		{what: "a year of the process", passed: year, until: year, known: year},
		{what: "kept right", passed: time.Hour, set: time.Minute, until: year + time.Hour + time.Minute, known: year + time.Hour + time.Minute},
		{what: "nine years ahead", set: 9*year - time.Minute, until: year + time.Hour + time.Minute, known: year + time.Hour + time.Minute},
		{what: "an hour later", passed: time.Hour - time.Minute, until: year + 5*time.Hour - 3*time.Minute, known: year + 5*time.Hour - 3*time.Minute},
		{what: "right again", set: -9 * year, until: year + 2*time.Hour - time.Minute, known: year + 5*time.Hour - 3*time.Minute},
		{what: "a day later", passed: day, until: year + 26*time.Hour - time.Minute, known: year + 26*time.Hour - time.Minute},
		{what: "fifty years behind", set: -50 * year, until: -49*year + 26*time.Hour - time.Minute, known: year + 26*time.Hour - time.Minute},
		{what: "right again after a day", passed: day, set: 50 * year, until: year + 50*time.Hour - time.Minute, known: year + 50*time.Hour - time.Minute},
	} {
		elapsed, now = elapsed+step.passed, now.Add(step.passed+step.set)
		if got := l.Advance(now).Sub(begin); got != step.until {
			t.Errorf("%s: until %v, want %v", step.what, got, step.until)
		}
		if got := l.Confirmed().Sub(begin); got != step.known {
			t.Errorf("%s: known %v, want %v", step.what, got, step.known)
		}
	}
}

// What passed while nothing ran is caught up with, and no further.
func TestRetentionClockCatchesUpAfterDowntime(t *testing.T) {
	const winter = 90 * 24 * time.Hour
	begin := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	elapsed := time.Duration(0)
	l := clock.NewRetentionClock(begin.Add(-winter), func() time.Duration { return elapsed })
	if got := begin.Sub(l.Advance(begin)); got != winter {
		t.Errorf("at once %v behind", got)
	}
	for ; elapsed < winter/3; elapsed += time.Hour {
		if l.Advance(begin.Add(elapsed)).After(begin.Add(elapsed)) {
			t.Fatal("ahead of the clock")
		}
	}
	if now := begin.Add(elapsed); !l.Advance(now).Equal(now) {
		t.Errorf("%v behind after a month", now.Sub(l.Advance(now)))
	}
}
