package farm

import (
	"fmt"
	"math"
	"time"
)

// faultScenario is the faults of a device. Times are seconds since 1970.
type faultScenario struct {
	silentFrom            float64 // from when on the device sends nothing
	stuckFrom, stuckUntil float64 // meanwhile the humidity sensor is stuck
	outliers              bool    // some frames have a broken value
	drifting              bool    // its clock runs fast
}

const (
	stuckHumidity    = 87.3
	brokenValue      = 3276.7 // °C: all bits are ones, since a sensor's cable is loose
	framesPerOutlier = 20000
	driftADay        = 2. // s
)

// noFaults returns the scenario of a device without faults.
func noFaults() faultScenario {
	return faultScenario{silentFrom: math.Inf(1), stuckFrom: math.Inf(1), stuckUntil: math.Inf(1)}
}

// apply replaces values by those of a broken sensor.
func (s *faultScenario) apply(m moment, values []Value) {
	if m.seconds < s.stuckFrom || m.seconds >= s.stuckUntil {
		return
	}
	for i := range values {
		if values[i].Identifier == "airHumidity" {
			values[i].Value = stuckHumidity
		}
	}
}

// applyScenario sets a device's faults by the name of a scenario; their times are relative to now.
func (d *Device) applyScenario(name string, now time.Time) error {
	today := d.site.moment(now).day.number
	switch name {
	case "":
	case "never-installed":
		d.faults.silentFrom = math.Inf(-1)
	case "silent-since-yesterday":
		d.faults.silentFrom = d.site.start(today-1) + 16.7*3600
	case "humidity-stuck":
		d.faults.stuckFrom = d.site.start(today-6) + 2*3600
		d.faults.stuckUntil = d.faults.stuckFrom + 9*3600
	case "outliers":
		d.faults.outliers = true
	case "clock-drifts":
		d.faults.drifting = true
	case "battery-dies":
		b := d.battery
		d.battery = newBattery(b.site, 1, deviceLoad, today-19)
	case "vent-sticks":
		if d.greenhouse == nil {
			return fmt.Errorf("%s has no vent", d.Name)
		}
		first := d.site.sunniest(today-26, today-3)
		d.greenhouse.stuckFrom = d.site.start(first) + 7*3600
		if !d.site.heated(d.site.day(first)) {
			d.greenhouse.stuckAt = stuckVent
		}
		d.greenhouse.stuckUntil = d.site.start(first+1) + 20*3600
	default:
		return fmt.Errorf("%s: no story %q", d.Name, name)
	}
	return nil
}

// sunniest returns the first of the two consecutive days, between two days, that together have the
// fewest clouds.
func (s *site) sunniest(from, to int) int {
	best, least := from, math.Inf(1)
	for n := from; n < to; n++ {
		if cloud := s.day(n).cloud + s.day(n+1).cloud; cloud < least {
			best, least = n, cloud
		}
	}
	return best
}

// drift returns how many milliseconds the device's clock is ahead at a moment; it is set to the
// right time on Mondays at midnight.
func (d *Device) drift(m moment) int64 {
	if !d.faults.drifting {
		return 0
	}
	const monday = 4 // 1970-01-05, the first Monday, counted in days since 1970
	days := float64((m.day.number-monday)%7) + m.hour/24
	return int64(1000 * driftADay * days)
}
