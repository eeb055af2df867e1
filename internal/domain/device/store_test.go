package device_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
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
	if diff := cmp.Diff(made, get("CAM-1")); diff != "" {
		t.Errorf("device (-want +got):\n%s", diff)
	}
	if !made.IsVideo() || made.Title() != "Kapı" {
		t.Error("IsVideo or Title is wrong")
	}

	// A change keeps the name and the creation time.
	s.Clock.Advance(time.Hour)
	change := &device.Device{ID: made.ID, Name: "other", Serial: "S", ProductID: station.ID}
	if err := s.Devices.Put(t.Context(), field.ID, change); err != nil {
		t.Fatal(err)
	}
	want := &device.Device{ID: made.ID, Tenant: field.ID, Name: "CAM-1", Serial: "S", ProductID: station.ID,
		Origin: device.OriginProvider, ElementData: map[string]string{}, CreateTime: made.CreateTime}
	if diff := cmp.Diff(want, get("CAM-1")); diff != "" {
		t.Errorf("device (-want +got):\n%s", diff)
	}
	if want.IsVideo() || want.Title() != "CAM-1" {
		t.Error("IsVideo or Title is wrong")
	}
	if err := s.Devices.Put(t.Context(), field.ID, &device.Device{Name: "CAM-1",
		ProductID: station.ID}); !db.IsDuplicate(err) {
		t.Errorf("the same name twice: %v", err)
	}
}

// A device created again under the same name gets a new number, even if the deleted one had the
// highest.
func TestDeviceIDsAreNeverReused(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	first := s.Device(t, field.ID, station, "WS-1")
	if err := s.Devices.Delete(t.Context(), field.ID, first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Devices.Get(t.Context(), field.ID, "WS-1"); !errs.Is(err, errs.NotFound) {
		t.Errorf("Get of a deleted device: %v", err)
	}
	if again := s.Device(t, field.ID, station, "WS-1"); again.ID <= first.ID {
		t.Errorf("the number %d after %d", again.ID, first.ID)
	}
}

func TestBySerial(t *testing.T) {
	s := testkit.NewStores(t)
	green, blue, p := s.Tenant(t, "green"), s.Tenant(t, "blue"), s.Station(t)
	put := func(owner tenant.ID, name, serial string) device.ID {
		return s.Device(t, owner, p, name, func(d *device.Device) { d.Serial = serial }).ID
	}
	one := put(green.ID, "A", "70B3")
	first, second := put(green.ID, "B", "SAME"), put(green.ID, "C", "SAME")
	put(green.ID, "D", "same")
	put(blue.ID, "E", "70B3")
	for _, c := range []struct {
		owner   tenant.ID
		serials []string
		want    []device.ID
	}{
		{green.ID, []string{"70B3", "70b3"}, []device.ID{one}},
		{green.ID, []string{"SAME"}, []device.ID{first, second}},
		{green.ID, []string{"SAME", "70B4"}, []device.ID{first, second}},
		{green.ID, []string{"70B"}, nil},
		{blue.ID, []string{"SAME"}, nil},
	} {
		got, err := s.Devices.BySerial(t.Context(), c.owner, c.serials)
		if slices.Sort(got); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v of %d: %v (%v), want %v", c.serials, c.owner, got, err, c.want)
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
	// Another device's secret is refused and changes nothing.
	if err := put(hash("three"), hash(testkit.Secret("b"))); !db.IsDuplicate(err) {
		t.Errorf("another device's secret: %v", err)
	}
	has(hash("one"), hash("two"))
	if err := put(); err != nil {
		t.Fatal(err)
	}
	has()
	if got, err := s.Devices.Secrets(t.Context(), field.ID, b.ID); err != nil || len(got) != 1 {
		t.Errorf("the other device has %d secrets (%v)", len(got), err)
	}
}

// The last four former secrets of each device are known, from the registry as from the database; none that is
// valid again, and none of another tenant's device.
func TestFormerSecrets(t *testing.T) {
	s := testkit.NewStores(t)
	field, other := s.Tenant(t, "field"), s.Tenant(t, "other")
	station := s.Station(t)
	a, b := s.Device(t, field.ID, station, "a"), s.Device(t, field.ID, station, "b")
	hash := func(secret string) device.SecretHash { return device.HashSecret(testkit.SecretKey, secret) }
	both := func(x, y string) {
		t.Helper()
		s.Clock.Advance(time.Second)
		if err := s.Devices.PutAllSecrets(t.Context(), field.ID, []device.SecretsOfDevice{
			{ID: a.ID, Hashes: []device.SecretHash{hash(x)}}, {ID: b.ID, Hashes: []device.SecretHash{hash(y)}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	knows := func(when string, want map[string]string) {
		t.Helper()
		if err := s.Devices.LoadRegistry(t.Context(), s.Catalog, s.Registry); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"0", "1", "2", "3", "4", "5", "6", "x0", "x1", "x2", "x3", "x4", "x5"} {
			name := ""
			if ref, retired, known := s.Registry.RefusedSignIn(secret, ""); known && retired != 0 {
				name = map[device.ID]string{a.ID: "a", b.ID: "b"}[ref.ID]
			}
			if name != want[secret] {
				t.Errorf("%s: secret %s was %q's, want %q", when, secret, name, want[secret])
			}
		}
	}
	for i := range 6 {
		both(fmt.Sprint(i), fmt.Sprint("x", i))
	}
	last := map[string]string{"1": "a", "2": "a", "3": "a", "4": "a", "x1": "b", "x2": "b", "x3": "b", "x4": "b"}
	knows("after five changes", last)
	both("x5", "5") // exchanged: both are valid
	knows("after an exchange", last)
	both("3", "x5") // one is valid again, one stays valid with another device
	delete(last, "3")
	last["5"] = "b"
	delete(last, "x1")
	knows("valid again", last)
	if err := s.Devices.PutSecrets(t.Context(), other.ID, a.ID, hash("6")); !errs.Is(err, errs.NotFound) {
		t.Errorf("another tenant's device: %v", err)
	}
	knows("after another tenant's try", last)
	// A change by a person needs no other load, and forgets what is too old.
	if _, err := s.Devices.NewSecret(
		t.Context(),
		field.ID,
		"a",
		device.SecretOptions{DropOthers: true},
		s.Catalog, s.Registry,
	); err != nil {
		t.Fatal(err)
	}
	if ref, retired, known := s.Registry.RefusedSignIn("a", "3"); !known || retired == 0 || ref.ID != a.ID {
		t.Errorf("%+v, %d, %t", ref, retired, known)
	}
	if ref, retired, _ := s.Registry.RefusedSignIn("b", "x2"); retired == 0 || ref.ID != b.ID {
		t.Errorf("another device's former secrets are gone: %+v, %d", ref, retired)
	}
}

func TestLoadRegistry(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	d := s.Device(t, field.ID, station, "gw", func(d *device.Device) { d.Gateway = true })
	s.Device(t, field.ID, station, "shut", func(d *device.Device) { d.Disabled = true })
	e := s.Registry.Find(field.ID, "gw")
	if e == nil || e.Ref != testkit.Ref(d) || !e.Gateway || e.Disabled ||
		e.Product.OfflineAfter != testkit.OfflineAfter {
		t.Fatalf("%+v", e)
	}
	if e := s.Registry.Find(field.ID, "shut"); e == nil || !e.Disabled {
		t.Errorf("%+v", e)
	}
	if _, known := s.Registry.Site(testkit.Ref(d)); known {
		t.Error("the registry has a site of a device that derives nothing")
	}
	// LoadRegistry also loads the catalogue, so it knows a product that was created together with
	// its device.
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
