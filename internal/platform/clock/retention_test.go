package clock_test

import (
	"testing"
	"time"

	"tilth/internal/platform/clock"
)

// The retention clock follows a correct system clock at once and one that jumped forward slowly. It
// is never ahead of the system clock, and a clock that is behind does not lower the confirmed time.
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
		{what: "at the start"},
		{what: "a year of the process", passed: year, until: year, known: year},
		{what: "corrected", passed: time.Hour, set: time.Minute, until: year + time.Hour + time.Minute, known: year + time.Hour + time.Minute},
		{what: "nine years ahead", set: 9*year - time.Minute, until: year + time.Hour + time.Minute, known: year + time.Hour + time.Minute},
		{what: "an hour later", passed: time.Hour - time.Minute, until: year + 5*time.Hour - 3*time.Minute, known: year + 5*time.Hour - 3*time.Minute},
		{what: "right again", set: -9 * year, until: year + 2*time.Hour - time.Minute, known: year + 5*time.Hour - 3*time.Minute},
		{what: "a day later", passed: day, until: year + 26*time.Hour - time.Minute, known: year + 26*time.Hour - time.Minute},
		{what: "fifty years behind", set: -50 * year, until: -49*year + 26*time.Hour - time.Minute, known: year + 26*time.Hour - time.Minute},
		{what: "right again after a day", passed: day, set: 50 * year, until: year + 50*time.Hour - time.Minute, known: year + 50*time.Hour - time.Minute},
	} {
		elapsed, now = elapsed+step.passed, now.Add(step.passed+step.set)
		if got := l.Advance(now).Sub(begin); got != step.until {
			t.Errorf("%s: Advance returned %v, want %v", step.what, got, step.until)
		}
		if got := l.Confirmed().Sub(begin); got != step.known {
			t.Errorf("%s: Confirmed returned %v, want %v", step.what, got, step.known)
		}
	}
}

// The clock catches up on the time in which the process did not run, and no further.
func TestRetentionClockCatchesUpAfterDowntime(t *testing.T) {
	const winter = 90 * 24 * time.Hour
	begin := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	elapsed := time.Duration(0)
	l := clock.NewRetentionClock(begin.Add(-winter), func() time.Duration { return elapsed })
	if got := begin.Sub(l.Advance(begin)); got != winter {
		t.Errorf("%v behind at the start", got)
	}
	for ; elapsed < winter/3; elapsed += time.Hour {
		if l.Advance(begin.Add(elapsed)).After(begin.Add(elapsed)) {
			t.Fatal("the retention clock is ahead of the system clock")
		}
	}
	if now := begin.Add(elapsed); !l.Advance(now).Equal(now) {
		t.Errorf("%v behind after a month", now.Sub(l.Advance(now)))
	}
}
