package identity_test

import (
	"net/netip"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

const homeAddr, otherAddr = "203.0.113.1", "203.0.113.2"

func attempt(t tenant.ID, userName, password, address string) identity.Attempt {
	return identity.Attempt{Tenant: t, UserName: userName, Password: password, Address: netip.MustParseAddr(address)}
}

// signInFixture is a SignIn with a captcha that the test can solve.
type signInFixture struct {
	*testkit.Stores
	t *testing.T
}

func newSignInFixture(t *testing.T) *signInFixture {
	return &signInFixture{Stores: testkit.NewStores(t), t: t}
}

// signIn tries to sign in without a captcha.
func (g *signInFixture) signIn(a identity.Attempt) *errs.Error {
	g.t.Helper()
	pair, err := g.SignIn.WithPassword(g.t.Context(), a)
	if err == nil {
		if pair.Access == "" {
			g.t.Error("the sign-in gave no token")
		}
		return nil
	}
	if pair != (identity.TokenPair{}) {
		g.t.Errorf("the sign-in failed with %v, but gave %+v", err, pair)
	}
	return errs.As(err)
}

// signInWithCaptcha solves a captcha and tries to sign in.
func (g *signInFixture) signInWithCaptcha(a identity.Attempt) *errs.Error {
	g.t.Helper()
	a.Verification = g.Slider.Verification(g.t)
	return g.signIn(a)
}

// failSignIns fails several times, with a captcha each time, and waits if a lock requires it.
func (g *signInFixture) failSignIns(a identity.Attempt, times int) {
	g.t.Helper()
	a.Password = "wrong"
	for i := range times {
		e := g.signInWithCaptcha(a)
		if e != nil && e.Kind == errs.TooMany &&
			e.Retry <= 30*time.Second { // guesses from an unfamiliar subnet have to wait
			g.Clock.Advance(e.Retry)
			e = g.signInWithCaptcha(a)
		}
		if e == nil || e.Key != "signin.fail" {
			g.t.Fatalf("failure %d: %v", i+1, e)
		}
	}
}

func TestSignIn(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	for name, userName := range map[string]string{"as it is": "ada", "in capitals": "ADA"} {
		pair, err := s.SignIn.WithPassword(t.Context(), attempt(field.ID, userName, testkit.Password, homeAddr))
		if err != nil || pair.UserID != field.Ada.ID {
			t.Fatalf("%s: %+v %v", name, pair, err)
		}
		c, err := s.Sessions.Caller(t.Context(), pair.Access)
		if err != nil || c.Tenant != field.ID || c.User != field.Ada.ID || c.Expires != pair.Expires ||
			pair.Expires != s.Clock.Milli()+identity.AccessLife.Milliseconds() {
			t.Errorf("%s: %+v %v", name, c, err)
		}
	}
	pair, err := s.SignIn.WithPassword(t.Context(), attempt(rival.ID, "ada", testkit.Password, homeAddr))
	if err != nil || pair.UserID != rival.Ada.ID {
		t.Errorf("the other tenant's ada: %+v %v", pair, err)
	}
}

// An unknown user, a wrong password, an unknown tenant and a disabled account get the same refusal.
func TestSignInRefusals(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	field.Bora.Disabled = true
	if err := g.Users.Update(t.Context(), field.ID, field.Bora); err != nil {
		t.Fatal(err)
	}
	networks := 0
	for name, a := range map[string]identity.Attempt{
		"wrong password": attempt(field.ID, "ada", "wrong", homeAddr),
		"no password":    attempt(field.ID, "ada", "", homeAddr),
		"wrong user":     attempt(field.ID, "eve", testkit.Password, homeAddr),
		"no tenant":      attempt(0, "ada", testkit.Password, homeAddr),
		"disabled":       attempt(field.ID, "bora", testkit.Password, homeAddr),
		"folded too far": attempt(field.ID, "adá", testkit.Password, homeAddr),
	} {
		networks++
		a.Address = netip.AddrFrom4([4]byte{10, 0, byte(networks), 1})
		e := g.signInWithCaptcha(a)
		if e == nil || e.Kind != errs.Refused || e.Key != "signin.fail" || e.Field != "" || e.Args != nil ||
			e.Data != nil {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// Ten failures of one account from one address lock that pair for 15 minutes, but neither other
// accounts nor other addresses.
func TestSignInLock(t *testing.T) {
	g := newSignInFixture(t)
	field, rival := g.Tenant(t, "field"), g.Tenant(t, "rival")
	wrong, right := attempt(field.ID, "ada", "wrong", homeAddr), attempt(field.ID, "ada", testkit.Password, homeAddr)
	for _, a := range []identity.Attempt{attempt(field.ID, "bora", testkit.Password, homeAddr), attempt(rival.ID, "ada", testkit.Password, homeAddr)} {
		if e := g.signIn(a); e != nil { // make the subnet familiar to them
			t.Fatal(e)
		}
	}
	for i := range 10 {
		if i%2 == 1 {
			wrong.UserName = "ADA" // the same account
		}
		g.failSignIns(wrong, 1)
		g.Clock.Advance(time.Minute)
	}
	for name, e := range map[string]*errs.Error{"plain": g.signIn(right), "with a captcha": g.signInWithCaptcha(right)} {
		if e == nil || e.Kind != errs.TooMany || e.Key != "signin.locked" || e.Retry != 14*time.Minute {
			t.Fatalf("the right password of a locked pair, %s: %+v", name, e)
		}
	}
	for name, a := range map[string]identity.Attempt{
		"another address": attempt(field.ID, "ada", testkit.Password, otherAddr),
		"another account": attempt(field.ID, "bora", testkit.Password, homeAddr),
		"another tenant":  attempt(rival.ID, "ada", testkit.Password, homeAddr),
	} {
		if e := g.signInWithCaptcha(a); e != nil {
			t.Errorf("%s is locked too: %v", name, e)
		}
	}
	g.Clock.Advance(14*time.Minute - time.Second)
	if e := g.signInWithCaptcha(right); e == nil || e.Kind != errs.TooMany || e.Retry != time.Second {
		t.Errorf("a second before the end: %+v", e)
	}
	g.Clock.Advance(time.Second)
	g.failSignIns(wrong, 1)
	if e := g.signInWithCaptcha(right); e != nil {
		t.Errorf("after the lock one failure locks again: %v", e)
	}
}

// Accounts that do not exist are locked too, so that a lock does not reveal which exist.
func TestSignInLockOfUnknownAccounts(t *testing.T) {
	g := newSignInFixture(t)
	a := attempt(g.Tenant(t, "field").ID, "nobody", "wrong", homeAddr)
	g.failSignIns(a, 10)
	if e := g.signInWithCaptcha(a); e == nil || e.Kind != errs.TooMany {
		t.Error(e)
	}
}

// A success clears the earlier failures of the account with the address, and failures expire after
// a quarter of an hour.
func TestSignInFailuresAreForgotten(t *testing.T) {
	g := newSignInFixture(t)
	a := attempt(g.Tenant(t, "field").ID, "ada", testkit.Password, homeAddr)
	g.failSignIns(a, 9)
	g.Clock.Advance(30 * time.Second)
	if e := g.signInWithCaptcha(a); e != nil {
		t.Fatal(e)
	}
	g.failSignIns(a, 9)
	g.Clock.Advance(15 * time.Minute)
	g.failSignIns(a, 9)
	if e := g.signInWithCaptcha(a); e != nil {
		t.Fatal(e)
	}
	g.failSignIns(a, 10)
	if e := g.signInWithCaptcha(a); e == nil || e.Kind != errs.TooMany {
		t.Errorf("ten failures in a row: %v", e)
	}
}

// An unreadable password hash is an internal error, never a wrong password.
func TestSignInUnreadableHashIsInternalError(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	if err := g.Users.PutPassword(t.Context(), field.ID, field.Ada.ID, "garbage"); err != nil {
		t.Fatal(err)
	}
	for range 11 {
		if e := g.signIn(attempt(field.ID, "ada", testkit.Password, homeAddr)); e == nil || e.Kind != errs.Internal {
			t.Fatal(e)
		}
	}
}
