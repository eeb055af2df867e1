package chart

import (
	"math"
	"time"

	"tilth/internal/domain/tenant"
)

// tick is a labelled position on an axis.
type tick struct {
	at    float64
	label string
}

// valueTicks gives about five ticks of a range of values at round distances, and the range extended
// to begin and end at a tick.
func valueTicks(low, high float64, number func(v float64, decimals int) string) (ticks []tick, bottom, top float64) {
	if high <= low { // all values are the same
		half := math.Max(math.Abs(low)*0.05, 0.5)
		low, high = low-half, high+half
	}
	step := roundStep((high - low) / 4)
	bottom, top = math.Floor(low/step)*step, math.Ceil(high/step)*step
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	for i := 0; i <= int(math.Round((top-bottom)/step)); i++ {
		at := bottom + float64(i)*step
		ticks = append(ticks, tick{at, number(at, decimals)})
	}
	return ticks, bottom, top
}

// roundStep gives the least of 1, 2 and 5 times a power of ten that is at least least.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, times := range []float64{1, 2, 5, 10} {
		if times*power >= least*(1-1e-9) {
			return times * power
		}
	}
	return 10 * power
}

const maxTimeTicks = 6 // on the time axis

var tickSteps = []time.Duration{
	time.Minute,
	2 * time.Minute,
	5 * time.Minute,
	10 * time.Minute,
	15 * time.Minute,
	20 * time.Minute,
	30 * time.Minute,
	time.Hour,
	2 * time.Hour,
	3 * time.Hour,
	6 * time.Hour,
	12 * time.Hour,
}

const day = 24 * time.Hour

func clock(t time.Time) string { return t.Format("15:04") }

// timeTicks gives the ticks of a range of time (epoch ms) at round times of the zone's clock, or at
// days if the range is long.
func timeTicks(from, to int64, zone *time.Location, dayOf func(time.Time) string) (ticks []tick) {
	span := time.Duration(to-from) * time.Millisecond
	distance := day
	for span/distance >= maxTimeTicks {
		distance += day
	}
	for _, d := range tickSteps {
		if span/d < maxTimeTicks {
			distance = d
			break
		}
	}
	year, month, date := time.UnixMilli(from).In(zone).Date()
	label, next := clock, tenant.StartOfDay(year, month, date, zone)
	if distance >= day {
		label = dayOf
	}
	for next.UnixMilli() <= to {
		if next.UnixMilli() >= from {
			ticks = append(ticks, tick{float64(next.UnixMilli()), label(next)})
		}
		if distance < day {
			next = next.Add(distance)
			continue
		}
		// It counts days by the calendar, since a day may have 23 hours, or no midnight.
		date += int(distance / day)
		next = tenant.StartOfDay(year, month, date, zone)
	}
	return ticks
}
