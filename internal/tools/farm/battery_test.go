package farm

import (
	"math"
	"testing"
)

func TestHealthyBatteryLivesThroughTheYear(t *testing.T) {
	b := newBattery(ankara(t), .85, deviceLoad*1.15, 0)
	low := math.Inf(1)
	for x := b.site.start(dayOf(2025, 1, 1)); x < b.site.start(dayOf(2026, 1, 1)); x += 1800 {
		v, alive := b.volts(b.site.momentAt(x))
		if !alive || v < 3.7 || v > 4.15 {
			t.Fatalf("%v V, alive %v", v, alive)
		}
		low = min(low, v)
	}
	assertBetween(t, "the lowest voltage", low, 3.7, 4)
}

func TestBatteryDrainsByNightAndChargesByDay(t *testing.T) {
	b := newBattery(ankara(t), 1, deviceLoad, 0)
	n := dayOf(2026, 9, 12)
	dusk, _ := b.volts(at(b.site, n, 20))
	dawn, _ := b.volts(at(b.site, n+1, 5))
	noon, _ := b.volts(at(b.site, n+1, 13))
	if dawn >= dusk || noon <= dawn {
		t.Errorf("%v V at dusk, %v at dawn, %v at noon", dusk, dawn, noon)
	}
}

func TestDyingBattery(t *testing.T) {
	s := ankara(t)
	day := dayOf(2026, 11, 2)
	b := newBattery(s, 1, deviceLoad, day)
	healthy := newBattery(s, 1, deviceLoad, 0)

	m := at(s, day-1, 5)
	before, _ := b.volts(m)
	sound, _ := healthy.volts(m)
	assertNear(t, "the voltage before it begins", before, sound, 0)

	last := before
	for n := day + 4; n < day+17; n += 3 {
		v, _ := b.volts(at(s, n, 6))
		if v >= last {
			t.Errorf("dawn %d days on: %v V after %v", n-day, v, last)
		}
		last = v
	}
	if last > 3.7 {
		t.Errorf("still %v V after two weeks", last)
	}
	// At the end the device is dark from late evening until the sun is well up.
	for n := day + 22; n < day+30; n++ {
		for h, want := range map[float64]bool{2: false, 5: false, 14: true} {
			if _, alive := b.volts(at(s, n, h)); alive != want {
				t.Errorf("alive %v at %v h, %d days on", alive, h, n-day)
			}
		}
		assertBetween(t, "hours of sun until it is back", s.wakes(b, n)-s.day(n).rise, .3, 4)
	}
}

// wakes returns the hour at which the device of a dying battery starts on a day.
func (s *site) wakes(b *battery, n int) float64 {
	for h := 4.; h < 24; h += .05 {
		if _, alive := b.volts(at(s, n, h)); alive {
			return h
		}
	}
	return math.NaN()
}
