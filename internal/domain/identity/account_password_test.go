package identity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func TestChangePassword(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, phone)
	second, bora := f.Session(t, f.field.Ada), f.Session(t, f.field.Bora)
	c := f.caller(t, f.pair)
	secondID := f.caller(t, second).Session
	code := f.requestCode(t, c, phone)
	if err := f.Account.ChangePassword(t.Context(), c, code, "new pass"); err != nil {
		t.Fatal(err)
	}
	f.caller(t, f.pair) // the caller's session goes on
	f.caller(t, bora)
	f.wantUnauthorized(t, "the other session", second.Access)
	if _, err := f.Sessions.Refresh(t.Context(), second.Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("the other session's refresh token: %v", err)
	}
	f.refresh(t, f.pair.Refresh)
	if !slices.Equal(f.ended, []int64{secondID}) {
		t.Errorf("the ended sessions are %v, want %d", f.ended, secondID)
	}
	if _, err := f.SignIn.WithPassword(t.Context(), attempt(f.field.ID, "ada", "new pass", homeAddr)); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if _, err := f.SignIn.WithPassword(t.Context(), attempt(f.field.ID, "ada", testkit.Password,
		homeAddr)); err == nil {
		t.Error("the old password is still valid")
	}
	wantRefused(t, "the code again", f.Account.ChangePassword(t.Context(), c, code, "another one"), "phone.codeOver")
}

// A password that the provider reset can be changed like any other.
func TestChangePasswordAfterReset(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, phone)
	if err := f.Users.PutPassword(t.Context(), f.field.ID, f.field.Ada.ID,
		testkit.PasswordHash("one-time")); err != nil {
		t.Fatal(err)
	}
	if err := f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	pair, err := f.SignIn.WithPassword(t.Context(), attempt(f.field.ID, "ada", "one-time", homeAddr))
	if err != nil {
		t.Fatal(err)
	}
	c := f.caller(t, pair)
	if err := f.Account.ChangePassword(t.Context(), c, f.requestCode(t, c, phone), "my own"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SignIn.WithPassword(t.Context(), attempt(f.field.ID, "ada", "my own", homeAddr)); err != nil {
		t.Error(err)
	}
}

func TestPasswordRefusals(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	f.setMobile(t, f.field.Ada, "")
	wantRefused(t, "no mobile", f.Account.ChangePassword(t.Context(), c, "000000", "new pass"), "password.bindFirst")
	f.setMobile(t, f.field.Ada, phone)
	before, err := f.Users.PasswordHash(t.Context(), f.field.ID, f.field.Ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "no code sent", f.Account.ChangePassword(t.Context(), c, "000000", "new pass"), "phone.codeOver")
	// A code for another number changes no password.
	elsewhere := f.requestCode(t, c, mobileNumber(9))
	wantRefused(t, "another phone's code", f.Account.ChangePassword(t.Context(), c, elsewhere, "new pass"),
		"phone.codeOver")
	f.Clock.Advance(time.Minute)
	code := f.requestCode(t, c, phone)
	for _, row := range [][3]string{
		{"", "new pass", "phone.codeRequired"}, {"  ", "", "phone.codeRequired"}, {code, "", "password.required"}, {code, "şşşşş", "password.min"},
		{code, strings.Repeat("ş", 257), "invalid.long"}, {wrongCode(code), "new pass", "phone.codeWrong"},
	} {
		wantRefused(t, fmt.Sprintf("%.20q", row), f.Account.ChangePassword(t.Context(), c, row[0], row[1]), row[2])
	}
	if after, _ := f.Users.PasswordHash(t.Context(), f.field.ID, f.field.Ada.ID); after != before ||
		len(f.Mails.Sent()) != 0 || len(f.ended) != 0 {
		t.Error("a refused password changed something")
	}
	for i, password := range []string{"şşşşşş", strings.Repeat("ş", 256)} {
		if err := f.Account.ChangePassword(t.Context(), c, code, password); err != nil {
			t.Errorf("%d characters: %v", len([]rune(password)), err)
		}
		if i == 0 {
			f.Clock.Advance(time.Minute)
			code = f.requestCode(t, c, phone)
		}
	}
}

// The configured minimum length applies to new passwords; an earlier, shorter password stays valid.
func TestConfiguredMinPasswordLength(t *testing.T) {
	f := newSessionFixture(t, false)
	parts := f.Account.AccountDeps
	parts.MinPasswordLength = 12
	account := identity.NewAccount(parts)
	c := f.caller(t, f.pair)
	f.setMobile(t, f.field.Ada, phone)
	code := f.requestCode(t, c, phone)
	err := account.ChangePassword(t.Context(), c, code, strings.Repeat("ş", 11))
	wantRefused(t, "11 characters", err, "password.minOf")
	if e := errs.As(err); e.Args["count"] != "12" {
		t.Errorf("the refusal does not name the length: %v", e.Args)
	}
	if err := account.ChangePassword(t.Context(), c, code, strings.Repeat("ş", 12)); err != nil {
		t.Errorf("12 characters: %v", err)
	}
}

// An overload of the server uses up no code.
func TestFailedPasswordChangeKeepsCode(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, phone)
	c := f.caller(t, f.pair)
	code := f.requestCode(t, c, phone)
	busy, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Account.ChangePassword(busy, c, code, "new pass"); err == nil {
		t.Fatal("the password changed")
	}
	if err := f.Account.ChangePassword(t.Context(), c, code, "new pass"); err != nil {
		t.Errorf("the code is used up: %v", err)
	}
}
