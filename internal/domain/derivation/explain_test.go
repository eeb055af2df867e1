package derivation

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

func (w *fixture) explain(id device.PropertyID) Explanation {
	w.Helper()
	a, err := w.engine.Explain(w.Context(), w.entry, id)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

// checkExplanations compares explanations with the stored values: an explanation has a value if one
// is stored at its time, and a reason otherwise.
func (w *fixture) checkExplanations() {
	w.Helper()
	for _, id := range derivedIDs {
		a := w.explain(id)
		stored, exists := w.read(id)[a.Time][id]
		if exists != (a.Reason == "") || exists && stored != a.Value {
			w.Fatalf("property %d at %s: explanation %+v, stored %v %v",
				id, time.UnixMilli(a.Time).In(w.site.Zone), a, stored, exists)
		}
	}
}

func TestExplainInstants(t *testing.T) {
	w := newFixture(t, mastProduct())
	a := w.explain(dew)
	if a.Reason != ReasonMissing || a.Input != airT || a.Time != math.MinInt64 || len(a.Inputs) != 0 {
		t.Errorf("without readings: %+v", a)
	}
	w.send(frame(noon, airT, 25))
	a = w.explain(dew)
	if a.Reason != ReasonMissing || a.Input != airRH || a.Time != noon.UnixMilli() || len(a.Inputs) != 1 {
		t.Errorf("without humidity: %+v", a)
	}
	w.send(frame(secondsAfterNoon(60), airRH, 60, sun, 100))
	a = w.explain(dew)
	if a.Reason != "" || math.Abs(a.Value-16.68) > .02 || a.Estimated || a.MaxAge != 600_000 || len(a.Inputs) != 2 {
		t.Errorf("a value: %+v", a)
	}
	if a := w.explain(flux); a.Reason != "" || !a.Estimated {
		t.Errorf("a formula that is an estimate: %+v", a)
	}
	// A value that needs another derived value.
	if a := w.explain(moist); a.Reason != "" || a.Inputs[2].Property != dew {
		t.Errorf("moist: %+v", a)
	}
	w.checkExplanations()
	w.send(frame(secondsAfterNoon(900), airRH, 60))
	if a := w.explain(dew); a.Reason != ReasonOld || a.Input != airT || a.Time != secondsAfterNoon(900).UnixMilli() {
		t.Errorf("an old input: %+v", a)
	}
	w.send(frame(secondsAfterNoon(960), airT, 25, airRH, .5))
	if a := w.explain(dew); a.Reason != ReasonRange || a.Input != 0 {
		t.Errorf("outside the formula's range: %+v", a)
	}
	w.send(frame(secondsAfterNoon(1020), airT, 10, airRH, 5))
	if a := w.explain(dew); a.Reason != ReasonBounds {
		t.Errorf("outside the property's bounds: %+v", a)
	}
	w.checkExplanations()
	if _, err := w.engine.Explain(t.Context(), w.entry, airT); err == nil {
		t.Error("a measured property was explained")
	}
}

// sendDays sends n days with a reading every ten minutes, from the 24th on. leftOut are the hours
// without readings, counted from the beginning.
func (w *fixture) sendDays(n int, leftOut ...int) {
	w.Helper()
	start := time.Date(2026, 10, 24, 0, 0, 0, 0, berlin.Zone)
	missing := map[int]bool{}
	for _, h := range leftOut {
		missing[h] = true
	}
	var frames []reading.Frame
	for at := start; at.Before(start.AddDate(0, 0, n)); at = at.Add(10 * time.Minute) {
		if !missing[int(at.Sub(start).Hours())] {
			frames = append(frames, frame(at, airT, 5, airRH, 70, wind, 2, sun, 200))
		}
	}
	w.send(append(frames, frame(start.AddDate(0, 0, n), airT, 5, airRH, 70, wind, 2, sun, 200))...)
}

func TestExplainDays(t *testing.T) {
	end := newCivilDay(2026, 10, 24).lastMilli(berlin.Zone)
	for name, c := range map[string]struct {
		leftOut          []int
		reason           Reason
		measured, filled int
	}{
		"complete":         {nil, "", 24, 0},
		"interpolated":     {[]int{5, 6, 7}, "", 21, 3},
		"four in a row":    {[]int{5, 6, 7, 8}, ReasonHours, 20, 0},
		"five, apart":      {[]int{2, 4, 6, 8, 10}, ReasonHours, 19, 5},
		"without the last": {[]int{23}, ReasonHours, 23, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, mastProduct())
			w.sendDays(1, c.leftOut...)
			a := w.explain(light)
			if a.Time != end || a.Reason != c.reason || a.Measured != c.measured || a.Filled != c.filled ||
				a.Expected != 24 || a.Estimated != (c.filled > 0) {
				t.Errorf("%+v", a)
			}
			w.checkExplanations()
		})
	}
}

func TestExplainDayWithoutValue(t *testing.T) {
	w := newFixture(t, mastProduct())
	if a := w.explain(et); a.Reason != ReasonMissing || a.Time != math.MinInt64 {
		t.Errorf("without readings: %+v", a)
	}
	start := time.Date(2026, 10, 24, 0, 0, 0, 0, berlin.Zone)
	w.send(frame(start, airT, 5), frame(start.AddDate(0, 0, 1), airT, 5))
	if a := w.explain(et); a.Reason != ReasonMissing || a.Input != airRH {
		t.Errorf("without humidity: %+v", a)
	}
	for need, place := range map[Reason]device.Site{
		ReasonPosition: {Zone: berlin.Zone}, ReasonElevation: {Zone: berlin.Zone},
	} {
		w := newFixture(t, mastProduct())
		if w.site = place; need == ReasonElevation {
			w.site.Latitude = berlin.Latitude
		}
		w.sendDays(1)
		if a := w.explain(et); a.Reason != need {
			t.Errorf("%s: %+v", need, a)
		}
		w.checkExplanations()
	}
}

func TestExplainSeasons(t *testing.T) {
	begin := newCivilDay(2026, 10, 24).begin(berlin.Zone)
	w := newFixture(t, mastProduct())
	w.sendDays(3, 30)
	a := w.explain(hours)
	if a.Reason != "" || a.Measured != 3 || a.Expected != 3 || a.Filled != 1 || !a.Estimated ||
		a.SeasonStart != begin || a.Value != 73 { // clocks go back
		t.Errorf("chill: %+v", a)
	}
	// Degree days count from the day before, which has no readings.
	if a := w.explain(gdd); a.Reason != ReasonDays || a.Measured != 3 || a.Expected != 4 {
		t.Errorf("degree days: %+v", a)
	}
	w.checkExplanations()
}

// Explanations agree with the stored values, whatever readings arrive in whatever order.
func TestExplanationsAgreeWithStoredValues(t *testing.T) {
	reasons := map[Reason]int{}
	for round := range 12 {
		w := newFixture(t, mastProduct())
		w.site.Elevation = nil
		if round%3 > 0 {
			w.site.Elevation = berlin.Elevation
		}
		frames := weather(rand.New(rand.NewPCG(uint64(round), 3)), 1+round%4, round%2 == 1)
		for begin := 0; begin < len(frames); begin += 60 {
			w.send(frames[begin:min(len(frames), begin+60)]...)
			w.checkExplanations()
		}
		for _, id := range derivedIDs {
			reasons[w.explain(id).Reason]++
		}
	}
	for _, r := range []Reason{"", ReasonHours, ReasonElevation} {
		if reasons[r] == 0 {
			t.Errorf("no explanation has the reason %q: %v", r, reasons)
		}
	}
}
