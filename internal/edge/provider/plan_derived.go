package provider

import (
	"slices"

	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/platform/text"
)

// checkDerived refuses derived properties that cannot be computed. list holds the properties that
// the file's properties become.
func (pl *planner) checkDerived(file []fileProperty, list []device.Property) {
	for _, fault := range derivation.Check(list, pl.unit) {
		f := &file[fault.Property]
		at := f.at
		for name, given := range map[string]filePos{
			"formula": f.formula.at, "inputs": f.inputs.at, "parameters": f.parameters.at, "dataType": f.dataType.at,
			"elementUnit": f.elementUnit.at, "accessMode": f.accessMode.at,
		} {
			if name == fault.Field && given.line != 0 {
				at = given
			} else if name == fault.Field {
				at = f.at.child(name)
			}
		}
		pl.out.add(at, "%s", text.Translate(text.English, fault.Err.Key, fault.Err.Args))
	}
}

// unit returns the unit of a property as it will be: its own, else that of its element in the file
// or on the server.
func (pl *planner) unit(p *device.Property) string {
	if p.ElementUnit != "" {
		return p.ElementUnit
	}
	for i := range pl.file.elements {
		if e := &pl.file.elements[i]; e.yeuSign.value == p.Identifier && e.unit.valid {
			return e.unit.value
		}
	}
	return pl.Catalog.Unit(p)
}

// checkUnits refuses to change the unit of an element if a product on the server computes with it
// and the file does not give that product's properties. The formulas would silently read the
// numbers in the wrong unit.
func (pl *planner) checkUnits() {
	given := map[string]filePos{}
	for i := range pl.file.elements {
		if e := &pl.file.elements[i]; e.yeuSign.valid && e.unit.valid {
			given[e.yeuSign.value] = e.unit.at
		}
	}
	if len(given) == 0 {
		return
	}
	checked := map[string]bool{}
	for i := range pl.file.products {
		if p := &pl.file.products[i]; p.properties.valid {
			checked[p.name.value] = true
		}
	}
	for _, p := range pl.Catalog.Products() {
		if checked[p.Name] {
			continue
		}
		already := derivation.Check(p.Properties, pl.Catalog.Unit)
		for _, fault := range derivation.Check(p.Properties, pl.unit) {
			of, input := p.Properties[fault.Property].Identifier, fault.Err.Args["input"]
			if input != "" {
				of = input
			}
			if slices.ContainsFunc(already, func(f derivation.Fault) bool {
				return f.Property == fault.Property && f.Err.Key == fault.Err.Key && f.Err.Args["input"] == input
			}) {
				continue
			}
			pl.out.add(
				given[of],
				"product %q computes with it: %s",
				p.Name,
				text.Translate(text.English, fault.Err.Key, fault.Err.Args),
			)
		}
	}
}
