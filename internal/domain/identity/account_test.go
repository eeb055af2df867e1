package identity_test

import (
	"net/netip"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// requestCode requests a code for a number and returns it.
func (f *sessionFixture) requestCode(t *testing.T, c identity.Caller, mobile string) string {
	t.Helper()
	r := identity.CodeRequest{
		Mobile: mobile, Purpose: 2, Language: text.English, Address: netip.MustParseAddr(homeAddr),
	}
	if err := f.Account.SendCode(t.Context(), c, r); err != nil {
		t.Fatal(err)
	}
	return f.Phones.Code(t, identity.E164(mobile))
}

// setMobile sets a user's number as the provider does.
func (f *sessionFixture) setMobile(t *testing.T, u *identity.User, mobile string) {
	t.Helper()
	u.Mobile = mobile
	if err := f.Users.Update(t.Context(), u.Tenant, u); err != nil {
		t.Fatal(err)
	}
}

func (f *sessionFixture) mobile(t *testing.T, u *identity.User) string {
	t.Helper()
	got, err := f.Users.Get(t.Context(), u.Tenant, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got.Mobile
}

func mobileChange(mobile, code string) identity.MobileChange {
	return identity.MobileChange{Mobile: mobile, Purpose: 2, Code: code}
}

// wantRefused fails the test unless err refuses with key.
func wantRefused(t *testing.T, what string, err error, key string) {
	t.Helper()
	if e := errs.As(err); err == nil || e.Kind != errs.Refused || e.Key != key {
		t.Errorf("%s: %v, want %s", what, err, key)
	}
}

// wrongCode gives a code that differs from code.
func wrongCode(code string) string {
	if code[0] == '9' {
		return "0" + code[1:]
	}
	return string(code[0]+1) + code[1:]
}

func TestUpdateProfile(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, "+8613800138000")
	c := f.caller(t, f.pair)
	own, bora := c.User, f.field.Bora.ID
	for name, p := range map[string]identity.Profile{
		"all":           {ID: &own, Nickname: " Ada L. ", Email: " l@example.com ", Mobile: new("+8613800138000")},
		"no mobile":     {Nickname: "Ada L.", Email: "l@example.com"},
		"a bare mobile": {Nickname: "Ada L.", Email: "l@example.com", Mobile: new(" 13800138000 ")},
	} {
		if err := f.Account.UpdateProfile(t.Context(), c, p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := *f.field.Ada
		want.Nickname, want.Email, want.LastSignIn = "Ada L.", "l@example.com", f.Clock.Now().UnixMilli()
		if got, err := f.Users.Get(t.Context(), f.field.ID, c.User); err != nil || *got != want {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	profile := func(mobile string) identity.Profile {
		return identity.Profile{Nickname: "X", Email: "x@example.com", Mobile: &mobile}
	}
	wantRefused(t, "another number", f.Account.UpdateProfile(t.Context(), c, profile("+8613800138001")),
		"profile.mobileFixed")
	wantRefused(t, "another Chinese number", f.Account.UpdateProfile(t.Context(), c, profile("13800138001")),
		"profile.mobileFixed")
	wantRefused(t, "without + and not Chinese", f.Account.UpdateProfile(t.Context(), c, profile("905551112233")),
		"profile.mobileFormat")
	wantRefused(t, "no number", f.Account.UpdateProfile(t.Context(), c, profile("+x")), "phone.format")
	wantRefused(t, "emptied", f.Account.UpdateProfile(t.Context(), c, profile(" ")), "phone.required")
	wantRefused(t, "no nickname", f.Account.UpdateProfile(t.Context(), c, identity.Profile{Email: "x@example.com"}),
		"profile.nicknameRequired")
	wantRefused(t, "no e-mail", f.Account.UpdateProfile(t.Context(), c, identity.Profile{Nickname: "X"}),
		"profile.emailRequired")
	for _, id := range []int64{bora, 0, -1, 9999} {
		if err := f.Account.UpdateProfile(t.Context(), c, identity.Profile{ID: &id, Nickname: "X",
			Email: "x@example.com"}); !errs.Is(err, errs.NotFound) {
			t.Errorf("user %d: %v", id, err)
		}
	}
	if got, _ := f.Users.Get(t.Context(), f.field.ID, c.User); got.Nickname != "Ada L." {
		t.Errorf("changed: %+v", got)
	}
	if got, _ := f.Users.Get(t.Context(), f.field.ID, bora); *got != *f.field.Bora {
		t.Errorf("changed: %+v", got)
	}
	f.setMobile(t, f.field.Ada, "+905551112233")
	if err := f.Account.UpdateProfile(t.Context(), c, profile("+905551112233")); err != nil {
		t.Errorf("a bound international number: %v", err)
	}
	f.setMobile(t, f.field.Ada, "")
	if err := f.Account.UpdateProfile(t.Context(), c, profile("")); err != nil {
		t.Errorf("none and none: %v", err)
	}
}

// The same call with another tenant's id finds no user and changes nothing.
func TestAccountTenantIsolation(t *testing.T) {
	f := newSessionFixture(t, false)
	rival := f.Tenant(t, "rival")
	f.setMobile(t, f.field.Ada, phone)
	mine := f.caller(t, f.pair)
	code := f.requestCode(t, mine, phone)
	for _, owner := range []tenant.ID{rival.ID, 0, 99} {
		outsider := mine
		outsider.Tenant = owner
		if owner == rival.ID && rival.Ada.ID == mine.User {
			t.Fatal("the users have the same id")
		}
		for name, err := range map[string]error{
			"UpdateProfile":  f.Account.UpdateProfile(t.Context(), outsider, identity.Profile{Nickname: "taken", Email: "taken@example.com"}),
			"UpdateMobile":   f.Account.UpdateMobile(t.Context(), outsider, mobileChange(phone, code)),
			"BindMobile":     f.Account.BindMobile(t.Context(), outsider, mobileChange(phone, code)),
			"ChangePassword": f.Account.ChangePassword(t.Context(), outsider, code, "taken over"),
		} {
			if !errs.Is(err, errs.NotFound) {
				t.Errorf("%s as tenant %d: %v", name, owner, err)
			}
		}
		if err := f.Sessions.EndOthers(t.Context(), owner, mine.User, 0); err != nil {
			t.Error(err)
		}
	}
	want := *f.field.Ada
	want.LastSignIn = f.Clock.Now().UnixMilli()
	if got, err := f.Users.Get(t.Context(), f.field.ID, mine.User); err != nil || *got != want {
		t.Errorf("%+v %v", got, err)
	}
	if f.caller(t, f.pair) != mine || len(f.ended) != 0 {
		t.Error("the session ended")
	}
	if err := f.Account.ChangePassword(t.Context(), mine, code, "my own"); err != nil {
		t.Errorf("its owner: %v", err)
	}
}
