package identity_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func wantErrorKey(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || errs.As(err).Key != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

func (f *factorFixture) adaCaller() identity.Caller {
	f.t.Helper()
	c, err := f.Sessions.Caller(f.t.Context(), f.Session(f.t, f.field.Ada).Access)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *factorFixture) proof(password, code string) identity.Proof {
	return identity.Proof{Password: password, Code: code, Address: netip.MustParseAddr(homeAddr)}
}

func TestBeginAndConfirmSecondFactor(t *testing.T) {
	f := &factorFixture{signInFixture: newSignInFixture(t)}
	f.field = f.Tenant(t, "field")
	c := f.adaCaller()
	_, err := f.Account.BeginSecondFactor(t.Context(), c, f.proof("wrong", ""))
	wantErrorKey(t, "a wrong password", err, "password.wrong")
	_, err = f.Account.ConfirmSecondFactor(t.Context(), c, "000000")
	wantErrorKey(t, "nothing begun", err, "secondFactor.beginOver")
	_, err = f.Account.NewRecoveryCodes(t.Context(), c, f.proof("", "000000"))
	wantErrorKey(t, "codes while it is off", err, "secondFactor.off")
	wantErrorKey(t, "off already", f.Account.DisableSecondFactor(t.Context(), c, f.proof(testkit.Password, "000000")),
		"secondFactor.off")

	e, err := f.Account.BeginSecondFactor(t.Context(), c, f.proof(testkit.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Account.ConfirmSecondFactor(t.Context(), c, "000000")
	wantErrorKey(t, "a wrong first code", err, "secondFactor.confirmWrong")
	if u := f.ada(); u.SecondFactor {
		t.Error("it is on before a right code")
	}
	if e := f.signIn(attempt(f.field.ID, "ada", testkit.Password, homeAddr)); e != nil {
		t.Errorf("a key that is not confirmed is asked for: %v", e)
	}
	f.Clock.Advance(identity.EnrolmentLife)
	_, err = f.Account.ConfirmSecondFactor(t.Context(), c, testkit.TOTP(t, e.Secret, f.Clock.Now()))
	wantErrorKey(t, "after ten minutes", err, "secondFactor.beginOver")

	old := e.Secret
	if e, err = f.Account.BeginSecondFactor(t.Context(), c, f.proof(testkit.Password, "")); err != nil {
		t.Fatal(err)
	}
	_, err = f.Account.ConfirmSecondFactor(t.Context(), c, testkit.TOTP(t, old, f.Clock.Now()))
	wantErrorKey(t, "of the key before", err, "secondFactor.confirmWrong")
	f.Clock.Advance(identity.EnrolmentLife - time.Millisecond)
	code := testkit.TOTP(t, e.Secret, f.Clock.Now())
	if f.codes, err = f.Account.ConfirmSecondFactor(t.Context(), c, code); err != nil {
		t.Fatal(err)
	}
	if u := f.ada(); !u.SecondFactor {
		t.Error("it is off after a right code")
	}
	f.wantKey("the first code is used up", f.enter(f.ticket(), code, homeAddr), "signin.codeWrong")
	if sent := f.Mails.Sent(); len(sent) != 1 || !strings.Contains(sent[0].Subject, "second factor turned on") {
		t.Errorf("%+v", sent)
	}
	// The list of people shows it.
	page, err := f.People.Page(t.Context(), f.field.ID, identity.PeopleFilter{}, 0, 10)
	if err != nil || !page.List[0].SecondFactor || page.List[1].SecondFactor {
		t.Errorf("%+v %v", page, err)
	}
}

// Five wrong codes end a new key, and the right one of it is no longer taken. The next key has five again.
func TestNewKeyEndsAfterFiveWrongCodes(t *testing.T) {
	f := &factorFixture{signInFixture: newSignInFixture(t)}
	f.field = f.Tenant(t, "field")
	c := f.adaCaller()
	begin := func() *identity.Enrolment {
		t.Helper()
		e, err := f.Account.BeginSecondFactor(t.Context(), c, f.proof(testkit.Password, ""))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	guess := func(n int) {
		t.Helper()
		for range n {
			_, err := f.Account.ConfirmSecondFactor(t.Context(), c, "000000")
			wantErrorKey(t, "a wrong code", err, "secondFactor.confirmWrong")
			f.Clock.Advance(time.Minute)
		}
	}
	e := begin()
	guess(4)
	_, err := f.Account.ConfirmSecondFactor(t.Context(), c, "000000")
	wantErrorKey(t, "the fifth", err, "secondFactor.beginOver")
	_, err = f.Account.ConfirmSecondFactor(t.Context(), c, testkit.TOTP(t, e.Secret, f.Clock.Now()))
	wantErrorKey(t, "the right one after five", err, "secondFactor.beginOver")
	e = begin()
	guess(4)
	if _, err := f.Account.ConfirmSecondFactor(t.Context(), c, testkit.TOTP(t, e.Secret, f.Clock.Now())); err != nil {
		t.Errorf("the right one of the next key, after four: %v", err)
	}
	if u := f.ada(); !u.SecondFactor {
		t.Error("it is off after a right code")
	}
}

func (f *factorFixture) ada() *identity.User {
	f.t.Helper()
	u, err := f.Users.Get(f.t.Context(), f.field.ID, f.field.Ada.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	return u
}

// Whoever moves to another phone proves the old one. The old key works until the new one is confirmed.
func TestMoveSecondFactor(t *testing.T) {
	f := newFactorFixture(t)
	c := f.adaCaller()
	_, err := f.Account.BeginSecondFactor(t.Context(), c, f.proof(testkit.Password, ""))
	wantErrorKey(t, "without a code", err, "secondFactor.codeFirst")
	_, err = f.Account.BeginSecondFactor(t.Context(), c, f.proof(testkit.Password, "000000"))
	wantErrorKey(t, "a wrong code", err, "signin.codeWrong")
	e, err := f.Account.BeginSecondFactor(t.Context(), c, f.proof(testkit.Password, f.codes[0]))
	if err != nil {
		t.Fatal(err)
	}
	f.wantKey("the old key", f.enter(f.ticket(), f.code(), homeAddr), "")
	codes, err := f.Account.ConfirmSecondFactor(t.Context(), c, testkit.TOTP(t, e.Secret, f.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(step)
	f.wantKey("the old key after it", f.enter(f.ticket(), f.code(), homeAddr), "signin.codeWrong")
	f.wantKey("an old recovery code", f.enter(f.ticket(), f.codes[1], homeAddr), "signin.codeWrong")
	f.wantKey("a new recovery code", f.enter(f.ticket(), codes[1], homeAddr), "")
	f.secret = e.Secret
	f.wantKey("the new key", f.enter(f.ticket(), f.code(), homeAddr), "")
}

func TestDisableSecondFactor(t *testing.T) {
	f := newFactorFixture(t)
	c := f.adaCaller()
	disable := func(password, code string) error {
		return f.Account.DisableSecondFactor(t.Context(), c, f.proof(password, code))
	}
	wantErrorKey(t, "a wrong password", disable("wrong", f.code()), "password.wrong")
	wantErrorKey(t, "a wrong code", disable(testkit.Password, "000000"), "signin.codeWrong")
	if !f.ada().SecondFactor {
		t.Fatal("it went off")
	}
	if err := disable(testkit.Password, f.code()); err != nil {
		t.Fatal(err)
	}
	if e := f.signIn(attempt(f.field.ID, "ada", testkit.Password, homeAddr)); e != nil {
		t.Errorf("off: %v", e)
	}
	sent := f.Mails.Sent()
	if len(sent) != 2 || !strings.Contains(sent[1].Subject, "turned off") {
		t.Errorf("%+v", sent)
	}
	// A stolen session may not guess: the tenth failure from an address locks.
	f.secret, _ = f.SecondFactor(t, f.field.Ada)
	for range 9 {
		wantErrorKey(t, "a guess", disable("wrong", "000000"), "password.wrong")
	}
	wantErrorKey(t, "the tenth", disable(testkit.Password, "000000"), "signin.codeWrong")
	f.Clock.Advance(step)
	wantErrorKey(t, "locked", disable(testkit.Password, f.code()), "signin.locked")
}

func TestNewRecoveryCodes(t *testing.T) {
	f := newFactorFixture(t)
	c := f.adaCaller()
	_, err := f.Account.NewRecoveryCodes(t.Context(), c, f.proof("", "000000"))
	wantErrorKey(t, "a wrong code", err, "signin.codeWrong")
	codes, err := f.Account.NewRecoveryCodes(t.Context(), c, f.proof("", f.code()))
	if err != nil || len(codes) != 10 || slices.Contains(codes, f.codes[0]) {
		t.Fatalf("%v %v", codes, err)
	}
	f.wantKey("an old one", f.enter(f.ticket(), f.codes[0], homeAddr), "signin.codeWrong")
	f.wantKey("a new one", f.enter(f.ticket(), codes[0], homeAddr), "")
	if err := f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(step)
	_, err = f.Account.NewRecoveryCodes(t.Context(), c, f.proof("", f.code()))
	wantErrorKey(t, "after the session", err, "error.401")
}

func (f *factorFixture) require(policy string) {
	f.t.Helper()
	if err := f.People.SetSecondFactor(f.t.Context(), f.adaCaller(), policy); err != nil {
		f.t.Fatal(err)
	}
}

// enrolTicket signs bora in, who has no second factor, and gives the ticket.
func (f *factorFixture) enrolTicket() string {
	f.t.Helper()
	e := f.signIn(attempt(f.field.ID, "bora", testkit.Password, homeAddr))
	if e == nil || e.Key != "signin.enrolRequired" {
		f.t.Fatalf("%v", e)
	}
	d, ok := e.Data.(identity.EnrolRequired)
	if !ok || !d.EnrolRequired {
		f.t.Fatalf("%+v", e.Data)
	}
	return d.Ticket
}

// Where it is required, whoever has none sets it up as they sign in.
func TestRequiredSecondFactor(t *testing.T) {
	f := &factorFixture{signInFixture: newSignInFixture(t)}
	f.field = f.Tenant(t, "field")
	wantErrorKey(t, "an owner without one",
		f.People.SetSecondFactor(t.Context(), f.adaCaller(), "required"), "secondFactor.ownFirst")
	wantErrorKey(t, "no such policy", f.People.SetSecondFactor(t.Context(), f.adaCaller(), "x"), "invalid.choice")
	f.secret, f.codes = f.SecondFactor(t, f.field.Ada)
	f.Clock.Advance(step)
	before, err := f.Sessions.Start(t.Context(), f.field.ID, f.field.Bora.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	adas := f.Session(t, f.field.Ada)
	var ended []int64
	f.Sessions.Ended.Then(func(id int64) { ended = append(ended, id) })
	f.require("required")
	wantErrorKey(t, "off", f.Account.DisableSecondFactor(t.Context(), f.adaCaller(),
		f.proof(testkit.Password, f.code())), "secondFactor.required")

	// Sessions without it go on until they are renewed.
	if _, err := f.Sessions.Caller(t.Context(), before.Access); err != nil {
		t.Error(err)
	}
	if _, err := f.Sessions.Refresh(t.Context(), before.Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("renewed: %v", err)
	}
	if _, err := f.Sessions.Caller(t.Context(), before.Access); !errs.Is(err, errs.Unauthenticated) || len(ended) != 1 {
		t.Errorf("%v, %v ended", err, ended)
	}
	if _, err := f.Sessions.Refresh(t.Context(), adas.Refresh); err != nil {
		t.Errorf("ada, who has one: %v", err)
	}

	ticket := f.enrolTicket()
	f.wantKey("a code with it", f.enter(ticket, "000000", homeAddr), "signin.ticketOver")
	_, _, err = f.SignIn.ConfirmEnrolment(t.Context(), f.ticketAttempt(ticket, "000000"))
	wantErrorKey(t, "nothing begun", err, "secondFactor.beginOver")
	e, err := f.SignIn.BeginEnrolment(t.Context(), ticket)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.SignIn.ConfirmEnrolment(t.Context(), f.ticketAttempt(ticket, "000000"))
	wantErrorKey(t, "a wrong code", err, "secondFactor.confirmWrong")
	f.Clock.Advance(9 * time.Minute)
	pair, codes, err := f.SignIn.ConfirmEnrolment(t.Context(),
		f.ticketAttempt(ticket, testkit.TOTP(t, e.Secret, f.Clock.Now())))
	if err != nil || len(codes) != 10 {
		t.Fatalf("%v %v", codes, err)
	}
	if c, err := f.Sessions.Caller(t.Context(), pair.Access); err != nil || c.User != f.field.Bora.ID {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := f.Sessions.Refresh(t.Context(), pair.Refresh); err != nil {
		t.Error(err)
	}
	_, err = f.SignIn.BeginEnrolment(t.Context(), ticket)
	wantErrorKey(t, "the ticket again", err, "signin.ticketOver")
	f.require("optional")
	f.Clock.Advance(step)
	if err := f.Account.DisableSecondFactor(
		t.Context(),
		f.adaCaller(),
		f.proof(testkit.Password, f.code()),
	); err != nil {
		t.Error(err)
	}
}

func (f *factorFixture) ticketAttempt(ticket, code string) identity.TicketAttempt {
	return identity.TicketAttempt{Ticket: ticket, Code: code, Address: netip.MustParseAddr(homeAddr)}
}

// An enrolment ticket is of no use once the user has a second factor, after ten minutes, or after five
// wrong codes.
func TestEnrolmentTicketEnds(t *testing.T) {
	f := newFactorFixture(t)
	f.require("required")
	late, guessed, taken := f.enrolTicket(), f.enrolTicket(), f.enrolTicket()
	for range 4 {
		_, _, err := f.SignIn.ConfirmEnrolment(t.Context(), f.ticketAttempt(guessed, "000000"))
		wantErrorKey(t, "a guess", err, "secondFactor.beginOver")
	}
	_, _, err := f.SignIn.ConfirmEnrolment(t.Context(), f.ticketAttempt(guessed, "000000"))
	wantErrorKey(t, "the fifth", err, "signin.ticketOver")
	f.SecondFactor(t, f.field.Bora)
	_, err = f.SignIn.BeginEnrolment(t.Context(), taken)
	wantErrorKey(t, "set up elsewhere", err, "signin.ticketOver")
	if err := f.Factors.Remove(t.Context(), f.field.ID, f.field.Bora.ID); err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(identity.EnrolmentLife)
	_, err = f.SignIn.BeginEnrolment(t.Context(), late)
	wantErrorKey(t, "after ten minutes", err, "signin.ticketOver")
}

// Only sessions that a password began are judged: another sign-in has its own second factor.
func TestOtherSignInsAreExempt(t *testing.T) {
	f := newFactorFixture(t)
	pair := f.Session(t, f.field.Bora)
	f.require("required")
	if err := f.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw("UPDATE sessions SET method = 'other'").Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Sessions.Refresh(t.Context(), pair.Refresh); err != nil {
		t.Error(err)
	}
}

func TestResetSecondFactor(t *testing.T) {
	f := newFactorFixture(t)
	rival := f.Tenant(t, "rival")
	f.SecondFactor(t, rival.Ada)
	f.SecondFactor(t, f.field.Bora)
	c := f.adaCaller()
	wantErrorKey(t, "the own", f.People.ResetSecondFactor(t.Context(), c, c.User), "secondFactor.own")
	wantErrorKey(t, "another tenant's", f.People.ResetSecondFactor(t.Context(), c, rival.Ada.ID), "error.404")
	mails := len(f.Mails.Sent())
	for range 2 { // the second finds nothing to do
		if err := f.People.ResetSecondFactor(t.Context(), c, f.field.Bora.ID); err != nil {
			t.Fatal(err)
		}
	}
	if e := f.signIn(attempt(f.field.ID, "bora", testkit.Password, homeAddr)); e != nil {
		t.Errorf("%v", e)
	}
	if sent := f.Mails.Sent(); len(sent) != mails+1 || sent[mails].To != f.field.Bora.Email {
		t.Errorf("%+v", sent[mails:])
	}
	if e := f.signIn(attempt(rival.ID, "ada", testkit.Password, homeAddr)); e == nil || e.Key != "signin.codeRequired" {
		t.Errorf("the other tenant's: %v", e)
	}
	f.field.PeopleByProvider = true
	if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
		t.Fatal(err)
	}
	wantErrorKey(t, "managed by the provider", f.People.ResetSecondFactor(t.Context(), c, f.field.Bora.ID),
		"people.byProvider")
	wantErrorKey(t, "managed by the provider", f.People.SetSecondFactor(t.Context(), c, "required"),
		"people.byProvider")
}

// What the provider's file sets of a tenant leaves the setting as it is.
func TestTenantKeepsSecondFactorPolicy(t *testing.T) {
	f := newFactorFixture(t)
	f.require("required")
	if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Tenants.Get(t.Context(), f.field.ID); err != nil || !got.SecondFactorRequired {
		t.Errorf("%+v %v", got, err)
	}
}
