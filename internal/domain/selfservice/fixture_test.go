package selfservice_test

import (
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

// fixture is the service on real stores with the tenants field, which may add three stations and claim,
// and rival, which may as well.
type fixture struct {
	*testkit.Stores
	service      *selfservice.Service
	station      *device.Product
	field, rival *testkit.Tenant
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{Stores: testkit.NewStores(t)}
	w.station = w.Station(t)
	w.station.Names = map[text.Language]string{text.English: "Station"} // tables may name it so
	w.putProduct(t, w.station)
	w.field, w.rival = w.Tenant(t, "field"), w.Tenant(t, "rival")
	for _, of := range []*testkit.Tenant{w.field, w.rival} {
		w.offer(t, of.ID, tenant.SelfService{Devices: 3, Products: []string{w.station.Name}, Claims: true})
	}
	w.service = w.SelfService
	return w
}

func (w *fixture) putProduct(t *testing.T, p *device.Product) {
	t.Helper()
	if err := w.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
}

func (w *fixture) offer(t *testing.T, of tenant.ID, s tenant.SelfService) {
	t.Helper()
	owner, err := w.Tenants.Get(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	owner.SelfService = s
	if err := w.Tenants.Put(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
}

// form is a right form for a device of that name.
func (w *fixture) form(name string) selfservice.Form {
	return selfservice.Form{NoteName: name, ProductID: w.station.ID}
}

func (w *fixture) create(t *testing.T, f selfservice.Form) *selfservice.Made {
	t.Helper()
	made, err := w.service.Create(t.Context(), w.field.ID, f)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// signsIn tells whether a device can sign in with a secret.
func (w *fixture) signsIn(name, secret string) bool {
	_, _, ok := w.Registry.Authenticate(name, secret)
	return ok
}

// refused checks that a call was refused with a sentence, and gives the refusal.
func refused(t *testing.T, err error, key string) *errs.Error {
	t.Helper()
	e := errs.As(err)
	if err == nil || e.Kind != errs.Refused || e.Key != key {
		t.Fatalf("answered %v, want %s", err, key)
	}
	return e
}

func caller(of *testkit.Tenant) *identity.Caller {
	return &identity.Caller{Tenant: of.ID, User: of.Ada.ID, Role: identity.Owner}
}

// shelve puts a device on the shelf.
func (w *fixture) shelve(t *testing.T, name string, code selfservice.Code, change func(*selfservice.ShelfItem)) {
	t.Helper()
	hash := selfservice.HashCode(testkit.SecretKey, code)
	item := &selfservice.ShelfItem{DeviceName: name, Serial: "S-" + name, ProductID: w.station.ID, CodeHash: hash[:]}
	if change != nil {
		change(item)
	}
	if err := w.Shelf.Put(t.Context(), item); err != nil {
		t.Fatal(err)
	}
}

const hour = time.Hour
