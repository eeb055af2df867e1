package identity_test

import (
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
)

// A code that was sent while the clock was months ahead does not count towards the limits once the
// clock is right again, and is not valid then.
func TestCodeAfterClockSetBackByMonths(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	send := func() error { return f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)) }
	const year = 365 * 24 * time.Hour
	for range 10 { // the limits of the number and the user per day
		f.Clock.Advance(time.Minute)
		wantRetryAfter(t, "ahead", send(), 0)
	}
	early := f.Phones.Code(t, phone)
	f.Clock.Advance(-year / 2)
	if err := f.Account.UpdateMobile(t.Context(), c, identity.MobileChange{Mobile: phone,
		Purpose: identity.PurposeAccount, Code: early}); errs.As(err).Key != "phone.codeOver" {
		t.Errorf("the code from the future: %v", err)
	}
	wantRetryAfter(t, "set right", send(), 0)
	wantRetryAfter(t, "a second code at once", send(), time.Minute)
	if err := f.Account.UpdateMobile(t.Context(), c, identity.MobileChange{Mobile: phone,
		Purpose: identity.PurposeAccount, Code: f.Phones.Code(t, phone)}); err != nil {
		t.Errorf("the new code: %v", err)
	}
}

// A code stays valid if the clock is corrected back by a minute.
func TestCodeSurvivesSmallClockCorrection(t *testing.T) {
	f := newSessionFixture(t, false)
	wantRetryAfter(t, "sent", f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)), 0)
	f.Clock.Advance(-time.Minute)
	m := identity.MobileChange{Mobile: phone, Purpose: identity.PurposeAccount, Code: f.Phones.Code(t, phone)}
	if err := f.Account.UpdateMobile(t.Context(), f.caller(t, f.pair), m); err != nil {
		t.Error(err)
	}
}

// The reuse of a refresh token ends the session even if the clock was set back since. Two tabs that
// refresh during a small correction of the clock get the same pair.
func TestRefreshReuseAfterClockSetBack(t *testing.T) {
	f := newSessionFixture(t, true)
	f.Clock.Advance(26 * time.Hour)
	next := f.refresh(t, f.pair.Refresh)
	f.Clock.Advance(-identity.ReuseWindow)
	if again := f.refresh(t, f.pair.Refresh); again != next {
		t.Errorf("within the window: %+v, want %+v", again, next)
	}
	f.Clock.Advance(-20 * time.Hour)
	if p, err := f.Sessions.Refresh(t.Context(), f.pair.Refresh); !errs.Is(err, errs.Unauthenticated) ||
		p != (identity.TokenPair{}) {
		t.Errorf("hours later: %+v %v", p, err)
	}
	f.wantUnauthorized(t, "the session of the reused token", next.Access)
}

// A session that started while the clock was a year ahead ends once the clock is right: its tokens
// are not valid for a year. A session from before stays valid, and a correction of the clock by
// some hours ends no session.
func TestSessionAfterClockSetBack(t *testing.T) {
	for _, remember := range []bool{false, true} {
		f := newSessionFixture(t, remember)
		f.Clock.Advance(365 * 24 * time.Hour)
		early, err := f.Sessions.Start(t.Context(), f.field.ID, f.field.Ada.ID, remember)
		if err != nil {
			t.Fatal(err)
		}
		known := f.caller(t, early) // the cache has the caller from now on
		f.Clock.Advance(-14 * time.Hour)
		if again := f.caller(t, early); again != known {
			t.Errorf("14 hours back: %+v, want %+v", again, known)
		}
		f.Clock.Advance(14*time.Hour - 365*24*time.Hour)
		f.wantUnauthorized(t, "the session of a year ahead", early.Access)
		if p, err := f.Sessions.Refresh(t.Context(), early.Refresh); !errs.Is(err, errs.Unauthenticated) ||
			p != (identity.TokenPair{}) {
			t.Errorf("refreshed: %+v %v", p, err)
		}
		f.caller(t, f.pair)
		f.caller(t, f.refresh(t, f.pair.Refresh))
	}
}
