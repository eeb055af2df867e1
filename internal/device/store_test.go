package device_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/db"
	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/testkit"
)

func TestDeviceRoundTrip(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station, scene := s.Station(t), s.Scene(t, field.ID, "barn")
	made := &device.Device{
		Name: "CAM-1", Serial: "SXT-1", NoteName: "Kapı", ProductID: station.ID, SceneID: scene,
		Longitude: new(-180.0), Latitude: new(89.5), Gateway: true, Disabled: true,
		ElementData: map[string]string{"note": "https://example.org/b.m3u8"},
	}
	s.PutDevices(t, field.ID, made)
	if made.ID == 0 || made.Tenant != field.ID || made.CreateTime != s.Clock.Milli() {
		t.Errorf("%+v", made)
	}
	get := func(name string) *device.Device {
		t.Helper()
		d, err := s.Devices.Get(t.Context(), field.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if got := get("CAM-1"); !reflect.DeepEqual(got, made) {
		t.Errorf("%+v, want %+v", got, made)
	}
	if !made.IsVideo() || made.Title() != "Kapı" {
		t.Error("IsVideo or Title is wrong")
	}

	// A change keeps the name and the day it was made.
	s.Clock.Advance(time.Hour)
	change := &device.Device{ID: made.ID, Name: "other", Serial: "S", ProductID: station.ID}
	if err := s.Devices.Put(t.Context(), field.ID, change); err != nil {
		t.Fatal(err)
	}
	want := &device.Device{ID: made.ID, Tenant: field.ID, Name: "CAM-1", Serial: "S", ProductID: station.ID,
		ElementData: map[string]string{}, CreateTime: made.CreateTime}
	if got := get("CAM-1"); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if want.IsVideo() || want.Title() != "CAM-1" {
		t.Error("IsVideo or Title is wrong")
	}
	if err := s.Devices.Put(t.Context(), field.ID, &device.Device{Name: "CAM-1", ProductID: station.ID}); !db.IsDuplicate(err) {
		t.Errorf("the name a second time: %v", err)
	}
}

// A name made again is another device: its number is new, even when the old
// one was the newest.
func TestDeviceIDsAreNeverReused(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	first := s.Device(t, field.ID, station, "WS-1")
	if err := s.Devices.Delete(t.Context(), field.ID, first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Devices.Get(t.Context(), field.ID, "WS-1"); !errs.Is(err, errs.NotFound) {
		t.Errorf("deleted: %v", err)
	}
	if again := s.Device(t, field.ID, station, "WS-1"); again.ID <= first.ID {
		t.Errorf("%d after %d", again.ID, first.ID)
	}
}

func names(devices []*device.Device) string {
	var all []string
	for _, d := range devices {
		all = append(all, d.Name)
	}
	return strings.Join(all, " ")
}

// orchard is a tenant with devices whose names try the search's folding.
func orchard(t *testing.T) (*testkit.Stores, *testkit.Tenant, map[string]int64) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	other := &device.Product{Name: "camera", OfflineAfter: time.Minute}
	if err := s.Catalog.PutProduct(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	ids := map[string]int64{"barn": s.Scene(t, field.ID, "barn"), "row": s.Scene(t, field.ID, "row"), "station": station.ID, "camera": other.ID}
	for _, d := range []device.Device{
		{Name: "d1", Serial: "A-100", NoteName: "Isparta İstasyonu", SceneID: ids["barn"]},
		{Name: "d2", Serial: "A-101", NoteName: "Ёлка у Шоссе"},
		{Name: "d3", Serial: "50%_off", NoteName: "apple"},
		{Name: "D4", Serial: "A-102", ProductID: other.ID, SceneID: ids["row"]},
		{Name: "d5", Serial: `back\slash`, NoteName: "Apple", SceneID: ids["barn"]},
		{Name: "d6", Serial: "ＳＸＴ－9", NoteName: "北田 气象站"},
	} {
		if d.ProductID == 0 {
			d.ProductID = station.ID
		}
		s.PutDevices(t, field.ID, &d)
	}
	s.Device(t, rival.ID, station, "z-rival", func(d *device.Device) { d.NoteName = "apple isparta 50%_ A-10" })
	return s, field, ids
}

func TestPageSearch(t *testing.T) {
	s, field, _ := orchard(t)
	for query, want := range map[string]string{
		"":          "d3 d5 D4 d1 d2 d6", // by title in any case, then id
		"d":         "d3 d5 D4 d1 d2 d6",
		"D4":        "D4",
		"a-10":      "D4 d1 d2",
		"ISPARTA":   "d1",
		"ısparta":   "d1",
		"isparta":   "d1",
		"İSTASYON":  "d1",
		"istasyonu": "d1",
		"елка":      "d2",
		"ШОССЕ":     "d2",
		"APPLE":     "d3 d5",
		"%":         "d3",
		"_":         "d3",
		"50%":       "d3",
		"0_":        "",
		`\`:         "d5",
		`k\s`:       "d5",
		"北田":        "d6",
		"sxt-9":     "d6",
		"d3\napple": "d3", // the three texts are one, but nobody types a line break
		"'; DROP":   "",
		"rival":     "",
	} {
		list, total, err := s.Devices.Page(t.Context(), field.ID, device.Query{Search: query, Limit: 10})
		if err != nil || names(list) != want || int(total) != len(list) {
			t.Errorf("search %q: %s, total %d (%v), want %s", query, names(list), total, err, want)
		}
	}
}

func TestPageFilters(t *testing.T) {
	s, field, ids := orchard(t)
	for _, name := range []string{"d1", "D4"} {
		d, err := s.Devices.Get(t.Context(), field.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		s.Presence.Seen(testkit.Ref(d))
	}
	if err := s.Status.Flush(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	barn, row, none, unknown := ids["barn"], ids["row"], device.DefaultScene, int64(99)
	for _, c := range []struct {
		q    device.Query
		want string
	}{
		{device.Query{Scene: &barn}, "d5 d1"},
		{device.Query{Scene: &row}, "D4"},
		{device.Query{Scene: &none}, "d3 d2 d6"},
		{device.Query{Scene: &unknown}, ""},
		{device.Query{Names: []string{"d6", "d1", "none", "z-rival", "d1"}}, "d1 d6"},
		{device.Query{ProductID: ids["camera"]}, "D4"},
		{device.Query{ProductID: 99}, ""},
		{device.Query{Online: new(true)}, "D4 d1"},
		{device.Query{Online: new(false)}, "d3 d5 d2 d6"},
		{device.Query{Online: new(true), Scene: &barn, Search: "isp", ProductID: ids["station"], Names: []string{"d1"}}, "d1"},
		{device.Query{Online: new(false), Search: "apple", Scene: &none}, "d3"},
	} {
		c.q.Limit = 10
		list, total, err := s.Devices.Page(t.Context(), field.ID, c.q)
		if err != nil || names(list) != c.want || int(total) != len(list) {
			t.Errorf("%+v: %s, total %d (%v), want %s", c.q, names(list), total, err, c.want)
		}
	}
}

func TestPaging(t *testing.T) {
	s, field, _ := orchard(t)
	whole, _, err := s.Devices.Page(t.Context(), field.ID, device.Query{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{1, 2, 4, 6, 7} {
		var seen []*device.Device
		for offset := int64(0); ; offset += size {
			list, total, err := s.Devices.Page(t.Context(), field.ID, device.Query{Offset: offset, Limit: size})
			if err != nil || total != 6 {
				t.Fatalf("offset %d: total %d (%v)", offset, total, err)
			}
			if len(list) == 0 {
				break
			}
			seen = append(seen, list...)
		}
		if names(seen) != names(whole) {
			t.Errorf("pages of %d: %s, want %s", size, names(seen), names(whole))
		}
	}
}

// Devices of one title keep their order from page to page.
func TestPagingOfEqualTitles(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	var all []*device.Device
	for i := range 25 {
		all = append(all, &device.Device{Name: fmt.Sprintf("n%02d", 24-i), NoteName: "Same", ProductID: station.ID})
	}
	s.PutDevices(t, field.ID, all...)
	var seen []device.ID
	for offset := int64(0); offset < 25; offset += 7 {
		list, _, err := s.Devices.Page(t.Context(), field.ID, device.Query{Offset: offset, Limit: 7})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			seen = append(seen, d.ID)
		}
	}
	if len(seen) != 25 || !slices.IsSorted(seen) {
		t.Errorf("ids %v", seen)
	}
}

func TestCountByScene(t *testing.T) {
	s, field, ids := orchard(t)
	d1, err := s.Devices.Get(t.Context(), field.ID, "d1")
	if err != nil {
		t.Fatal(err)
	}
	s.Presence.Seen(testkit.Ref(d1))
	if err := s.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	got, err := s.Devices.CountByScene(t.Context(), field.ID)
	want := map[int64]device.GroupCount{
		device.DefaultScene: {SceneID: device.DefaultScene, Devices: 3},
		ids["barn"]:         {SceneID: ids["barn"], Devices: 2, Online: 1},
		ids["row"]:          {SceneID: ids["row"], Devices: 1},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	if none, err := s.Devices.CountByScene(t.Context(), 99); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
}

func TestPlaces(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station, scene := s.Station(t), s.Scene(t, field.ID, "barn")
	at := func(name string, longitude, latitude float64) *device.Device {
		return &device.Device{Name: name, ProductID: station.ID, Longitude: &longitude, Latitude: &latitude}
	}
	ankara := at("ankara", 32.85, 39.92)
	ankara.NoteName, ankara.SceneID = "Ankara", scene
	s.PutDevices(t, field.ID, ankara, at("suva", 178.44, -18.14), at("apia", -171.77, -13.83), at("zero", 0, 0),
		&device.Device{Name: "lost", ProductID: station.ID})
	s.PutDevices(t, rival.ID, at("theirs", 32.85, 39.92), &device.Device{Name: "lost too", ProductID: station.ID})

	for _, c := range []struct {
		name string
		box  *device.Box
		want string
	}{
		{"anywhere", nil, "ankara suva apia zero"},
		{"the world", &device.Box{West: -180, South: -90, East: 180, North: 90}, "ankara suva apia zero"},
		{"Anatolia", &device.Box{West: 26, South: 36, East: 45, North: 42}, "ankara"},
		{"its very corner", &device.Box{West: 32.85, South: 39.92, East: 32.85, North: 39.92}, "ankara"},
		{"over the date line", &device.Box{West: 170, South: -30, East: -160, North: 0}, "suva apia"},
		{"the same, too far north", &device.Box{West: 170, South: 1, East: -160, North: 30}, ""},
		{"the other way round", &device.Box{West: -160, South: -30, East: 170, North: 0}, "zero"},
		{"upside down", &device.Box{West: 26, South: 42, East: 45, North: 36}, ""},
	} {
		places, unplaced, err := s.Devices.Places(t.Context(), field.ID, c.box)
		var got []string
		for _, p := range places {
			got = append(got, p.Name)
		}
		if err != nil || strings.Join(got, " ") != c.want || unplaced != 1 {
			t.Errorf("%s: %v, %d without a place (%v), want %s", c.name, got, unplaced, err, c.want)
		}
		if len(places) > 0 && places[0].Name == "ankara" {
			want := device.Place{ID: ankara.ID, Name: "ankara", NoteName: "Ankara", SceneID: scene, Longitude: 32.85, Latitude: 39.92}
			if places[0] != want {
				t.Errorf("%+v, want %+v", places[0], want)
			}
		}
	}
}

func TestSecrets(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	a, b := s.Device(t, field.ID, station, "a"), s.Device(t, field.ID, station, "b")
	hash := func(secret string) device.SecretHash { return device.HashSecret(testkit.SecretKey, secret) }
	put := func(hashes ...device.SecretHash) error {
		return s.Devices.PutSecrets(t.Context(), field.ID, a.ID, hashes...)
	}
	has := func(want ...device.SecretHash) {
		t.Helper()
		if got, err := s.Devices.Secrets(t.Context(), field.ID, a.ID); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d secrets (%v), want %d", len(got), err, len(want))
		}
	}
	has(hash(testkit.Secret("a")))
	if err := put(hash("one"), hash("two")); err != nil {
		t.Fatal(err)
	}
	has(hash("one"), hash("two"))
	// Another device's secret is refused and nothing is lost.
	if err := put(hash("three"), hash(testkit.Secret("b"))); !db.IsDuplicate(err) {
		t.Errorf("another device's: %v", err)
	}
	has(hash("one"), hash("two"))
	if err := put(); err != nil {
		t.Fatal(err)
	}
	has()
	if got, err := s.Devices.Secrets(t.Context(), field.ID, b.ID); err != nil || len(got) != 1 {
		t.Errorf("the other device has %d (%v)", len(got), err)
	}
}

func TestLoadRegistry(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	d := s.Device(t, field.ID, station, "gw", func(d *device.Device) { d.Gateway = true })
	s.Device(t, field.ID, station, "shut", func(d *device.Device) { d.Disabled = true })
	e := s.Registry.Find(field.ID, "gw")
	if e == nil || e.Ref != testkit.Ref(d) || !e.Gateway || e.Disabled || e.Product.OfflineAfter != testkit.OfflineAfter {
		t.Fatalf("%+v", e)
	}
	if e := s.Registry.Find(field.ID, "shut"); e == nil || !e.Disabled {
		t.Errorf("%+v", e)
	}
	// A registry without its catalogue would be of no use: loading reads both.
	// A product made together with its device is known at once.
	made := &device.Product{Name: "camera", OfflineAfter: time.Second}
	if err := s.Catalog.PutProduct(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if err := s.Devices.Put(t.Context(), field.ID, &device.Device{Name: "cam", ProductID: made.ID}); err != nil {
		t.Fatal(err)
	}
	if err := s.Devices.LoadRegistry(t.Context(), s.Catalog, s.Registry); err != nil {
		t.Fatal(err)
	}
	if e := s.Registry.Find(field.ID, "cam"); e == nil || e.Product == nil || e.Product.Name != "camera" {
		t.Errorf("%+v", e)
	}
}
