package providerapi

import (
	"tilth/internal/derivation"
	"tilth/internal/device"
	"tilth/internal/text"
)

// derived refuses derived properties that cannot be computed. list is what the
// file's properties come to.
func (pl *planner) derived(file []fileProperty, list []device.Property) {
	for _, fault := range derivation.Check(list, pl.unit) {
		f := &file[fault.Property]
		at := f.at
		for name, given := range map[string]place{
			"formula": f.formula.at, "inputs": f.inputs.at, "parameters": f.parameters.at, "dataType": f.dataType.at,
			"elementUnit": f.elementUnit.at, "accessMode": f.accessMode.at,
		} {
			if name == fault.Field && given.line != 0 {
				at = given
			} else if name == fault.Field {
				at = f.at.key(name)
			}
		}
		pl.p.add(at, "%s", text.Say(text.English, fault.Err.Key, fault.Err.Args))
	}
}

// unit is that of a property as it will be: its own, else that of its element in
// the file or on the server.
func (pl *planner) unit(p *device.Property) string {
	if p.ElementUnit != "" {
		return p.ElementUnit
	}
	for i := range pl.file.elements {
		if e := &pl.file.elements[i]; e.yeuSign.v == p.Identifier && e.unit.set {
			return e.unit.v
		}
	}
	return pl.Catalog.Unit(p)
}
