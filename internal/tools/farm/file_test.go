package farm

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/text"
)

func parseFarmFile(t *testing.T) *farmDefinition {
	t.Helper()
	s, err := parse(farmFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func secretOf(name string) string        { return "secret-of-device-" + name }
func passwordOf(tenant, u string) string { return "password of " + u + " at " + tenant }

func TestEveryPropertyHasItsElement(t *testing.T) {
	s := parseFarmFile(t)
	elements := map[string]element{}
	for _, e := range s.Elements {
		if _, twice := elements[e.YeuSign]; twice {
			t.Errorf("element %s is there twice", e.YeuSign)
		}
		elements[e.YeuSign] = e
		for _, l := range text.Languages {
			if e.YeuName[l] == "" && !l.NamesOptional() {
				t.Errorf("element %s lacks a name in %s: %+v", e.YeuSign, l, e.YeuName)
			}
		}
	}
	used := map[string]bool{}
	for _, p := range s.Products {
		for _, property := range p.Properties {
			e, ok := elements[property.Identifier]
			if !ok {
				t.Errorf("%s: %s has no element", p.Name, property.Identifier)
			}
			used[property.Identifier] = true
			if property.ElementUnit != e.Unit || property.FunctionName != e.YeuName[text.English] {
				t.Errorf("%s: property %+v does not match element %+v", p.Name, property, e)
			}
		}
	}
	for sign := range elements {
		if !used[sign] {
			t.Errorf("no product measures %s", sign)
		}
	}
}

// givesLeastSpan reports whether the file itself says how much a chart of an element spans.
func givesLeastSpan(s *farmDefinition, yeuSign string) bool {
	return slices.ContainsFunc(s.Elements, func(e element) bool { return e.YeuSign == yeuSign && e.LeastSpan > 0 })
}

func TestProductsOfTheFile(t *testing.T) {
	s := parseFarmFile(t)
	if len(s.Products) != len(products) {
		t.Errorf("%d products, the simulator knows %d", len(s.Products), len(products))
	}
	offline := map[string]time.Duration{
		"weather-mast": 5 * time.Minute,
		"soil-probe":   30 * time.Minute,
		"field-camera": 30 * time.Minute,
	}
	for _, p := range s.Products {
		known := products[p.Name]
		if known == nil {
			t.Errorf("the simulator knows no %s", p.Name)
			continue
		}
		want, ok := offline[p.Name]
		if !ok {
			want = 10 * time.Minute
		}
		if d, err := time.ParseDuration(p.OfflineAfter); err != nil || d != want || d < 2*known.live {
			t.Errorf("%s: offlineAfter %s, %v", p.Name, p.OfflineAfter, err)
		}
		listed := map[string]bool{}
		for _, property := range p.Properties {
			listed[property.Identifier] = true
			switch property.DataType {
			case "number":
				if property.Precision == nil || property.Min == nil || property.Max == nil ||
					*property.Min >= *property.Max {
					t.Errorf("%s: %+v", p.Name, property)
				}
				_, known := agronomy.LeastSpan(property.Identifier, property.ElementUnit)
				if !known && !givesLeastSpan(s, property.Identifier) {
					t.Errorf(
						"%s: the axis of %s in %s has no least span",
						p.Name,
						property.Identifier,
						property.ElementUnit,
					)
				}
			case "boolean", "text":
				if property.Precision != nil || property.Min != nil || property.Max != nil {
					t.Errorf("%s: %+v", p.Name, property)
				}
			default:
				t.Errorf("%s: %s is a %q", p.Name, property.Identifier, property.DataType)
			}
		}
		for identifier := range known.accuracy {
			if !listed[identifier] {
				t.Errorf("%s measures %s, which its thing model does not list", p.Name, identifier)
			}
		}
	}
}

func TestTenantsOfTheFile(t *testing.T) {
	s := parseFarmFile(t)
	names, hosts := map[string]bool{}, map[string]bool{}
	for _, tenant := range s.Tenants {
		if _, err := time.LoadLocation(tenant.TimeZone); err != nil {
			t.Errorf("%s: %v", tenant.Name, err)
		}
		for _, h := range tenant.Hosts {
			if hosts[h] || h != strings.ToLower(h) || strings.Contains(h, ":") {
				t.Errorf("%s: host %s", tenant.Name, h)
			}
			hosts[h] = true
		}
		if len(tenant.Users) == 0 || tenant.Diy.Title == "" || tenant.Diy.Content == "" {
			t.Errorf("%s: %+v", tenant.Name, tenant)
		}
		scenes := map[string]bool{}
		for _, scene := range tenant.Scenes {
			scenes[scene] = true
		}
		for _, d := range tenant.Devices {
			if names[d.DeviceName] || d.Serial == "" || d.NoteName == "" || utf8.RuneCountInString(d.NoteName) > 64 {
				t.Errorf("%s: %+v", tenant.Name, d)
			}
			names[d.DeviceName] = true
			if d.Scene != "" && !scenes[d.Scene] {
				t.Errorf("%s is in a scene %q that its tenant does not have", d.DeviceName, d.Scene)
			}
			if (d.Latitude == nil) != (d.Longitude == nil) {
				t.Errorf("%s has only a latitude or only a longitude", d.DeviceName)
			}
			if video := strings.Contains(d.Serial, "SXT"); video != (d.Product == "field-camera") {
				t.Errorf("%s: a %s with the serial %s", d.DeviceName, d.Product, d.Serial)
			}
			if d.Secret != "" {
				t.Errorf("the secret of %s is in the repository", d.DeviceName)
			}
		}
		for _, u := range tenant.Users {
			if u.Password != "" {
				t.Errorf("the password of %s is in the repository", u.UserName)
			}
		}
	}
	for _, host := range []string{"demo.localhost", "localhost", "127.0.0.1"} {
		if !hosts[host] {
			t.Errorf("no tenant has the host %s", host)
		}
	}
}

// The demo has every product, a device in no scene, and one without a position.
func TestDemoShowsEverything(t *testing.T) {
	demo := parseFarmFile(t).Tenants[0]
	if demo.Name != "demo" || demo.Users[0].UserName != "demo" {
		t.Fatalf("%+v", demo)
	}
	count := map[string]int{}
	sceneless, placeless := 0, 0
	for _, d := range demo.Devices {
		count[d.Product]++
		if d.Scene == "" {
			sceneless++
		}
		if d.Latitude == nil {
			placeless++
		}
	}
	for name := range products {
		if count[name] == 0 {
			t.Errorf("no %s", name)
		}
	}
	if sceneless == 0 || placeless == 0 || count["soil-probe"] < 3 {
		t.Errorf("%d in no scene, %d without a position, %v", sceneless, placeless, count)
	}
}

func TestFortyDevices(t *testing.T) {
	s := parseFarmFile(t)
	count, scenes, sceneless, placeless := map[string]int{}, 0, 0, []string{}
	for _, tenant := range s.Tenants {
		scenes += len(tenant.Scenes)
		for _, d := range tenant.Devices {
			count[d.Product]++
			if d.Scene == "" {
				sceneless++
			}
			if d.Latitude == nil {
				placeless = append(placeless, d.DeviceName)
			}
		}
	}
	want := map[string]int{
		"weather-mast": 6, "soil-probe": 14, "greenhouse-climate": 6,
		"water-station": 5, "light-station": 5, "field-camera": 4,
	}
	if !reflect.DeepEqual(count, want) {
		t.Errorf("%v, want %v", count, want)
	}
	if len(s.Tenants) != 2 || scenes != 4 || sceneless < 5 || len(s.Tenants[0].Devices) < 25 {
		t.Errorf(
			"%d tenants with %d scenes, %d devices in none, %d of the first tenant",
			len(s.Tenants),
			scenes,
			sceneless,
			len(s.Tenants[0].Devices),
		)
	}
	if !slices.Equal(placeless, []string{"SP-1299"}) {
		t.Errorf("without a position: %v", placeless)
	}
}

// box is the smallest rectangle around positions, in degrees.
type box struct{ west, east, south, north float64 }

func (b box) apart(o box, degrees float64) bool {
	return b.west > o.east+degrees || o.west > b.east+degrees || b.south > o.north+degrees || o.south > b.north+degrees
}

// A map draws each scene as the outline of its devices: fields do not overlap, and no other device
// is inside one.
func TestFieldsDoNotOverlap(t *testing.T) {
	const margin = .0003 // about 30 m
	scenes := map[string]box{}
	var others []deviceFile
	for _, tenant := range parseFarmFile(t).Tenants {
		for _, d := range tenant.Devices {
			if d.Latitude == nil {
				continue
			}
			if d.Scene == "" {
				others = append(others, d)
				continue
			}
			b, ok := scenes[d.Scene]
			if !ok {
				b = box{180, -180, 90, -90}
			}
			scenes[d.Scene] = box{
				min(b.west, *d.Longitude), max(b.east, *d.Longitude),
				min(b.south, *d.Latitude), max(b.north, *d.Latitude),
			}
		}
	}
	for a, first := range scenes {
		if first.east-first.west < 5*margin/2 || first.north-first.south < 3*margin {
			t.Errorf("%s is too small for a field: %+v", a, first)
		}
		for b, second := range scenes {
			if a < b && !first.apart(second, margin) {
				t.Errorf("%s and %s overlap", a, b)
			}
		}
		for _, d := range others {
			if !first.apart(box{*d.Longitude, *d.Longitude, *d.Latitude, *d.Latitude}, margin) {
				t.Errorf("%s is inside %s, but not of that scene", d.DeviceName, a)
			}
		}
	}
}

// A scene's devices are close together, as in a field, and all of a farm are within two kilometres.
func TestDevicesAreCloseTogether(t *testing.T) {
	const degree = 111.2 // km
	for _, tenant := range parseFarmFile(t).Tenants {
		site := findDevice(t, testFarm(t), tenant.Devices[0].DeviceName).site
		var inScene = map[string][]deviceFile{}
		for _, d := range tenant.Devices {
			if d.Latitude == nil {
				continue
			}
			assertBetween(t, d.DeviceName+" km north of its site", (*d.Latitude-site.latitude)*degree, -2, 2)
			assertBetween(
				t,
				d.DeviceName+" km east of its site",
				(*d.Longitude-site.longitude)*degree*site.cosLat,
				-2,
				2,
			)
			inScene[d.Scene] = append(inScene[d.Scene], d)
		}
		delete(inScene, "")
		for scene, devices := range inScene {
			for _, d := range devices[1:] {
				assertBetween(t, scene+" km", (*d.Latitude-*devices[0].Latitude)*degree, -.5, .5)
				assertBetween(t, scene+" km", (*d.Longitude-*devices[0].Longitude)*degree*site.cosLat, -.5, .5)
			}
		}
	}
}

func TestFileIsFilledIn(t *testing.T) {
	b, err := File(secretOf, passwordOf)
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := yaml.Unmarshal(b, &plain); err != nil {
		t.Fatal(err)
	}
	filled, err := parse(b)
	if err != nil {
		t.Fatal(err)
	}
	original := parseFarmFile(t)
	for i, tenant := range filled.Tenants {
		for j, u := range tenant.Users {
			if u.Password != passwordOf(tenant.Name, u.UserName) {
				t.Errorf("%s has the password %q", u.UserName, u.Password)
			}
			filled.Tenants[i].Users[j].Password = ""
		}
		for j, d := range tenant.Devices {
			if d.Secret != secretOf(d.DeviceName) {
				t.Errorf("%s has the secret %q", d.DeviceName, d.Secret)
			}
			filled.Tenants[i].Devices[j].Secret = ""
		}
	}
	// Apart from that the file is that of the repository.
	got, err := yaml.Marshal(filled)
	if err != nil {
		t.Fatal(err)
	}
	want, err := yaml.Marshal(original)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("File changed the content:\n%s\nwant\n%s", got, want)
	}
}

func TestFileRefusesWeakSecrets(t *testing.T) {
	for _, c := range []struct {
		name     string
		secret   func(string) string
		password func(string, string) string
		want     string
	}{
		{"short", func(n string) string { return "s-" + n }, passwordOf, "WS-0417 has fewer than 20"},
		{"shared", func(string) string { return "the same for all devices" }, passwordOf, "share a secret"},
		{"no password", secretOf, func(string, string) string { return "" }, "user demo of demo has no password"},
	} {
		b, err := File(c.secret, c.password)
		if err == nil || !strings.Contains(err.Error(), c.want) || b != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestParseRefusesUnknownWords(t *testing.T) {
	for _, text := range []string{
		"tenant: []", "tenants:\n  - name: x\n    devises: []\n", "tenants: 7", "tenants: [",
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("parse accepts %q", text)
		}
	}
	if _, err := parse([]byte(fmt.Sprintf("tenants:\n  - name: %s\n", "x"))); err != nil {
		t.Error(err)
	}
}

// Seasonal sums begin with the readings.
func TestSeasonsBeginWithTheReadings(t *testing.T) {
	secret := func(name string) string { return name + "-0123456789abcdefghij" }
	password := func(string, string) string { return "p" }
	begins := func(b []byte) (all []float64) {
		s, err := parse(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Products {
			for _, x := range p.Properties {
				if m, ok := x.Parameters["startMonth"]; ok {
					all = append(all, m, x.Parameters["startDay"])
				}
			}
		}
		return all
	}
	// In Shanghai it is the 22nd already.
	first := time.Date(2026, 10, 20, 20, 0, 0, 0, time.UTC)
	b, err := FileSince(first, first.AddDate(0, 0, 30), secret, password)
	if err != nil {
		t.Fatal(err)
	}
	if got := begins(b); !slices.Equal(got, []float64{10, 22, 10, 22}) {
		t.Errorf("seasons begin %v", got)
	}
	// A year of readings holds the seasons of the file.
	b, err = FileSince(first, first.AddDate(1, 0, 0), secret, password)
	if err != nil || !slices.Equal(begins(b), []float64{1, 1, 10, 1}) {
		t.Errorf("seasons after a year begin %v, %v", begins(b), err)
	}
	// In the middle of January thirty days hold the growing season only.
	now := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	b, err = FileSince(now.AddDate(0, 0, -30), now, secret, password)
	if err != nil || !slices.Equal(begins(b), []float64{1, 1, 12, 17}) {
		t.Errorf("seasons in January begin %v, %v", begins(b), err)
	}
	if b, err = File(secret, password); err != nil || !slices.Equal(begins(b), []float64{1, 1, 10, 1}) {
		t.Errorf("seasons of the file itself begin %v, %v", begins(b), err)
	}
}
