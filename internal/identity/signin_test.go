package identity_test

import (
	"testing"
	"time"

	"tilth/internal/errs"
	"tilth/internal/identity"
	"tilth/internal/tenant"
	"tilth/internal/testkit"
)

const home, away = "203.0.113.1", "203.0.113.2"

func attempt(t tenant.ID, userName, password, address string) identity.Attempt {
	return identity.Attempt{Tenant: t, UserName: userName, Password: password, Address: address}
}

func TestSignIn(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	for name, userName := range map[string]string{"as it is": "ada", "in capitals": "ADA"} {
		pair, err := s.SignIn.Password(t.Context(), attempt(field.ID, userName, testkit.Password, home))
		if err != nil || pair.UserID != field.Ada.ID {
			t.Fatalf("%s: %+v %v", name, pair, err)
		}
		c, err := s.Sessions.Caller(t.Context(), pair.Access)
		if err != nil || c.Tenant != field.ID || c.User != field.Ada.ID || c.Expires != pair.Expires ||
			pair.Expires != s.Clock.Milli()+identity.AccessLife.Milliseconds() {
			t.Errorf("%s: %+v %v", name, c, err)
		}
	}
	pair, err := s.SignIn.Password(t.Context(), attempt(rival.ID, "ada", testkit.Password, home))
	if err != nil || pair.UserID != rival.Ada.ID {
		t.Errorf("the other tenant's ada: %+v %v", pair, err)
	}
}

// A wrong user, a wrong password, a tenant that does not exist and a disabled
// account are one and the same refusal.
func TestSignInRefusals(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	field.Bora.Disabled = true
	if err := s.Users.Update(t.Context(), field.ID, field.Bora); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]identity.Attempt{
		"wrong password": attempt(field.ID, "ada", "wrong", home),
		"no password":    attempt(field.ID, "ada", "", home),
		"wrong user":     attempt(field.ID, "eve", testkit.Password, home),
		"no tenant":      attempt(0, "ada", testkit.Password, home),
		"disabled":       attempt(field.ID, "bora", testkit.Password, home),
		"folded too far": attempt(field.ID, "adá", testkit.Password, home),
	} {
		pair, err := s.SignIn.Password(t.Context(), a)
		e := errs.As(err)
		if pair != (identity.Pair{}) || e.Kind != errs.Refused || e.Key != "signin.fail" || e.Field != "" || e.Args != nil {
			t.Errorf("%s: %+v %v", name, pair, err)
		}
	}
}

// Ten failures of one account from one address lock that pair for 15 minutes:
// nobody else, and nobody elsewhere.
func TestSignInLock(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	sign := func(a identity.Attempt) *errs.Error {
		t.Helper()
		if _, err := s.SignIn.Password(t.Context(), a); err != nil {
			return errs.As(err)
		}
		return nil
	}
	wrong := attempt(field.ID, "ada", "wrong", home)
	for i := range 10 {
		if i%2 == 1 {
			wrong.UserName = "ADA" // the same account
		}
		if e := sign(wrong); e == nil || e.Kind != errs.Refused {
			t.Fatalf("failure %d: %v", i+1, e)
		}
		s.Clock.Advance(time.Minute)
	}
	right := attempt(field.ID, "ada", testkit.Password, home)
	if e := sign(right); e == nil || e.Kind != errs.TooMany || e.Key != "signin.locked" || e.Retry != 14*time.Minute {
		t.Fatalf("the right password of a locked pair: %+v", e)
	}
	for name, a := range map[string]identity.Attempt{
		"another address": attempt(field.ID, "ada", testkit.Password, away),
		"another account": attempt(field.ID, "bora", testkit.Password, home),
		"another tenant":  attempt(rival.ID, "ada", testkit.Password, home),
	} {
		if e := sign(a); e != nil {
			t.Errorf("%s is locked too: %v", name, e)
		}
	}
	s.Clock.Advance(14*time.Minute - time.Second)
	if e := sign(right); e == nil || e.Kind != errs.TooMany || e.Retry != time.Second {
		t.Errorf("a second before the end: %+v", e)
	}
	s.Clock.Advance(time.Second)
	if e := sign(wrong); e == nil || e.Kind != errs.Refused {
		t.Errorf("after the lock one failure locks again: %+v", e)
	}
	if e := sign(right); e != nil {
		t.Errorf("after the lock: %v", e)
	}
}

// Accounts that do not exist are locked alike, so that a lock tells nothing.
func TestSignInLockOfUnknownAccounts(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	a := attempt(field.ID, "nobody", "wrong", home)
	for range 10 {
		if _, err := s.SignIn.Password(t.Context(), a); !errs.Is(err, errs.Refused) {
			t.Fatal(err)
		}
	}
	if _, err := s.SignIn.Password(t.Context(), a); !errs.Is(err, errs.TooMany) {
		t.Error(err)
	}
}

// A success forgets the failures before it, and failures are forgotten after a
// quarter of an hour.
func TestSignInFailuresAreForgotten(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	wrong, right := attempt(field.ID, "ada", "wrong", home), attempt(field.ID, "ada", testkit.Password, home)
	for round, forget := range []func(){
		func() {
			if _, err := s.SignIn.Password(t.Context(), right); err != nil {
				t.Fatal(err)
			}
		},
		func() { s.Clock.Advance(15 * time.Minute) },
		func() {},
	} {
		for range 9 {
			if _, err := s.SignIn.Password(t.Context(), wrong); !errs.Is(err, errs.Refused) {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		forget()
	}
	if _, err := s.SignIn.Password(t.Context(), wrong); !errs.Is(err, errs.Refused) {
		t.Fatal(err)
	}
	if _, err := s.SignIn.Password(t.Context(), right); !errs.Is(err, errs.TooMany) {
		t.Errorf("ten failures in a row: %v", err)
	}
}

// What cannot be read from the database is a fault, never a wrong password.
func TestSignInFault(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	if err := s.Users.PutPassword(t.Context(), field.ID, field.Ada.ID, "garbage"); err != nil {
		t.Fatal(err)
	}
	for range 11 {
		if _, err := s.SignIn.Password(t.Context(), attempt(field.ID, "ada", testkit.Password, home)); !errs.Is(err, errs.Internal) {
			t.Fatal(err)
		}
	}
}
