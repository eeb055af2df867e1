package identity_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// interruptedSignIn is a SignIn that calls interrupt between the verification and the session.
type interruptedSignIn struct {
	*identity.SignIn
	clockReads int // how often an attempt has read the clock
	interrupt  func()
}

// readsBeforeSession is the number of the clock read after an attempt's password was verified; the
// six before check its locks.
const readsBeforeSession = 7

func newInterruptedSignIn(s *testkit.Stores) *interruptedSignIn {
	l := &interruptedSignIn{}
	l.SignIn = identity.NewSignIn(identity.SignInDeps{
		Tenants:  s.Tenants,
		Users:    s.Users,
		Sessions: s.Sessions,
		Hasher:   identity.NewHasherAt(testkit.PasswordCost, nil),
		Captcha:  identity.Captcha{Policy: identity.CaptchaOff},
		Now: func() time.Time {
			if l.clockReads++; l.clockReads == readsBeforeSession && l.interrupt != nil {
				l.interrupt()
			}
			return s.Clock.Now()
		},
	})
	return l
}

// changeAndEndSessions changes a user and ends the user's sessions, in one transaction.
func changeAndEndSessions(t *testing.T, s *testkit.Stores, u *identity.User, change func(ctx context.Context) error) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		if err := change(ctx); err != nil {
			return err
		}
		return s.Sessions.EndUser(ctx, u.Tenant, u.ID)
	})
	if err != nil {
		t.Error(err)
	}
}

// A change that ends a user's sessions also makes a sign-in fail that was verified before the
// change: it fails like a wrong password.
func TestSignInFailsWhenSessionsEndMeanwhile(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	other := testkit.PasswordHash("another one")
	for name, what := range map[string]func(ctx context.Context, u *identity.User) error{
		"changed": func(ctx context.Context, u *identity.User) error {
			return s.Users.PutPassword(ctx, field.ID, u.ID, other)
		},
		"disabled": func(ctx context.Context, u *identity.User) error {
			u.Disabled = true
			return s.Users.Update(ctx, field.ID, u)
		},
		"deleted": func(ctx context.Context, u *identity.User) error { return s.Users.Delete(ctx, field.ID, u.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			u, in := s.User(t, field.ID, name), newInterruptedSignIn(s)
			in.interrupt = func() {
				changeAndEndSessions(t, s, u, func(ctx context.Context) error { return what(ctx, u) })
			}
			ctx := s.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.User, Address: homeAddr})
			pair, err := in.WithPassword(ctx, attempt(field.ID, name, testkit.Password, homeAddr))
			if err == nil || errs.As(err).Kind != errs.Refused || errs.As(err).Key != "signin.fail" ||
				pair != (identity.TokenPair{}) {
				t.Errorf("%+v %v", pair, err)
			}
			if n, err := s.DB.Read(t.Context()).NewSelect().Table("sessions").Count(t.Context()); err != nil || n != 0 {
				t.Errorf("%d sessions %v", n, err)
			}
			if err := s.Audit.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			list, _, err := s.Audit.Page(t.Context(), field.ID, audit.Query{Limit: 1})
			if err != nil || len(list) != 1 || list[0].Action != "fail" || list[0].Thing.ID != u.ID {
				t.Errorf("the audit log has %+v %v", list, err)
			}
		})
	}
}

// An invalidated sign-in counts as a failure, and clears no earlier failure.
func TestInvalidatedSignInCountsAsFailure(t *testing.T) {
	s := testkit.NewStores(t)
	field, in := s.Tenant(t, "field"), newInterruptedSignIn(s)
	right := attempt(field.ID, "ada", testkit.Password, homeAddr)
	for i := range 11 {
		a, want := attempt(field.ID, "ada", "wrong", homeAddr), "signin.fail"
		switch i {
		case 9:
			a, in.clockReads = right, 0
			in.interrupt = func() {
				changeAndEndSessions(t, s, field.Ada, func(ctx context.Context) error {
					return s.Users.PutPassword(ctx, field.ID, field.Ada.ID, testkit.PasswordHash("another one"))
				})
			}
		case 10:
			want = "signin.locked"
		}
		s.Clock.Advance(30 * time.Second) // guesses from an unfamiliar subnet have to wait
		if _, err := in.WithPassword(t.Context(), a); err == nil || errs.As(err).Key != want {
			t.Errorf("attempt %d: %v", i+1, err)
		}
	}
}

// A change of password that was under way does not undo a reset that ended its session.
func TestChangePasswordFailsAfterReset(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, phone)
	c := f.caller(t, f.pair)
	code := f.requestCode(t, c, phone)
	reset := testkit.PasswordHash("from the provider")
	changeAndEndSessions(t, f.Stores, f.field.Ada, func(ctx context.Context) error {
		return f.Users.PutPassword(ctx, f.field.ID, f.field.Ada.ID, reset)
	})
	if err := f.Account.ChangePassword(t.Context(), c, code, "new pass"); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("the change succeeded: %v", err)
	}
	if now, err := f.Users.PasswordHash(t.Context(), f.field.ID, f.field.Ada.ID); err != nil || now != reset {
		t.Errorf("the stored password is another, %v", err)
	}
}
