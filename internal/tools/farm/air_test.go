package farm

import (
	"math"
	"testing"
)

// The air changes steadily at midnight, sunrise, sunset and the end of a shower.
func TestAirChangesSlowly(t *testing.T) {
	t.Parallel()
	days := 365
	if testing.Short() {
		days = 60
	}
	for _, s := range []*site{ankara(t), hebei(t)} {
		for _, hollow := range []bool{false, true} {
			worst, hour := 0., 0.
			first := dayOf(2025, 1, 1)
			last := s.air(at(s, first, 0), hollow).temperature
			for minute := 1; minute < days*1440; minute++ {
				m := s.momentAt(s.start(first) + float64(minute)*60)
				now := s.air(m, hollow).temperature
				if step := math.Abs(now - last); step > worst {
					worst, hour = step, m.hour
				}
				last = now
			}
			if worst >= .1 {
				t.Errorf("%s, hollow %v: a step of %v °C in a minute at %v h", s.name, hollow, worst, hour)
			}
		}
	}
}

func TestDewPointStaysBelowTheAir(t *testing.T) {
	for _, s := range []*site{ankara(t), hebei(t)} {
		for n := dayOf(2024, 1, 1); n < dayOf(2026, 1, 1); n += 2 {
			for h := .3; h < 24; h += 1.7 {
				for _, hollow := range []bool{false, true} {
					a := s.air(at(s, n, h), hollow)
					if a.dewPoint > a.temperature-.3+1e-9 || a.humidity > 100 || a.humidity < 2 {
						t.Fatalf("%s, day %d, %v h: %+v", s.name, n, h, a)
					}
				}
			}
		}
	}
}

func TestDailyCourse(t *testing.T) {
	s := ankara(t)
	for n := dayOf(2026, 1, 1); n < dayOf(2027, 1, 1); n += 7 {
		d := s.day(n)
		assertNear(t, "at dawn", s.dailyCourse(at(s, n, d.rise)), d.low, 1e-6)
		top, when := math.Inf(-1), 0.
		for h := d.rise; h < d.set; h += .05 {
			if x := s.dailyCourse(at(s, n, h)); x > top {
				top, when = x, h
			}
		}
		assertNear(t, "the day's highest", top, d.high, .01)
		assertBetween(t, "hours from noon to the highest", when-d.noon, 1.5, 2.2)
		// The night's curve begins where the day's ends.
		sunset := s.dailyCourse(at(s, n, d.set))
		assertNear(t, "just after sunset", s.dailyCourse(at(s, n, d.set+.001)), sunset, .01)
		next := s.day(n + 1)
		assertNear(t, "just before dawn", s.dailyCourse(at(s, n+1, next.rise-.001)), next.low, .01)
	}
}

func TestColdPoolFillsClearStillNights(t *testing.T) {
	s := ankara(t)
	filled, cloudy := 0, 0
	for n := dayOf(2025, 1, 1); n < dayOf(2026, 1, 1); n++ {
		d := s.day(n)
		dawn := s.coldPool(at(s, n, d.rise-.01))
		if dawn < 0 || dawn > 3 {
			t.Fatalf("a pool of %v °C", dawn)
		}
		if d.cloud > .3 {
			if dawn != 0 {
				t.Fatalf("a pool of %v °C under cloud %v", dawn, d.cloud)
			}
			cloudy++
			continue
		}
		assertNear(t, "the pool at noon", s.coldPool(at(s, n, 12)), 0, 0)
		if dawn > 2 {
			filled++
			if early := s.coldPool(at(s, n, 1)); early >= dawn || early <= 0 {
				t.Errorf("%v °C at one, %v at dawn", early, dawn)
			}
			if after := s.coldPool(at(s, n, d.rise+1)); after >= dawn || after <= 0 {
				t.Errorf("%v °C at dawn, %v an hour later", dawn, after)
			}
		}
	}
	if filled < 10 || cloudy < 50 {
		t.Errorf("%d deep pools, %d cloudy nights in a year", filled, cloudy)
	}
}

func TestRainCoolsAndMoistens(t *testing.T) {
	s := ankara(t)
	d, r := rainyDay(t, s)
	m := at(s, d.number, r.start+.8)
	a := s.air(m, false)
	if dry := s.dailyCourse(m); a.temperature > dry-.3 {
		t.Errorf("%v °C in the rain, %v without", a.temperature, dry)
	}
	assertBetween(t, "humidity in the rain", a.humidity, 65, 100)
}
