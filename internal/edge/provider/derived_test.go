package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"
)

const derivedFile = `
elements:
  - {yeuSign: airTemperature, unit: "°C", yeuName: {en-us: Air, zh-cn: 空气, tr-tr: Hava, ru-ru: Воздух}}
products:
  - name: mast
    properties:
      - {identifier: airTemperature, dataType: number}
      - {identifier: airHumidity, dataType: number, elementUnit: "%"}
      - {identifier: soil, dataType: number, elementUnit: "%"}
      - {identifier: dewPoint, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, airHumidity]}
      - {identifier: water, dataType: number, elementUnit: "%", formula: availableWater, inputs: [soil], parameters: {fieldCapacity: 32, wiltingPoint: 14}}
tenants:
  - {name: north, timeZone: UTC, devices: [{deviceName: M-1, product: mast, elevation: 938}]}
`

// Derived properties are stored unchanged, and applying them again changes nothing.
func TestDerivedProperties(t *testing.T) {
	p := newFixture(t)
	p.apply(t, derivedFile, false)
	p.restart(t)
	found := p.Catalog.ProductByName("mast")
	dew, water := found.Property("dewPoint"), found.Property("water")
	if dew.Formula != "dewPoint" || !slices.Equal(dew.Inputs, []string{"airTemperature", "airHumidity"}) ||
		len(dew.Parameters) != 0 {
		t.Errorf("%+v", dew)
	}
	if water.Formula != "availableWater" ||
		!maps.Equal(water.Parameters, map[string]float64{"fieldCapacity": 32, "wiltingPoint": 14}) {
		t.Errorf("%+v", water)
	}
	if d := p.device(t, "north", "M-1"); d.Elevation == nil || *d.Elevation != 938 {
		t.Errorf("elevation %v", d.Elevation)
	}
	if soil := found.Property("soil"); soil.Derived() || soil.Inputs != nil ||
		!p.Registry.Find(p.device(t, "north", "M-1").Tenant, "M-1").Derives() {
		t.Errorf("%+v", soil)
	}
	if out := p.apply(t, derivedFile, false); len(out.Created)+len(out.Changed) != 0 {
		t.Errorf("applied again: created %v, changed %v", out.Created, out.Changed)
	}
	out := p.apply(t, strings.Replace(derivedFile, "wiltingPoint: 14", "wiltingPoint: 15", 1), false)
	if got := itemNames(out.Changed); got != "product mast: properties" {
		t.Errorf("changed %s", got)
	}
	// A catalogue that cannot be read is a fault; the property must not count as a measured one.
	if err := p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`UPDATE product_properties SET inputs = '{' WHERE formula <> ''`).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.Catalog.Load(t.Context()); err == nil {
		t.Error("loaded")
	}
}

// A property that cannot be computed is refused with the reason, line by line.
func TestWrongDerivedProperties(t *testing.T) {
	p := newFixture(t)
	head := strings.Split(derivedFile, "      - {identifier: dewPoint")[0]
	for property, want := range map[string]string{
		`{identifier: x, dataType: number, formula: dewpoint, inputs: [a]}`:                                                                               `there is no formula “dewpoint”`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature]}`:                                               `also needs the input airHumidity`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint}`:                                                                         `also needs the input airTemperature`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, wet]}`:                                          `no attribute “wet”`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [soil, airHumidity]}`:                                            `“soil” must be in °C | ℃, not in “%”`,
		`{identifier: x, dataType: number, elementUnit: "°F", formula: dewPoint, inputs: [airTemperature, airHumidity]}`:                                  `gives °C, not “°F”`,
		`{identifier: x, dataType: text, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, airHumidity]}`:                                    `must be a number`,
		`{identifier: x, dataType: number, accessMode: rw, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, airHumidity]}`:                  `can only be read`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [x, airHumidity]}`:                                               `computed from itself`,
		`{identifier: x, dataType: number, elementUnit: "%", formula: availableWater, inputs: [soil], parameters: {wiltingPoint: 1}}`:                     `needs the parameter fieldCapacity`,
		`{identifier: x, dataType: number, elementUnit: "%", formula: availableWater, inputs: [soil], parameters: {wiltingPoint: 1, fieldCapacity: 101}}`: `fieldCapacity must be from 1 to 100`,
		`{identifier: x, dataType: number, elementUnit: "%", formula: availableWater, inputs: [soil], parameters: {wiltingPoint: 15, fieldCapacity: 10}}`: `fieldCapacity must be above wiltingPoint, which is 15`,
		`{identifier: x, dataType: number, elementUnit: "°C·d", formula: growingDegreeDays, inputs: [airTemperature], parameters: {upper: 10}}`:           `upper must be above base, which is 10`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, airHumidity], parameters: {height: 2}}`:         `no parameter “height”`,
		`{identifier: x, dataType: number, inputs: [soil]}`:                                                                                               `has inputs or parameters but no formula`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, airHumidity, soil]}`:                            `takes at most 2 inputs`,
		`{identifier: x, dataType: number, elementUnit: mm, formula: referenceEvapotranspiration, inputs: [airTemperature, airHumidity]}`:                 `also needs the input windSpeed`,
		`{identifier: x, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: air}`:                                                            `inputs must be a list`,
		`{identifier: x, dataType: number, elementUnit: "%", formula: availableWater, inputs: [soil], parameters: {fieldCapacity: a, wiltingPoint: 1}}`:   `fieldCapacity must be a number`,
	} {
		_, err := p.service.Apply(t.Context(), fmt.Appendf(nil, "%s      - %s\n", head, property), false)
		var wrong *FileError
		expected := func(l LineError) bool { return l.Line == 10 && strings.Contains(l.Message, want) }
		if !errors.As(err, &wrong) || !slices.ContainsFunc(wrong.Errors, expected) {
			t.Errorf("%s\nwant %s, got %+v", property, want, err)
			if wrong != nil {
				t.Error(wrong.Errors)
			}
		}
	}
	if p.Catalog.ProductByName("mast") != nil {
		t.Error("something was stored")
	}
	_, err := p.service.Apply(t.Context(), []byte(strings.Replace(derivedFile, "938", "9001", 1)), false)
	if err == nil {
		t.Error("an elevation above the limit is accepted")
	}
}

// The unit of an element that a formula uses can change only together with the product: a file with
// elements alone must not make values wrong.
func TestUnitUsedByFormulaIsProtected(t *testing.T) {
	p := newFixture(t)
	p.apply(t, derivedFile, false)
	before := p.dump(t)
	element := func(unit string) string {
		return fmt.Sprintf(
			"elements:\n  - {yeuSign: airTemperature, unit: %q, yeuName: {en-us: Air, zh-cn: 空气, tr-tr: Hava, ru-ru: Воздух}}\n",
			unit,
		)
	}
	for name, source := range map[string]string{
		"alone":                      element("°F"),
		"with a product as it stays": element("°F") + "products: [{name: mast, offlineAfter: 20m}]\n",
	} {
		_, err := p.service.Apply(t.Context(), []byte(source), true)
		var wrong *FileError
		if !errors.As(err, &wrong) || len(wrong.Errors) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		l := wrong.Errors[0]
		if l.Line != 2 || l.Path != "elements[0].unit" ||
			l.Message != `product "mast" computes with it: “dewPoint”: the input “airTemperature” must be in °C | ℃, not in “°F”` {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if after := p.dump(t); after != before {
		t.Errorf("something was stored:\n%s\nwas\n%s", after, before)
	}
	// The same unit in another spelling is accepted, and so is another unit with products that do
	// not compute with it.
	p.apply(t, element("℃"), false)
	p.apply(
		t,
		element("°F")+"products: [{name: mast, properties: [{identifier: airTemperature, dataType: number}]}]\n",
		false,
	)
	p.apply(t, element("K"), false)
}
