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

	"tilth/internal/errs"
	"tilth/internal/identity"
	"tilth/internal/tenant"
	"tilth/internal/testkit"
	"tilth/internal/text"
)

// code asks for a code for a number and gives it.
func (f *fixture) code(t *testing.T, c identity.Caller, mobile string) string {
	t.Helper()
	if err := f.Account.SendCode(t.Context(), c, identity.CodeRequest{Mobile: mobile, Scene: 2, Language: text.English, Address: netip.MustParseAddr(home)}); err != nil {
		t.Fatal(err)
	}
	return f.Phones.Code(t, identity.E164(mobile))
}

// setMobile gives a user a number as the provider does.
func (f *fixture) setMobile(t *testing.T, u *identity.User, mobile string) {
	t.Helper()
	u.Mobile = mobile
	if err := f.Users.Update(t.Context(), u.Tenant, u); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) mobile(t *testing.T, u *identity.User) string {
	t.Helper()
	got, err := f.Users.Get(t.Context(), u.Tenant, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got.Mobile
}

func change(mobile, code string) identity.MobileChange {
	return identity.MobileChange{Mobile: mobile, Scene: 2, Code: code}
}

// refuses fails the test unless err refuses with key.
func refuses(t *testing.T, what string, err error, key string) {
	t.Helper()
	if e := errs.As(err); err == nil || e.Kind != errs.Refused || e.Key != key {
		t.Errorf("%s: %v, want %s", what, err, key)
	}
}

// wrong is another code than the right one.
func wrong(code string) string {
	if code[0] == '9' {
		return "0" + code[1:]
	}
	return string(code[0]+1) + code[1:]
}

func TestUpdateMobile(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, "+905559999999")
	c := f.caller(t, f.pair)
	for typed, want := range map[string]string{"+905550000001": "+905550000001", " 13800138000 ": "+8613800138000", "905550000002": "+905550000002"} {
		code := f.code(t, c, strings.TrimSpace(typed))
		if err := f.Account.UpdateMobile(t.Context(), c, change(typed, " "+code+" ")); err != nil {
			t.Fatalf("%s: %v", typed, err)
		}
		if got := f.mobile(t, f.field.Ada); got != want {
			t.Errorf("%s became %s", typed, got)
		}
		refuses(t, "the code again", f.Account.UpdateMobile(t.Context(), c, change(typed, code)), "phone.codeOver")
		f.Clock.Advance(time.Minute)
	}
	if f.caller(t, f.pair) != c {
		t.Error("the session changed")
	}
}

// What is wrong with a request is told before any code is looked at.
func TestMobileRefusals(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, "")
	c := f.caller(t, f.pair)
	for name, act := range map[string]func(context.Context, identity.Caller, identity.MobileChange) error{
		"update": f.Account.UpdateMobile, "bind": f.Account.BindMobile,
	} {
		for _, row := range []struct {
			m   identity.MobileChange
			key string
		}{
			{identity.MobileChange{Scene: 2, Code: "1"}, "phone.required"},
			{identity.MobileChange{Mobile: "  ", Scene: 2, Code: "1"}, "phone.required"},
			{identity.MobileChange{Mobile: "0555", Scene: 2, Code: "1"}, "phone.format"},
			{identity.MobileChange{Mobile: phone + "\r\n1", Scene: 2, Code: "1"}, "phone.format"},
			{identity.MobileChange{Mobile: phone, Scene: 1, Code: "1"}, "invalid.choice"},
			{identity.MobileChange{Mobile: phone, Code: "1"}, "invalid.choice"},
			{identity.MobileChange{Mobile: phone, Scene: 2, Code: " "}, "phone.codeRequired"},
			{identity.MobileChange{Mobile: phone, Scene: 2, Code: "000000"}, "phone.codeOver"}, // none was sent
		} {
			refuses(t, fmt.Sprint(name, row.m), act(t.Context(), c, row.m), row.key)
		}
	}
	for _, row := range []struct {
		r   identity.CodeRequest
		key string
	}{
		{identity.CodeRequest{Scene: 2}, "phone.required"}, {identity.CodeRequest{Mobile: "x", Scene: 2}, "phone.format"},
		{identity.CodeRequest{Mobile: phone, Scene: 3}, "invalid.choice"}, {identity.CodeRequest{Mobile: phone}, "invalid.choice"},
	} {
		refuses(t, fmt.Sprint(row.r), f.Account.SendCode(t.Context(), c, row.r), row.key)
	}
	if len(f.Phones.Sent()) != 0 {
		t.Error(f.Phones.Sent())
	}
}

func TestBindMobileIsForWhoHasNone(t *testing.T) {
	f := signedIn(t, false)
	c := f.caller(t, f.pair)
	f.setMobile(t, f.field.Ada, "+905559999999")
	code := f.code(t, c, phone)
	refuses(t, "bound", f.Account.BindMobile(t.Context(), c, change(phone, code)), "phone.bound")
	f.setMobile(t, f.field.Ada, "")
	if err := f.Account.BindMobile(t.Context(), c, change(phone, code)); err != nil || f.mobile(t, f.field.Ada) != phone {
		t.Errorf("%v", err)
	}
}

// Five wrong guesses end a code, at once or over time, and the right one comes
// too late; a new code is a new chance.
func TestGuessing(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, "+905559999999")
	c := f.caller(t, f.pair)
	code := f.code(t, c, phone)
	guess := func(code string) error { return f.Account.UpdateMobile(t.Context(), c, change(phone, code)) }
	for i, try := range []string{wrong(code), "1", strings.Repeat("1", 1000), code + "0"} {
		refuses(t, fmt.Sprint("guess ", i+1), guess(try), "phone.codeWrong")
	}
	refuses(t, "the fifth", guess(wrong(code)), "phone.codeOver")
	refuses(t, "the right one, too late", guess(code), "phone.codeOver")
	f.Clock.Advance(time.Minute)
	code = f.code(t, c, phone)
	for range 4 {
		refuses(t, "a guess", guess(wrong(code)), "phone.codeWrong")
	}
	if err := guess(code); err != nil {
		t.Errorf("the right one, fifth: %v", err)
	}
}

// Of many guesses at once no more than five are looked at.
func TestGuessingAtOnce(t *testing.T) {
	f := signedIn(t, false)
	c := f.caller(t, f.pair)
	code := f.code(t, c, phone)
	var wg sync.WaitGroup
	var mu sync.Mutex
	said := map[string]int{}
	for range 20 {
		wg.Go(func() {
			err := f.Account.UpdateMobile(t.Context(), c, change(phone, wrong(code)))
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

// A right code is good for one of many who present it at once.
func TestCodeIsUsedOnce(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, "")
	c := f.caller(t, f.pair)
	code := f.code(t, c, phone)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range 8 {
		wg.Go(func() {
			if err := f.Account.UpdateMobile(t.Context(), c, change(phone, code)); err == nil {
				mu.Lock()
				done++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if done != 1 {
		t.Errorf("used %d times", done)
	}
}

func TestCodeExpires(t *testing.T) {
	f := signedIn(t, false)
	c := f.caller(t, f.pair)
	first := f.code(t, c, phone)
	f.Clock.Advance(identity.CodeLife)
	refuses(t, "after its life", f.Account.UpdateMobile(t.Context(), c, change(phone, first)), "phone.codeOver")
	second := f.code(t, c, phone)
	if first != second {
		refuses(t, "the one before", f.Account.UpdateMobile(t.Context(), c, change(phone, first)), "phone.codeWrong")
	}
	f.Clock.Advance(identity.CodeLife - time.Millisecond)
	if err := f.Account.UpdateMobile(t.Context(), c, change(phone, second)); err != nil {
		t.Errorf("at its end: %v", err)
	}
}

// A code is for the user and the number it was sent for, in that tenant.
func TestCodeIsBound(t *testing.T) {
	f := signedIn(t, false)
	rival := f.Tenant(t, "rival")
	ada, bora, enemy := f.caller(t, f.pair), f.caller(t, f.Session(t, f.field.Bora)), f.caller(t, f.Session(t, rival.Ada))
	code := f.code(t, ada, phone)
	before := f.mobile(t, f.field.Bora)
	refuses(t, "another user", f.Account.UpdateMobile(t.Context(), bora, change(phone, code)), "phone.codeOver")
	refuses(t, "another tenant", f.Account.UpdateMobile(t.Context(), enemy, change(phone, code)), "phone.codeOver")
	refuses(t, "another number", f.Account.UpdateMobile(t.Context(), ada, change(number(7), code)), "phone.codeOver")
	mixed := enemy // as no token can say it
	mixed.User = ada.User
	if mixed.User != enemy.User {
		if err := f.Account.UpdateMobile(t.Context(), mixed, change(phone, code)); err == nil {
			t.Error("the tenant is not looked at")
		}
	}
	// A number's own code for each of two users.
	f.Clock.Advance(time.Minute)
	other := f.code(t, bora, phone)
	if other != code {
		refuses(t, "the other's code", f.Account.UpdateMobile(t.Context(), bora, change(phone, code)), "phone.codeWrong")
	}
	if err := f.Account.UpdateMobile(t.Context(), ada, change(phone, code)); err != nil {
		t.Errorf("its owner: %v", err)
	}
	if f.mobile(t, f.field.Bora) != before || f.mobile(t, rival.Ada) != rival.Ada.Mobile {
		t.Error("somebody else's number changed")
	}
}

// That a number is another user's is told to who holds the phone, not to who
// asks: until then all answers are as for a number that nobody has.
func TestNumberInUse(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, "+905559999999")
	f.setMobile(t, f.field.Bora, phone)
	c := f.caller(t, f.pair)
	code := f.code(t, c, phone)
	refuses(t, "a guess", f.Account.UpdateMobile(t.Context(), c, change(phone, wrong(code))), "phone.codeWrong")
	refuses(t, "the code", f.Account.UpdateMobile(t.Context(), c, change(phone, code)), "phone.inUse")
	refuses(t, "the code again", f.Account.UpdateMobile(t.Context(), c, change(phone, code)), "phone.codeOver")
	if f.mobile(t, f.field.Ada) != "+905559999999" || f.mobile(t, f.field.Bora) != phone || len(f.Post.Letters()) != 0 {
		t.Error("something changed")
	}
	// In another tenant the number is free.
	rival := f.Tenant(t, "rival")
	f.Clock.Advance(time.Minute)
	enemy := f.caller(t, f.Session(t, rival.Ada))
	if err := f.Account.UpdateMobile(t.Context(), enemy, change(phone, f.code(t, enemy, phone))); err != nil {
		t.Error(err)
	}
	// One's own number again is no change, and nobody is told.
	f.Clock.Advance(time.Minute)
	posted := len(f.Post.Letters())
	if err := f.Account.UpdateMobile(t.Context(), enemy, change(phone, f.code(t, enemy, phone))); err != nil || len(f.Post.Letters()) != posted {
		t.Errorf("%v", err)
	}
}

func TestChangePassword(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, phone)
	second, bora := f.Session(t, f.field.Ada), f.Session(t, f.field.Bora)
	c := f.caller(t, f.pair)
	secondID := f.caller(t, second).Session
	code := f.code(t, c, phone)
	if err := f.Account.ChangePassword(t.Context(), c, code, "new pass"); err != nil {
		t.Fatal(err)
	}
	f.caller(t, f.pair) // goes on
	f.caller(t, bora)
	f.refused(t, "the other session", second.Access)
	if _, err := f.Sessions.Refresh(t.Context(), second.Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("the other session's refresh token: %v", err)
	}
	f.refresh(t, f.pair.Refresh)
	if !slices.Equal(f.ended, []int64{secondID}) {
		t.Errorf("told of %v, want %d", f.ended, secondID)
	}
	if _, err := f.SignIn.Password(t.Context(), attempt(f.field.ID, "ada", "new pass", home)); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if _, err := f.SignIn.Password(t.Context(), attempt(f.field.ID, "ada", testkit.Password, home)); err == nil {
		t.Error("the old password still opens")
	}
	refuses(t, "the code again", f.Account.ChangePassword(t.Context(), c, code, "another one"), "phone.codeOver")
}

// What a provider reset to is changed as any other password.
func TestChangeAfterReset(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, phone)
	if err := f.Users.PutPassword(t.Context(), f.field.ID, f.field.Ada.ID, testkit.PasswordHash("one-time")); err != nil {
		t.Fatal(err)
	}
	if err := f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	pair, err := f.SignIn.Password(t.Context(), attempt(f.field.ID, "ada", "one-time", home))
	if err != nil {
		t.Fatal(err)
	}
	c := f.caller(t, pair)
	if err := f.Account.ChangePassword(t.Context(), c, f.code(t, c, phone), "my own"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SignIn.Password(t.Context(), attempt(f.field.ID, "ada", "my own", home)); err != nil {
		t.Error(err)
	}
}

func TestPasswordRefusals(t *testing.T) {
	f := signedIn(t, false)
	c := f.caller(t, f.pair)
	f.setMobile(t, f.field.Ada, "")
	refuses(t, "no mobile", f.Account.ChangePassword(t.Context(), c, "000000", "new pass"), "password.bindFirst")
	f.setMobile(t, f.field.Ada, phone)
	before, err := f.Users.PasswordHash(t.Context(), f.field.ID, f.field.Ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, "no code sent", f.Account.ChangePassword(t.Context(), c, "000000", "new pass"), "phone.codeOver")
	// A code for a number that is not the user's changes no password.
	elsewhere := f.code(t, c, number(9))
	refuses(t, "another phone's code", f.Account.ChangePassword(t.Context(), c, elsewhere, "new pass"), "phone.codeOver")
	f.Clock.Advance(time.Minute)
	code := f.code(t, c, phone)
	for _, row := range [][3]string{
		{"", "new pass", "phone.codeRequired"}, {"  ", "", "phone.codeRequired"}, {code, "", "password.required"}, {code, "şşşşş", "password.min"},
		{code, strings.Repeat("ş", 257), "invalid.long"}, {wrong(code), "new pass", "phone.codeWrong"},
	} {
		refuses(t, fmt.Sprintf("%.20q", row), f.Account.ChangePassword(t.Context(), c, row[0], row[1]), row[2])
	}
	if after, _ := f.Users.PasswordHash(t.Context(), f.field.ID, f.field.Ada.ID); after != before || len(f.Post.Letters()) != 0 || len(f.ended) != 0 {
		t.Error("something changed")
	}
	for i, password := range []string{"şşşşşş", strings.Repeat("ş", 256)} {
		if err := f.Account.ChangePassword(t.Context(), c, code, password); err != nil {
			t.Errorf("%d characters: %v", len([]rune(password)), err)
		}
		if i == 0 {
			f.Clock.Advance(time.Minute)
			code = f.code(t, c, phone)
		}
	}
}

// Where the provider asks for more, a person chooses more; a password so far stays good.
func TestLongerPasswordsWanted(t *testing.T) {
	f := signedIn(t, false)
	parts := f.Account.AccountParts
	parts.Shortest = 12
	account := identity.NewAccount(parts)
	c := f.caller(t, f.pair)
	f.setMobile(t, f.field.Ada, phone)
	code := f.code(t, c, phone)
	err := account.ChangePassword(t.Context(), c, code, strings.Repeat("ş", 11))
	refuses(t, "11 characters", err, "password.minOf")
	if e := errs.As(err); e.Args["count"] != "12" {
		t.Errorf("how many are wanted is not told: %v", e.Args)
	}
	if err := account.ChangePassword(t.Context(), c, code, strings.Repeat("ş", 12)); err != nil {
		t.Errorf("12 characters: %v", err)
	}
}

// A server that is overloaded costs nobody a code.
func TestOverloadKeepsTheCode(t *testing.T) {
	f := signedIn(t, false)
	f.setMobile(t, f.field.Ada, phone)
	c := f.caller(t, f.pair)
	code := f.code(t, c, phone)
	busy, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Account.ChangePassword(busy, c, code, "new pass"); err == nil {
		t.Fatal("changed")
	}
	if err := f.Account.ChangePassword(t.Context(), c, code, "new pass"); err != nil {
		t.Errorf("the code is gone: %v", err)
	}
}

func TestUpdateProfile(t *testing.T) {
	f := signedIn(t, false)
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
		want.Nickname, want.Email, want.SignedIn = "Ada L.", "l@example.com", f.Clock.Now().UnixMilli()
		if got, err := f.Users.Get(t.Context(), f.field.ID, c.User); err != nil || *got != want {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	profile := func(mobile string) identity.Profile {
		return identity.Profile{Nickname: "X", Email: "x@example.com", Mobile: &mobile}
	}
	refuses(t, "another number", f.Account.UpdateProfile(t.Context(), c, profile("+8613800138001")), "profile.mobileFixed")
	refuses(t, "another Chinese number", f.Account.UpdateProfile(t.Context(), c, profile("13800138001")), "profile.mobileFixed")
	refuses(t, "without + and not Chinese", f.Account.UpdateProfile(t.Context(), c, profile("905551112233")), "profile.mobileFormat")
	refuses(t, "no number", f.Account.UpdateProfile(t.Context(), c, profile("+x")), "phone.format")
	refuses(t, "emptied", f.Account.UpdateProfile(t.Context(), c, profile(" ")), "phone.required")
	refuses(t, "no nickname", f.Account.UpdateProfile(t.Context(), c, identity.Profile{Email: "x@example.com"}), "profile.nicknameRequired")
	refuses(t, "no e-mail", f.Account.UpdateProfile(t.Context(), c, identity.Profile{Nickname: "X"}), "profile.emailRequired")
	for _, id := range []int64{bora, 0, -1, 9999} {
		if err := f.Account.UpdateProfile(t.Context(), c, identity.Profile{ID: &id, Nickname: "X", Email: "x@example.com"}); !errs.Is(err, errs.NotFound) {
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

// A tenant is not looked past: the same call with another tenant's id finds
// nobody and changes nothing.
func TestAccountsAreApart(t *testing.T) {
	f := signedIn(t, false)
	rival := f.Tenant(t, "rival")
	f.setMobile(t, f.field.Ada, phone)
	mine := f.caller(t, f.pair)
	code := f.code(t, mine, phone)
	for _, owner := range []tenant.ID{rival.ID, 0, 99} {
		stranger := mine
		stranger.Tenant = owner
		if owner == rival.ID && rival.Ada.ID == mine.User {
			t.Fatal("the users have the same id")
		}
		for name, err := range map[string]error{
			"UpdateProfile":  f.Account.UpdateProfile(t.Context(), stranger, identity.Profile{Nickname: "taken", Email: "taken@example.com"}),
			"UpdateMobile":   f.Account.UpdateMobile(t.Context(), stranger, change(phone, code)),
			"BindMobile":     f.Account.BindMobile(t.Context(), stranger, change(phone, code)),
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
	want.SignedIn = f.Clock.Now().UnixMilli()
	if got, err := f.Users.Get(t.Context(), f.field.ID, mine.User); err != nil || *got != want {
		t.Errorf("%+v %v", got, err)
	}
	if f.caller(t, f.pair) != mine || len(f.ended) != 0 {
		t.Error("the session was touched")
	}
	if err := f.Account.ChangePassword(t.Context(), mine, code, "my own"); err != nil {
		t.Errorf("its owner: %v", err)
	}
}
