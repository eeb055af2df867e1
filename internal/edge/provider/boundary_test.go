package provider

import (
	"math"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/text"
)

// Values at the boundaries of the rules are stored unchanged, and applying them again changes
// nothing.
func TestBoundaryValues(t *testing.T) {
	p := newFixture(t)
	source := readTestFile(t, "testdata/good/limits.yaml")
	out := p.apply(t, source, false)
	if len(out.Created) != 15 || len(out.Changed) != 0 {
		t.Errorf("created %d\n%s", len(out.Created), itemNames(out.Created))
	}
	if again := p.apply(t, source, true); again.Unchanged != 15 || len(again.Created)+len(again.Changed) != 0 {
		t.Errorf("again created %s, changed %s", itemNames(again.Created), itemNames(again.Changed))
	}
	numbers := p.Catalog.ProductByName("numbers")
	if numbers.OfflineAfter != 1001*time.Millisecond || len(numbers.Properties) != 6 {
		t.Fatalf("product %+v", numbers)
	}
	for identifier, ok := range map[string]func(device.Property) bool{
		"same": func(p device.Property) bool { return *p.Min == 5 && *p.Max == 5 && *p.Precision == 0 },
		"wide": func(p device.Property) bool { return *p.Min == -1.7e308 && *p.Max == 1.7e308 && *p.Precision == 9 },
		"low":  func(p device.Property) bool { return *p.Min == 0 && p.Max == nil && p.Precision == nil },
		"high": func(p device.Property) bool { return p.Min == nil && *p.Max == -0.5 && p.AccessMode == "w" },
		"yes":  func(p device.Property) bool { return p.DataType == device.Boolean && p.AccessMode == "rw" },
		"温度":   func(p device.Property) bool { return p.DataType == device.Text && p.AccessMode == "r" },
	} {
		if pr := numbers.Property(identifier); pr == nil || !ok(*pr) {
			t.Errorf("property %s: %+v", identifier, pr)
		}
	}
	edge := p.tenant(t, "edge")
	if edge.Language != text.Russian || edge.Branding.Content != "two\nlines" || len(edge.Hosts) != 3 {
		t.Errorf("tenant %+v", edge)
	}
	scenes, err := p.Scenes.List(t.Context(), edge.ID)
	if err != nil || len(scenes) != 3 {
		t.Errorf("scenes %v, %v", scenes, err)
	}
	// A search treats ı and I as the same letter, so the scene was found in another case.
	if d := p.device(t, "edge", "设备-1"); d.SceneID == device.DefaultScene || d.ElementData["same"] != "<x>" ||
		len(d.ElementData) != 1 || *d.Longitude != 0 {
		t.Errorf("device %+v", d)
	}
	for _, secret := range []string{strings.Repeat("ş", 20), "~!@$%^&*()_-+=[]{}|;", "01234567890123456789"} {
		if _, _, ok := p.Registry.Authenticate(secret, ""); !ok {
			t.Errorf("the secret %s is not valid", secret)
		}
	}
	for name, password := range map[string]string{"ş": "123456", "LONG": strings.Repeat("0123456789", 12) + "01234567"} {
		if !p.passwordMatches(t, p.user(t, "edge", name), password) {
			t.Errorf("the password of %s is not valid", name)
		}
	}
}

// Names differ as the rules say: device names by every character, user names by Latin letters in
// any case, scene names by all letters in any case.
func TestNameCaseRules(t *testing.T) {
	p := newFixture(t)
	p.apply(t, `
products: [{name: p}, {name: P}]
tenants:
  - name: north
    timeZone: UTC
    scenes: [Ğ, Bahçe]
    users: [{userName: ada, password: correct horse}]
    devices: [{deviceName: d, product: p}]
  - name: North
    timeZone: UTC
    scenes: [Ğ]
    users: [{userName: ada, password: correct horse}]
    devices: [{deviceName: D, product: P}]`, false)
	out := p.apply(
		t,
		`tenants: [{name: north, scenes: [ğ, BAHÇE], users: [{userName: ADA}], devices: [{deviceName: d, scene: bahçe}]}]`,
		true,
	)
	if got := itemNames(out.Changed); got != "device north/d: scene" || len(out.Created) != 0 || out.Unchanged != 4 {
		t.Errorf("changed %s, created %s, left %d", got, itemNames(out.Created), out.Unchanged)
	}
	if a, b := p.device(t, "north", "d"), p.device(t, "North", "D"); a.ProductID == b.ProductID ||
		a.SceneID == device.DefaultScene {
		t.Errorf("devices %+v, %+v", a, b)
	}
}

// A number may be written in any way that YAML has; everything else is refused.
func TestNumbers(t *testing.T) {
	for source, want := range map[string]float64{
		"0": 0, "-0.0": 0, "32.85": 32.85, "1e1": 10, "+5": 5, "0x10": 16, "1_000": 1000, "18446744073709551615": 18446744073709551615,
		".5": 0.5, "-.5": -0.5, "'5'": math.NaN(), ".nan": math.NaN(), "-.inf": math.NaN(), "five": math.NaN(), "[5]": math.NaN(), "1e999": math.NaN(),
	} {
		var wrong fileErrors
		f := wrong.parse([]byte("tenants: [{devices: [{longitude: " + source + "}]}]"))
		if f == nil {
			t.Errorf("%s: %+v", source, wrong.lines)
			continue
		}
		got := f.tenants[0].devices[0].plain["longitude"]
		if got.valid == math.IsNaN(want) || got.valid && got.value != want || got.valid == (len(wrong.lines) > 0) {
			t.Errorf("%s is read as %+v, %+v", source, got, wrong.lines)
		}
	}
}
