package device_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func TestNewSecret(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	d := s.Device(t, field.ID, station, "WS-1", func(d *device.Device) { d.Gateway = true })
	other := s.Device(t, field.ID, station, "WS-2")
	before := s.Registry.Find(field.ID, "WS-1")
	changes := 0
	s.Registry.StructureChanged.Then(func(struct{}) { changes++ })
	made := func(drop bool) string {
		t.Helper()
		before := changes
		secret, err := s.Devices.NewSecret(
			t.Context(),
			field.ID,
			"WS-1",
			device.SecretOptions{DropOthers: drop},
			s.Catalog, s.Registry,
		)
		if err != nil || !regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`).MatchString(secret) {
			t.Fatalf("%q %v", secret, err)
		}
		if changes != before+1 {
			t.Errorf("the registry notified %d structure changes", changes-before)
		}
		return secret
	}
	lets := func(want string, secrets ...string) {
		t.Helper()
		got := ""
		for _, secret := range secrets {
			e, hash, ok := s.Registry.Authenticate("WS-1", secret)
			if ok != s.Registry.StillValid(d.ID, device.HashSecret(testkit.SecretKey, secret)) ||
				ok && (e.Ref != testkit.Ref(d) || !e.Gateway || hash != device.HashSecret(testkit.SecretKey, secret)) {
				t.Errorf("%q: %+v", secret, e)
			}
			got += map[bool]string{true: "+", false: "-"}[ok]
		}
		if got != want {
			t.Errorf("valid secrets %s, want %s", got, want)
		}
	}
	first := testkit.Secret("WS-1")
	second := made(false)
	lets("++", first, second)
	s.Clock.Advance(time.Second)
	third := made(false) // the newest earlier secret stays valid
	lets("-++", first, second, third)
	fourth := made(false) // at the same time
	lets("--++", first, second, third, fourth)
	fifth := made(true)
	lets("----+", first, second, third, fourth, fifth)
	if e, _, ok := s.Registry.Authenticate("WS-2", testkit.Secret("WS-2")); !ok || e.ID != other.ID {
		t.Error("the other device cannot sign in")
	}
	// A reload gives the same secrets; the other fields of the registry's entry did not change.
	s.Reload(t)
	lets("----+", first, second, third, fourth, fifth)
	if now := s.Registry.Find(field.ID, "WS-1"); now.Product.ID != before.Product.ID || now.Name != before.Name ||
		s.Registry.Count(field.ID) != 2 {
		t.Errorf("%+v", now)
	}
	for _, name := range []string{"none", ""} {
		if secret, err := s.Devices.NewSecret(t.Context(), field.ID, name, device.SecretOptions{},
			s.Catalog, s.Registry); !errs.Is(err, errs.NotFound) || secret != "" {
			t.Errorf("%q: %q %v", name, secret, err)
		}
	}
	// The database does not contain the secrets.
	var n int
	if err := s.DB.Read(t.Context()).NewRaw(`SELECT COUNT(*) FROM device_secrets WHERE hash = ? OR hash = ?`, fifth,
		[]byte(fifth)).Scan(t.Context(), &n); err != nil || n != 0 {
		t.Errorf("%d %v", n, err)
	}
}

// NewSecret returns no secret that could not be stored, and the earlier ones stay valid.
func TestNewSecretFailedWriteKeepsOldSecret(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	s.Device(t, field.ID, s.Station(t), "WS-1")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if secret, err := s.Devices.NewSecret(
		gone,
		field.ID,
		"WS-1",
		device.SecretOptions{DropOthers: true},
		s.Catalog, s.Registry,
	); err == nil ||
		secret != "" {
		t.Errorf("%q %v", secret, err)
	}
	if _, _, ok := s.Registry.Authenticate("WS-1", testkit.Secret("WS-1")); !ok {
		t.Error("the earlier secret is no longer valid")
	}
}

// A device that the registry does not hold yet, because a reload failed, is there with its new secret.
func TestNewSecretForDeviceNotInRegistry(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	d := &device.Device{Name: "new", ProductID: s.Station(t).ID}
	if err := s.Devices.Put(t.Context(), field.ID, d); err != nil {
		t.Fatal(err)
	}
	secret, err := s.Devices.NewSecret(t.Context(), field.ID, "new", device.SecretOptions{}, s.Catalog, s.Registry)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.Registry.Authenticate("new", secret); !ok {
		t.Error("the new secret is not valid")
	}
}

// A secret that begins with a hyphen would be an option on a command line and a formula in a spreadsheet.
func TestGeneratedSecretsBeginWithoutHyphen(t *testing.T) {
	for range 2000 {
		if secret := device.GenerateSecret(false); len(secret) != 43 || secret[0] == '-' {
			t.Fatal(secret)
		}
	}
}
