package farm

import (
	"math"
	"slices"
	"testing"
	"time"
)

func testPlot(t *testing.T, irrigated bool) *plot {
	t.Helper()
	return newPlot(ankara(t), plot{crop: crops["orchard"], demandFactor: 1, irrigated: irrigated, salinity: 1.5})
}

func TestSoilTemperatureFadesAndLagsWithDepth(t *testing.T) {
	s := ankara(t)
	n := dayOf(2026, 7, 10)
	var swing, peak [layers]float64
	for i, z := range probeDepth {
		for k := range 5 {
			low, high := math.Inf(1), math.Inf(-1)
			for h := 0.; h < 24; h += .1 {
				x := s.soilTemperature(at(s, n+k, h), z, 1)
				if x > high {
					high = x
					peak[i] = h
				}
				low = min(low, x)
			}
			swing[i] += (high - low) / 5
		}
	}
	assertBetween(t, "the swing at 10 cm", swing[0], 4, 8)
	assertBetween(t, "the swing at 30 cm", swing[1], .5, 2)
	assertBetween(t, "the swing at 60 cm", swing[2], 0, .7)
	assertNear(t, "the hour of the highest at 10 cm", peak[0], 17.3, .7)
}

func TestSoilTemperatureDoesNotJumpAtMidnight(t *testing.T) {
	s := ankara(t)
	for n := dayOf(2026, 1, 1); n < dayOf(2027, 1, 1); n++ {
		for _, z := range probeDepth {
			before, after := s.soilTemperature(at(s, n, 24-1./60), z, 1), s.soilTemperature(at(s, n+1, 0), z, 1)
			assertNear(t, "the step at midnight", after, before, .05)
		}
	}
}

func TestDeepSoilIsWarmerInWinterAndColderInSummer(t *testing.T) {
	s := ankara(t)
	mean := func(first int, z float64) float64 {
		sum := 0.
		for n := range 30 {
			sum += (s.soilTemperature(at(s, first+n, 0), z, 1) + s.soilTemperature(at(s, first+n, 12), z, 1)) / 60
		}
		return sum
	}
	if deep, flat := mean(dayOf(2026, 1, 1), .6), mean(dayOf(2026, 1, 1), .1); deep < flat+.5 {
		t.Errorf("January: %v °C at 60 cm, %v at 10 cm", deep, flat)
	}
	if deep, flat := mean(dayOf(2026, 6, 15), .6), mean(dayOf(2026, 6, 15), .1); deep > flat-.5 {
		t.Errorf("June: %v °C at 60 cm, %v at 10 cm", deep, flat)
	}
}

func TestFrozenSoilStaysNearZero(t *testing.T) {
	s := ankara(t)
	coldest := 0.
	for n := dayOf(2021, 1, 1); n < dayOf(2027, 1, 1); n++ {
		coldest = min(coldest, s.soilTemperature(at(s, n, 6), .1, 1))
	}
	assertBetween(t, "the coldest at 10 cm in six winters", coldest, -4, -.5)
}

func TestShadedSoilSwingsLess(t *testing.T) {
	s := ankara(t)
	n := dayOf(2026, 7, 10)
	swing := func(exposure float64) float64 {
		return s.soilTemperature(at(s, n, 17.3), .1, exposure) - s.soilTemperature(at(s, n, 5.3), .1, exposure)
	}
	assertNear(t, "the swing in half the sun", swing(.5)/swing(1), .5, .08)
}

func TestWaterBalanceLosesNothing(t *testing.T) {
	p := testPlot(t, true)
	for n := dayOf(2025, 1, 1); n < dayOf(2026, 1, 1); n++ {
		start, end := p.water.at(n), p.water.at(n+1)
		w := p.balance(n, start)
		stored, used, gained := 0., 0., 0.
		for i := range start {
			stored += (end[i] - start[i]) * layerDepth[i] / 100
			used += w.used[i] * layerDepth[i] / 100
			gained += w.gained[i] * layerDepth[i] / 100
			if end[i] < wiltingPoint[i]-.5 || end[i] > fieldCapacity[i]+saturationMargin+1e-9 {
				t.Fatalf("day %d, layer %d: %v %%", n, i, end[i])
			}
		}
		away := w.drained[layers-1] * layerDepth[layers-1] / 100
		assertNear(t, "what is stored", stored, gained-used-away, 1e-9)
		if brought := w.rain + w.irrigation; gained > brought+1e-9 {
			t.Fatalf("day %d gains %v of %v mm", n, gained, brought)
		}
	}
}

// In June the orchard's moisture is a saw-tooth: it falls for some days, and rises in one morning
// of irrigation.
func TestIrrigationInJune(t *testing.T) {
	p := testPlot(t, true)
	var mornings []int
	for year := 2021; year <= 2026; year++ {
		last := 0
		for n := dayOf(year, 6, 1); n < dayOf(year, 7, 15); n++ {
			w := p.balance(n, p.water.at(n))
			if w.irrigation == 0 {
				continue
			}
			assertBetween(t, "mm given", w.irrigation, 25, maxIrrigation)
			if last > 0 {
				mornings = append(mornings, n-last)
			}
			last = n
		}
	}
	if len(mornings) < 15 {
		t.Fatalf("only %d irrigations in six Junes", len(mornings))
	}
	sum := 0.
	for _, d := range mornings {
		sum += float64(d)
	}
	assertBetween(t, "days between irrigations", sum/float64(len(mornings)), 5.5, 9.5)
}

// With irrigation by the probes the main roots do not run dry: not in May, when the deep soil is
// still full, and not at the end of a summer.
func TestIrrigatedRootsNeverRunDry(t *testing.T) {
	t.Parallel()
	p := testPlot(t, true)
	for n := dayOf(2021, 1, 1); n < dayOf(2026, 1, 1); n++ {
		for i := range monitoredLayers {
			half := (fieldCapacity[i] + wiltingPoint[i]) / 2
			if x := p.moisture(at(p.site, n, 20), i); x < half {
				t.Errorf("day %d of the year: %v %% in layer %d", p.site.day(n).yearDay, x, i)
			}
		}
	}
}

// Wheat is watered from February until the ground freezes, an orchard while nights are free of
// frost.
func TestSeasonOfIrrigation(t *testing.T) {
	wheat := newPlot(hebei(t), plot{crop: crops["wheat-maize"], demandFactor: 1, irrigated: true, salinity: 1})
	trees := newPlot(hebei(t), plot{crop: crops["orchard"], demandFactor: 1, irrigated: true, salinity: 1})
	for _, c := range []struct {
		month        time.Month
		day          int
		wheat, trees bool
	}{
		{1, 15, false, false},
		{3, 1, true, false},
		{4, 15, true, true},
		{10, 15, true, true},
		{11, 25, true, false},
		{12, 20, false, false},
	} {
		d := wheat.site.day(dayOf(2025, c.month, c.day))
		if wheat.inSeason(d) != c.wheat || trees.inSeason(d) != c.trees {
			t.Errorf("%v %d: wheat %v, trees %v", c.month, c.day, wheat.inSeason(d), trees.inSeason(d))
		}
	}
}

func TestIrrigationWetsTheProbeBetweenFiveAndSeven(t *testing.T) {
	p := testPlot(t, true)
	for n := dayOf(2026, 6, 1); n < dayOf(2026, 8, 1); n++ {
		if p.balance(n, p.water.at(n)).irrigation == 0 || p.site.day(n).wet {
			continue
		}
		before, after := p.moisture(at(p.site, n, 5), 0), p.moisture(at(p.site, n, 7), 0)
		if after < before+5 {
			t.Errorf("10 cm goes from %v to %v %%", before, after)
		}
		// The water has not reached the deeper probe yet.
		assertNear(t, "30 cm at six", p.moisture(at(p.site, n, 6), 1), p.moisture(at(p.site, n, 5), 1), .3)
		return
	}
	t.Fatal("no irrigation in two summer months")
}

func TestNoIrrigationInWinterOrMeadow(t *testing.T) {
	irrigated, meadow := testPlot(t, true), testPlot(t, false)
	for n := dayOf(2021, 1, 1); n < dayOf(2026, 1, 1); n++ {
		d := irrigated.site.day(n)
		if (d.yearDay < 60 || d.yearDay > 330) && irrigated.balance(n, irrigated.water.at(n)).irrigation > 0 {
			t.Fatalf("the plot is irrigated on day %d of the year", d.yearDay)
		}
		if meadow.balance(n, meadow.water.at(n)).irrigation > 0 {
			t.Fatal("a meadow without irrigation is irrigated")
		}
	}
	if dry, wet := meadow.water.at(dayOf(2025, 8, 31)), irrigated.water.at(dayOf(2025, 8, 31)); dry[0] >= wet[0] {
		t.Errorf("at the end of summer %v %% without and %v %% with irrigation", dry[0], wet[0])
	}
}

func TestMoistureDoesNotJump(t *testing.T) {
	t.Parallel()
	p := testPlot(t, true)
	for layer := range layers {
		last := p.moisture(at(p.site, dayOf(2026, 1, 1), 0), layer)
		for x := p.site.start(dayOf(2026, 1, 1)); x < p.site.start(dayOf(2027, 1, 1)); x += 600 {
			now := p.moisture(p.site.momentAt(x), layer)
			if math.Abs(now-last) > 3 {
				m := p.site.momentAt(x)
				t.Fatalf(
					"layer %d goes from %v to %v in ten minutes at %v h of day %d of the year",
					layer,
					last,
					now,
					m.hour,
					m.day.yearDay,
				)
			}
			last = now
		}
	}
}

func TestEvaporationFollowsSun(t *testing.T) {
	s := ankara(t)
	d := s.day(dayOf(2026, 6, 10))
	assertNear(t, "before sunrise", evaporatedShare(d, d.rise-1), 0, 0)
	assertNear(t, "at noon", evaporatedShare(d, d.noon), .5, 1e-9)
	assertNear(t, "after sunset", evaporatedShare(d, d.set+1), 1, 1e-9)
}

func TestSalineSoilConductsMore(t *testing.T) {
	sweet, salty := testPlot(t, false), testPlot(t, false)
	sweet.salinity, salty.salinity = 1, 2.5
	assertNear(t, "sweet", sweet.conductivity(30), .65, 1e-9)
	assertNear(t, "salty", salty.conductivity(30), 1.25, 1e-9)
	assertNear(t, "the driest soil", salty.conductivity(-20), .02, 0)
}

// The available water of the soil probes is computed with the soil that the simulator has.
func TestAvailableWaterIsThatOfTheSoil(t *testing.T) {
	found := 0
	for _, p := range parseFarmFile(t).Products {
		for _, property := range p.Properties {
			if property.Formula != "availableWater" {
				continue
			}
			layer := slices.Index([]string{"soilMoisture10", "soilMoisture30", "soilMoisture60"}, property.Inputs[0])
			if layer < 0 || property.Parameters["fieldCapacity"] != fieldCapacity[layer] ||
				property.Parameters["wiltingPoint"] != wiltingPoint[layer] {
				t.Errorf("%s: %+v", p.Name, property)
			}
			found++
		}
	}
	if found != layers {
		t.Errorf("%d depths, the soil has %d", found, layers)
	}
}
