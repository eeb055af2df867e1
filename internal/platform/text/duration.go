package text

import (
	"strconv"
	"time"
)

// durationUnits are the units of a duration, and the keys of their sentences.
var durationUnits = []struct {
	length time.Duration
	key    string
}{
	{24 * time.Hour, "span.days"},
	{time.Hour, "span.hours"},
	{time.Minute, "span.minutes"},
	{time.Second, "span.seconds"},
}

// Duration writes how long something lasted, in its largest unit and the next smaller one: 1 h 35
// min.
func Duration(l Language, d time.Duration) string {
	left, first := max(d, 0), 0
	for first < len(durationUnits)-1 && left < durationUnits[first].length {
		first++
	}
	n := int(left / durationUnits[first].length)
	written := span(l, durationUnits[first].key, n)
	if first == len(durationUnits)-1 {
		return written
	}
	next := durationUnits[first+1]
	rest := int(left % durationUnits[first].length / next.length)
	if rest == 0 {
		return written
	}
	key := durationUnits[first].key
	if key == "span.minutes" { // Chinese uses another word before seconds
		key = "span.minutesAnd"
	}
	return Translate(l, "span.both", map[string]string{"first": span(l, key, n), "rest": span(l, next.key, rest)})
}

// intervalSteps are what intervals are rounded to, the largest first.
var intervalSteps = []time.Duration{
	24 * time.Hour, time.Hour, 30 * time.Minute, 10 * time.Minute, 5 * time.Minute, time.Minute,
	30 * time.Second, 10 * time.Second, 5 * time.Second, time.Second,
}

// Interval writes how often something usually happens as people say it: 10 min for 9 min 59 s. It is
// off by 5 % at most.
func Interval(l Language, d time.Duration) string {
	for _, step := range intervalSteps {
		if near := d.Round(step); 20*(near-d).Abs() <= d {
			return Duration(l, near)
		}
	}
	return Duration(l, max(d, time.Second))
}

// WaitTime writes how long to wait, rounded up: seconds below a minute, minutes up to two hours,
// otherwise hours.
func WaitTime(l Language, d time.Duration) string {
	up := func(unit time.Duration) int { return int((d + unit - 1) / unit) }
	switch {
	case d < time.Minute:
		return span(l, "span.seconds", up(time.Second))
	case d > 2*time.Hour:
		return span(l, "span.hours", up(time.Hour))
	}
	return span(l, "span.minutes", up(time.Minute))
}

func span(l Language, key string, n int) string {
	return Translate(l, key, map[string]string{"n": strconv.Itoa(n)})
}
