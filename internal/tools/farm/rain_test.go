package farm

import (
	"math"
	"testing"
)

func TestShowersMakeTheDaysRain(t *testing.T) {
	s := ankara(t)
	wet := 0
	for n := dayOf(2024, 1, 1); n < dayOf(2026, 1, 1); n++ {
		d := s.day(n)
		if !d.wet {
			if d.rain != 0 || d.showers != nil {
				t.Fatalf("%v mm fell on a dry day", d.rain)
			}
			continue
		}
		wet++
		if c := len(d.showers); c < 1 || c > 4 {
			t.Fatalf("%d showers", c)
		}
		for _, r := range d.showers {
			if r.start < 0 || r.start+r.length > 24 || r.length < .5 || r.length > 4 || r.rain < 0 {
				t.Fatalf("invalid shower %+v", r)
			}
		}
		assertNear(t, "rain at midnight", d.fallen(24), d.rain, 1e-9)
		assertNear(t, "rain before the day", d.fallen(0), 0, 0)
		last := 0.
		for h := 0.; h <= 24; h += .1 {
			if now := d.fallen(h); now < last {
				t.Fatalf("the rain decreases at %v h", h)
			} else {
				last = now
			}
		}
	}
	assertBetween(t, "wet days in two years", float64(wet), 150, 270)
}

func TestSummerRainFallsInTheAfternoon(t *testing.T) {
	s := ankara(t)
	afternoon, all := 0., 0.
	for n := dayOf(2006, 1, 1); n < dayOf(2026, 1, 1); n++ {
		if d := s.day(n); d.yearDay > 150 && d.yearDay < 240 {
			for _, r := range d.showers {
				all += r.rain
				if middle := r.start + r.length/2; middle > 12 && middle < 21 {
					afternoon += r.rain
				}
			}
		}
	}
	assertBetween(t, "the afternoon's share", afternoon/all, .75, 1)
}

// The tips of the bucket add up to the rain for any intervals, and none is counted twice.
func TestTippingBucket(t *testing.T) {
	s := ankara(t)
	first, last := dayOf(2026, 1, 1), dayOf(2026, 7, 1)
	fallen := 0.
	for n := first; n < last; n++ {
		fallen += s.day(n).rain
	}
	totals := map[float64]float64{}
	for _, pace := range []float64{600, 3600, 86400} {
		since := s.momentAt(s.start(first))
		for x := s.start(first) + pace; x <= s.start(last); x += pace {
			m := s.momentAt(x)
			mm := s.rainfall(since, m, 1)
			if mm < 0 || math.Abs(mm/tipSize-math.Round(mm/tipSize)) > 1e-9 {
				t.Fatalf("%v mm is not a multiple of a tip", mm)
			}
			totals[pace] += mm
			since = m
		}
		assertNear(t, "tipped", totals[pace], fallen, 3)
	}
	assertNear(t, "by the hour as by ten minutes", totals[3600], totals[600], 1e-6)
	assertNear(t, "by the day as by ten minutes", totals[86400], totals[600], 1e-6)
}

func TestGaugesCatchTheirShare(t *testing.T) {
	s := ankara(t)
	since, m := s.momentAt(s.start(dayOf(2026, 1, 1))), s.momentAt(s.start(dayOf(2026, 7, 1)))
	assertNear(t, "what a windy spot catches", s.rainfall(since, m, .9)/s.rainfall(since, m, 1), .9, .02)
}

// rainyDay returns a spring day with one large shower between dry days.
func rainyDay(t *testing.T, s *site) (*day, shower) {
	t.Helper()
	for n := dayOf(2020, 1, 1); n < dayOf(2026, 1, 1); n++ {
		d := s.day(n)
		if d.yearDay < 90 || d.yearDay > 180 || s.day(n-1).wet || s.day(n+1).wet || len(d.showers) != 1 {
			continue
		}
		if r := d.showers[0]; r.rain > 2 && r.start > 10 && r.start < 16 {
			return d, r
		}
	}
	t.Fatal("six springs have no large single shower")
	return nil, shower{}
}

func TestShowerAffectsHoursAround(t *testing.T) {
	s := ankara(t)
	d, r := rainyDay(t, s)
	assertNear(t, "in the middle of the shower", s.showerNear(at(s, d.number, r.start+.7)), 1, .01)
	last := 0.
	for h := r.start - 1.5; h < r.start+.5; h += .1 {
		near := s.showerNear(at(s, d.number, h))
		if near < last && near < .99 {
			t.Fatalf("showerNear falls before the shower, at %v h", h)
		}
		last = near
	}
	dull := s.sunlight(at(s, d.number, r.start+.7), 0)
	if dull.clear > 0 && dull.global > .45*dull.clear {
		t.Errorf("a shower does not dim the sun: %v of %v W/m²", dull.global, dull.clear)
	}
}

func TestLeafWetness(t *testing.T) {
	s := ankara(t)
	d, r := rainyDay(t, s)
	assertNear(t, "in the rain", s.leafWetness(at(s, d.number, r.start+r.length), 85), 100, 1)
	dry := s.leafWetness(at(s, d.number, r.start+r.length+.5), 60)
	if dry >= 100 || dry < 20 {
		t.Errorf("half an hour later it is %v %%", dry)
	}
	assertNear(t, "with dew", s.leafWetness(at(s, d.number, 3), 97), 100, 0)

	for n := dayOf(2026, 8, 1); ; n++ {
		if !s.day(n).wet && !s.day(n-1).wet && !s.day(n+1).wet {
			assertNear(t, "on a dry day", s.leafWetness(at(s, n, 14), 35), 0, .001)
			return
		}
	}
}
