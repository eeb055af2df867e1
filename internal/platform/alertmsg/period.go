package alertmsg

import (
	"fmt"
	"slices"
	"time"
)

// The parts of a week and a day.
const (
	DaysPerWeek       = 7
	MinutesPerDay     = 24 * 60
	PeriodStepMinutes = 15 // minutes
	SlotsPerDay       = 48
	minutesPerSlot    = MinutesPerDay / SlotsPerDay
	periodStep        = PeriodStepMinutes * time.Minute
	// maxWait is how long a period can delay a notification: if a change to daylight saving skips
	// the hour of a period on a single day of the week, the next one is a week later.
	maxWait = (2*DaysPerWeek + 1) * 24 * time.Hour
)

// Period is when people are notified of a rule's notices, by the clock and the calendar of the
// tenant's zone. The zero Period is always. Its JSON is stored.
type Period struct {
	// Slots are half hours of the day, 0 to 47, ascending. When there are any, Start and End are
	// ignored.
	Slots []int `json:"slots,omitempty"`
	// Start and End are minutes of the day, End exclusive; both 0: always.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	// Weekdays are the days on which the period counts, 1 Monday to 7 Sunday, ascending; none:
	// every day. The day is that of the clock at the instant: the part of a night after midnight
	// belongs to the new day.
	Weekdays []int `json:"weekdays,omitempty"`
}

// Always tells whether the period has no limits.
func (p Period) Always() bool { return p.AllDay() && len(p.Weekdays) == 0 }

// AllDay tells whether the period has no limits within a day.
func (p Period) AllDay() bool { return len(p.Slots) == 0 && p.Start == 0 && p.End == 0 }

// Contains tells whether an instant is within the period, by the zone's clock: an hour that a
// change to daylight saving skips never comes, one that is repeated counts both times.
func (p Period) Contains(at time.Time, zone *time.Location) bool {
	if p.Always() {
		return true
	}
	local := at.In(zone)
	if len(p.Weekdays) > 0 {
		if _, ok := slices.BinarySearch(p.Weekdays, weekday(local)); !ok {
			return false
		}
	}
	if p.AllDay() {
		return true
	}
	minute := local.Hour()*60 + local.Minute()
	if len(p.Slots) > 0 {
		_, ok := slices.BinarySearch(p.Slots, minute/minutesPerSlot)
		return ok
	}
	return minute >= p.Start && minute < p.End
}

// weekday is 1 on Monday and 7 on Sunday.
func weekday(local time.Time) int {
	if day := local.Weekday(); day != time.Sunday {
		return int(day)
	}
	return DaysPerWeek
}

// Next is the first instant from at on that is within the period, to the second; at itself where it
// is within. There always is one: a period has at least a quarter of an hour on one day of the
// week, and a change to daylight saving, or to another side of the date line, skips it once.
func (p Period) Next(at time.Time, zone *time.Location) time.Time {
	if p.Contains(at, zone) {
		return at
	}
	// Zones change by quarters of an hour, and so do periods.
	next := at.Truncate(periodStep).Add(periodStep)
	for !p.Contains(next, zone) && next.Sub(at) < maxWait {
		next = next.Add(periodStep)
	}
	return next
}

// FormatClock writes minutes of the day as HH:mm; the day's end is 24:00.
func FormatClock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
