package device

import "strings"

// The words by which the properties of a device's own state are recognised, in the order in which
// they are preferred: "battery" before "vbat".
var (
	batteryWords = []string{"battery", "vbat", "accu"}
	signalWords  = []string{"rssi", "signal"}
)

// Battery gives the property that measures the product's battery, in V or %; nil if it has none.
func (c *Catalog) Battery(p *Product) *Property { return c.stateProperty(p, batteryWords, "V", "%") }

// Signal gives the property that measures the reception of the product's devices, in dBm or %; nil
// if it has none.
func (c *Catalog) Signal(p *Product) *Property { return c.stateProperty(p, signalWords, "dBm", "%") }

// stateProperty gives the first measured number whose identifier contains the earliest of the words
// and whose unit is one of units.
func (c *Catalog) stateProperty(p *Product, words []string, units ...string) *Property {
	if p == nil {
		return nil
	}
	for _, word := range words {
		for i := range p.Properties {
			x := &p.Properties[i]
			if x.DataType != Number || x.Derived() || !strings.Contains(strings.ToLower(x.Identifier), word) {
				continue
			}
			for _, unit := range units {
				if c.Unit(x) == unit {
					return x
				}
			}
		}
	}
	return nil
}

// BatteryLimit gives the battery's value below which a device of the product may fail: the
// product's own, else one that suits the unit of its battery and the highest value that a device
// reported. ok is false if none is known.
func (c *Catalog) BatteryLimit(p *Product, highest float64) (limit float64, ok bool) {
	battery := c.Battery(p)
	if battery == nil {
		return 0, false
	}
	if p.BatteryLimit != nil {
		return *p.BatteryLimit, true
	}
	if c.Unit(battery) == "%" {
		return 20, true
	}
	for _, usual := range usualVoltages {
		if highest >= usual.from && highest <= usual.to {
			return usual.limit, true
		}
	}
	return 0, false
}

// usualVoltages are the limits of usual batteries, by the highest voltage that a device reports: two
// alkaline cells, a lithium cell, and lead batteries of 12 V and 24 V.
var usualVoltages = []struct{ from, to, limit float64 }{
	{2, 3.35, 2.4},
	{3.35, 4.5, 3.4},
	{10, 16, 11.8},
	{20, 32, 23.6},
}
