package tenant_test

import (
	"context"
	"errors"
	"testing"

	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"

	"github.com/uptrace/bun"
)

// No tenant acts before the database was read, nor in a restored copy until its release.
func TestActs(t *testing.T) {
	d, clock := testkit.DB(t), testkit.NewClock()
	start := func() *tenant.Store {
		t.Helper()
		s := tenant.NewStore(d, clock.Now)
		if s.Acts(1) || s.AnyActs() {
			t.Error("a tenant acts before the database was read")
		}
		if err := s.LoadHold(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := start(); !s.Acts(1) || !s.AnyActs() {
		t.Error("without a hold no tenant acts")
	}
	for range 2 { // a second hold changes nothing
		if err := tenant.Hold(t.Context(), d, clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	start()
	s := start() // a start is no release
	if s.Acts(1) || s.AnyActs() {
		t.Error("a tenant of a restored copy acts")
	}
	heard := 0
	s.Released.Then(func(struct{}) {
		if heard++; !s.Acts(1) {
			t.Error("a listener is called before the tenants act")
		}
	})
	failure := errors.New("rolled back")
	err := d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		_, err := s.Release(ctx)
		return errors.Join(err, failure)
	})
	if !errors.Is(err, failure) || s.Acts(1) || heard != 0 {
		t.Errorf("%v: a release that was rolled back counts (%d heard)", err, heard)
	}
	for _, want := range []bool{true, false} {
		if held, err := s.Release(t.Context()); held != want || err != nil {
			t.Errorf("%v, want %v (%v)", held, want, err)
		}
	}
	if !s.Acts(1) || !start().Acts(1) || heard != 1 {
		t.Errorf("after the release no tenant acts (%d heard)", heard)
	}
}

// Asking takes a read of memory: the database is closed.
func TestActsAsksNoDatabase(t *testing.T) {
	d := testkit.DB(t)
	s := tenant.NewStore(d, testkit.NewClock().Now)
	if err := errors.Join(s.LoadHold(t.Context()), d.Close()); err != nil {
		t.Fatal(err)
	}
	if s.LoadHold(t.Context()) == nil {
		t.Fatal("the database is open")
	}
	if !s.Acts(1) || testing.AllocsPerRun(100, func() { s.Acts(1) }) != 0 {
		t.Error("asking needs the database, or memory")
	}
}
