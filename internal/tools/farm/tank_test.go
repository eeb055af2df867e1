package farm

import (
	"math"
	"testing"
)

func testTank(t *testing.T) *tank {
	t.Helper()
	return findDevice(t, testFarm(t), "WL-0008").tank
}

func TestTankThroughAYear(t *testing.T) {
	t.Parallel()
	w := testTank(t)
	s := w.site
	last := w.at(at(s, dayOf(2025, 1, 1), 0))
	low, fills, irrigations := math.Inf(1), 0, 0
	for x := s.start(dayOf(2025, 1, 1)); x < s.start(dayOf(2026, 1, 1)); x += 600 {
		m := s.momentAt(x)
		now := w.at(m)
		if now.level < .05 || now.level > 3.6 {
			t.Fatalf("%v m", now.level)
		}
		if math.Abs(now.level-last.level) > .15 {
			t.Fatalf("%v m in ten minutes", now.level-last.level)
		}
		if now.pumping && !last.pumping {
			fills++
		}
		if now.pumping && m.hour > 4.02 && m.hour < 22 {
			t.Fatalf("pumping at %v h", m.hour)
		}
		if now.flow > 2.5 {
			if m.hour < irrigationStart || m.hour > irrigationEnd+.01 {
				t.Fatalf("%v m³/h at %v h", now.flow, m.hour)
			}
			if last.flow < 2.5 {
				irrigations++
			}
		}
		low = min(low, now.level)
		last = now
	}
	assertBetween(t, "the lowest level", low, .1, 1.2)
	assertBetween(t, "fillings a year", float64(fills), 15, 80)
	assertBetween(t, "mornings of irrigation", float64(irrigations), 15, 90)
}

func TestPumpFailsAboutOnceAMonth(t *testing.T) {
	w := testTank(t)
	faults, months, longest := 0, 0, 0.
	for n := dayOf(2021, 4, 1); n < dayOf(2025, 10, 1); n++ {
		if n%faultDays == 0 {
			months++
		}
		if w.level.at(n+1).faults != w.level.at(n).faults {
			faults++
			longest = max(longest, float64(w.level.at(n+1).repaired-n))
		}
	}
	assertBetween(t, "faults a month", float64(faults)/float64(months), .4, 1)
	assertBetween(t, "days until repair", longest, 1, repairNights)
}

func TestBrokenPumpWaitsForRepair(t *testing.T) {
	w := testTank(t)
	s := tankState{level: 1, repaired: 1002, faults: 1000 / faultDays}
	w.pump(1001, 23, &s)
	if s.pumping {
		t.Error("a broken pump runs")
	}
	w.pump(1002, 1, &s)
	if !s.pumping {
		t.Error("a repaired pump does not run")
	}
	w.pump(1002, 5, &s)
	if s.pumping {
		t.Error("the pump runs in the morning")
	}
	s.level = 2
	w.pump(1002, 23, &s)
	if s.pumping {
		t.Error("the pump runs for a half full tank")
	}
	s = tankState{level: 2, pumping: true, faults: 1000 / faultDays}
	if w.pump(1002, 23, &s); !s.pumping {
		t.Error("the pump stops before the tank is full")
	}
	s.level = 3.45
	if w.pump(1002, 23, &s); s.pumping {
		t.Error("the pump runs for a full tank")
	}
}

func TestIrrigationOfThePlotsDrawsFromTheTank(t *testing.T) {
	w := testTank(t)
	if len(w.plots) != 3 {
		t.Fatalf("the tank serves %d plots", len(w.plots))
	}
	s := w.site
	for n := dayOf(2026, 6, 1); n < dayOf(2026, 9, 1); n++ {
		mm := 0.
		for _, p := range w.plots {
			mm += p.balance(n, p.water.at(n)).irrigation
		}
		before, after := w.at(at(s, n, 5)), w.at(at(s, n, 7))
		if before.level < 1.5 {
			continue // too low for the full irrigation
		}
		assertNear(t, "the morning's draw", before.level-after.level, plotDraw*mm/maxIrrigation, .01)
		if mm > 0 {
			assertNear(t, "the flow", w.at(at(s, n, 6)).flow, plotDraw*mm/maxIrrigation*tankArea/2, .01)
		}
	}
}

func TestWaterQuality(t *testing.T) {
	w := testTank(t)
	s := w.site
	for n := dayOf(2025, 1, 1); n < dayOf(2026, 1, 1); n += 3 {
		for h := .5; h < 24; h += 2.3 {
			x := w.at(at(s, n, h))
			assertBetween(t, "temperature", x.temperature, .2, 33)
			assertBetween(t, "pH from algae", (x.ph-7.6-w.alkaline)/w.algae, -1e-9, .3+1e-9)
			assertBetween(t, "conductivity", x.conductivity/w.minerals, .45, .8)
			assertBetween(t, "oxygen", x.oxygen, 6, 14)
			assertBetween(t, "turbidity", x.turbidity/w.mud, 5, 45+1e-9)
		}
	}
	d, r := rainyDay(t, s)
	fresh := w.at(at(s, d.number, r.start+r.length)).turbidity
	later := w.at(at(s, d.number+1, r.start+r.length)).turbidity
	assertNear(t, "what is left of the mud after a day", (later/w.mud-5)/(fresh/w.mud-5), math.Exp(-2), .02)
	noon, night := w.at(at(s, dayOf(2026, 7, 20), 15)), w.at(at(s, dayOf(2026, 7, 20), 4))
	if noon.ph < night.ph+.1 || noon.oxygen < night.oxygen {
		t.Errorf("algae have no effect: %+v by day, %+v by night", noon, night)
	}
}

func TestEachWellHasItsOwnWater(t *testing.T) {
	f := testFarm(t)
	a, b := findDevice(t, f, "WL-0008").tank, findDevice(t, f, "WL-0012").tank
	m := at(a.site, dayOf(2026, 7, 20), 15)
	x, y := a.at(m), b.at(m)
	if x.conductivity == y.conductivity || x.ph == y.ph || x.oxygen == y.oxygen || x.turbidity == y.turbidity ||
		a.demand == b.demand {
		t.Errorf("%+v in one tank, %+v in the other", x, y)
	}
}
