package farm

import (
	"math"
	"testing"
)

func TestWind(t *testing.T) {
	for _, s := range []*site{ankara(t), hebei(t)} {
		var sum, count, night, nights, noon, noons float64
		var turn [8]int
		for n := dayOf(2024, 1, 1); n < dayOf(2026, 1, 1); n++ {
			for h := .2; h < 24; h += 1.3 {
				w := s.windAt(at(s, n, h))
				if w.speed < 0 || w.gust < 1.4*w.speed-1e-9 || w.gust > 1.9*w.speed+1e-9 {
					t.Fatalf("%+v", w)
				}
				if w.direction < 0 || w.direction >= 360 {
					t.Fatalf("%+v", w)
				}
				turn[int(w.direction/45)]++
				sum += w.speed
				count++
				if h < 5 {
					night += w.speed
					nights++
				} else if h > 12 && h < 16 {
					noon += w.speed
					noons++
				}
			}
		}
		assertNear(t, s.name+" mean wind", sum/count, s.climate.wind, .35)
		assertBetween(t, s.name+" afternoon over night", noon/noons/(night/nights), 1.8, 3.2)
		// The prevailing direction is the most frequent, and every other occurs, too.
		best := 0
		for i, c := range turn {
			if c == 0 {
				t.Errorf("%s: no wind ever from %d°", s.name, i*45)
			}
			if c > turn[best] {
				best = i
			}
		}
		away := math.Abs(float64(best)*45 + 22.5 - s.prevailing)
		assertBetween(t, s.name+" degrees from the prevailing wind", min(away, 360-away), 0, 50)
	}
}

func TestDraughtHasItsMean(t *testing.T) {
	sum := 0.
	for h := .05; h < 24; h += .1 {
		sum += draught(h)
	}
	assertNear(t, "mean draught", sum/240, meanDraught, .005)
}

func TestPressure(t *testing.T) {
	s := ankara(t)
	sum, low, high := 0., math.Inf(1), math.Inf(-1)
	count := 0.
	last := s.pressureAt(at(s, dayOf(2024, 1, 1), 0))
	for x := s.start(dayOf(2024, 1, 1)); x < s.start(dayOf(2026, 1, 1)); x += 1800 {
		p := s.pressureAt(s.momentAt(x))
		if math.Abs(p-last) > 1.2 {
			t.Fatalf("%v hPa in half an hour", p-last)
		}
		last = p
		sum += p
		count++
		low, high = min(low, p), max(high, p)
	}
	assertNear(t, "mean pressure at 938 m", sum/count, 907, 2.5)
	assertBetween(t, "lowest", low, 875, 895)
	assertBetween(t, "highest", high, 920, 940)
}
