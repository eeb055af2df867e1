package derivation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tilth/internal/agronomy"
	"tilth/internal/device"
	"tilth/internal/reading"
)

// Reason is why a derived property has no value.
type Reason string

// The reasons.
const (
	ReasonMissing   Reason = "missing"   // nothing came of an input
	ReasonOld       Reason = "old"       // an input is older than allowed beside the newest one
	ReasonPosition  Reason = "position"  // the device's is not known
	ReasonElevation Reason = "elevation" // likewise
	ReasonHours     Reason = "hours"     // too few of the day came
	ReasonDays      Reason = "days"      // too few of the season came
	ReasonRange     Reason = "range"     // the inputs are beyond what the formula is good for
	ReasonBounds    Reason = "bounds"    // the value is beyond the property's own limits
)

// Account says how a derived property came by its newest value, or why it has
// none: of an instant, at the time of its newest input; of a day or a season, on
// the newest day that is over.
type Account struct {
	Kind   agronomy.Kind
	Time   int64 // epoch ms; of a day, its last. math.MinInt64: nothing has come yet
	Value  float64
	Reason Reason            // empty: there is a value
	Input  device.PropertyID // that the reason is about; 0: none

	// Estimated: gaps were filled in, or the formula is an estimate by itself.
	Estimated bool
	Came, Of  int   // hours of a day, days of a season
	Filled    int   // hours that were filled in between others
	Since     int64 // where the season began, epoch ms

	Age    int64          // how much older than the newest an input of an instant may be, ms
	Inputs []reading.Last // of an instant: the newest of each that has one
}

// Account tells of a device's derived property from what is stored. It reads a
// season's days, but holds up nobody. A property that the product does not
// derive is an error.
func (e *Engine) Account(ctx context.Context, entry *device.Entry, property device.PropertyID) (Account, error) {
	aside := New(e.opts)
	s, err := aside.load(ctx, entry)
	if err != nil {
		return Account{}, err
	}
	of := func(r rule) bool { return r.property == property }
	if i := slices.IndexFunc(s.plan.instants, of); i >= 0 {
		return s.accountOfInstant(&s.plan.instants[i]), nil
	}
	i := slices.IndexFunc(s.plan.days, of)
	if i < 0 {
		return Account{}, fmt.Errorf("derivation: property %d of device %d is not derived", property, entry.ID)
	}
	w := work{engine: aside, ctx: ctx, state: s}
	a, err := w.accountOfDay(&s.plan.days[i])
	if err != nil {
		return a, fmt.Errorf("derivation: device %d: %w", entry.ID, err)
	}
	return a, nil
}

// accountOf begins an account.
func (s *state) accountOf(r *rule) Account {
	return Account{Kind: r.formula.Kind, Time: math.MinInt64, Estimated: r.formula.IsEstimate(len(r.inputs)), Age: s.plan.age}
}

func (s *state) accountOfInstant(r *rule) Account {
	a := s.accountOf(r)
	for _, id := range r.inputs {
		i, known := find(s.last, id)
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
		if a.Reason == "" && a.Time-l.Time > a.Age {
			a.Reason, a.Input = ReasonOld, l.Property
		}
	}
	if a.Reason == "" {
		x := make([]float64, len(a.Inputs))
		for i, l := range a.Inputs {
			x[i] = l.Value.Float()
		}
		v, ok := r.formula.InstantValue(x, r.parameters, s.site.Place)
		s.decide(&a, r, v, ok)
	}
	return a
}

// decide takes in what a formula answered to inputs that are all there.
func (s *state) decide(a *Account, r *rule, v float64, ok bool) {
	kept, within := r.keep(v, ok)
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

// accountOfDay is of the newest day that is over.
func (w *work) accountOfDay(r *rule) (Account, error) {
	s := w.state
	a := s.accountOf(r)
	if s.newest == math.MinInt64 {
		a.Reason, a.Input = ReasonMissing, r.inputs[0]
		return a, nil
	}
	d := dayOf(s.newest, s.site.Zone) - 1
	a.Time = d.last(s.site.Zone)
	if r.formula.Kind == agronomy.Season {
		err := w.accountOfSeason(&a, r, d)
		return a, err
	}
	inputs := slices.Clone(r.inputs)
	slices.Sort(inputs)
	loaded, err := w.load(d, inputs)
	if err != nil {
		return a, err
	}
	day := s.day(d)
	for _, id := range r.inputs {
		series := loaded.series[id]
		if series == nil {
			a.Reason, a.Input = ReasonMissing, id
			return a, nil
		}
		day.Inputs = append(day.Inputs, *series)
	}
	a.Came, a.Filled, a.Of = day.Coverage()
	a.Estimated = a.Estimated || a.Filled > 0
	v, ok := r.formula.DailyValue(day, r.parameters, s.site.Place)
	if s.decide(&a, r, v, ok); a.Reason == ReasonRange && !(day.HasEnoughHours() && a.Came+a.Filled == a.Of) {
		a.Reason = ReasonHours
	}
	return a, nil
}

func (w *work) accountOfSeason(a *Account, r *rule, d civil) error {
	s := w.state
	start := r.season(d, s.site.Place)
	a.Since = start.begin(s.site.Zone)
	sum := r.formula.NewTally(r.parameters)
	came := false
	for day := start; day <= d; day++ {
		series, err := w.seriesOf(day, r.inputs[0], nil)
		if err != nil {
			return err
		}
		if came = series != nil; !came {
			sum.Add(nil)
			continue
		}
		of := s.day(day)
		of.Inputs = []agronomy.Series{*series}
		sum.Add(of)
	}
	a.Came, a.Filled, a.Of = sum.Coverage()
	a.Estimated = a.Came < a.Of || a.Filled > 0
	v, ok := sum.Value()
	switch {
	case !ok:
		a.Reason = ReasonDays
	case !came:
		a.Reason, a.Input = ReasonMissing, r.inputs[0]
	default:
		s.decide(a, r, v, true)
	}
	return nil
}
