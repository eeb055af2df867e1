package provider

import (
	"strings"
	"testing"
)

const uploadFile = `
products:
  - name: mast
    properties:
      - {identifier: airTemperature, dataType: number}
      - {identifier: boxTemperature, dataType: number, upload: tempinf}
`

// The weather station's field of a property is kept over a restart, and is part of the structure that
// the file owns: what the file leaves out is gone.
func TestUploadOfAProperty(t *testing.T) {
	p := newFixture(t)
	p.apply(t, uploadFile, false)
	p.restart(t)
	mast := p.Catalog.ProductByName("mast")
	if air, box := mast.Property("airTemperature"), mast.Property("boxTemperature"); air.Upload != "" ||
		box.Upload != "tempinf" {
		t.Errorf("%+v %+v", air, box)
	}
	if out := p.apply(t, uploadFile, false); len(out.Created)+len(out.Changed) != 0 {
		t.Errorf("applied again: created %v, changed %v", out.Created, out.Changed)
	}
	for _, upload := range []string{", upload: temp1f", ""} {
		out := p.apply(t, strings.Replace(uploadFile, ", upload: tempinf", upload, 1), false)
		if got := itemNames(out.Changed); got != "product mast: properties" {
			t.Errorf("changed %s", got)
		}
		want := strings.TrimPrefix(upload, ", upload: ")
		if got := p.Catalog.ProductByName("mast").Property("boxTemperature").Upload; got != want {
			t.Errorf("upload %q, want %q", got, want)
		}
	}
}
