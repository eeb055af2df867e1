package identity_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
)

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
	ada, bora, foreign := f.caller(t, f.pair), f.caller(t, f.Session(t, f.field.Bora)),
		f.caller(t, f.Session(t, rival.Ada))
	code := f.requestCode(t, ada, phone)
	before := f.mobile(t, f.field.Bora)
	wantRefused(t, "another user", f.Account.UpdateMobile(t.Context(), bora, mobileChange(phone, code)),
		"phone.codeOver")
	wantRefused(t, "another tenant", f.Account.UpdateMobile(t.Context(), foreign, mobileChange(phone, code)),
		"phone.codeOver")
	wantRefused(t, "another number", f.Account.UpdateMobile(t.Context(), ada, mobileChange(mobileNumber(7), code)),
		"phone.codeOver")
	mixed := foreign // a mix that no token can yield
	mixed.User = ada.User
	if mixed.User != foreign.User {
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
	if f.mobile(t, f.field.Ada) != "+905559999999" || f.mobile(t, f.field.Bora) != phone || len(f.Mails.Sent()) != 0 {
		t.Error("the refused change changed something")
	}
	// The number is free in another tenant.
	rival := f.Tenant(t, "rival")
	f.Clock.Advance(time.Minute)
	foreign := f.caller(t, f.Session(t, rival.Ada))
	if err := f.Account.UpdateMobile(t.Context(), foreign,
		mobileChange(phone, f.requestCode(t, foreign, phone))); err != nil {
		t.Error(err)
	}
	// Setting one's own number again is no change, and sends no email.
	f.Clock.Advance(time.Minute)
	posted := len(f.Mails.Sent())
	if err := f.Account.UpdateMobile(t.Context(), foreign,
		mobileChange(phone, f.requestCode(t, foreign, phone))); err != nil || len(f.Mails.Sent()) != posted {
		t.Errorf("%v", err)
	}
}
