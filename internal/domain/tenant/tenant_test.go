package tenant_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func putTenant(t *testing.T, s *tenant.Store, x *tenant.Tenant) {
	t.Helper()
	if err := s.Put(t.Context(), x); err != nil {
		t.Fatal(err)
	}
}

func newTenant(t *testing.T) *tenant.Tenant {
	return &tenant.Tenant{
		Name:     "greenfield",
		Hosts:    []string{"b.example", "a.example"},
		TimeZone: zone(t, "Asia/Shanghai"),
		Language: text.Chinese,
		Branding: tenant.Branding{
			Title:      "Green",
			Content:    "fields",
			Logo:       "https://l",
			Background: "https://b",
			Favicon:    "https://f",
		},
	}
}

func TestRoundTrip(t *testing.T) {
	s := tenant.NewStore(testkit.DB(t), testkit.NewClock().Now)
	made := newTenant(t)
	putTenant(t, s, made)
	if made.ID == 0 {
		t.Fatal("no id was set")
	}
	for name, find := range map[string]func() (*tenant.Tenant, error){
		"Get":    func() (*tenant.Tenant, error) { return s.Get(t.Context(), made.ID) },
		"ByName": func() (*tenant.Tenant, error) { return s.ByName(t.Context(), " greenfield ") },
		"ByHost": func() (*tenant.Tenant, error) { return s.ByHost(t.Context(), "A.Example:8443") },
	} {
		got, err := find()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.ID != made.ID || got.Name != made.Name || got.TimeZone.String() != "Asia/Shanghai" ||
			got.Language != text.Chinese ||
			got.Branding != made.Branding {
			t.Errorf("%s: %+v", name, got)
		}
		// Links in mails lead to the first host, so the store keeps the order.
		if len(got.Hosts) != 2 || got.Hosts[0] != "b.example" || got.Hosts[1] != "a.example" {
			t.Errorf("%s: hosts %v", name, got.Hosts)
		}
	}
}

func TestNotFound(t *testing.T) {
	s := tenant.NewStore(testkit.DB(t), testkit.NewClock().Now)
	putTenant(t, s, newTenant(t))
	for name, find := range map[string]func() error{
		"Get":           func() error { _, err := s.Get(t.Context(), 99); return err },
		"ByName":        func() error { _, err := s.ByName(t.Context(), "green"); return err },
		"ByName, empty": func() error { _, err := s.ByName(t.Context(), ""); return err },
		"ByHost":        func() error { _, err := s.ByHost(t.Context(), "c.example"); return err },
		"ByHost, part":  func() error { _, err := s.ByHost(t.Context(), "example"); return err },
		"ByHost, empty": func() error { _, err := s.ByHost(t.Context(), ""); return err },
		"Put": func() error {
			x := newTenant(t)
			x.ID, x.Name, x.Hosts = 99, "other", nil
			return s.Put(t.Context(), x)
		},
	} {
		if err := find(); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPutUpdatesTenant(t *testing.T) {
	clock := testkit.NewClock()
	s := tenant.NewStore(testkit.DB(t), clock.Now)
	made, other := newTenant(t), newTenant(t)
	putTenant(t, s, made)
	other.Name, other.Hosts = "other", []string{"other.example"}
	putTenant(t, s, other)
	clock.Advance(time.Hour)
	made.Name, made.TimeZone, made.Language = "brownfield", zone(t, "Europe/Moscow"), text.Russian
	made.Hosts, made.Branding = []string{"c.example"}, tenant.Branding{Title: "Brown"}
	putTenant(t, s, made)
	got, err := s.Get(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "brownfield" || got.TimeZone.String() != "Europe/Moscow" || got.Language != text.Russian ||
		got.Branding != made.Branding ||
		len(got.Hosts) != 1 ||
		got.Hosts[0] != "c.example" {
		t.Errorf("%+v", got)
	}
	if _, err := s.ByHost(t.Context(), "a.example"); !errs.Is(err, errs.NotFound) {
		t.Errorf("a dropped host still leads to the tenant: %v", err)
	}
	if got, err := s.ByHost(t.Context(), "other.example"); err != nil || got.ID != other.ID {
		t.Errorf("another tenant's hosts changed: %+v %v", got, err)
	}
}

func TestNamesAndHostsAreUnique(t *testing.T) {
	s := tenant.NewStore(testkit.DB(t), testkit.NewClock().Now)
	putTenant(t, s, newTenant(t))
	name, host := newTenant(t), newTenant(t)
	name.Hosts = nil
	host.Name = "other"
	for _, x := range []*tenant.Tenant{name, host} {
		if err := s.Put(t.Context(), x); !db.IsDuplicate(err) {
			t.Errorf("%s %v: %v", x.Name, x.Hosts, err)
		}
	}
	// The failed calls changed nothing.
	if all, err := s.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
}

func TestListAndDelete(t *testing.T) {
	stores := testkit.NewStores(t)
	a, b := stores.Tenant(t, "b-first"), stores.Tenant(t, "a-second")
	empty := &tenant.Tenant{Name: "empty", Hosts: []string{"empty.example"}, TimeZone: time.UTC, Language: text.English}
	putTenant(t, stores.Tenants, empty)
	all, err := stores.Tenants.List(t.Context())
	if err != nil || len(all) != 3 || all[0].ID != a.ID || all[1].ID != b.ID || all[2].Hosts[0] != "empty.example" {
		t.Errorf("%+v %v", all, err)
	}
	if err := stores.Tenants.Delete(t.Context(), a.ID); err == nil {
		t.Error("a tenant with users was deleted")
	}
	if err := stores.Tenants.Delete(t.Context(), empty.ID); err != nil {
		t.Error(err)
	}
	if _, err := stores.Tenants.ByHost(t.Context(), "empty.example"); !errs.Is(err, errs.NotFound) {
		t.Errorf("a deleted tenant's host still leads to it: %v", err)
	}
	if _, err := stores.Tenants.Get(t.Context(), a.ID); err != nil {
		t.Error(err)
	}
}

// OnDelete gets a deleted tenant after the commit, and no tenant whose deletion failed.
func TestOnDelete(t *testing.T) {
	stores := testkit.NewStores(t)
	used := stores.Tenant(t, "used")
	empty := &tenant.Tenant{Name: "empty", TimeZone: time.UTC, Language: text.English}
	putTenant(t, stores.Tenants, empty)
	var notified []tenant.ID
	for range 2 {
		stores.Tenants.Deleted.Then(func(id tenant.ID) { notified = append(notified, id) })
	}
	if err := stores.Tenants.Delete(t.Context(), used.ID); err == nil || len(notified) != 0 {
		t.Errorf("a tenant with users: %v, notified %v", err, notified)
	}
	undone := errors.New("undone")
	err := stores.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		if err := stores.Tenants.Delete(ctx, empty.ID); err != nil {
			return err
		}
		if len(notified) != 0 {
			t.Errorf("notified %v before the commit", notified)
		}
		return undone
	})
	if !errors.Is(err, undone) || len(notified) != 0 {
		t.Errorf("rolled back: %v, notified %v", err, notified)
	}
	if err := stores.Tenants.Delete(t.Context(), empty.ID); err != nil ||
		!slices.Equal(notified, []tenant.ID{empty.ID, empty.ID}) {
		t.Errorf("deleted: %v, notified %v", err, notified)
	}
}

func TestNormalizeHost(t *testing.T) {
	for in, want := range map[string]string{
		"Farm.Example":      "farm.example",
		"\tfarm.example. ":  "farm.example",
		"farm.example:8080": "farm.example",
		"farm.example.:443": "farm.example",
		"[::1]:8080":        "::1",
		"[2001:DB8::1]":     "2001:db8::1",
		"::1":               "::1",
		"127.0.0.1:80":      "127.0.0.1",
		"":                  "",
		":8080":             "",
	} {
		if got := tenant.NormalizeHost(in); got != want {
			t.Errorf("NormalizeHost(%q) = %q, want %q", in, got, want)
		}
	}
}
