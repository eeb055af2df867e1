package farm

import (
	"math"
	"testing"
)

func TestNightIsExactlyDark(t *testing.T) {
	for _, s := range []*site{ankara(t), hebei(t)} {
		for n := dayOf(2026, 1, 1); n < dayOf(2027, 1, 1); n += 5 {
			d := s.day(n)
			for h := 0.; h < 24; h += .25 {
				sun := s.sunlight(at(s, n, h), 40)
				night := h < d.rise-.1 || h > d.set+.1
				switch {
				case night && sun.global != 0:
					t.Fatalf("%s: %v W/m² at %.2f h, sunrise is at %.2f", s.name, sun.global, h, d.rise)
				case sun.global < 0 || sun.global > sun.clear:
					t.Fatalf("%s: %v W/m² under a clear sky of %v", s.name, sun.global, sun.clear)
				case h > d.rise+.5 && h < d.set-.5 && sun.global == 0:
					t.Fatalf("%s: dark at %.2f h", s.name, h)
				}
			}
		}
	}
}

func TestClearNoonInJune(t *testing.T) {
	s := ankara(t)
	d := s.day(dayOf(2026, 6, 21))
	assertBetween(t, "clear noon", s.clearSky(d, s.sunHeight(d, d.noon)), 960, 1000)
	assertBetween(
		t,
		"UV index at a clear noon",
		sunlight{global: 1, clear: 1, height: s.sunHeight(d, d.noon)}.uvIndex(),
		9,
		12,
	)
}

func TestSunTimes(t *testing.T) {
	// Ankara, UTC+3: the almanac has sunrise 05:20 and sunset 20:20 at midsummer, 08:04 and 17:24
	// at midwinter (including refraction, which adds some four minutes at each end).
	s := ankara(t)
	june := s.day(dayOf(2026, 6, 21))
	assertNear(t, "sunrise in June", june.rise, 5+20./60, .15)
	assertNear(t, "sunset in June", june.set, 20+20./60, .15)
	december := s.day(dayOf(2026, 12, 21))
	assertNear(t, "sunrise in December", december.rise, 8+4./60, .15)
	assertNear(t, "sunset in December", december.set, 17+24./60, .15)
	assertNear(t, "the sun's height at sunrise", s.sunHeight(june, june.rise), 0, .005)
}

func TestExpectedRadiationMatchesSunlight(t *testing.T) {
	// The expected sum of a day does not contain the variation by clouds; over many days the two
	// must agree.
	s := ankara(t)
	expected, flickering := 0., 0.
	for n := dayOf(2025, 1, 1); n < dayOf(2026, 1, 1); n += 3 {
		expected += s.day(n).sunshine
		for minute := 2.5; minute < 1440; minute += 5 {
			flickering += s.sunlight(at(s, n, minute/60), 0).global * 300 / 1e6
		}
	}
	assertNear(t, "the ratio of both sums", flickering/expected, 1, .04)
}

func TestBrokenSkyVaries(t *testing.T) {
	s := ankara(t)
	for n := dayOf(2026, 4, 1); ; n++ {
		d := s.day(n)
		if d.wet || math.Abs(d.cloud-.5) > .1 {
			continue
		}
		bright, dull := 0, 0
		for minute := 0.; minute < 240; minute++ {
			sun := s.sunlight(at(s, n, d.noon-2+minute/60), 0)
			if sun.global > .9*sun.clear {
				bright++
			}
			if sun.global < .6*sun.clear {
				dull++
			}
		}
		if bright < 20 || dull < 20 {
			t.Errorf("%d bright and %d dull minutes in four hours with cloud %v", bright, dull, d.cloud)
		}
		return
	}
}

func TestCloudsReachDevicesOneAfterTheOther(t *testing.T) {
	s := ankara(t)
	n := dayOf(2026, 5, 7)
	m := at(s, n, s.day(n).noon)
	later := s.momentAt(m.seconds + 60)
	here, there := s.sunlight(m, 0), s.sunlight(later, 60)
	assertNear(t, "the cloud over the device a minute away", there.global/there.clear, here.global/here.clear, .02)
}

func TestLightUnits(t *testing.T) {
	// 50,000 lx of sunlight are 925 µmol/m²/s.
	assertNear(t, "ppfd of 50,000 lx", 50000/float64(luxPerPhoton), 925, 1)
	assertNear(t, "UV index at night", sunlight{}.uvIndex(), 0, 0)
}
