package provider

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// deviceSpec is the state of a device that a random file asks for.
type deviceSpec struct {
	serial, note, product, scene string
	secrets                      []string
	gateway                      bool
	longitude                    float64
}

// fileGenerator holds the state that all random files together ask for.
type fileGenerator struct {
	rnd     *rand.Rand
	devices map[string]deviceSpec // by name
	secrets int
}

func (w *fileGenerator) pick(from ...string) string { return from[w.rnd.IntN(len(from))] }

func (w *fileGenerator) secret() string {
	w.secrets++
	return fmt.Sprintf("a-secret-that-nobody-has-%d", w.secrets)
}

// change makes some devices and changes some of the existing ones.
func (w *fileGenerator) change() {
	for range 1 + w.rnd.IntN(6) {
		name := fmt.Sprintf("D-%d", w.rnd.IntN(30))
		d, known := w.devices[name]
		if !known || w.rnd.IntN(2) == 0 {
			d.serial, d.note = w.pick("A", "SXT-1", "Ğ", ""), w.pick("Mast", "桅杆", "")
		}
		if !known || w.rnd.IntN(3) == 0 {
			d.product = w.pick("p0", "p1")
		}
		if !known || w.rnd.IntN(3) == 0 {
			d.scene = w.pick("Field", "Barn", "")
		}
		if w.rnd.IntN(4) == 0 {
			d.gateway, d.longitude = !d.gateway, float64(w.rnd.IntN(360)-180)/3
		}
		if !known || w.rnd.IntN(3) == 0 {
			d.secrets = []string{w.secret(), w.secret()}[:1+w.rnd.IntN(2)]
		}
		w.devices[name] = d
	}
	// Sometimes two devices exchange their secrets.
	if names := w.names(); len(names) > 1 && w.rnd.IntN(3) == 0 {
		a, b := names[0], names[len(names)-1]
		da, db := w.devices[a], w.devices[b]
		da.secrets, db.secrets = db.secrets, da.secrets
		w.devices[a], w.devices[b] = da, db
	}
}

func (w *fileGenerator) names() []string {
	var names []string
	for name := range w.devices {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// text writes a file of the devices for which keep returns true, in random order.
func (w *fileGenerator) text(keep func(string) bool) string {
	var b strings.Builder
	b.WriteString("products: [{name: p0, properties: [{identifier: a, dataType: number}]}, {name: p1}]\n")
	b.WriteString("tenants:\n  - name: north\n    timeZone: UTC\n    scenes: [Field, Barn]\n    devices:\n")
	names := w.names()
	w.rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		if d := w.devices[name]; keep(name) {
			fmt.Fprintf(
				&b,
				"      - {deviceName: %s, serial: %q, noteName: %q, product: %s, scene: %q, gateway: %v, longitude: %v, latitude: 1, secrets: [%s]}\n",
				name,
				d.serial,
				d.note,
				d.product,
				d.scene,
				d.gateway,
				d.longitude,
				strings.Join(d.secrets, ", "),
			)
		}
	}
	return b.String()
}

// Whatever files are applied in whatever order, the server matches the file, every device can sign
// in with its secrets and no others, and applying the file or a part of it again writes nothing.
func TestRandomFiles(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := newFixture(t)
			p.service.AtOnce = []int{1, 2, devicesAtOnce}[seed%3] // stored in parts, or whole
			w := &fileGenerator{rnd: rand.New(rand.NewPCG(seed, 1)), devices: map[string]deviceSpec{}}
			for range 25 {
				old := map[string][]string{}
				for name, d := range w.devices {
					old[name] = d.secrets
				}
				w.change()
				p.apply(t, w.text(func(string) bool { return true }), true)
				w.compare(t, p, old)
				before := p.dump(t)
				part := w.text(func(string) bool { return w.rnd.IntN(2) == 0 })
				for _, overwrite := range []bool{false, true} {
					if out := p.apply(t, part, overwrite); len(out.Created)+len(out.Changed) != 0 {
						t.Fatalf("a part again: created %s, changed %s", itemNames(out.Created), itemNames(out.Changed))
					}
				}
				if after := p.dump(t); after != before {
					t.Fatalf("a part again wrote\n%s\nwas\n%s", after, before)
				}
			}
		})
	}
}

func (w *fileGenerator) compare(t *testing.T, p *fixture, old map[string][]string) {
	t.Helper()
	valid := map[string]string{}
	for name, want := range w.devices {
		d := p.device(t, "north", name)
		scene := ""
		if d.SceneID != device.DefaultScene {
			s, err := p.Scenes.Get(t.Context(), d.Tenant, d.SceneID)
			if err != nil {
				t.Fatal(err)
			}
			scene = s.Name
		}
		got := deviceSpec{
			serial:    d.Serial,
			note:      d.NoteName,
			product:   p.Catalog.Product(d.ProductID).Name,
			scene:     scene,
			secrets:   want.secrets,
			gateway:   d.Gateway,
			longitude: *d.Longitude,
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s is %+v, want %+v", name, got, want)
		}
		for _, s := range want.secrets {
			valid[s] = name
		}
	}
	for s, name := range valid {
		if e, h, ok := p.Registry.Authenticate(s, ""); !ok || e.Name != name || !p.Registry.StillValid(e.ID, h) {
			t.Fatalf("a secret of %s belongs to %+v", name, e)
		}
	}
	for name, secrets := range old {
		for _, s := range secrets {
			id := p.Registry.Find(p.tenant(t, "north").ID, name).ID
			still := p.Registry.StillValid(id, device.HashSecret(testkit.SecretKey, s))
			if still != (valid[s] == name) {
				t.Fatalf("an old secret of %s is valid: %v", name, still)
			}
		}
	}
}
