package farm

import (
	"math"
	"math/rand/v2"
	"testing"
)

func testHouse(t *testing.T) *greenhouse {
	t.Helper()
	return &greenhouse{site: ankara(t), stuckFrom: math.Inf(1)}
}

func TestGreenhouseInWinter(t *testing.T) {
	g := testHouse(t)
	first, days := dayOf(2026, 1, 1), 59
	heating, steps, cold, hot, mean := 0., 0., 0., 0., 0.
	for x := g.site.start(first); x < g.site.start(first+days); x += stepSeconds {
		h := g.at(g.site.momentAt(x))
		steps++
		mean += h.temperature
		if h.heating {
			heating++
		}
		if h.temperature < 14 {
			cold++
		}
		if h.temperature > 26 {
			hot++
		}
		if rh := h.humidity(); rh < 25 || rh > 96 {
			t.Fatalf("humidity %v %%", rh)
		}
		if h.co2 < 320 || h.co2 > 701 {
			t.Fatalf("%v ppm", h.co2)
		}
	}
	assertBetween(t, "hours of heating a day", heating/steps*24, 9, 16)
	assertBetween(t, "mean temperature", mean/steps, 15, 19)
	assertBetween(t, "share of time too cold", cold/steps, 0, .06)
	assertBetween(t, "share of time too warm", hot/steps, 0, .02)
}

func TestGreenhouseInJuly(t *testing.T) {
	g := testHouse(t)
	first, days := dayOf(2026, 7, 1), 31
	afternoons := 0.
	for n := first; n < first+days; n++ {
		top, vent := math.Inf(-1), 0.
		for h := 12.; h < 18; h += .1 {
			state := g.at(at(g.site, n, h))
			top, vent = max(top, state.temperature), max(vent, state.vent)
			if state.heating {
				t.Fatal("the boiler is on in July")
			}
		}
		afternoons += top
		out := g.site.day(n).high
		if top < out || top > out+9 {
			t.Errorf("%v °C inside, %v outside", top, out)
		}
		if out > 27 && vent < .99 {
			t.Errorf("the vent stays at %v on a day of %v °C", vent, out)
		}
	}
	assertBetween(t, "July afternoons", afternoons/float64(days), 29, 34)
}

func TestCarbonDioxideRisesByNightAndFallsByDay(t *testing.T) {
	g := testHouse(t)
	night, day := 0., 0.
	for n := dayOf(2026, 11, 1); n < dayOf(2026, 11, 21); n++ {
		night += g.at(at(g.site, n, 6)).co2 / 20
		day += g.at(at(g.site, n, 13)).co2 / 20
	}
	assertBetween(t, "before dawn", night, 620, 700)
	assertBetween(t, "at noon", day, 330, 470)
}

func TestGreenhouseIsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	forward, random := testHouse(t), testHouse(t)
	first := dayOf(2026, 3, 1)
	var want []greenhouseState
	for i := range 400 {
		want = append(want, forward.at(at(forward.site, first, float64(i)*5.3)))
	}
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(want)) {
		// Calls for distant times drop the near blocks from the cache.
		if i%9 == 0 {
			random.at(at(random.site, first+i*37, 5))
		}
		if got := random.at(at(random.site, first, float64(i)*5.3)); got != want[i] {
			t.Fatalf("call %d returns %+v, then %+v", i, want[i], got)
		}
	}
	if len(random.blocks) > houseBlocks {
		t.Errorf("%d blocks are cached", len(random.blocks))
	}
}

// Blocks are computed separately; the state does not jump between two of them.
func TestGreenhouseBlocksJoin(t *testing.T) {
	g := testHouse(t)
	worst := 0.
	for b := dayOf(2026, 1, 1) / houseDays; b < dayOf(2027, 1, 1)/houseDays; b++ {
		end, begin := g.block(b)[houseDays*stepsADay], g.block(b + 1)[0]
		worst = max(worst, math.Abs(end.temperature-begin.temperature))
		assertNear(t, "carbon dioxide", begin.co2, end.co2, 15)
	}
	assertBetween(t, "the greatest step of temperature", worst, 0, 1.6)
}

func TestStuckVentOverheats(t *testing.T) {
	sound, stuck := testHouse(t), testHouse(t)
	n := sound.site.sunniest(dayOf(2026, 7, 1), dayOf(2026, 7, 31))
	stuck.stuckAt = stuckVent
	stuck.stuckFrom, stuck.stuckUntil = stuck.site.start(n), stuck.site.start(n+2)
	m := at(sound.site, n, 15)
	if h := stuck.at(m); h.vent != stuckVent || h.temperature < 32 || h.temperature < sound.at(m).temperature+3 {
		t.Errorf("%+v with a stuck vent, %+v without", h, sound.at(m))
	}
	later := at(sound.site, n+4, 15)
	assertNear(t, "the vent after repair", stuck.at(later).vent, sound.at(later).vent, 0)
}

func TestControl(t *testing.T) {
	for _, c := range []struct {
		name              string
		temperature, hour float64
		boiler            bool
		before            greenhouseState
		heating           bool
		vent              float64
	}{
		{"a cold night", 14, 3, true, greenhouseState{}, true, 0},
		{"a night between the marks, heating", 16, 3, true, greenhouseState{heating: true}, true, 0},
		{"a night between the marks, not heating", 16, 3, true, greenhouseState{}, false, 0},
		{"a warm night", 17, 3, true, greenhouseState{heating: true}, false, 0},
		{"a cool day", 16, 12, true, greenhouseState{}, true, 0},
		{"a cool summer night", 14, 3, false, greenhouseState{}, false, 0},
		{"a hot day", 26, 12, true, greenhouseState{vent: .5}, false, .6},
		{"a hot day, wide open", 26, 12, true, greenhouseState{vent: 1}, false, 1},
		{"a mild day", 24, 12, true, greenhouseState{vent: .5}, false, .5},
		{"a day that cools", 22, 12, true, greenhouseState{vent: .5}, false, .4},
	} {
		h := c.before
		h.temperature = c.temperature
		h.control(sunlight{}, c.hour, 0, c.boiler)
		if h.heating != c.heating || math.Abs(h.vent-c.vent) > 1e-9 {
			t.Errorf("%s: heating %v, vent %v", c.name, h.heating, h.vent)
		}
	}
}

func TestScreenIgnoresPassingClouds(t *testing.T) {
	h := greenhouseState{temperature: 24}
	for range 20 {
		h.control(sunlight{global: 900}, 12, 0, true)
	}
	assertNear(t, "the shade of a long bright spell", h.shade(), screenLight, 0)
	h.control(sunlight{global: 250}, 12, 0, true)
	assertNear(t, "the shade under one cloud", h.shade(), screenLight, 0)
	for range 20 {
		h.control(sunlight{global: 250}, 12, 0, true)
	}
	assertNear(t, "the shade of a dull spell", h.shade(), 1, 0)
}
