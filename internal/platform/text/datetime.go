package text

import (
	"fmt"
	"time"
)

// DateTime writes a day and a time. For an hour that occurs twice, when clocks are set back, it
// adds the offset: Oct 25, 2026, 02:30 UTC+1.
func DateTime(l Language, t time.Time) string {
	written := t.Format(descriptorOf(l).dateTime)
	if isAmbiguous(t) {
		written += " " + ZoneOffset(t)
	}
	return written
}

// DateTimeWithZone writes a time with its zone's offset, for emails: the reader's own zone is
// unknown there.
func DateTimeWithZone(l Language, t time.Time) string {
	form := descriptorOf(l)
	return fmt.Sprintf(form.withZone, t.Format(form.dateTime), ZoneOffset(t))
}

// ShortDateTime writes a day of this year and a time, for SMS.
func ShortDateTime(l Language, t time.Time) string { return t.Format(descriptorOf(l).shortDateTime) }

// Date writes a day.
func Date(l Language, t time.Time) string { return t.Format(descriptorOf(l).date) }

// ShortDate writes a day without the year, for SMS.
func ShortDate(l Language, t time.Time) string { return t.Format(descriptorOf(l).shortDate) }

// DateTimeAfter writes a time that follows an earlier one of the same zone: on the same day only
// its clock time, unless that hour occurs twice; otherwise as format does.
func DateTimeAfter(l Language, t, earlier time.Time, format func(Language, time.Time) string) string {
	if t.Year() != earlier.Year() || t.YearDay() != earlier.YearDay() || isAmbiguous(t) {
		return format(l, t)
	}
	return t.Format("15:04")
}

// AxisDate writes a day on an axis.
func AxisDate(l Language, t time.Time) string { return t.Format(descriptorOf(l).axisDate) }

// ZoneOffset returns the offset of a time: UTC+3, UTC−3:30, UTC.
func ZoneOffset(t time.Time) string {
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

// isAmbiguous reports whether clocks show that time twice because they are set back.
func isAmbiguous(t time.Time) bool {
	start, end := t.ZoneBounds()
	_, offset := t.Zone()
	setBack := func(later int, earlier int) time.Duration { return time.Duration(earlier-later) * time.Second }
	if !end.IsZero() {
		if _, next := end.Zone(); end.Sub(t) <= setBack(next, offset) {
			return true
		}
	}
	if !start.IsZero() {
		_, before := start.Add(-time.Nanosecond).Zone()
		return t.Sub(start) < setBack(offset, before)
	}
	return false
}
