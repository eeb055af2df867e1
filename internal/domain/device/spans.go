package device

import (
	"cmp"
	"math"
	"time"

	"tilth/internal/platform/agronomy"
)

// LeastSpan gives how much the value axis of a property's chart spans at least, in the property's
// unit: what its element says, else what suits its quantity; nil if neither is known in this unit.
func (c *Catalog) LeastSpan(p *Property) *float64 {
	if p.DataType != Number {
		return nil
	}
	unit := c.Unit(p)
	if e := c.Element(p.Identifier); e != nil && e.LeastSpan != nil && e.Unit == unit {
		return e.LeastSpan
	}
	for _, quantity := range []string{p.Identifier, p.Formula} {
		if span, ok := agronomy.LeastSpan(quantity, unit); ok {
			return &span
		}
	}
	return nil
}

// TrendSpan gives over what time the trend of a property is told, as suits its quantity; 0 if it has
// none.
func (c *Catalog) TrendSpan(p *Property) time.Duration {
	if p.DataType != Number {
		return 0
	}
	return cmp.Or(agronomy.TrendSpan(p.Identifier, c.Unit(p)), agronomy.TrendSpan(p.Formula, c.Unit(p)))
}

// TrendDecimals gives how many decimals of a change of a property are worth telling: those that people
// see of it, else as many as a hundredth of its least span has.
func (c *Catalog) TrendDecimals(p *Property) int {
	if p.Precision != nil {
		return *p.Precision
	}
	if least := c.LeastSpan(p); least != nil {
		return max(0, int(-math.Floor(math.Log10(*least/100))))
	}
	return 0
}
