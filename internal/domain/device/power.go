package device

import (
	"slices"
	"strings"
)

// The words by which the properties of a device's own state are recognised, in the order in which
// they are preferred: "battery" before "vbat".
var (
	batteryWords   = []string{"battery", "vbat", "accu"}
	signalWords    = []string{"rssi", "signal"}
	enclosureWords = []string{"boxtemp", "enclosure", "boardtemp", "cputemp"}
)

// Units in which products measure the state of their devices.
var (
	batteryUnits   = []string{"V", "%"}
	signalUnits    = []string{"dBm", "%"}
	enclosureUnits = []string{"°C", "°F", "%"}
)

// Battery gives the property that measures the product's battery, in V or %; nil if it has none.
func (c *Catalog) Battery(p *Product) *Property {
	return c.stateProperty(p, batteryWords, batteryUnits)
}

// Signal gives the property that measures the reception of the product's devices, in dBm or %; nil
// if it has none.
func (c *Catalog) Signal(p *Product) *Property { return c.stateProperty(p, signalWords, signalUnits) }

// Housekeeping tells whether a property says how a device itself is, not the field: a battery, a
// reception, or what it is like in the device's box.
func (c *Catalog) Housekeeping(x *Property) bool { return x.housekeeping(c.Unit(x)) }

func (p *Property) housekeeping(unit string) bool {
	return p.tells(unit, batteryWords, batteryUnits) || p.tells(unit, signalWords, signalUnits) ||
		p.tells(unit, enclosureWords, enclosureUnits)
}

// tells is true for a measured number whose identifier contains one of words and whose unit is one of
// units.
func (p *Property) tells(unit string, words, units []string) bool {
	identifier := strings.ToLower(p.Identifier)
	return p.DataType == Number && !p.Derived() && slices.Contains(units, unit) &&
		slices.ContainsFunc(words, func(word string) bool { return strings.Contains(identifier, word) })
}

// stateProperty gives the first property that tells by the earliest of the words.
func (c *Catalog) stateProperty(p *Product, words, units []string) *Property {
	if p == nil {
		return nil
	}
	for i := range words {
		for j := range p.Properties {
			if x := &p.Properties[j]; x.tells(c.Unit(x), words[i:i+1], units) {
				return x
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
