package derivation

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/errs"
)

// Fault is something wrong with a derived property of a thing model.
type Fault struct {
	Property int    // index
	Field    string // formula, inputs, parameters, dataType, elementUnit or accessMode
	Err      *errs.Error
}

// Check returns the faults of the derived properties of a thing model. unit returns the unit of a
// property; nil: Check does not compare units.
func Check(properties []device.Property, unit func(*device.Property) string) []Fault {
	c := checker{properties: properties, unit: unit, at: map[string]int{}}
	for i := range properties {
		c.at[properties[i].Identifier] = i
	}
	for i := range properties {
		c.property(i)
	}
	c.cycles()
	return c.found
}

type checker struct {
	properties []device.Property
	unit       func(*device.Property) string
	at         map[string]int
	found      []Fault
}

func (c *checker) add(i int, field, key string, params ...string) {
	params = append(params, "identifier", c.properties[i].Identifier)
	c.found = append(c.found, Fault{i, field, errs.New(errs.Refused, key, params...).WithField(field)})
}

func (c *checker) property(i int) {
	p := &c.properties[i]
	if !p.Derived() {
		if len(p.Inputs) > 0 || len(p.Parameters) > 0 {
			c.add(i, "formula", "derived.formulaMissing")
		}
		return
	}
	f := agronomy.Find(p.Formula)
	if f == nil {
		c.add(i, "formula", "derived.formulaUnknown", "formula", p.Formula)
		return
	}
	if p.DataType != device.Number {
		c.add(i, "dataType", "derived.notNumber")
	}
	if p.AccessMode != "" && p.AccessMode != "r" {
		c.add(i, "accessMode", "derived.notReadOnly")
	}
	if c.unit != nil {
		if u := c.unit(p); u != f.Unit {
			c.add(i, "elementUnit", "derived.unit", "formula", f.Name, "unit", f.Unit, "found", u)
		}
	}
	c.inputs(i, f)
	c.parameters(i, f)
}

func (c *checker) inputs(i int, f *agronomy.Formula) {
	p := &c.properties[i]
	minInputs := 0
	for _, r := range f.Inputs {
		if !r.Optional {
			minInputs++
		}
	}
	switch n := len(p.Inputs); {
	case n < minInputs:
		c.add(i, "inputs", "derived.inputMissing", "formula", f.Name, "input", f.Inputs[n].Name)
		return
	case n > len(f.Inputs):
		c.add(i, "inputs", "derived.inputsMany", "formula", f.Name, "count", strconv.Itoa(len(f.Inputs)))
		return
	case f.Name == evapotranspiration && n > 1 && n < 4:
		c.add(i, "inputs", "derived.inputMissing", "formula", f.Name, "input", f.Inputs[n].Name)
		return
	}
	for n, name := range p.Inputs {
		at, known := c.at[name]
		if !known {
			c.add(i, "inputs", "derived.inputUnknown", "input", name)
			continue
		}
		input := &c.properties[at]
		if input.DataType != device.Number {
			c.add(i, "inputs", "derived.inputNotNumber", "input", name)
			continue
		}
		if other := agronomy.Find(input.Formula); other != nil && other.Kind != agronomy.Instant {
			c.add(i, "inputs", "derived.inputOfDays", "input", name)
			continue
		}
		if units := f.Inputs[n].Units; c.unit != nil && !slices.Contains(units, c.unit(input)) {
			c.add(i, "inputs", "derived.inputUnit",
				"input", name, "unit", strings.Join(units, " | "), "found", c.unit(input))
		}
	}
}

// evapotranspiration is estimated from temperature alone, or computed from humidity, wind and
// radiation too; some of these do not suffice.
const evapotranspiration = "referenceEvapotranspiration"

func (c *checker) parameters(i int, f *agronomy.Formula) {
	p := &c.properties[i]
	for _, name := range slices.Sorted(maps.Keys(p.Parameters)) {
		if f.Parameter(name) == nil {
			c.add(i, "parameters", "derived.parameterUnknown", "formula", f.Name, "parameter", name)
		}
	}
	for _, q := range f.Parameters {
		v, given := p.Parameters[q.Name]
		switch {
		case !given && math.IsNaN(q.Default):
			c.add(i, "parameters", "derived.parameterMissing", "formula", f.Name, "parameter", q.Name)
		case given && !(v >= q.Low && v <= q.High):
			c.add(i, "parameters", "derived.parameterRange",
				"parameter", q.Name, "low", formatFloat(q.Low), "high", formatFloat(q.High))
		}
	}
	c.checkOrder(i, f)
}

// checkOrder reports a parameter that must exceed another one and does not.
func (c *checker) checkOrder(i int, f *agronomy.Formula) {
	above, below := math.NaN(), math.NaN() // if there is no such parameter, or it is missing
	for n, v := range f.Values(c.properties[i].Parameters) {
		switch f.Parameters[n].Name {
		case f.MustExceed[0]:
			above = v
		case f.MustExceed[1]:
			below = v
		}
	}
	if above <= below {
		c.add(i, "parameters", "derived.parameterOrder",
			"parameter", f.MustExceed[0], "other", f.MustExceed[1], "low", formatFloat(below))
	}
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// cycles reports properties that are computed from themselves, directly or through others.
func (c *checker) cycles() {
	for i := range c.properties {
		if c.reaches(i, i, map[int]bool{}) {
			c.add(i, "inputs", "derived.circle")
		}
	}
}

func (c *checker) reaches(from, to int, seen map[int]bool) bool {
	for _, name := range c.properties[from].Inputs {
		next, known := c.at[name]
		if !known || seen[next] {
			continue
		}
		seen[next] = true
		if next == to || c.reaches(next, to, seen) {
			return true
		}
	}
	return false
}
