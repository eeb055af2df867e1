package provider

import (
	"strings"
	"testing"
)

const maxRiseFile = `
products:
  - name: mast
    properties:
      - {identifier: airTemperature, dataType: number}
      - {identifier: rainfall, dataType: number, maxRise: 60}
`

// The bound of a rain counter's growth is kept over a restart, and is part of the structure that the file owns.
func TestMaxRiseOfAProperty(t *testing.T) {
	p := newFixture(t)
	p.apply(t, maxRiseFile, false)
	p.restart(t)
	mast := p.Catalog.ProductByName("mast")
	if rain := mast.Property("rainfall").MaxRise; rain == nil || *rain != 60 {
		t.Errorf("%v", rain)
	}
	if air := mast.Property("airTemperature").MaxRise; air != nil {
		t.Errorf("%v", *air)
	}
	if out := p.apply(t, maxRiseFile, false); len(out.Created)+len(out.Changed) != 0 {
		t.Errorf("applied again: created %v, changed %v", out.Created, out.Changed)
	}
	for _, file := range []string{
		strings.Replace(maxRiseFile, "60", "70.5", 1),
		strings.Replace(maxRiseFile, ", maxRise: 60", "", 1),
	} {
		if got := itemNames(p.apply(t, file, false).Changed); got != "product mast: properties" {
			t.Errorf("changed %s", got)
		}
	}
	if rain := p.Catalog.ProductByName("mast").Property("rainfall").MaxRise; rain != nil {
		t.Errorf("%v", *rain)
	}
}
