package identity_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
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

func TestUpdateMobile(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, "+905559999999")
	c := f.caller(t, f.pair)
	for typed, want := range map[string]string{"+905550000001": "+905550000001", " 13800138000 ": "+8613800138000", "905550000002": "+905550000002"} {
		code := f.requestCode(t, c, strings.TrimSpace(typed))
		if err := f.Account.UpdateMobile(t.Context(), c, mobileChange(typed, " "+code+" ")); err != nil {
			t.Fatalf("%s: %v", typed, err)
		}
		if got := f.mobile(t, f.field.Ada); got != want {
			t.Errorf("%s became %s", typed, got)
		}
		wantRefused(t, "the code again", f.Account.UpdateMobile(t.Context(), c, mobileChange(typed, code)),
			"phone.codeOver")
		f.Clock.Advance(time.Minute)
	}
	if f.caller(t, f.pair) != c {
		t.Error("the session changed")
	}
}

// A wrong request is refused before any code is checked.
func TestMobileRefusals(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, "")
	c := f.caller(t, f.pair)
	for name, act := range map[string]func(context.Context, identity.Caller, identity.MobileChange) error{
		"update": f.Account.UpdateMobile, "bind": f.Account.BindMobile,
	} {
		for _, row := range []struct {
			m   identity.MobileChange
			key string
		}{
			{identity.MobileChange{Purpose: 2, Code: "1"}, "phone.required"},
			{identity.MobileChange{Mobile: "  ", Purpose: 2, Code: "1"}, "phone.required"},
			{identity.MobileChange{Mobile: "0555", Purpose: 2, Code: "1"}, "phone.format"},
			{identity.MobileChange{Mobile: phone + "\r\n1", Purpose: 2, Code: "1"}, "phone.format"},
			{identity.MobileChange{Mobile: phone, Purpose: 1, Code: "1"}, "invalid.choice"},
			{identity.MobileChange{Mobile: phone, Code: "1"}, "invalid.choice"},
			{identity.MobileChange{Mobile: phone, Purpose: 2, Code: " "}, "phone.codeRequired"},
			{identity.MobileChange{Mobile: phone, Purpose: 2, Code: "000000"}, "phone.codeOver"}, // none was sent
		} {
			wantRefused(t, fmt.Sprint(name, row.m), act(t.Context(), c, row.m), row.key)
		}
	}
	for _, row := range []struct {
		r   identity.CodeRequest
		key string
	}{
		{identity.CodeRequest{Purpose: 2}, "phone.required"}, {identity.CodeRequest{Mobile: "x", Purpose: 2}, "phone.format"},
		{identity.CodeRequest{Mobile: phone, Purpose: 3}, "invalid.choice"}, {identity.CodeRequest{Mobile: phone}, "invalid.choice"},
	} {
		wantRefused(t, fmt.Sprint(row.r), f.Account.SendCode(t.Context(), c, row.r), row.key)
	}
	if len(f.Phones.Sent()) != 0 {
		t.Error(f.Phones.Sent())
	}
}

func TestBindMobileOnlyWithoutMobile(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	f.setMobile(t, f.field.Ada, "+905559999999")
	code := f.requestCode(t, c, phone)
	wantRefused(t, "bound", f.Account.BindMobile(t.Context(), c, mobileChange(phone, code)), "phone.bound")
	f.setMobile(t, f.field.Ada, "")
	if err := f.Account.BindMobile(t.Context(), c, mobileChange(phone, code)); err != nil ||
		f.mobile(t, f.field.Ada) != phone {
		t.Errorf("%v", err)
	}
}

// Five wrong guesses end a code; the right code then comes too late. A new code has five guesses
// again.
func TestCodeEndsAfterFiveWrongGuesses(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, "+905559999999")
	c := f.caller(t, f.pair)
	code := f.requestCode(t, c, phone)
	guess := func(code string) error { return f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, code)) }
	for i, try := range []string{wrongCode(code), "1", strings.Repeat("1", 1000), code + "0"} {
		wantRefused(t, fmt.Sprint("guess ", i+1), guess(try), "phone.codeWrong")
	}
	wantRefused(t, "the fifth", guess(wrongCode(code)), "phone.codeOver")
	wantRefused(t, "the right one, too late", guess(code), "phone.codeOver")
	f.Clock.Advance(time.Minute)
	code = f.requestCode(t, c, phone)
	for range 4 {
		wantRefused(t, "a guess", guess(wrongCode(code)), "phone.codeWrong")
	}
	if err := guess(code); err != nil {
		t.Errorf("the right one, fifth: %v", err)
	}
}

// Of many concurrent guesses, no more than five are checked.
func TestConcurrentCodeGuessesAreLimited(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	code := f.requestCode(t, c, phone)
	var wg sync.WaitGroup
	var mu sync.Mutex
	said := map[string]int{}
	for range 20 {
		wg.Go(func() {
			err := f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, wrongCode(code)))
			mu.Lock()
			defer mu.Unlock()
			said[errs.As(err).Key]++
		})
	}
	wg.Wait()
	if said["phone.codeWrong"] != 4 || said["phone.codeOver"] != 16 {
		t.Error(said)
	}
}

// Of many concurrent requests with the right code, one succeeds.
func TestCodeIsUsedOnce(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, "")
	c := f.caller(t, f.pair)
	code := f.requestCode(t, c, phone)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range 8 {
		wg.Go(func() {
			if err := f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, code)); err == nil {
				mu.Lock()
				done++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if done != 1 {
		t.Errorf("the code was used %d times", done)
	}
}

func TestCodeExpires(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	first := f.requestCode(t, c, phone)
	f.Clock.Advance(identity.CodeLife)
	wantRefused(t, "after it expired", f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, first)),
		"phone.codeOver")
	second := f.requestCode(t, c, phone)
	if first != second {
		wantRefused(t, "the earlier code", f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, first)),
			"phone.codeWrong")
	}
	f.Clock.Advance(identity.CodeLife - time.Millisecond)
	if err := f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, second)); err != nil {
		t.Errorf("just before it expires: %v", err)
	}
}

// A code is valid only for the user, the number and the tenant that it was sent for.
func TestCodeIsBoundToUserNumberAndTenant(t *testing.T) {
	f := newSessionFixture(t, false)
	rival := f.Tenant(t, "rival")
	ada, bora, enemy := f.caller(t, f.pair), f.caller(t, f.Session(t, f.field.Bora)),
		f.caller(t, f.Session(t, rival.Ada))
	code := f.requestCode(t, ada, phone)
	before := f.mobile(t, f.field.Bora)
	wantRefused(t, "another user", f.Account.UpdateMobile(t.Context(), bora, mobileChange(phone, code)),
		"phone.codeOver")
	wantRefused(t, "another tenant", f.Account.UpdateMobile(t.Context(), enemy, mobileChange(phone, code)),
		"phone.codeOver")
	wantRefused(t, "another number", f.Account.UpdateMobile(t.Context(), ada, mobileChange(mobileNumber(7), code)),
		"phone.codeOver")
	mixed := enemy // a mix that no token can yield
	mixed.User = ada.User
	if mixed.User != enemy.User {
		if err := f.Account.UpdateMobile(t.Context(), mixed, mobileChange(phone, code)); err == nil {
			t.Error("the tenant is not checked")
		}
	}
	// Two users request a code for the same number.
	f.Clock.Advance(time.Minute)
	other := f.requestCode(t, bora, phone)
	if other != code {
		wantRefused(t, "the other's code", f.Account.UpdateMobile(t.Context(), bora, mobileChange(phone, code)),
			"phone.codeWrong")
	}
	if err := f.Account.UpdateMobile(t.Context(), ada, mobileChange(phone, code)); err != nil {
		t.Errorf("its owner: %v", err)
	}
	if f.mobile(t, f.field.Bora) != before || f.mobile(t, rival.Ada) != rival.Ada.Mobile {
		t.Error("somebody else's number changed")
	}
}

// Only a caller who holds the phone learns that another user has its number; until then all
// responses are as for an unused number.
func TestMobileInUseRevealedOnlyAfterCode(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, "+905559999999")
	f.setMobile(t, f.field.Bora, phone)
	c := f.caller(t, f.pair)
	code := f.requestCode(t, c, phone)
	wantRefused(t, "a guess", f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, wrongCode(code))),
		"phone.codeWrong")
	wantRefused(t, "the code", f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, code)), "phone.inUse")
	wantRefused(t, "the code again", f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, code)),
		"phone.codeOver")
	if f.mobile(t, f.field.Ada) != "+905559999999" || f.mobile(t, f.field.Bora) != phone || len(f.Postbox.Sent()) != 0 {
		t.Error("the refused change changed something")
	}
	// The number is free in another tenant.
	rival := f.Tenant(t, "rival")
	f.Clock.Advance(time.Minute)
	enemy := f.caller(t, f.Session(t, rival.Ada))
	if err := f.Account.UpdateMobile(t.Context(), enemy,
		mobileChange(phone, f.requestCode(t, enemy, phone))); err != nil {
		t.Error(err)
	}
	// Setting one's own number again is no change, and sends no email.
	f.Clock.Advance(time.Minute)
	posted := len(f.Postbox.Sent())
	if err := f.Account.UpdateMobile(t.Context(), enemy,
		mobileChange(phone, f.requestCode(t, enemy, phone))); err != nil || len(f.Postbox.Sent()) != posted {
		t.Errorf("%v", err)
	}
}

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
		len(f.Postbox.Sent()) != 0 || len(f.ended) != 0 {
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
		stranger := mine
		stranger.Tenant = owner
		if owner == rival.ID && rival.Ada.ID == mine.User {
			t.Fatal("the users have the same id")
		}
		for name, err := range map[string]error{
			"UpdateProfile":  f.Account.UpdateProfile(t.Context(), stranger, identity.Profile{Nickname: "taken", Email: "taken@example.com"}),
			"UpdateMobile":   f.Account.UpdateMobile(t.Context(), stranger, mobileChange(phone, code)),
			"BindMobile":     f.Account.BindMobile(t.Context(), stranger, mobileChange(phone, code)),
			"ChangePassword": f.Account.ChangePassword(t.Context(), stranger, code, "taken over"),
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
