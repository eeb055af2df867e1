package clock_test

import (
	"testing"
	"time"

	"tilth/internal/clock"
)

// Time comes with a clock that is right; it follows one that leapt ahead slowly,
// is never ahead of one that is behind, and takes nothing back for that.
func TestLived(t *testing.T) {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	begin := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	now, ran := begin, time.Duration(0)
	l := clock.NewLived(begin, func() time.Duration { return ran })
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
		ran, now = ran+step.passed, now.Add(step.passed+step.set)
		if got := l.Until(now).Sub(begin); got != step.until {
			t.Errorf("%s: until %v, want %v", step.what, got, step.until)
		}
		if got := l.Known().Sub(begin); got != step.known {
			t.Errorf("%s: known %v, want %v", step.what, got, step.known)
		}
	}
}

// What passed while nothing ran is caught up with, and no further.
func TestLivedAfterAWinter(t *testing.T) {
	const winter = 90 * 24 * time.Hour
	begin := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	ran := time.Duration(0)
	l := clock.NewLived(begin.Add(-winter), func() time.Duration { return ran })
	if got := begin.Sub(l.Until(begin)); got != winter {
		t.Errorf("at once %v behind", got)
	}
	for ; ran < winter/3; ran += time.Hour {
		if l.Until(begin.Add(ran)).After(begin.Add(ran)) {
			t.Fatal("ahead of the clock")
		}
	}
	if now := begin.Add(ran); !l.Until(now).Equal(now) {
		t.Errorf("%v behind after a month", now.Sub(l.Until(now)))
	}
}
