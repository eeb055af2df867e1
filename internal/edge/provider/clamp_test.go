package provider

import (
	"fmt"
	"strings"
	"testing"
)

const clampFile = `
products:
  - name: mast
    properties:
      - {identifier: airHumidity, dataType: number, min: 0, max: 103, clamp: 100}
`

// The clamp of a property is kept over a restart, and is part of the structure that the file owns: what
// the file leaves out is gone.
func TestClampOfAProperty(t *testing.T) {
	p := newFixture(t)
	p.apply(t, clampFile, false)
	p.restart(t)
	clamp := func() string {
		if c := p.Catalog.ProductByName("mast").Property("airHumidity").Clamp; c != nil {
			return fmt.Sprint(*c)
		}
		return ""
	}
	if clamp() != "100" {
		t.Errorf("clamp %q", clamp())
	}
	if out := p.apply(t, clampFile, false); len(out.Created)+len(out.Changed) != 0 {
		t.Errorf("applied again: created %v, changed %v", out.Created, out.Changed)
	}
	for _, c := range []string{", clamp: 99.5", ""} {
		out := p.apply(t, strings.Replace(clampFile, ", clamp: 100", c, 1), false)
		if got := itemNames(out.Changed); got != "product mast: properties" {
			t.Errorf("changed %s", got)
		}
		if want := strings.TrimPrefix(c, ", clamp: "); clamp() != want {
			t.Errorf("clamp %q, want %q", clamp(), want)
		}
	}
}
