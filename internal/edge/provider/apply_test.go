package provider

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

func readTestFile(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func itemNames(list []Item) string {
	var out []string
	for _, it := range list {
		name := string(it.Kind) + " " + it.Name
		if it.Tenant != "" {
			name = string(it.Kind) + " " + it.Tenant + "/" + it.Name
		}
		if len(it.Changes) > 0 {
			name += ": " + strings.Join(it.Changes, ",")
		}
		out = append(out, name)
	}
	return strings.Join(out, "\n")
}

// The contract's example is applied completely, and applying it again changes nothing.
func TestExample(t *testing.T) {
	p := newFixture(t)
	example := readTestFile(t, "testdata/example.yaml")
	out := p.apply(t, example, false)
	want := `element airTemperature
product weather-station
product field-camera
tenant greenfield
user greenfield/ada
scene greenfield/North field
scene greenfield/Greenhouse
device greenfield/WS-0001
device greenfield/CAM-0001`
	if got := itemNames(out.Created); got != want || len(out.Changed) != 0 || out.Unchanged != 0 {
		t.Errorf("created\n%s\nwant\n%s\nchanged %v, left %d", got, want, out.Changed, out.Unchanged)
	}
	for _, it := range out.Created {
		if shown, want := it.Secret != "", it.Name == "CAM-0001"; shown != want {
			t.Errorf("%s %s: the answer has a secret: %v", it.Kind, it.Name, shown)
		}
	}

	if e := p.Catalog.Element("airTemperature"); e == nil || e.Unit != "°C" ||
		e.Names[text.Turkish] != "Hava sıcaklığı" {
		t.Errorf("element %+v", e)
	}
	station := p.Catalog.ProductByName("weather-station")
	if pr := station.Property("airTemperature"); station.OfflineAfter != 10*time.Minute || pr == nil ||
		pr.DataType != device.Number || *pr.Min != -50 || *pr.Max != 70 || *pr.Precision != 1 || pr.AccessMode != "r" {
		t.Errorf("product %+v", station)
	}
	greenfield := p.tenant(t, "greenfield")
	if greenfield.TimeZone.String() != "Europe/Istanbul" || greenfield.Language != text.Turkish ||
		greenfield.Branding.Title != "Greenfield" ||
		!slices.Equal(greenfield.Hosts, []string{"greenfield.localhost"}) {
		t.Errorf("tenant %+v", greenfield)
	}
	ada := p.user(t, "greenfield", "ada")
	if ada.Nickname != "Ada" || ada.Email != "ada@example.com" || ada.Mobile != "+905551112233" ||
		!p.passwordMatches(t, ada, "correct horse") {
		t.Errorf("user %+v", ada)
	}
	mast := p.device(t, "greenfield", "WS-0001")
	scene, err := p.Scenes.ByName(t.Context(), greenfield.ID, "north field")
	if err != nil {
		t.Fatal(err)
	}
	if mast.Serial != "A-0001" || mast.NoteName != "North mast" || mast.SceneID != scene.ID ||
		*mast.Longitude != 32.85 || *mast.Latitude != 39.92 || mast.ProductID != station.ID {
		t.Errorf("device %+v", mast)
	}
	camera := p.device(t, "greenfield", "CAM-0001")
	if camera.ElementData["live"] != "https://camera.example/gate.m3u8" || camera.SceneID != device.DefaultScene ||
		camera.Longitude != nil {
		t.Errorf("device %+v", camera)
	}
	// The running server accepts the devices at once, with given and generated secrets.
	for name, secret := range map[string]string{"WS-0001": "ws0001-2f9c41d07ab35e68", "CAM-0001": out.Created[8].Secret} {
		if e, _, ok := p.Registry.Authenticate(name, secret); !ok || e.Name != name || e.Product == nil {
			t.Errorf("%s cannot sign in: %+v", name, e)
		}
	}
	if made := out.Created[8].Secret; len(made) < 32 || strings.ContainsAny(made, "+/=") {
		t.Errorf("the generated secret has %d characters", len(made))
	}

	before := p.dump(t)
	for _, overwrite := range []bool{false, true} {
		again := p.apply(t, example, overwrite)
		if len(again.Created)+len(again.Changed) != 0 || again.Unchanged != 9 {
			t.Errorf(
				"overwrite %v: created %v, changed %v, left %d",
				overwrite,
				again.Created,
				again.Changed,
				again.Unchanged,
			)
		}
		if after := p.dump(t); after != before {
			t.Errorf("applying again wrote\n%s\nwas\n%s", after, before)
		}
	}
}

// Errors that only the server can find are reported, line by line.
func TestFilesRefusedByServer(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	if err := p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`UPDATE scenes SET status = 2 WHERE name = 'Shut'`).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	before := p.dump(t)
	for _, f := range wrongFiles(t, "refused") {
		t.Run(f.name, func(t *testing.T) {
			_, err := p.service.Apply(t.Context(), f.raw, true)
			f.compare(t, err)
			if after := p.dump(t); after != before {
				t.Errorf("a wrong file changed\n%s\nto\n%s", before, after)
			}
		})
	}
	// Without overwrite no device is moved, so a forbidden scene does not matter.
	out := p.apply(
		t,
		"tenants: [{name: north, devices: [{deviceName: N-1, scene: Shut}, {deviceName: N-2, scene: Shut}]}]",
		false,
	)
	if out.Unchanged != 3 {
		t.Errorf("left %d, changed %s", out.Unchanged, itemNames(out.Changed))
	}
}

// If the caller leaves before the end, nothing is changed.
func TestCanceledApplyChangesNothing(t *testing.T) {
	p := newFixture(t)
	before := p.dump(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.service.Apply(ctx, []byte(readTestFile(t, "testdata/example.yaml")), false); err == nil {
		t.Error("applied although the caller had left")
	}
	if after := p.dump(t); after != before {
		t.Errorf("kept\n%s", after)
	}
}

// Of two concurrent calls with the same file, one creates the things and the other finds them
// unchanged.
func TestConcurrentApply(t *testing.T) {
	p := newFixture(t)
	raw := []byte(readTestFile(t, "testdata/example.yaml"))
	done := make(chan *Result, 2)
	for range 2 {
		go func() {
			out, err := p.service.Apply(t.Context(), raw, false)
			if err != nil {
				t.Error(err)
			}
			done <- out
		}()
	}
	created, left := 0, 0
	for range 2 {
		if out := testkit.Receive(t, "an apply", done); out != nil {
			created, left = created+len(out.Created), left+out.Unchanged
		}
	}
	if created != 9 || left != 9 {
		t.Errorf("created %d, left %d", created, left)
	}
}

// If the running server could not reload its registry, the next call does.
func TestStaleRegistryReloadedByNextCall(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	p.Registry.Replace(nil)
	p.service.stale = true
	out := p.apply(t, readTestFile(t, "testdata/base.yaml"), false)
	if len(out.Created)+len(out.Changed) != 0 || p.service.stale {
		t.Errorf("%+v, stale %v", out, p.service.stale)
	}
	if _, _, ok := p.Registry.Authenticate("N-1", "secret-of-the-device-n-1"); !ok {
		t.Error("the running server still does not know the device")
	}
}

// Ten thousand devices are applied, and then the same file again.
func TestManyDevices(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p := newFixture(t)
	raw := manyDevices(10_000)
	start := time.Now()
	out, err := p.service.Apply(t.Context(), raw, false)
	if err != nil {
		t.Fatal(err)
	}
	first := time.Since(start)
	start = time.Now()
	again, err := p.service.Apply(t.Context(), raw, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("10,000 devices: created in %s, found unchanged in %s", first, time.Since(start))
	if len(out.Created) != 10_003 || again.Unchanged != 10_003 || len(again.Created)+len(again.Changed) != 0 {
		t.Errorf("created %d, then %d, left %d", len(out.Created), len(again.Created), again.Unchanged)
	}
	if n := p.Registry.Count(p.tenant(t, "plain").ID); n != 10_000 {
		t.Errorf("the running server knows %d devices", n)
	}
}
