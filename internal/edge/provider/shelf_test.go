package provider

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
)

const shelfFile = `products: [{name: soil-probe, properties: [{identifier: soilMoisture, dataType: number}]}]
shelf:
  - {deviceName: SP-1, serial: S-1, product: soil-probe, claimCode: 7K3Q-9DMX-2B4F-7, secret: "the-secret-of-the-box"}
  - {deviceName: SP-2, product: soil-probe, tenant: north, devEui: 4242ffffffffffff, ownerToken: "0102"}
tenants:
  - name: north
    timeZone: Europe/Istanbul
    selfService: {devices: 2, products: [soil-probe], claims: true}
    users: [{userName: ada, password: correct horse}]
  - {name: south, timeZone: Europe/Istanbul, selfService: {claims: true}}
`

// claim claims a device as the tenant's owner does.
func (p *fixture) claim(t *testing.T, owner, text string) (*selfservice.Made, error) {
	t.Helper()
	c := &identity.Caller{Tenant: p.tenant(t, owner).ID, User: 1, Role: identity.Owner}
	service := p.SelfService
	return service.Claim(t.Context(), c, text, selfservice.Form{NoteName: "Claimed " + text[len(text)-4:]})
}

func wrongLines(t *testing.T, err error) []string {
	t.Helper()
	var wrong *FileError
	if !errors.As(err, &wrong) {
		t.Fatalf("answered %v", err)
	}
	var lines []string
	for _, e := range wrong.Errors {
		lines = append(lines, e.Message)
	}
	return lines
}

// dumpShelf returns everything on the shelf as text, to compare two states.
func (p *fixture) dumpShelf(t *testing.T) string {
	t.Helper()
	items, err := p.Shelf.ByNames(t.Context(), []string{"SP-1", "SP-2", "SP-3"})
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestShelf(t *testing.T) {
	p := newFixture(t)
	out := p.apply(t, shelfFile, false)
	code := ""
	for _, i := range out.Created {
		if i.Kind == KindShelf && i.Name == "SP-2" {
			code = i.Secret
		}
		if i.Kind == KindShelf && i.Name == "SP-1" && i.Secret != "" {
			t.Errorf("a code is printed that the file gives: %+v", i)
		}
	}
	if _, isCode, right := selfservice.ParseCode(code); !isCode || !right {
		t.Fatalf("made the code %q: %+v", code, out.Created)
	}
	north := p.tenant(t, "north")
	want := tenant.SelfService{Devices: 2, Products: []string{"soil-probe"}, Claims: true}
	if !north.SelfService.Equal(want) {
		t.Errorf("%+v", north.SelfService)
	}
	if out := p.apply(t, shelfFile, false); len(out.Created)+len(out.Changed) != 0 {
		t.Errorf("again: %+v", out)
	}
	if _, _, ok := p.Registry.Authenticate("SP-1", "the-secret-of-the-box"); ok {
		t.Error("a device on the shelf signs in")
	}
	if made, err := p.claim(t, "south", code); err == nil {
		t.Errorf("another tenant claims %+v", made)
	}
	made, err := p.claim(t, "north", code)
	if err != nil || made.DeviceName != "SP-2" || made.Secret == "" {
		t.Fatalf("%+v (%v)", made, err)
	}
	if _, err := p.claim(t, "south", "7K3Q-9DMX-2B4F-7"); err != nil {
		t.Fatal(err)
	}
	// The file leaves what was claimed, changed or not.
	changed := strings.Replace(shelfFile, "serial: S-1", "serial: S-9", 1)
	if out := p.apply(t, changed, true); len(out.Created)+len(out.Changed) != 0 {
		t.Errorf("claimed: %+v", out)
	}
	if d := p.device(t, "south", "SP-1"); d.Serial != "S-1" || d.Origin != device.OriginShelf {
		t.Errorf("%+v", d)
	}
	// Once its owner has deleted it, the provider may offer it again.
	if err := p.SelfService.Delete(t.Context(), north.ID, "SP-2"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.claim(t, "north", code); err == nil {
		t.Error("the code of a deleted device still works")
	}
	out = p.apply(t, shelfFile, false)
	if len(out.Changed) != 1 || out.Changed[0].Name != "SP-2" ||
		!slices.Equal(out.Changed[0].Changes, []string{"claimable"}) {
		t.Errorf("%+v", out)
	}
	if _, err := p.claim(t, "north", code); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestShelfChanges(t *testing.T) {
	p := newFixture(t)
	p.apply(t, shelfFile, false)
	out := p.apply(t, `shelf:
  - {deviceName: SP-1, serial: S-7, claimCode: 2222-2222-2222-$}
  - {deviceName: SP-2, tenant: south}`, false)
	if len(out.Changed) != 2 || !slices.Equal(out.Changed[0].Changes, []string{"serial", "claimCode"}) ||
		!slices.Equal(out.Changed[1].Changes, []string{"tenant"}) {
		t.Errorf("%+v", out)
	}
	if _, err := p.claim(t, "north", "7K3Q-9DMX-2B4F-7"); err == nil {
		t.Error("the former code works")
	}
	if _, err := p.claim(t, "north", "LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF42:O0102"); err == nil {
		t.Error("another tenant's label works")
	}
	if made, err := p.claim(t, "south", "LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF42:O0102"); err != nil {
		t.Errorf("%+v (%v)", made, err)
	}
	p.mustDelete(t, KindShelf, "", "SP-1")
	if _, err := p.claim(t, "north", "2222-2222-2222-$"); err == nil {
		t.Error("a device that was taken off the shelf is claimed")
	}
	var missing *Refusal
	if _, err := p.service.Delete(t.Context(), KindShelf, "", "SP-1"); !errors.As(err, &missing) || !missing.Missing {
		t.Errorf("again: %v", err)
	}
	p.mustDelete(t, KindShelf, "", "SP-2")
	if d := p.device(t, "south", "SP-2"); d.Disabled {
		t.Error("the claimed device is gone with its entry")
	}
}

func TestWrongShelf(t *testing.T) {
	p := newFixture(t)
	p.apply(t, shelfFile, false)
	p.apply(t, `tenants:
  - {name: north, devices: [{deviceName: N-1, product: soil-probe, secret: "the-secret-of-this-one"}]}`, false)
	for source, want := range map[string]string{
		`shelf: [{deviceName: SP-3}]`:                                                                  "product is missing: a new device needs one",
		`shelf: [{product: soil-probe}]`:                                                               "deviceName is missing",
		`shelf: [{deviceName: SP-3, product: other}]`:                                                  `product "other" is neither in this file nor on the server`,
		`shelf: [{deviceName: SP-3, product: soil-probe, tenant: east}]`:                               `tenant "east" is neither in this file nor on the server`,
		`shelf: [{deviceName: N-1, product: soil-probe}]`:                                              `deviceName "N-1" is a device already`,
		`shelf: [{deviceName: SP-3, product: soil-probe, claimCode: 7K3Q-9DMX-2B4F-8}]`:                "claimCode must be 12 symbols and a right check symbol, for example 7K3Q-9DMX-2B4F-7",
		`shelf: [{deviceName: SP-3, product: soil-probe, claimCode: 7K3Q-9DMX-2B4F-7}]`:                "this claimCode is that of another device on the shelf",
		`shelf: [{deviceName: SP-3, product: soil-probe, secret: "the-secret-of-the-box"}]`:            "this secret is another device's",
		`shelf: [{deviceName: SP-3, product: soil-probe, secret: "the-secret-of-this-one"}]`:           "this secret is another device's",
		`shelf: [{deviceName: SP-3, product: soil-probe, devEui: 4242FFFFFFFFFFFF}]`:                   "devEui 4242FFFFFFFFFFFF is that of another device on the shelf",
		`shelf: [{deviceName: SP-3, product: soil-probe, devEui: 4242FFFF}]`:                           "devEui must be 16 hexadecimal digits",
		`shelf: [{deviceName: SP-3, product: soil-probe, ownerToken: "0102"}]`:                         "ownerToken without devEui: the label of a LoRaWAN device has both",
		`shelf: [{deviceName: SP-3, product: soil-probe}, {deviceName: SP-3, product: soil-probe}]`:    `deviceName "SP-3" is on line 1 already`,
		`tenants: [{name: north, devices: [{deviceName: SP-1, product: soil-probe}]}]`:                 `deviceName "SP-1" is on the shelf: take it off first`,
		`tenants: [{name: north, devices: [{deviceName: N-1, secret: "the-secret-of-the-box"}]}]`:      "this secret is that of a device on the shelf",
		`tenants: [{name: north, selfService: {devices: 3}}]`:                                          "products is missing: of which kinds may the devices be?",
		`tenants: [{name: north, selfService: {devices: -1, products: [soil-probe]}}]`:                 "devices must be from 0 to 100000",
		`tenants: [{name: north, selfService: {devices: 1, products: [other]}}]`:                       `product "other" is neither in this file nor on the server`,
		`tenants: [{name: north, selfService: {devices: 1, products: [soil-probe, soil-probe]}}]`:      `product "soil-probe" is in the list already`,
		`shelf: [{deviceName: SP-1, claimCode: AAAA-AAAA-AAAA-A}, {deviceName: SP-2, claimCode: "1"}]`: "claimCode must be 12 symbols and a right check symbol, for example 7K3Q-9DMX-2B4F-7",
	} {
		before := p.dump(t) + p.dumpShelf(t)
		_, err := p.service.Apply(t.Context(), []byte(source), false)
		if lines := wrongLines(t, err); !slices.Contains(lines, want) {
			t.Errorf("%s: %q, want %q", source, lines, want)
		}
		if p.dump(t)+p.dumpShelf(t) != before {
			t.Errorf("%s changed something", source)
		}
	}
}

// A device that was added in the console becomes the file's once the file names it, and keeps its secret.
func TestFileAdoptsDevice(t *testing.T) {
	p := newFixture(t)
	p.apply(t, shelfFile, false)
	north := p.tenant(t, "north").ID
	service := p.SelfService
	made, err := service.Create(t.Context(), north, selfservice.Form{
		NoteName: "Lower field", ProductID: p.Catalog.ProductByName("soil-probe").ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	out := p.apply(t, `tenants: [{name: north, devices: [{deviceName: `+made.DeviceName+`, serial: S-77}]}]`, false)
	if len(out.Changed) != 1 || !slices.Equal(out.Changed[0].Changes, []string{"origin", "serial"}) ||
		out.Changed[0].Secret != "" {
		t.Errorf("%+v", out)
	}
	if d := p.device(t, "north", made.DeviceName); d.Removable() || d.Serial != "S-77" || d.NoteName != "Lower field" {
		t.Errorf("%+v", d)
	}
	if _, _, ok := p.Registry.Authenticate(made.DeviceName, made.Secret); !ok {
		t.Error("the secret is gone")
	}
	if err := service.Delete(t.Context(), north, made.DeviceName); err == nil {
		t.Error("its owner can still delete it")
	}
	if offer, err := service.Offer(t.Context(), north); err != nil || offer.Used != 0 {
		t.Errorf("%+v (%v)", offer, err)
	}
}
