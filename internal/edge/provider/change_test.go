package provider

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

const setOnceTemplate = `
products:
  - {name: station, properties: [{identifier: airTemperature, dataType: number}]}
tenants:
  - name: north
    timeZone: Europe/Istanbul
    users:
      - {userName: ada, password: PASSWORD, nickname: NICK, email: EMAIL, mobile: "MOBILE"}
    scenes: [Field, Barn]
    devices:
      - {deviceName: N-1, serial: SERIAL, product: station, secret: secret-of-the-device-n-1, noteName: NOTE,
         scene: SCENE, longitude: LON, latitude: LAT}
`

func fillTemplate(pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(setOnceTemplate)
}

// A new device cannot have a name that a URL cannot hold; an existing one keeps such a name and can
// be changed.
func TestDotDeviceNamesAreRefused(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	file := func(name, serial string) []byte {
		return []byte(
			"tenants: [{name: north, devices: [{deviceName: '" + name + "', serial: " + serial + ", product: station}]}]",
		)
	}
	for _, name := range []string{".", ".."} {
		_, err := p.service.Apply(t.Context(), file(name, "A"), false)
		var wrong *FileError
		if !errors.As(err, &wrong) || len(wrong.Errors) != 1 ||
			wrong.Errors[0].Path != "tenants[0].devices[0].deviceName" ||
			!strings.Contains(wrong.Errors[0].Message, "must not be") {
			t.Errorf("%q: %v", name, err)
		}
		d := *p.device(t, "north", "N-1")
		d.ID, d.Name = 0, name
		if err := p.Devices.Put(t.Context(), d.Tenant, &d); err != nil {
			t.Fatal(err)
		}
		if out := p.apply(t, string(file(name, "B")), false); len(out.Changed) != 1 {
			t.Errorf("%q, which exists: %+v", name, out)
		}
	}
	for _, name := range []string{"...", ".a", "a..", "..a"} {
		if out := p.apply(t, string(file(name, "A")), false); len(out.Created) != 1 {
			t.Errorf("%q: %+v", name, out)
		}
	}
}

// Where the provider manages the people, a role is structure: the file's holds, and each is said to be
// the provider's. An owner's mark that shuts somebody out is not the file's.
func TestPeopleOfFile(t *testing.T) {
	p := newFixture(t)
	file := func(people, user string) string {
		return "tenants:\n  - {name: north, timeZone: UTC" + people + ", users: [{userName: ada, password: first password" + user + "}]}"
	}
	p.apply(t, file("", ", role: viewer"), false)
	ada := p.user(t, "north", "ada")
	ada.Role, ada.RoleFrom, ada.DisabledByOwner = identity.Operator, identity.RoleFromOwner, true
	if err := p.Users.Update(t.Context(), ada.Tenant, ada); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		people, user, changed string
		role                  identity.Role
		from                  identity.RoleSource
		state                 identity.UserState
	}{
		{"", ", role: owner", "", identity.Operator, identity.RoleFromOwner, identity.UserDisabled},
		{", people: provider", ", role: owner", "tenant north: people\nuser north/ada: role", identity.Owner, identity.RoleFromProvider, identity.UserDisabled},
		{"", "", "", identity.Owner, identity.RoleFromProvider, identity.UserDisabled},
		{", people: provider", ", role: viewer, disabled: true", "user north/ada: disabled,role", identity.Viewer, identity.RoleFromProvider, identity.UserShut},
		{", people: tenant", ", role: owner, disabled: false", "tenant north: people\nuser north/ada: disabled", identity.Viewer, identity.RoleFromProvider, identity.UserDisabled},
	} {
		out := p.apply(t, file(c.people, c.user), false)
		u := p.user(t, "north", "ada")
		if u.Role != c.role || u.RoleFrom != c.from || u.State() != c.state || itemNames(out.Changed) != c.changed {
			t.Errorf(
				"%q %q: the %s from %s, %s, changed %q",
				c.people,
				c.user,
				u.Role,
				u.RoleFrom,
				u.State(),
				itemNames(out.Changed),
			)
		}
	}
}

// A role is set at creation, later with overwrite only: the tenant's owners change it meanwhile.
func TestRoleOfFile(t *testing.T) {
	p := newFixture(t)
	file := func(role string) string {
		return "tenants:\n  - {name: north, timeZone: UTC, users: [{userName: ada, password: first password" + role + "}]}"
	}
	for _, c := range []struct {
		role      string
		overwrite bool
		want      identity.Role
		changed   string
	}{
		{", role: viewer", false, identity.Viewer, ""},
		{", role: operator", false, identity.Viewer, ""},
		{", role: operator", true, identity.Operator, "user north/ada: role"},
		{"", true, identity.Operator, ""},
	} {
		out := p.apply(t, file(c.role), c.overwrite)
		if u := p.user(t, "north", "ada"); u.Role != c.want || itemNames(out.Changed) != c.changed {
			t.Errorf("%q, overwrite %v: the %s, changed %q", c.role, c.overwrite, u.Role, itemNames(out.Changed))
		}
	}
	p.apply(t, "tenants:\n  - {name: south, timeZone: UTC, users: [{userName: bora, password: first password}]}", false)
	if u := p.user(t, "south", "bora"); u.Role != identity.Owner {
		t.Errorf("without a role: %s", u.Role)
	}
}

// Fields that users change in the console are set at creation only, unless overwrite is set; the
// structure always follows the file.
func TestSetOnceAndOverwrite(t *testing.T) {
	p := newFixture(t)
	p.apply(
		t,
		fillTemplate("PASSWORD", "first password", "NICK", "Ada", "EMAIL", "ada@example.com", "MOBILE", "+905551112233",
			"SERIAL", "A", "NOTE", "Mast", "SCENE", "Field", "LON", "32.5", "LAT", "39.5"),
		false,
	)
	other := fillTemplate(
		"PASSWORD",
		"second password",
		"NICK",
		"Ada L.",
		"EMAIL",
		"ada@example.org",
		"MOBILE",
		"13812345678",
		"SERIAL",
		"B",
		"NOTE",
		"Tower",
		"SCENE",
		"Barn",
		"LON",
		"-1",
		"LAT",
		"0",
	)
	session := p.Session(t, p.user(t, "north", "ada"))
	ada := p.user(t, "north", "ada")

	out := p.apply(t, other, false)
	if got, want := itemNames(out.Changed), "device north/N-1: serial"; got != want || out.Unchanged != 5 {
		t.Errorf("changed %q, want %q; left %d", got, want, out.Unchanged)
	}
	if u := p.user(t, "north", "ada"); *u != *ada || !p.passwordMatches(t, ada, "first password") {
		t.Errorf("without overwrite the user became %+v", u)
	}
	if d := p.device(t, "north", "N-1"); d.NoteName != "Mast" || *d.Longitude != 32.5 || d.Serial != "B" {
		t.Errorf("without overwrite the device became %+v", d)
	}
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err != nil {
		t.Errorf("without overwrite the session ended: %v", err)
	}

	out = p.apply(t, other, true)
	want := "user north/ada: nickname,email,mobile,password\ndevice north/N-1: scene,noteName,longitude,latitude"
	if got := itemNames(out.Changed); got != want || out.Unchanged != 4 {
		t.Errorf("changed\n%s\nwant\n%s\nleft %d", got, want, out.Unchanged)
	}
	u := p.user(t, "north", "ada")
	if u.Nickname != "Ada L." || u.Email != "ada@example.org" || u.Mobile != "+8613812345678" ||
		!p.passwordMatches(t, u, "second password") {
		t.Errorf("with overwrite the user became %+v", u)
	}
	barn, err := p.Scenes.ByName(t.Context(), u.Tenant, "Barn")
	if err != nil {
		t.Fatal(err)
	}
	if d := p.device(t, "north", "N-1"); d.NoteName != "Tower" || *d.Longitude != -1 || *d.Latitude != 0 ||
		d.SceneID != barn.ID {
		t.Errorf("with overwrite the device became %+v", d)
	}
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err == nil {
		t.Error("the session did not end with its password")
	}

	session = p.Session(t, ada)
	if again := p.apply(t, other, true); len(again.Changed) != 0 || again.Unchanged != 6 {
		t.Errorf("overwriting with the same changed %s", itemNames(again.Changed))
	}
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err != nil {
		t.Errorf("the same password ended a session: %v", err)
	}
}

// Items and keys that a file leaves out stay unchanged. A list replaces the whole list; of diy and
// elementData, only the given keys change.
func TestOmittedKeysStayUnchanged(t *testing.T) {
	p := newFixture(t)
	p.apply(t, readTestFile(t, "testdata/example.yaml"), false)
	for _, c := range []struct{ name, text, want string }{
		{"nothing but names", `
elements:
  - yeuSign: airTemperature
    yeuName: {en-us: Air temperature, zh-cn: 空气温度, tr-tr: Hava sıcaklığı, ru-ru: Температура воздуха}
products: [{name: weather-station}, {name: field-camera}]
tenants:
  - name: greenfield
    users: [{userName: ADA}]
    scenes: [north field]
    devices: [{deviceName: WS-0001}, {deviceName: CAM-0001}]`, ""},
		{"one key of each item", `
elements:
  - yeuSign: airTemperature
    unit: K
    yeuName: {en-us: Air temperature, zh-cn: 空气温度, tr-tr: Hava sıcaklığı, ru-ru: Температура воздуха}
products: [{name: weather-station, offlineAfter: 1s}]
tenants: [{name: greenfield, diy: {logo: ""}, users: [{userName: ada, disabled: true}], devices: [{deviceName: WS-0001, gateway: true}]}]`,
			"element airTemperature: unit\nproduct weather-station: offlineAfter\ntenant greenfield: diy.logo\n" +
				"user greenfield/ada: disabled\ndevice greenfield/WS-0001: gateway"},
		{"an axis's least span", `
elements:
  - yeuSign: airTemperature
    leastSpan: 2.5
    yeuName: {en-us: Air temperature, zh-cn: 空气温度, tr-tr: Hava sıcaklığı, ru-ru: Температура воздуха}`,
			"element airTemperature: leastSpan"},
		{"the same least span", `
elements:
  - yeuSign: airTemperature
    leastSpan: 2.5
    yeuName: {en-us: Air temperature, zh-cn: 空气温度, tr-tr: Hava sıcaklığı, ru-ru: Температура воздуха}`, ""},
		{"another unit without a least span in it", `
elements:
  - yeuSign: airTemperature
    unit: "°C"
    yeuName: {en-us: Air temperature, zh-cn: 空气温度, tr-tr: Hava sıcaklığı, ru-ru: Температура воздуха}`,
			"element airTemperature: unit,leastSpan"},
		{"an element's name", `
elements:
  - yeuSign: airTemperature
    yeuUrl: /icons/air.svg
    yeuName: {en-us: Air, zh-cn: 空气温度, tr-tr: Hava sıcaklığı, ru-ru: Температура воздуха}`,
			"element airTemperature: yeuUrl,yeuName"},
		{"a product's name for people", `
products:
  - name: weather-station
    productName: {en-us: Weather station, zh-cn: 气象站, tr-tr: İstasyon, ru-ru: Метеостанция}`,
			"product weather-station: productName"},
		{"the same product name", `
products:
  - name: weather-station
    productName: {en-us: Weather station, zh-cn: 气象站, tr-tr: İstasyon, ru-ru: Метеостанция}`, ""},
		{"the property that is shown first", `products: [{name: weather-station, mainSign: airTemperature}]`,
			"product weather-station: mainSign"},
		{"the same one", `products: [{name: weather-station, mainSign: airTemperature}]`, ""},
		{"properties without it", `
products:
  - name: weather-station
    properties:
      - {identifier: rain, dataType: number, min: 0, accessMode: rw}`,
			"product weather-station: properties,mainSign"},
		{"properties are given whole", `
products:
  - name: weather-station
    properties:
      - {identifier: rain, dataType: number, min: 0, accessMode: rw}
      - {identifier: airTemperature, dataType: number}`,
			"product weather-station: properties"},
		{"their order counts", `
products:
  - name: weather-station
    properties:
      - {identifier: airTemperature, dataType: number}
      - {identifier: rain, dataType: number, min: 0, accessMode: rw}`,
			"product weather-station: properties"},
		{"elementData by key", `tenants: [{name: greenfield, devices: [{deviceName: CAM-0001, elementData: {live: ""}}]}]`,
			"device greenfield/CAM-0001: elementData"},
		{"another zone and language", `tenants: [{name: greenfield, timeZone: UTC, language: en-us, hosts: [b.example, a.example]}]`,
			"tenant greenfield: hosts,timeZone,language"},
		{"budgets", `tenants: [{name: greenfield, mailsADay: 0, smsADay: 200}]`, "tenant greenfield: mailsADay,smsADay"},
		{"one of the budgets", `tenants: [{name: greenfield, mailsADay: 1000000, smsADay: 200}]`, "tenant greenfield: mailsADay"},
		{"the same budget", `tenants: [{name: greenfield, smsADay: 200}]`, ""},
		{"no hosts", `tenants: [{name: greenfield, hosts: []}]`, "tenant greenfield: hosts"},
		{"another product", `tenants: [{name: greenfield, devices: [{deviceName: CAM-0001, product: weather-station, elementData: {rain: <b>x</b>}}]}]`,
			"device greenfield/CAM-0001: product,elementData"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := p.apply(t, c.text, false)
			if got := itemNames(out.Changed); got != c.want || len(out.Created) != 0 {
				t.Errorf("changed %q, want %q; created %v", got, c.want, out.Created)
			}
			before := p.dump(t)
			if again := p.apply(t, c.text, true); len(again.Changed)+len(again.Created) != 0 || p.dump(t) != before {
				t.Errorf("again: changed %s", itemNames(again.Changed))
			}
		})
	}
	greenfield := p.tenant(t, "greenfield")
	if greenfield.Branding.Title != "Greenfield" || greenfield.Branding.Logo != "" ||
		greenfield.Branding.Favicon == "" ||
		len(greenfield.Hosts) != 0 {
		t.Errorf("tenant %+v", greenfield)
	}
	camera := p.device(t, "greenfield", "CAM-0001")
	if len(camera.ElementData) != 1 || camera.ElementData["rain"] != "<b>x</b>" || camera.Serial != "SXT-0001" {
		t.Errorf("camera %+v", camera)
	}
	if p.Registry.Get(camera.ID).Product.Name != "weather-station" {
		t.Error("the running server still has the old product")
	}
}

// If a file drops a secret, connections with it end, and another device may get it.
func TestSecretRotation(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	n1 := p.device(t, "north", "N-1")
	hash := func(secret string) device.SecretHash { return device.HashSecret(testkit.SecretKey, secret) }
	checks := 0
	p.Registry.StructureChanged.Then(func(struct{}) { checks++ })
	const first, second = "secret-of-the-device-n-1", "the-second-secret-of-n-1"

	out := p.apply(t, `tenants: [{name: north, devices: [{deviceName: N-1, secrets: [`+second+`, `+first+`]}]}]`, false)
	if itemNames(out.Changed) != "device north/N-1: secrets" || out.Changed[0].Secret != "" {
		t.Errorf("changed %+v", out.Changed)
	}
	if !p.Registry.StillValid(n1.ID, hash(first)) || !p.Registry.StillValid(n1.ID, hash(second)) || checks != 1 {
		t.Errorf("both secrets should be valid; connections were checked %d times", checks)
	}
	// The order of two secrets does not matter.
	again := p.apply(
		t,
		`tenants: [{name: north, devices: [{deviceName: N-1, secrets: [`+first+`, `+second+`]}]}]`,
		false,
	)
	if again.Unchanged != 2 || checks != 1 {
		t.Errorf("the same two: %+v, connections were checked %d times", again, checks)
	}
	p.apply(t, `tenants: [{name: north, devices: [{deviceName: N-1, secret: `+second+`}]}]`, false)
	if p.Registry.StillValid(n1.ID, hash(first)) || !p.Registry.StillValid(n1.ID, hash(second)) || checks != 2 {
		t.Error("the dropped secret should be invalid, the other valid")
	}
	// Whoever still signs in with the dropped secret is recognised, and with one that another device got, not.
	former := func(name, secret string, want bool) {
		t.Helper()
		ref, retired, known := p.Registry.RefusedSignIn(name, secret)
		if ref != p.Registry.Find(n1.Tenant, name).Ref || (retired != 0) != want {
			t.Errorf("a refused sign-in of %q: %+v, retired at %d, known: %t", name, ref, retired, known)
		}
	}
	former("N-1", first, true)
	// A file without secrets keeps them.
	p.apply(t, `tenants: [{name: north, devices: [{deviceName: N-1, serial: X}]}]`, true)
	if !p.Registry.StillValid(n1.ID, hash(second)) {
		t.Error("a file without secrets removed one")
	}
	// Two devices exchange their secrets in one file.
	p.apply(
		t,
		`tenants: [{name: north, devices: [{deviceName: N-1, secret: secret-of-the-device-n-2}, {deviceName: N-2, secret: `+second+`}]}]`,
		false,
	)
	if e, _, ok := p.Registry.Authenticate("", ""); ok {
		t.Errorf("the old secret lets %s sign in", e.Name)
	}
	for name, secret := range map[string]string{"N-1": "secret-of-the-device-n-2", "N-2": second} {
		if _, _, ok := p.Registry.Authenticate(name, secret); !ok {
			t.Errorf("%s cannot sign in with its new secret", name)
		}
	}
	// A new device gets the secret that another gives up, in any order.
	p.apply(
		t,
		`tenants: [{name: north, devices: [{deviceName: N-3, product: station, secret: `+second+`}, {deviceName: N-2, secret: yet-another-secret-of-n-2}]}]`,
		false,
	)
	if e, _, ok := p.Registry.Authenticate(second, ""); !ok || e.Name != "N-3" {
		t.Errorf("the secret belongs to %+v", e)
	}
	if _, _, known := p.Registry.RefusedSignIn(second, ""); known {
		t.Error("a valid secret counts as a former one")
	}
	former("N-1", first, true)
	former("N-2", "secret-of-the-device-n-2", false)
}

// Disabling takes effect at once; enabling again does not restore old sessions.
func TestDisablingTakesEffectAtOnce(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	ada := p.user(t, "north", "ada")
	session := p.Session(t, ada)
	var ended []int64
	p.Sessions.Ended.Then(func(id int64) { ended = append(ended, id) })
	n1 := p.device(t, "north", "N-1")
	_, hash, ok := p.Registry.Authenticate("N-1", "secret-of-the-device-n-1")
	if !ok {
		t.Fatal("the device cannot sign in")
	}
	p.apply(
		t,
		`tenants: [{name: north, users: [{userName: ada, disabled: true}], devices: [{deviceName: N-1, disabled: true}]}]`,
		false,
	)
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err == nil || len(ended) != 1 {
		t.Errorf("the session is still active; %d sessions were reported as ended", len(ended))
	}
	if p.Registry.StillValid(n1.ID, hash) {
		t.Error("the connection stays open")
	}
	p.apply(
		t,
		`tenants: [{name: north, users: [{userName: ada, disabled: false}], devices: [{deviceName: N-1, disabled: false}]}]`,
		false,
	)
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err == nil {
		t.Error("an old session is active again")
	}
	if !p.Registry.StillValid(n1.ID, hash) {
		t.Error("the device is still disabled")
	}
}

// A product's new offlineAfter takes effect at once for devices that are online.
func TestOfflineAfterTakesEffectAtOnce(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	ref := testkit.Ref(p.device(t, "north", "N-1"))
	p.Presence.Seen(ref)
	p.apply(t, `products: [{name: station, offlineAfter: 2s}]`, false)
	p.Clock.Advance(3 * time.Second)
	p.Presence.Expire()
	if p.Presence.Status(ref.Tenant, ref.ID).Online {
		t.Error("online after three seconds of silence")
	}
}

// Hosts and mobile numbers can move from one owner to another within a file.
func TestHostsAndMobilesMoveBetweenOwners(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	p.apply(t, `tenants: [{name: north, hosts: [south.example]}, {name: south, hosts: [north.example]}]`, false)
	if n, s := p.tenant(t, "north"), p.tenant(t, "south"); !slices.Equal(n.Hosts, []string{"south.example"}) ||
		!slices.Equal(s.Hosts, []string{"north.example"}) {
		t.Errorf("north has %v, south has %v", n.Hosts, s.Hosts)
	}
	p.apply(
		t,
		`tenants: [{name: north, users: [{userName: ada, mobile: ""}, {userName: bora, mobile: "+905551112233"}]}]`,
		true,
	)
	if a, b := p.user(t, "north", "ada"), p.user(t, "north", "bora"); a.Mobile != "" || b.Mobile != "+905551112233" {
		t.Errorf("ada has %q, bora has %q", a.Mobile, b.Mobile)
	}
	// The same mobile number in another tenant does not matter.
	p.apply(
		t,
		`tenants: [{name: south, users: [{userName: ada, password: correct horse, mobile: "+905551112233"}]}]`,
		false,
	)
}

// Passwords and secrets that the file lacks are generated and answered once.
func TestGeneratedPasswords(t *testing.T) {
	p := newFixture(t)
	text := `tenants: [{name: north, timeZone: UTC, users: [{userName: ada}, {userName: bora, password: correct horse}]}]`
	out := p.apply(t, text, false)
	made := out.Created[1].Secret
	if len(made) != 19 || out.Created[2].Secret != "" || !p.passwordMatches(t, p.user(t, "north", "ada"), made) {
		t.Errorf("created %+v", out.Created)
	}
	if u := p.user(t, "north", "ada"); u.Nickname != "ada" {
		t.Errorf("without a nickname: %+v", u)
	}
	if again := p.apply(t, text, true); again.Unchanged != 3 {
		t.Errorf("again %+v", again)
	}
}
