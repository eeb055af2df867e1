package device

import (
	"slices"
	"time"
)

// Day is a day of UTC, counted from 1970-01-01. Intake is counted by days of UTC, not of a tenant's
// zone: they are the same for every viewer, and do not change when a tenant changes its zone.
type Day int64

const dayMillis = 24 * 60 * 60 * 1000

// DayOf gives the day of a time in epoch milliseconds.
func DayOf(ms int64) Day {
	day := ms / dayMillis
	if ms%dayMillis < 0 {
		day--
	}
	return Day(day)
}

// String formats the day as 2026-11-21.
func (d Day) String() string { return time.UnixMilli(int64(d) * dayMillis).UTC().Format(time.DateOnly) }

// intakeRetentionDays is how many days of daily intake are kept, today included.
const intakeRetentionDays = 31

// DayIntake counts what arrived from a device on one day.
type DayIntake struct {
	Day      Day
	Messages int64
	Values   int64
	Refused  int64
}

// dayCounts holds a device's days in memory: those that differ from the disk and, last, the day
// that is being counted.
type dayCounts []dayCount

type dayCount struct {
	DayIntake
	unsaved bool
}

// count adds a message to its day. A message that arrived just before midnight and is counted just
// after belongs to the new day: count goes back to an earlier day only if the clock was set back by
// two days or more.
func (c *dayCounts) count(at int64, values, refused int) {
	day := DayOf(at)
	days := *c
	last := len(days) - 1
	if last < 0 || day > days[last].Day || day < days[last].Day-1 {
		days = days.dropSavedLast()
		if i := slices.IndexFunc(days, func(d dayCount) bool { return d.Day == day }); i >= 0 {
			existing := days[i]
			days = append(slices.Delete(days, i, i+1), existing)
		} else {
			days = append(days, dayCount{DayIntake: DayIntake{Day: day}})
		}
		last = len(days) - 1
	}
	d := &days[last]
	d.Messages++
	d.Values += int64(values)
	d.Refused += int64(refused)
	d.unsaved = true
	*c = days
}

// dropSavedLast drops the last day if it is on disk.
func (c dayCounts) dropSavedLast() dayCounts {
	if last := len(c) - 1; last >= 0 && !c[last].unsaved {
		return c[:last]
	}
	return c
}

// markSaved records that a day is on disk as it was written, and drops past days from memory that are on disk.
func (c *dayCounts) markSaved(written DayIntake) {
	days := *c
	for i := range days {
		if days[i].DayIntake == written {
			days[i].unsaved = false
		}
	}
	for i := len(days) - 2; i >= 0; i-- {
		if !days[i].unsaved {
			days = slices.Delete(days, i, i+1)
		}
	}
	*c = days
}
