package identity_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"tilth/internal/platform/errs"
)

// Uses are counted by the hour, shown at once, written later, and removed after a month.
func TestUsesAreCounted(t *testing.T) {
	k := newCredentialFixture(t)
	c, secret := k.create(t, k.field.Ada, "a")
	k.create(t, k.field.Ada, "idle")
	k.create(t, k.field.Bora, "another's")
	use := func(n int) {
		for range n {
			k.authenticates(t, c.AppKey, secret)
		}
	}
	check := func(what string, day, month int64) {
		t.Helper()
		list := k.list(t, k.field.Ada)
		if list[1].Uses24h != day || list[1].Uses30d != month || list[0].Uses24h != 0 || list[0].Uses30d != 0 {
			t.Errorf("%s: %+v, want %d and %d", what, list, day, month)
		}
	}
	flush := func() {
		t.Helper()
		if err := k.Credentials.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stored := func() (n int) {
		if err := k.DB.Read(t.Context()).NewSelect().Table("credential_hours").ColumnExpr("COUNT(*)").
			Scan(t.Context(), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	use(3)
	k.authenticates(t, c.AppKey, "wrong")
	check("not written yet", 3, 3)
	flush()
	check("written", 3, 3)
	use(2)
	check("partly written", 5, 5)
	flush()
	check("added to", 5, 5)
	k.Clock.Advance(23 * time.Hour)
	use(1)
	check("a day later", 6, 6)
	k.Clock.Advance(time.Hour) // noon's hour is 24 hours ago
	check("a day and an hour later", 1, 6)
	flush()
	if n := stored(); n != 2 {
		t.Errorf("%d hours", n)
	}
	k.Clock.Advance(29 * 24 * time.Hour)
	check("a month later", 0, 1)
	k.Clock.Advance(48 * time.Hour)
	use(1)
	flush()
	if n := stored(); n != 1 {
		t.Errorf("%d hours are kept", n)
	}
	check("the month after", 1, 1)
	// Uses that cannot be written now are written later, once.
	use(4)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := k.Credentials.Flush(ended); err == nil {
		t.Error("the flush succeeded without a database")
	}
	check("not written", 5, 5)
	flush()
	check("written later", 5, 5)
	if err := k.Credentials.Delete(t.Context(), k.field.ID, k.field.Ada.ID, c.ID); err != nil || stored() != 0 {
		t.Errorf("%d hours of a deleted credential (%v)", stored(), err)
	}
}

// During a flush, no reader sees a use twice or not at all.
func TestUseCountsDuringFlush(t *testing.T) {
	k := newCredentialFixture(t)
	c, secret := k.create(t, k.field.Ada, "a")
	var all sync.WaitGroup
	const uses = 200
	all.Go(func() {
		for range uses {
			if _, err := k.Credentials.Authenticate(t.Context(), c.AppKey, secret); errs.Is(err, errs.Unauthenticated) {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for range 40 {
			if err := k.Credentials.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	for last := int64(0); last < uses; {
		now := k.list(t, k.field.Ada)[0].Uses30d
		if now < last || now > uses {
			t.Fatalf("%d after %d", now, last)
		}
		last = now
	}
	all.Wait()
	if got := k.list(t, k.field.Ada)[0].Uses30d; got != uses {
		t.Errorf("%d uses", got)
	}
}
