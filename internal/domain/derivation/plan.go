// Package derivation computes the derived properties of products: values that follow from measured
// ones by the formulas of package agronomy. The results depend only on the readings, never on the
// order in which they arrived.
package derivation

import (
	"math"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/agronomy"
)

// The bounds of how old an input of an instant's value may be. Within them, it may be as old as a
// device of the product may be silent.
const (
	minInputAge = 10 * time.Minute
	maxInputAge = time.Hour
)

// computation is one derived property, ready to be computed.
type computation struct {
	property      device.PropertyID
	formula       *agronomy.Formula
	inputs        []device.PropertyID
	parameters    []float64
	min, max      float64
	scale         float64 // ten to the power of the decimals that are stored
	southernShift bool    // its season begins half a year later south of the equator
}

// plan lists what is computed from the readings of devices of one product.
type plan struct {
	instants    []computation       // each after the ones whose values it needs
	days        []computation       // daily and season values
	measured    []device.PropertyID // inputs that devices send, sorted
	watched     []device.PropertyID // measured, and the values of instants; sorted
	maxInputAge int64               // ms
	depth       int64               // longest chain of instants that need instants
}

// compile creates a product's plan. It leaves out properties that Check refuses, because a later
// version of the program may have written them.
func compile(p *device.Product) *plan {
	pl := &plan{maxInputAge: min(max(p.OfflineAfter, minInputAge), maxInputAge).Milliseconds(), depth: 1}
	faulty := map[string]bool{}
	for _, f := range Check(p.Properties, nil) {
		faulty[p.Properties[f.Property].Identifier] = true
	}
	level := map[device.PropertyID]int64{}
	var rest []*device.Property
	for i := range p.Properties {
		if q := &p.Properties[i]; !q.Derived() {
			level[q.ID] = 0
		} else if !faulty[q.Identifier] {
			rest = append(rest, q)
		}
	}
	// Each round adds the properties whose inputs are all known.
	for found := true; found; {
		found = false
		rest = slices.DeleteFunc(rest, func(q *device.Property) bool {
			r, highest, ok := newComputation(p, q, level)
			if !ok {
				return false
			}
			found = true
			pl.add(r, highest+1, level)
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

// newComputation returns false while an input is not known yet. The returned level is the highest
// one of its inputs.
func newComputation(
	p *device.Product,
	q *device.Property,
	levels map[device.PropertyID]int64,
) (r computation, level int64, ok bool) {
	f := agronomy.Find(q.Formula)
	r = computation{
		property:   q.ID,
		formula:    f,
		parameters: f.Values(q.Parameters),
		min:        math.Inf(-1),
		max:        math.Inf(1),
		scale:      math.Pow10(f.Decimals),
	}
	_, given := q.Parameters[startMonth]
	r.southernShift = f.Kind == agronomy.Season && !given
	for _, name := range q.Inputs {
		input := p.Property(name)
		if input == nil {
			return r, 0, false
		}
		l, known := levels[input.ID]
		if !known {
			return r, 0, false
		}
		level = max(level, l)
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
	return r, level, true
}

func (pl *plan) add(r computation, at int64, level map[device.PropertyID]int64) {
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

// needs reports whether a frame holds an input of the plan.
func (pl *plan) needs(fields []reading.Field) bool {
	for _, f := range fields {
		if _, ok := slices.BinarySearch(pl.measured, f.Property); ok {
			return true
		}
	}
	return false
}

// The parameters for the begin of a season.
const (
	startMonth = "startMonth"
	startDay   = "startDay"
)

func (r *computation) parameter(name string) float64 {
	for i, p := range r.formula.Parameters {
		if p.Name == name {
			return r.parameters[i]
		}
	}
	return 0
}

// seasonStart returns the first day of the season that contains day.
func (r *computation) seasonStart(day civilDay, at agronomy.Place) civilDay {
	month := int(r.parameter(startMonth))
	if r.southernShift && at.Latitude != nil && *at.Latitude < 0 {
		month = (month+5)%12 + 1
	}
	return seasonStartOf(day, time.Month(month), int(r.parameter(startDay)))
}

// roundAndCheck rounds a formula's value half away from zero, to the property's decimals or,
// without these, the formula's. It returns false if the value is outside the property's bounds.
func (r *computation) roundAndCheck(v float64, ok bool) (float64, bool) {
	if !ok {
		return 0, false
	}
	v = math.Round(v*r.scale)/r.scale + 0 // -0 becomes 0
	return v, v >= r.min && v <= r.max
}
