package identity_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/audit"
	"tilth/internal/errs"
	"tilth/internal/identity"
	"tilth/internal/testkit"
)

// slow is a sign-in before whose session something else happens.
type slow struct {
	*identity.SignIn
	looked    int // at the clock: when an attempt begins, and when its password has been verified
	meanwhile func()
}

// looks is at which look at the clock an attempt's password has been verified: four are what it waits for
// before.
const looks = 5

func newSlow(s *testkit.Stores) *slow {
	l := &slow{}
	l.SignIn = identity.NewSignIn(identity.SignInParts{
		Tenants: s.Tenants, Users: s.Users, Sessions: s.Sessions, Hasher: identity.NewHasherAt(testkit.PasswordCost, nil), Captcha: identity.Captcha{Demand: identity.DemandOff},
		Now: func() time.Time {
			if l.looked++; l.looked == looks && l.meanwhile != nil {
				l.meanwhile()
			}
			return s.Clock.Now()
		},
	})
	return l
}

// ends does something to a user as whoever ends the user's sessions with it.
func ends(t *testing.T, s *testkit.Stores, u *identity.User, what func(ctx context.Context) error) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		if err := what(ctx); err != nil {
			return err
		}
		return s.Sessions.EndUser(ctx, u.Tenant, u.ID)
	})
	if err != nil {
		t.Error(err)
	}
}

// What ends the sessions of a user keeps out, too, who is about to begin one
// with what was valid before: that fails like any wrong password.
func TestSignInOvertaken(t *testing.T) {
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
			u, in := s.User(t, field.ID, name), newSlow(s)
			in.meanwhile = func() {
				ends(t, s, u, func(ctx context.Context) error { return what(ctx, u) })
			}
			ctx := s.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.User, Address: home})
			pair, err := in.Password(ctx, attempt(field.ID, name, testkit.Password, home))
			if err == nil || errs.As(err).Kind != errs.Refused || errs.As(err).Key != "signin.fail" || pair != (identity.Pair{}) {
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
				t.Errorf("the log says %+v %v", list, err)
			}
		})
	}
}

// A sign-in that was overtaken counts as a failure, and no failure before it is
// forgiven.
func TestSignInOvertakenCounts(t *testing.T) {
	s := testkit.NewStores(t)
	field, in := s.Tenant(t, "field"), newSlow(s)
	right := attempt(field.ID, "ada", testkit.Password, home)
	for i := range 11 {
		a, want := attempt(field.ID, "ada", "wrong", home), "signin.fail"
		switch i {
		case 9:
			a, in.looked = right, 0
			in.meanwhile = func() {
				ends(t, s, field.Ada, func(ctx context.Context) error {
					return s.Users.PutPassword(ctx, field.ID, field.Ada.ID, testkit.PasswordHash("another one"))
				})
			}
		case 10:
			want = "signin.locked"
		}
		s.Clock.Advance(30 * time.Second) // as guesses from where nobody is known wait
		if _, err := in.Password(t.Context(), a); err == nil || errs.As(err).Key != want {
			t.Errorf("attempt %d: %v", i+1, err)
		}
	}
}

// Who was shut out by a reset does not undo it with a change of password that
// was under way.
func TestChangePasswordOvertaken(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, phone)
	c := f.caller(t, f.pair)
	code := f.code(t, c, phone)
	reset := testkit.PasswordHash("from the provider")
	ends(t, f.Stores, f.field.Ada, func(ctx context.Context) error { return f.Users.PutPassword(ctx, f.field.ID, f.field.Ada.ID, reset) })
	if err := f.Account.ChangePassword(t.Context(), c, code, "new pass"); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("changed all the same: %v", err)
	}
	if now, err := f.Users.PasswordHash(t.Context(), f.field.ID, f.field.Ada.ID); err != nil || now != reset {
		t.Errorf("another password, %v", err)
	}
}
