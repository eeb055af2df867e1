package derivation

import (
	"time"

	"tilth/internal/domain/tenant"
)

// civilDay is a day of the calendar, as the number of days since 1 January 1970.
type civilDay int

func newCivilDay(year int, month time.Month, day int) civilDay {
	return civilDay(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86_400)
}

func (d civilDay) date() (year int, month time.Month, day int) {
	return time.Unix(int64(d)*86_400, 0).UTC().Date()
}

// dayOf returns the day of a zone that contains a time (epoch ms).
func dayOf(at int64, zone *time.Location) civilDay {
	return newCivilDay(time.UnixMilli(at).In(zone).Date())
}

// begin returns the first instant of the day in a zone, epoch milliseconds.
func (d civilDay) begin(zone *time.Location) int64 {
	year, month, day := d.date()
	return tenant.StartOfDay(year, month, day, zone).UnixMilli()
}

// lastMilli returns the last millisecond of the day in a zone, the time of the day's values.
func (d civilDay) lastMilli(zone *time.Location) int64 { return (d + 1).begin(zone) - 1 }

// hours returns how many hours the day has in the zone, rounded up.
func (d civilDay) hours(zone *time.Location) int {
	const hour = 3_600_000
	return int(((d + 1).begin(zone) - d.begin(zone) + hour - 1) / hour)
}

// seasonStartOf returns the first day of the season that contains d. The season begins on the same
// day of a month each year, or on the month's last day if the month is shorter.
func seasonStartOf(d civilDay, month time.Month, day int) civilDay {
	year, _, _ := d.date()
	start := seasonStartInYear(year, month, day)
	if start > d {
		start = seasonStartInYear(year-1, month, day)
	}
	return start
}

func seasonStartInYear(year int, month time.Month, day int) civilDay {
	return min(newCivilDay(year, month, day), newCivilDay(year, month+1, 1)-1)
}
