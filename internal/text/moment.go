package text

import (
	"fmt"
	"time"
)

// Moment writes a day and a time. Of an hour that comes twice, when clocks are
// set back, it says which of the two: Oct 25, 2026, 02:30 UTC+1.
func Moment(l Language, t time.Time) string {
	said := t.Format(formOf(l).moment)
	if comesTwice(t) {
		said += " " + Zone(t)
	}
	return said
}

// Zoned writes a time with its zone's offset, for mails: it is read where the
// reader's own zone is not known.
func Zoned(l Language, t time.Time) string {
	form := formOf(l)
	return fmt.Sprintf(form.zoned, t.Format(form.moment), Zone(t))
}

// Brief writes a day of this year and a time, for SMS.
func Brief(l Language, t time.Time) string { return t.Format(formOf(l).brief) }

// After writes a time that stands behind an earlier one of the same zone: on the same
// day its clock alone, unless that hour comes twice, else as the given function does.
func After(l Language, t, earlier time.Time, whole func(Language, time.Time) string) string {
	if t.Year() != earlier.Year() || t.YearDay() != earlier.YearDay() || comesTwice(t) {
		return whole(l, t)
	}
	return t.Format("15:04")
}

// Tick writes a day on an axis.
func Tick(l Language, t time.Time) string { return t.Format(formOf(l).tick) }

// Zone names the offset of a time: UTC+3, UTC−3:30, UTC.
func Zone(t time.Time) string {
	_, offset := t.Zone()
	if offset == 0 {
		return "UTC"
	}
	sign := "+"
	if offset < 0 {
		sign, offset = minus, -offset
	}
	zone := fmt.Sprintf("UTC%s%d", sign, offset/3600)
	if minutes := offset % 3600 / 60; minutes != 0 {
		zone += fmt.Sprintf(":%02d", minutes)
	}
	return zone
}

// comesTwice tells whether clocks show that time twice, as they are set back.
func comesTwice(t time.Time) bool {
	start, end := t.ZoneBounds()
	_, offset := t.Zone()
	back := func(later int, earlier int) time.Duration { return time.Duration(earlier-later) * time.Second }
	if !end.IsZero() {
		if _, next := end.Zone(); end.Sub(t) <= back(next, offset) {
			return true
		}
	}
	if !start.IsZero() {
		_, before := start.Add(-time.Nanosecond).Zone()
		return t.Sub(start) < back(offset, before)
	}
	return false
}
