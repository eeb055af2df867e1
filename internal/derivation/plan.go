// Package derivation computes the derived properties of products: values that
// follow from measured ones by the formulas of package agronomy. What comes out
// depends on the readings alone, never on the order in which they came.
package derivation

import (
	"math"
	"slices"
	"time"

	"tilth/internal/agronomy"
	"tilth/internal/device"
	"tilth/internal/reading"
)

// How old an input of an instant's value may be: as long as a device of the
// product may be silent, within these bounds.
const (
	leastAge = 10 * time.Minute
	mostAge  = time.Hour
)

// rule is one derived property, ready to be computed.
type rule struct {
	property   device.PropertyID
	formula    *agronomy.Formula
	inputs     []device.PropertyID
	parameters []float64
	min, max   float64
	scale      float64 // ten to the power of the decimals that are kept
	turned     bool    // south of the equator its season begins half a year later
}

// plan is what is to be computed from what devices of one product send.
type plan struct {
	instants []rule              // each after those that it needs
	days     []rule              // daily and season
	measured []device.PropertyID // inputs that devices send, sorted
	watched  []device.PropertyID // those, and the values of instants; sorted
	age      int64               // ms
	depth    int64               // of instants that need instants
}

// compile makes a product's plan. A rule that Check would refuse is left out: it
// may be of a later version of the program.
func compile(p *device.Product) *plan {
	pl := &plan{age: min(max(p.OfflineAfter, leastAge), mostAge).Milliseconds(), depth: 1}
	wrong := map[string]bool{}
	for _, f := range Check(p.Properties, nil) {
		wrong[p.Properties[f.Property].Identifier] = true
	}
	level := map[device.PropertyID]int64{}
	var left []*device.Property
	for i := range p.Properties {
		if q := &p.Properties[i]; !q.Derived() {
			level[q.ID] = 0
		} else if !wrong[q.Identifier] {
			left = append(left, q)
		}
	}
	// In rounds: each takes the rules all of whose inputs are there.
	for found := true; found; {
		found = false
		left = slices.DeleteFunc(left, func(q *device.Property) bool {
			r, high, ok := newRule(p, q, level)
			if !ok {
				return false
			}
			found = true
			pl.take(r, high+1, level)
			return true
		})
	}
	slices.Sort(pl.measured)
	pl.measured = slices.Compact(pl.measured)
	pl.watched = slices.Clone(pl.measured)
	for _, r := range pl.instants {
		pl.watched = append(pl.watched, r.property)
	}
	slices.Sort(pl.watched)
	return pl
}

// newRule is false while an input is not known yet; high is the highest level
// of its inputs.
func newRule(p *device.Product, q *device.Property, level map[device.PropertyID]int64) (r rule, high int64, ok bool) {
	f := agronomy.Find(q.Formula)
	r = rule{property: q.ID, formula: f, parameters: f.Values(q.Parameters), min: math.Inf(-1), max: math.Inf(1), scale: math.Pow10(f.Decimals)}
	_, said := q.Parameters[startMonth]
	r.turned = f.Kind == agronomy.Season && !said
	for _, name := range q.Inputs {
		input := p.Property(name)
		if input == nil {
			return r, 0, false
		}
		l, known := level[input.ID]
		if !known {
			return r, 0, false
		}
		high = max(high, l)
		r.inputs = append(r.inputs, input.ID)
	}
	if q.Min != nil {
		r.min = *q.Min
	}
	if q.Max != nil {
		r.max = *q.Max
	}
	if q.Precision != nil {
		r.scale = math.Pow10(*q.Precision)
	}
	return r, high, true
}

func (pl *plan) take(r rule, at int64, level map[device.PropertyID]int64) {
	for _, id := range r.inputs {
		if level[id] == 0 {
			pl.measured = append(pl.measured, id)
		}
	}
	if r.formula.Kind != agronomy.Instant {
		pl.days = append(pl.days, r)
		return
	}
	pl.instants = append(pl.instants, r)
	level[r.property] = at
	pl.depth = max(pl.depth, at)
}

// touches tells whether a frame holds anything that a rule needs.
func (pl *plan) touches(fields []reading.Field) bool {
	for _, f := range fields {
		if _, ok := slices.BinarySearch(pl.measured, f.Property); ok {
			return true
		}
	}
	return false
}

// The parameters that say when a season begins.
const (
	startMonth = "startMonth"
	startDay   = "startDay"
)

func (r *rule) parameter(name string) float64 {
	for i, p := range r.formula.Parameters {
		if p.Name == name {
			return r.parameters[i]
		}
	}
	return 0
}

// season is the first day of the season in which day lies.
func (r *rule) season(day civil, at agronomy.Place) civil {
	month := int(r.parameter(startMonth))
	if r.turned && at.Latitude != nil && *at.Latitude < 0 {
		month = (month+5)%12 + 1
	}
	return seasonOf(day, time.Month(month), int(r.parameter(startDay)))
}

// keep makes a formula's value the one that is stored: rounded half away from
// zero to the property's decimals, else to the formula's own; nothing where it
// is beyond the property's bounds.
func (r *rule) keep(v float64, ok bool) (float64, bool) {
	if !ok {
		return 0, false
	}
	v = math.Round(v*r.scale)/r.scale + 0 // -0 becomes 0
	return v, v >= r.min && v <= r.max
}
