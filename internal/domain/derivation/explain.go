package derivation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/agronomy"
)

// Reason is why a derived property has no value.
type Reason string

// The reasons.
const (
	ReasonMissing   Reason = "missing"   // an input has no readings
	ReasonOld       Reason = "old"       // an input is too much older than the newest one
	ReasonPosition  Reason = "position"  // the device's position is unknown
	ReasonElevation Reason = "elevation" // the device's elevation is unknown
	ReasonHours     Reason = "hours"     // too few hours of the day have readings
	ReasonDays      Reason = "days"      // too few days of the season have readings
	ReasonRange     Reason = "range"     // the inputs are outside the formula's range
	ReasonBounds    Reason = "bounds"    // the value is outside the property's own limits
)

// Explanation explains a derived property's newest value, or why it has none: for an instant, at
// the time of its newest input; for a day or a season, on the newest day that is over.
type Explanation struct {
	Kind   agronomy.Kind
	Time   int64 // epoch ms; for a day, its last. math.MinInt64: there are no readings yet
	Value  float64
	Reason Reason            // empty: the property has a value
	Input  device.PropertyID // input that the reason concerns; 0: none

	// Estimated: gaps were filled in, or the formula itself is an estimate.
	Estimated          bool
	Measured, Expected int   // hours of the day, or days of the season
	Filled             int   // hours that were interpolated between others
	SeasonStart        int64 // begin of the season, epoch ms

	MaxAge int64          // how much older than the newest input another may be, for an instant, ms
	Inputs []reading.Last // for an instant: the newest value of each input that has one
}

// Explain explains a device's derived property from the stored readings. It reads the days of a
// season, but blocks no other caller. It returns an error for a property that the product does not
// derive.
func (e *Engine) Explain(ctx context.Context, entry *device.Entry, property device.PropertyID) (Explanation, error) {
	scratch := New(e.opts)
	s, err := scratch.load(ctx, entry)
	if err != nil {
		return Explanation{}, err
	}
	of := func(r computation) bool { return r.property == property }
	if i := slices.IndexFunc(s.plan.instants, of); i >= 0 {
		return s.explainInstant(&s.plan.instants[i]), nil
	}
	i := slices.IndexFunc(s.plan.days, of)
	if i < 0 {
		return Explanation{}, fmt.Errorf("derivation: property %d of device %d is not derived", property, entry.ID)
	}
	w := derivationRun{engine: scratch, ctx: ctx, state: s}
	a, err := w.explainDay(&s.plan.days[i])
	if err != nil {
		return a, fmt.Errorf("derivation: device %d: %w", entry.ID, err)
	}
	return a, nil
}

// newExplanation returns an explanation without a value.
func (s *deviceState) newExplanation(r *computation) Explanation {
	return Explanation{
		Kind:      r.formula.Kind,
		Time:      math.MinInt64,
		Estimated: r.formula.IsEstimate(len(r.inputs)),
		MaxAge:    s.plan.maxInputAge,
	}
}

func (s *deviceState) explainInstant(r *computation) Explanation {
	a := s.newExplanation(r)
	for _, id := range r.inputs {
		i, known := findLast(s.last, id)
		if !known || s.last[i].Value.Kind() != reading.KindNumber {
			if a.Reason == "" {
				a.Reason, a.Input = ReasonMissing, id
			}
			continue
		}
		a.Inputs = append(a.Inputs, s.last[i])
		a.Time = max(a.Time, s.last[i].Time)
	}
	for _, l := range a.Inputs {
		if a.Reason == "" && a.Time-l.Time > a.MaxAge {
			a.Reason, a.Input = ReasonOld, l.Property
		}
	}
	if a.Reason == "" {
		x := make([]float64, len(a.Inputs))
		for i, l := range a.Inputs {
			x[i] = l.Value.Float()
		}
		v, ok := r.formula.InstantValue(x, r.parameters, s.site.Place)
		s.setResult(&a, r, v, ok)
	}
	return a
}

// setResult records the result of a formula whose inputs were all available.
func (s *deviceState) setResult(a *Explanation, r *computation, v float64, ok bool) {
	kept, within := r.roundAndCheck(v, ok)
	switch {
	case within:
		a.Value = kept
	case ok:
		a.Reason = ReasonBounds
	default:
		a.Reason = ReasonRange
		if need := r.formula.UnmetNeed(len(r.inputs), s.site.Place); need != "" {
			a.Reason = Reason(need)
		}
	}
}

// explainDay explains the value of the newest day that is over.
func (w *derivationRun) explainDay(r *computation) (Explanation, error) {
	s := w.state
	a := s.newExplanation(r)
	if s.newest == math.MinInt64 {
		a.Reason, a.Input = ReasonMissing, r.inputs[0]
		return a, nil
	}
	d := dayOf(s.newest, s.site.Zone) - 1
	a.Time = d.lastMilli(s.site.Zone)
	if r.formula.Kind == agronomy.Season {
		err := w.explainSeason(&a, r, d)
		return a, err
	}
	inputs := slices.Clone(r.inputs)
	slices.Sort(inputs)
	loaded, err := w.load(d, inputs)
	if err != nil {
		return a, err
	}
	day := s.newDay(d)
	for _, id := range r.inputs {
		series := loaded.series[id]
		if series == nil {
			a.Reason, a.Input = ReasonMissing, id
			return a, nil
		}
		day.Inputs = append(day.Inputs, *series)
	}
	a.Measured, a.Filled, a.Expected = day.Coverage()
	a.Estimated = a.Estimated || a.Filled > 0
	v, ok := r.formula.DailyValue(day, r.parameters, s.site.Place)
	s.setResult(&a, r, v, ok)
	if a.Reason == ReasonRange && !(day.HasEnoughHours() && a.Measured+a.Filled == a.Expected) {
		a.Reason = ReasonHours
	}
	return a, nil
}

func (w *derivationRun) explainSeason(a *Explanation, r *computation, d civilDay) error {
	s := w.state
	start := r.seasonStart(d, s.site.Place)
	a.SeasonStart = start.begin(s.site.Zone)
	sum := r.formula.NewTally(r.parameters)
	measured := false
	for day := start; day <= d; day++ {
		series, err := w.seriesOf(day, r.inputs[0], nil)
		if err != nil {
			return err
		}
		if measured = series != nil; !measured {
			sum.Add(nil)
			continue
		}
		of := s.newDay(day)
		of.Inputs = []agronomy.Series{*series}
		sum.Add(of)
	}
	a.Measured, a.Filled, a.Expected = sum.Coverage()
	a.Estimated = a.Measured < a.Expected || a.Filled > 0
	v, ok := sum.Value()
	switch {
	case !ok:
		a.Reason = ReasonDays
	case !measured:
		a.Reason, a.Input = ReasonMissing, r.inputs[0]
	default:
		s.setResult(a, r, v, true)
	}
	return nil
}
