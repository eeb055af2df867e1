package identity_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

const step = 30 * time.Second

// factorFixture is a tenant whose ada has a second factor.
type factorFixture struct {
	*signInFixture
	field  *testkit.Tenant
	secret string
	codes  []string // recovery codes
}

func newFactorFixture(t *testing.T) *factorFixture {
	f := &factorFixture{signInFixture: newSignInFixture(t)}
	f.field = f.Tenant(t, "field")
	f.secret, f.codes = f.SecondFactor(t, f.field.Ada)
	f.Clock.Advance(step) // the code that turned it on is used up
	return f
}

func (f *factorFixture) code() string { return testkit.TOTP(f.t, f.secret, f.Clock.Now()) }

// ticket signs in with ada's password and gives the ticket.
func (f *factorFixture) ticket() string {
	f.t.Helper()
	e := f.signInWithCaptcha(attempt(f.field.ID, "ada", testkit.Password, homeAddr))
	if e == nil || e.Key != "signin.codeRequired" {
		f.t.Fatalf("password alone: %v", e)
	}
	d, ok := e.Data.(identity.CodeRequired)
	if !ok || !d.CodeRequired || d.Ticket == "" {
		f.t.Fatalf("%+v", e.Data)
	}
	return d.Ticket
}

// enter enters a code with a ticket from an address; the key of the refusal is empty for a session.
func (f *factorFixture) enter(ticket, code, address string) string {
	f.t.Helper()
	pair, err := f.SignIn.WithCode(f.t.Context(), identity.TicketAttempt{
		Ticket: ticket, Code: code, Address: netip.MustParseAddr(address),
	})
	if err != nil {
		if pair != (identity.TokenPair{}) {
			f.t.Errorf("%v, and %+v", err, pair)
		}
		return errs.As(err).Key
	}
	if c, err := f.Sessions.Caller(f.t.Context(), pair.Access); err != nil || c.User != f.field.Ada.ID {
		f.t.Errorf("%+v %v", c, err)
	}
	return ""
}

func (f *factorFixture) wantKey(what, got, want string) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// The vector of RFC 6238: at T=59 the code of the key 12345678901234567890 is 287082.
func TestSignInWithRFCCode(t *testing.T) {
	f := &factorFixture{signInFixture: newSignInFixture(t)}
	f.field = f.Tenant(t, "field")
	if err := f.Factors.SetKey(t.Context(), f.field.ID, f.field.Ada.ID, []byte("12345678901234567890")); err != nil {
		t.Fatal(err)
	}
	f.Clock.Set(time.Unix(59, 0))
	f.wantKey("the code", f.enter(f.ticket(), "287082", homeAddr), "")
	f.wantKey("again", f.enter(f.ticket(), "287082", homeAddr), "signin.codeWrong")
}

func TestSignInWithCode(t *testing.T) {
	f := newFactorFixture(t)
	first := f.ticket()
	f.wantKey("blanks", f.enter(first, " "+f.code()[:3]+" "+f.code()[3:], homeAddr), "")
	f.Clock.Advance(step)
	f.wantKey("a ticket twice", f.enter(first, f.code(), homeAddr), "signin.ticketOver")
	f.wantKey("no ticket", f.enter("x", f.code(), homeAddr), "signin.ticketOver")
	f.wantKey("of the step before, which was used", f.enter(f.ticket(),
		testkit.TOTP(t, f.secret, f.Clock.Now().Add(-step)), homeAddr), "signin.codeWrong")
	f.wantKey("of the next step", f.enter(f.ticket(),
		testkit.TOTP(t, f.secret, f.Clock.Now().Add(step)), homeAddr), "")
	f.wantKey("of this step, after the next was used", f.enter(f.ticket(), f.code(), homeAddr), "signin.codeWrong")
	if e := f.signIn(attempt(f.field.ID, "bora", testkit.Password, homeAddr)); e != nil {
		t.Errorf("bora, who has none: %v", e)
	}
}

// The ticket carries remember-me, and the password alone starts no session.
func TestTicketRemembers(t *testing.T) {
	f := newFactorFixture(t)
	before := f.sessions()
	a := attempt(f.field.ID, "ada", testkit.Password, homeAddr)
	a.Remember = true
	d := f.signIn(a).Data.(identity.CodeRequired)
	if n := f.sessions(); n != before {
		t.Errorf("%d sessions after the password, %d before", n, before)
	}
	pair, err := f.SignIn.WithCode(t.Context(), identity.TicketAttempt{
		Ticket: d.Ticket, Code: f.code(), Address: netip.MustParseAddr(homeAddr),
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(29 * 24 * time.Hour)
	if _, err := f.Sessions.Refresh(t.Context(), pair.Refresh); err != nil {
		t.Error(err)
	}
}

func (f *factorFixture) sessions() (n int) {
	f.t.Helper()
	if err := f.DB.Read(f.t.Context()).NewRaw("SELECT COUNT(*) FROM sessions").Scan(f.t.Context(), &n); err != nil {
		f.t.Fatal(err)
	}
	return n
}

// Of sign-ins at the same time with one code, one gets in.
func TestCodeWorksOnceAtATime(t *testing.T) {
	f := newFactorFixture(t)
	for _, code := range []string{f.code(), f.codes[0]} {
		var tickets [4]string
		for i := range tickets {
			tickets[i] = f.ticket()
		}
		var keys [4]string
		var all sync.WaitGroup
		for i := range keys {
			all.Go(func() { keys[i] = f.enter(tickets[i], code, homeAddr) })
		}
		all.Wait()
		in := 0
		for _, key := range keys {
			if key == "" {
				in++
			} else {
				f.wantKey("the others", key, "signin.codeWrong")
			}
		}
		if in != 1 {
			t.Errorf("%d of 4 got in with %s: %v", in, code, keys)
		}
		f.Clock.Advance(time.Hour)
	}
}

// A ticket holds for five minutes, for five guesses, and as long as the account stays as it is.
func TestTicketEnds(t *testing.T) {
	f := newFactorFixture(t)
	old := f.ticket()
	f.Clock.Advance(identity.TicketLife - time.Millisecond)
	f.wantKey("just in time, wrong", f.enter(old, "000000", homeAddr), "signin.codeWrong")
	f.Clock.Advance(time.Millisecond)
	f.wantKey("after five minutes", f.enter(old, f.code(), homeAddr), "signin.ticketOver")
	f.Clock.Advance(time.Hour)
	ticket := f.ticket()
	for range 4 {
		f.wantKey("a wrong code", f.enter(ticket, "000000", homeAddr), "signin.codeWrong")
	}
	f.wantKey("the fifth wrong code", f.enter(ticket, "AAAA-AAAA-AAAA", homeAddr), "signin.ticketOver")
	f.wantKey("the right code after it", f.enter(ticket, f.code(), homeAddr), "signin.ticketOver")

	hash, err := f.Users.PasswordHash(t.Context(), f.field.ID, f.field.Ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"a new password": func() error {
			return f.Users.PutPassword(t.Context(), f.field.ID, f.field.Ada.ID, testkit.PasswordHash("another one"))
		},
		"shut out": func() error {
			u := *f.field.Ada
			u.Disabled = true
			return f.Users.Update(t.Context(), u.Tenant, &u)
		},
	} {
		f.Clock.Advance(time.Hour)
		ticket := f.ticket()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		f.wantKey(name, f.enter(ticket, f.code(), homeAddr), "signin.ticketOver")
		if err := f.Users.Update(t.Context(), f.field.ID, f.field.Ada); err != nil {
			t.Fatal(err)
		}
		if err := f.Users.PutPassword(t.Context(), f.field.ID, f.field.Ada.ID, hash); err != nil {
			t.Fatal(err)
		}
	}
	f.Clock.Advance(time.Hour)
	ticket = f.ticket()
	if err := f.Factors.Remove(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	f.wantKey("the factor is off", f.enter(ticket, f.code(), homeAddr), "signin.ticketOver")
	if e := f.signIn(attempt(f.field.ID, "ada", testkit.Password, homeAddr)); e != nil {
		t.Errorf("off: %v", e)
	}
}

// Wrong codes count as failed sign-ins: of the captcha and of the lock.
func TestWrongCodesCountAsFailures(t *testing.T) {
	f := newFactorFixture(t)
	ticket := f.ticket()
	for range 3 {
		f.wantKey("a wrong code", f.enter(ticket, "000000", homeAddr), "signin.codeWrong")
	}
	e := f.signIn(attempt(f.field.ID, "ada", testkit.Password, homeAddr))
	if e == nil || e.Key != "signin.captcha" {
		t.Errorf("a password after three wrong codes: %v", e)
	}
	second := f.ticket()
	for range 4 {
		f.wantKey("a wrong code", f.enter(second, "000000", homeAddr), "signin.codeWrong")
	}
	third := f.ticket()
	for range 3 {
		f.wantKey("a wrong code", f.enter(third, "000000", homeAddr), "signin.codeWrong")
	}
	f.wantKey("the right code after ten", f.enter(third, f.code(), homeAddr), "signin.locked")
	e = f.signInWithCaptcha(attempt(f.field.ID, "ada", testkit.Password, homeAddr))
	if e == nil || e.Key != "signin.locked" {
		t.Errorf("a password after ten wrong codes: %v", e)
	}
	f.wantKey("from another network", f.enter(third, f.code(), "198.51.100.7"), "")
}

// Twenty wrong codes in an hour, from however many addresses, lock the codes of the app. A recovery
// code still lets in whoever has one.
func TestWrongCodesLockTheAccount(t *testing.T) {
	f := newFactorFixture(t)
	for i := range 20 {
		e := f.enter(f.ticket(), "000000", fmt.Sprintf("198.51.%d.1", 100+i))
		f.wantKey("a wrong code", e, "signin.codeWrong")
	}
	f.wantKey("the right code", f.enter(f.ticket(), f.code(), homeAddr), "signin.codesLocked")
	f.wantKey("a recovery code", f.enter(f.ticket(), f.codes[3], homeAddr), "")
	f.Clock.Advance(time.Hour)
	f.wantKey("an hour later", f.enter(f.ticket(), f.code(), homeAddr), "")
}

// A recovery code works once, however it is typed, and for its user alone.
func TestRecoveryCodes(t *testing.T) {
	f := newFactorFixture(t)
	if len(f.codes) != 10 {
		t.Fatalf("%v", f.codes)
	}
	_, borasCodes := f.SecondFactor(t, f.field.Bora)
	typed := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(f.codes[0], "-", " "), "0", "o"))
	f.wantKey("typed loosely", f.enter(f.ticket(), typed, homeAddr), "")
	f.wantKey("again", f.enter(f.ticket(), f.codes[0], homeAddr), "signin.codeWrong")
	f.wantKey("bora's", f.enter(f.ticket(), borasCodes[0], homeAddr), "signin.codeWrong")
	for _, code := range f.codes[1:] {
		f.wantKey("another", f.enter(f.ticket(), code, homeAddr), "")
	}
}

// The database has neither key nor code as they are.
func TestSecondFactorIsSealed(t *testing.T) {
	f := newFactorFixture(t)
	ticket := f.ticket()
	for table, column := range map[string]string{
		"second_factors": "secret", "recovery_codes": "hash", "sign_in_tickets": "hash",
	} {
		var stored [][]byte
		if err := f.DB.Read(t.Context()).NewRaw("SELECT ? FROM ?", bun.Ident(column), bun.Ident(table)).
			Scan(t.Context(), &stored); err != nil || len(stored) == 0 {
			t.Fatalf("%s: %d rows, %v", table, len(stored), err)
		}
		for _, b := range stored {
			for _, plain := range append([]string{f.secret, ticket}, f.codes...) {
				if bytes.Contains(b, []byte(plain)) || bytes.Contains(b, []byte(strings.ReplaceAll(plain, "-", ""))) {
					t.Errorf("%s contains %s", table, plain)
				}
			}
		}
	}
}

// A user has five tickets at most; expired ones are removed.
func TestTicketsAreBounded(t *testing.T) {
	f := newFactorFixture(t)
	first := f.ticket()
	for range 5 {
		f.ticket()
	}
	f.wantKey("the sixth ended the first", f.enter(first, f.code(), homeAddr), "signin.ticketOver")
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{identity.TicketLife - time.Millisecond, 5}, {time.Millisecond, 0}} {
		f.Clock.Advance(c.after)
		if err := f.Tickets.Sweep(t.Context(), f.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := f.DB.Read(
			t.Context(),
		).NewRaw(
			"SELECT COUNT(*) FROM sign_in_tickets",
		).Scan(
			t.Context(),
			&n,
		); err != nil ||
			n != c.want {
			t.Errorf("%d tickets, %v", n, err)
		}
	}
}
