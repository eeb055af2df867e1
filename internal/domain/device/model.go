// Package device keeps devices, their products (thing models), the scenes that group them, and
// whether they are online.
package device

import (
	"math"
	"slices"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/text"
)

// ID is a device's internal number. It is never reused: a device that is created again under the
// same name gets a new ID and starts without readings.
type ID int64

// PropertyID is the platform-wide number of a property identifier. Readings on
// disk carry it; it is never reused, so old readings of a changed product
// still decode.
type PropertyID uint32

// The counters of a weather station's rain gauge, in inches, are readings too, although no product has
// them as properties: what they had grown to is on disk together with the rain worked out from it.
// Identifiers get their numbers from 1 upwards.
const (
	RainTotal PropertyID = math.MaxUint32 - iota
	RainYearly
	RainDaily
	RainMonthly
	RainWeekly
	RainPiezoYearly
	RainPiezoMonthly
	RainPiezoWeekly
	RainPiezoDaily
)

// IsRainCounter tells whether a reading is a counter's; these are the highest numbers.
func (id PropertyID) IsRainCounter() bool { return id >= RainPiezoDaily }

// Rainfall is the identifier of the property with the rain since the report before.
const Rainfall = "rainfall"

// Ref names a device together with its tenant.
type Ref struct {
	Tenant tenant.ID
	ID     ID
}

// DataType is the kind of value that a property takes.
type DataType string

// The data types of a thing model.
const (
	Number  DataType = "number"
	Boolean DataType = "boolean"
	Text    DataType = "text"
)

// Property is one entry of a product's thing model (TSL).
type Property struct {
	ID           PropertyID
	Identifier   string
	FunctionName string
	ElementUnit  string
	ElementData  string
	DataType     DataType
	AccessMode   string
	Min, Max     *float64 // nil: unbounded
	Clamp        *float64 // as which higher numbers count, up to Max; nil: as they arrive
	Precision    *int     // decimals; nil: values are shown as they arrive
	Upload       string   // the weather station's or codec's field with its values; empty: as for its identifier
	MaxRise      *float64 // mm that its rain counter may grow in ten minutes; nil: rain.DefaultMaxRise

	// A derived property is computed from others, not sent by devices.
	Formula    string             // name of the formula; empty: a measured property
	Inputs     []string           // identifiers of the properties it is computed from, in the formula's order
	Parameters map[string]float64 // those that differ from the formula's defaults
}

// InRange tells whether a number is neither below Min nor above Max.
func (p *Property) InRange(f float64) bool {
	return !(p.Min != nil && f < *p.Min || p.Max != nil && f > *p.Max)
}

// Highest gives the highest number that the property's readings show; nil: it is unbounded.
func (p *Property) Highest() *float64 {
	if p.Clamp != nil {
		return p.Clamp
	}
	return p.Max
}

// Derived tells whether the property is computed.
func (p *Property) Derived() bool { return p.Formula != "" }

// CountsRain tells whether the property is the rain between two reports of a weather station's counters.
func (p *Property) CountsRain() bool {
	return p.Identifier == Rainfall && p.Upload == "" && !p.Derived() && p.DataType == Number
}

// Product is a device model. Products belong to the platform, not to a tenant.
type Product struct {
	ID           int64
	Name         string                   // as in the provider's file and the open API
	Names        map[text.Language]string // shown to people; absent languages have none
	OfflineAfter time.Duration            // silence after which a device counts as offline
	MainSign     string                   // identifier of the property to show first; empty: see Main
	Properties   []Property               // in the order the thing model lists them
	// BatteryLimit is the battery's value below which a device may fail, in the unit of the battery's
	// property; nil: as for its unit.
	BatteryLimit *float64
}

// PropertyByID gives the property of an id; nil: the product has none.
func (p *Product) PropertyByID(id PropertyID) *Property {
	for i := range p.Properties {
		if p.Properties[i].ID == id {
			return &p.Properties[i]
		}
	}
	return nil
}

// DisplayName gives the product's name in a language; its Name if it has none in that language.
func (p *Product) DisplayName(l text.Language) string {
	if name := text.InLanguage(p.Names, l); name != "" {
		return name
	}
	return p.Name
}

// Property finds a property by its identifier; nil when the product has none.
func (p *Product) Property(identifier string) *Property {
	for i := range p.Properties {
		if p.Properties[i].Identifier == identifier {
			return &p.Properties[i]
		}
	}
	return nil
}

// Main gives the property that cards, lists and the map show first: the one that the provider chose,
// else the quantity that people look for in what the product measures first (soil moisture of a
// soil probe), else the first property that is neither a text nor housekeeping, else the first that
// is not a text, because a stream's address is no use to people. It gives nil for a product without
// properties.
func (p *Product) Main() *Property {
	if chosen := p.Property(p.MainSign); chosen != nil {
		return chosen
	}
	if len(p.Properties) == 0 {
		return nil
	}
	first := &p.Properties[0]
	for _, fits := range []func(x Property) bool{
		func(x Property) bool { return x.DataType != Text && !x.housekeeping(x.ElementUnit) },
		func(x Property) bool { return x.DataType != Text },
	} {
		if i := slices.IndexFunc(p.Properties, fits); i >= 0 {
			first = &p.Properties[i]
			break
		}
	}
	for _, quantity := range agronomy.MainQuantities(first.Identifier) {
		for i := range p.Properties {
			if x := &p.Properties[i]; x.DataType == Number && agronomy.IsQuantity(x.Identifier, quantity) {
				return x
			}
		}
	}
	return first
}

// DefaultOfflineAfter is used by a product that sets none.
const DefaultOfflineAfter = 10 * time.Minute
