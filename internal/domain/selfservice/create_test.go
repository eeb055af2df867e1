package selfservice_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

func TestCreate(t *testing.T) {
	w := newFixture(t)
	north := w.Scene(t, w.field.ID, "North")
	f := w.form("  Lower field ")
	f.Serial, f.SceneID, f.Longitude, f.Latitude = "S-1", north, new(32.85), new(39.92)
	made := w.create(t, f)
	if !regexp.MustCompile(`^d-[0-9a-hjkmnp-tv-z]{8}$`).MatchString(made.DeviceName) || len(made.Secret) != 43 {
		t.Errorf("made %+v", made)
	}
	d, err := w.Devices.Get(t.Context(), w.field.ID, made.DeviceName)
	if err != nil {
		t.Fatal(err)
	}
	if d.NoteName != "Lower field" || d.Serial != "S-1" || d.SceneID != north || *d.Latitude != 39.92 ||
		d.Origin != device.OriginConsole || !d.Removable() {
		t.Errorf("stored %+v", d)
	}
	if !w.signsIn(made.DeviceName, made.Secret) || !w.signsIn(made.Secret, "") {
		t.Error("the device cannot sign in")
	}
	if w.Registry.Count(w.field.ID) != 1 || w.Registry.Find(w.rival.ID, made.DeviceName) != nil {
		t.Error("the registry has it elsewhere")
	}
	w.Restart(t)
	if !w.signsIn(made.DeviceName, made.Secret) {
		t.Error("after a restart the device cannot sign in")
	}
	f = w.form("By hand")
	f.Short = true
	if short := w.create(t, f); !regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{20}$`).MatchString(short.Secret) {
		t.Errorf("a short secret: %s", short.Secret)
	}
}

func TestCreateRefuses(t *testing.T) {
	w := newFixture(t)
	foreign := w.Scene(t, w.rival.ID, "Rival's")
	other := &device.Product{Name: "other", OfflineAfter: hour}
	w.putProduct(t, other)
	first := w.form("Lower field")
	first.Serial = "S-1"
	made := w.create(t, first)
	for _, c := range []struct {
		key, field string
		change     func(*selfservice.Form)
	}{
		{"device.noteRequired", "", func(f *selfservice.Form) { f.NoteName = " " }},
		{"invalid.long", "noteName", func(f *selfservice.Form) { f.NoteName = strings.Repeat("x", 65) }},
		{"invalid.long", "serial", func(f *selfservice.Form) { f.Serial = strings.Repeat("x", 65) }},
		{"invalid.format", "serial", func(f *selfservice.Form) { f.Serial = "a\u202eb" }},
		{"invalid.required", "latitude", func(f *selfservice.Form) { f.Longitude = new(1.0) }},
		{"invalid.required", "longitude", func(f *selfservice.Form) { f.Latitude = new(1.0) }},
		{"device.productNotOffered", "productId", func(f *selfservice.Form) { f.ProductID = other.ID }},
		{"device.productNotOffered", "productId", func(f *selfservice.Form) { f.ProductID = 999 }},
		{"device.nameTaken", "noteName", func(f *selfservice.Form) { f.NoteName = "Lower field" }},
		{"device.serialTaken", "serial", func(f *selfservice.Form) { f.Serial = "S-1" }},
	} {
		f := w.form("Upper field")
		c.change(&f)
		_, err := w.service.Create(t.Context(), w.field.ID, f)
		e := refused(t, err, c.key)
		if e.Field != c.field {
			t.Errorf("%s: field %q, want %q", c.key, e.Field, c.field)
		}
		if by, taken := e.Data.(selfservice.TakenBy); taken && by.DeviceName != made.DeviceName {
			t.Errorf("%s: taken by %+v", c.key, by)
		}
	}
	f := w.form("Upper field")
	f.SceneID = foreign
	if _, err := w.service.Create(
		t.Context(),
		w.field.ID,
		f,
	); !errs.Is(err, errs.NotFound) ||
		errs.As(err).Field != "groupId" {
		t.Errorf("another tenant's scene: %v", err)
	}
	if n := w.Registry.Count(w.field.ID); n != 1 {
		t.Errorf("%d devices", n)
	}
	// The rival may have the same name: it does not learn of the field's.
	if _, err := w.service.Create(t.Context(), w.rival.ID, first); err != nil {
		t.Errorf("the rival: %v", err)
	}
}

func TestCreateUpToMost(t *testing.T) {
	w := newFixture(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} { // all at once
		wait.Go(func() {
			_, err := w.service.Create(t.Context(), w.field.ID, w.form(name))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			} else if e := errs.As(err); e.Key != "device.mostReached" || e.Args["limit"] != "3" {
				t.Errorf("%v", err)
			}
		})
	}
	wait.Wait()
	offer, err := w.service.Offer(t.Context(), w.field.ID)
	if err != nil || made != 3 || offer.Used != 3 || offer.Most != 3 || !offer.Claims || len(offer.Products) != 1 {
		t.Errorf("made %d, offer %+v (%v)", made, offer, err)
	}
	// What the provider made does not count, and what was deleted does not either.
	w.Device(t, w.field.ID, w.station, "WS-9")
	w.offer(t, w.field.ID, tenant.SelfService{})
	_, err = w.service.Create(t.Context(), w.field.ID, w.form("g"))
	refused(t, err, "device.notOffered")
}

func TestDelete(t *testing.T) {
	w := newFixture(t)
	made := w.create(t, w.form("Lower field"))
	fromFile := w.Device(t, w.field.ID, w.station, "WS-9")
	refused(t, w.service.Delete(t.Context(), w.field.ID, "WS-9"), "device.fromProvider")
	if d, err := w.Devices.Get(t.Context(), w.field.ID, "WS-9"); err != nil || d.Disabled {
		t.Errorf("the provider's device: %+v (%v)", d, err)
	}
	if err := w.service.Delete(t.Context(), w.rival.ID, made.DeviceName); !errs.Is(err, errs.NotFound) {
		t.Errorf("the rival: %v", err)
	}
	if err := w.service.Delete(t.Context(), w.field.ID, made.DeviceName); err != nil {
		t.Fatal(err)
	}
	if w.signsIn(made.DeviceName, made.Secret) || w.Registry.Count(w.field.ID) != 1 ||
		w.Registry.Get(fromFile.ID) == nil {
		t.Error("the registry is wrong")
	}
	if err := w.service.Delete(t.Context(), w.field.ID, made.DeviceName); !errs.Is(err, errs.NotFound) {
		t.Errorf("again: %v", err)
	}
	w.create(t, w.form("Lower field")) // the name is free again
}

func TestChangesAreLimited(t *testing.T) {
	w := newFixture(t)
	for range 300 {
		if _, err := w.service.Create(t.Context(), w.field.ID, selfservice.Form{}); errs.Is(err, errs.TooMany) {
			t.Fatal("too early")
		}
	}
	_, err := w.service.Create(t.Context(), w.field.ID, w.form("Lower field"))
	if !errs.Is(err, errs.TooMany) || errs.As(err).Retry <= 0 {
		t.Errorf("%v", err)
	}
	if _, err := w.service.Create(t.Context(), w.rival.ID, w.form("Lower field")); err != nil {
		t.Errorf("the rival: %v", err)
	}
	w.Clock.Advance(hour)
	w.create(t, w.form("Lower field"))
}
