package alarm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
)

var timeOfDay = regexp.MustCompile(`^([01][0-9]|2[0-4]):([0-5][0-9])$`)

// period is the notification period that a form gives.
func (f *Form) period() (alertmsg.Period, error) {
	p, err := f.hours()
	if err == nil {
		p.Weekdays, err = weekdays(f.Weekdays)
	}
	return p, err
}

// hours is the part of the day that a form gives.
func (f *Form) hours() (alertmsg.Period, error) {
	if f.Complex != nil && *f.Complex != 0 && *f.Complex != 1 {
		return alertmsg.Period{}, errs.New(errs.Refused, "invalid.choice").WithField("complexTime")
	}
	if f.Complex != nil && *f.Complex == 1 {
		return slots(f.Slots)
	}
	start, err := minuteOf("startTime", f.Start)
	if err != nil {
		return alertmsg.Period{}, err
	}
	end, err := minuteOf("endTime", f.End)
	switch {
	case err != nil:
		return alertmsg.Period{}, err
	case start == nil && end == nil:
		return alertmsg.Period{}, nil
	case start == nil:
		return alertmsg.Period{}, errs.New(errs.Refused, "invalid.required").WithField("startTime")
	case end == nil:
		return alertmsg.Period{}, errs.New(errs.Refused, "invalid.required").WithField("endTime")
	case *start > *end:
		return alertmsg.Period{}, errs.New(errs.Refused, "rule.timeOrder")
	case *start == *end: // the end is exclusive: the period would be empty
		return alertmsg.Period{}, errs.New(errs.Refused, "rule.timeNone")
	}
	return alertmsg.Period{Start: *start, End: *end}, nil
}

// minuteOf is a time of the day in minutes; nil where none is given.
func minuteOf(field string, said *string) (*int, error) {
	if said == nil || strings.TrimSpace(*said) == "" {
		return nil, nil
	}
	m := timeOfDay.FindStringSubmatch(strings.TrimSpace(*said))
	if m == nil {
		return nil, errs.New(errs.Refused, "rule.timeStep").WithField(field)
	}
	hours, err := strconv.Atoi(m[1])
	if err != nil {
		return nil, err
	}
	minutes, err := strconv.Atoi(m[2])
	if err != nil {
		return nil, err
	}
	if minutes += hours * 60; minutes%alertmsg.PeriodStepMinutes != 0 || minutes > alertmsg.MinutesPerDay {
		return nil, errs.New(errs.Refused, "rule.timeStep").WithField(field)
	}
	return &minutes, nil
}

// slots is a period of half hours: distinct, ascending, at least one.
func slots(said []int) (alertmsg.Period, error) {
	if len(said) == 0 {
		return alertmsg.Period{}, errs.New(errs.Refused, "invalid.few", "limit", "1").WithField("timePeriods")
	}
	for i, slot := range said {
		if slot < 0 || slot >= alertmsg.SlotsPerDay || i > 0 && slot <= said[i-1] {
			return alertmsg.Period{}, errs.New(errs.Refused, "rule.slots").WithField("timePeriods")
		}
	}
	return alertmsg.Period{Slots: slices.Clone(said)}, nil
}

// weekdays are days of the week, 1 Monday to 7 Sunday, ascending. It returns nil for every day,
// also where all seven are given.
func weekdays(said []int) ([]int, error) {
	days := slices.Compact(slices.Sorted(slices.Values(said)))
	if len(days) < len(said) || len(days) > 0 && (days[0] < 1 || days[len(days)-1] > alertmsg.DaysPerWeek) {
		return nil, errs.New(errs.Refused, "rule.weekdays").WithField("weekdays")
	}
	if len(days) == alertmsg.DaysPerWeek {
		return nil, nil
	}
	return days, nil
}
