package news

import (
	"fmt"
	"slices"
	"time"
)

// How a day is parted.
const (
	MinutesADay  = 24 * 60
	PeriodStep   = 15 // minutes
	SlotsADay    = 48
	minutesASlot = MinutesADay / SlotsADay
	periodStep   = PeriodStep * time.Minute
)

// Period is when people are told of a rule's notices, by the clock of the
// tenant's zone. The zero Period is always. Its JSON is what is stored.
type Period struct {
	// Slots are half hours of the day, 0 to 47, ascending; when there are any,
	// Start and End are not looked at.
	Slots []int `json:"slots,omitempty"`
	// Start and End are minutes of the day, End exclusive; both 0: always.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
}

// Always tells whether the period has no limits.
func (p Period) Always() bool { return len(p.Slots) == 0 && p.Start == 0 && p.End == 0 }

// Holds tells whether an instant is within the period, by the zone's clock: an
// hour that a change to daylight saving skips never comes, one that is repeated
// counts both times.
func (p Period) Holds(at time.Time, zone *time.Location) bool {
	if p.Always() {
		return true
	}
	local := at.In(zone)
	minute := local.Hour()*60 + local.Minute()
	if len(p.Slots) > 0 {
		_, ok := slices.BinarySearch(p.Slots, minute/minutesASlot)
		return ok
	}
	return minute >= p.Start && minute < p.End
}

// Next is the first instant from at on that is within the period, to the
// second; at itself where it is. Within a week there always is one: a period
// has at least one quarter of an hour, and a change to daylight saving skips a
// quarter of an hour on one day only.
func (p Period) Next(at time.Time, zone *time.Location) time.Time {
	if p.Holds(at, zone) {
		return at
	}
	// Zones change by quarters of an hour, and so do periods.
	next := at.Truncate(periodStep).Add(periodStep)
	for !p.Holds(next, zone) && next.Sub(at) < 7*24*time.Hour {
		next = next.Add(periodStep)
	}
	return next
}

// Clock writes minutes of the day as HH:mm; the day's end is 24:00.
func Clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
