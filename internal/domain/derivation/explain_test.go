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

// checkExplanations compares what accounts say with what is stored: a value where there is
// one at that time, and a reason where there is none.
func (w *fixture) checkExplanations() {
	w.Helper()
	for _, id := range derivedIDs {
		a := w.explain(id)
		stored, there := w.read(id)[a.Time][id]
		if there != (a.Reason == "") || there && stored != a.Value {
			w.Fatalf(
				"property %d at %s: account %+v, stored %v %v",
				id,
				time.UnixMilli(a.Time).In(w.site.Zone),
				a,
				stored,
				there,
			)
		}
	}
}

func TestExplainInstants(t *testing.T) {
	w := newFixture(t, mastProduct())
	if a := w.explain(
		dew,
	); a.Reason != ReasonMissing || a.Input != airT || a.Time != math.MinInt64 ||
		len(a.Inputs) != 0 {
		t.Errorf("of nothing: %+v", a)
	}
	w.send(frame(noon, airT, 25))
	if a := w.explain(
		dew,
	); a.Reason != ReasonMissing || a.Input != airRH || a.Time != noon.UnixMilli() ||
		len(a.Inputs) != 1 {
		t.Errorf("without humidity: %+v", a)
	}
	w.send(frame(secondsAfterNoon(60), airRH, 60, sun, 100))
	if a := w.explain(
		dew,
	); a.Reason != "" || math.Abs(a.Value-16.68) > .02 || a.Estimated || a.MaxAge != 600_000 ||
		len(a.Inputs) != 2 {
		t.Errorf("a value: %+v", a)
	}
	if a := w.explain(flux); a.Reason != "" || !a.Estimated {
		t.Errorf("an estimate by itself: %+v", a)
	}
	// Of a value that needs one which is derived itself.
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
		t.Errorf("beyond the formula: %+v", a)
	}
	w.send(frame(secondsAfterNoon(1020), airT, 10, airRH, 5))
	if a := w.explain(dew); a.Reason != ReasonBounds {
		t.Errorf("beyond the property's limits: %+v", a)
	}
	w.checkExplanations()
	if _, err := w.engine.Explain(t.Context(), w.entry, airT); err == nil {
		t.Error("an account of what is measured")
	}
}

// sendDays sends some days of a reading each ten minutes from the 24th on; hours that
// are left out are counted from its beginning.
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
		leftOut      []int
		reason       Reason
		came, filled int
	}{
		"whole":            {nil, "", 24, 0},
		"filled in":        {[]int{5, 6, 7}, "", 21, 3},
		"four in a row":    {[]int{5, 6, 7, 8}, ReasonHours, 20, 0},
		"five, apart":      {[]int{2, 4, 6, 8, 10}, ReasonHours, 19, 5},
		"the last is gone": {[]int{23}, ReasonHours, 23, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, mastProduct())
			w.sendDays(1, c.leftOut...)
			a := w.explain(light)
			if a.Time != end || a.Reason != c.reason || a.Measured != c.came || a.Filled != c.filled ||
				a.Expected != 24 ||
				a.Estimated != (c.filled > 0) {
				t.Errorf("%+v", a)
			}
			w.checkExplanations()
		})
	}
}

func TestExplainDayWithoutValue(t *testing.T) {
	w := newFixture(t, mastProduct())
	if a := w.explain(et); a.Reason != ReasonMissing || a.Time != math.MinInt64 {
		t.Errorf("of nothing: %+v", a)
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
	if a := w.explain(
		hours,
	); a.Reason != "" || a.Measured != 3 || a.Expected != 3 || a.Filled != 1 || !a.Estimated || a.SeasonStart != begin ||
		a.Value != 73 { // clocks go back
		t.Errorf("chill: %+v", a)
	}
	// Degree days count from the day before, of which nothing came.
	if a := w.explain(gdd); a.Reason != ReasonDays || a.Measured != 3 || a.Expected != 4 {
		t.Errorf("degree days: %+v", a)
	}
	w.checkExplanations()
}

// Whatever comes, in whichever order: accounts and values agree.
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
			t.Errorf("never %q: %v", r, reasons)
		}
	}
}
