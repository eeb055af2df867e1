package derivation

import "time"

// civil is a day of the calendar, as the number of days since 1 January 1970.
type civil int

func civilOf(year int, month time.Month, day int) civil {
	return civil(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86_400)
}

func (d civil) date() (year int, month time.Month, day int) {
	return time.Unix(int64(d)*86_400, 0).UTC().Date()
}

// dayOf is the day of a zone on which a time (epoch ms) lies.
func dayOf(at int64, zone *time.Location) civil {
	return civilOf(time.UnixMilli(at).In(zone).Date())
}

// begin is the first instant of the day in a zone, epoch milliseconds.
func (d civil) begin(zone *time.Location) int64 {
	year, month, day := d.date()
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if t.Day() != day {
		// Clocks jump over midnight: the day begins with the jump.
		_, t = t.ZoneBounds()
	}
	return t.UnixMilli()
}

// last is the last millisecond of the day in a zone: where its values stand.
func (d civil) last(zone *time.Location) int64 { return (d + 1).begin(zone) - 1 }

// hours is how many hours of the zone the day has, a begun one counting.
func (d civil) hours(zone *time.Location) int {
	const hour = 3_600_000
	return int(((d + 1).begin(zone) - d.begin(zone) + hour - 1) / hour)
}

// seasonOf is the first day of the season in which day lies, which begins on a
// day of a month each year, or on the month's last day where it is shorter.
func seasonOf(d civil, month time.Month, day int) civil {
	year, _, _ := d.date()
	start := seasonStart(year, month, day)
	if start > d {
		start = seasonStart(year-1, month, day)
	}
	return start
}

func seasonStart(year int, month time.Month, day int) civil {
	return min(civilOf(year, month, day), civilOf(year, month+1, 1)-1)
}
