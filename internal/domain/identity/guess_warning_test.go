package identity_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// lockedFor gives how long an attempt is locked; 0: it is not.
func (g *signInFixture) lockedFor(a identity.Attempt) time.Duration {
	g.t.Helper()
	if e := g.signInWithCaptcha(a); e != nil && e.Kind == errs.TooMany && e.Key == "signin.locked" {
		return e.Retry
	}
	return 0
}

// Guesses from a subnet wait longer and longer, from any of its addresses and at any account.
func TestGuessesFromSubnetBackOff(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	guess := func(i int) identity.Attempt {
		return attempt(field.ID, "guessed"+strconv.Itoa(i), "wrong", "198.51.100."+strconv.Itoa(i))
	}
	var waited []time.Duration
	for i := range 19 {
		if wait := g.lockedFor(guess(i)); wait > 0 {
			waited = append(waited, wait)
			g.Clock.Advance(wait - time.Millisecond)
			if left := g.lockedFor(guess(i)); left != time.Millisecond {
				t.Errorf("guess %d: locked for %s just before the end", i, left)
			}
			g.Clock.Advance(time.Millisecond)
			if g.lockedFor(guess(i)) != 0 {
				t.Fatalf("guess %d has waited and is still locked", i)
			}
		}
	}
	want := []float64{1, 2, 4, 8, 16, 30, 30, 30, 30} // seconds
	if !slices.EqualFunc(waited, want, func(got time.Duration, want float64) bool { return got.Seconds() == want }) {
		t.Errorf("waits %v, want %v s", waited, want)
	}
	if wait := g.lockedFor(attempt(field.ID, "ada", testkit.Password, "198.51.101.1")); wait != 0 {
		t.Errorf("from the next subnet: locked for %s", wait)
	}
}

// A user who signed in from a subnet before does not wait because of others' guesses from it. A
// user who comes from there for the first time waits once, and no more, even if the guesses go on.
func TestKnownUserNotDelayedBySubnetGuesses(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	at := "198.51.100.7"
	right := attempt(field.ID, "ada", testkit.Password, at)
	if e := g.signIn(right); e != nil {
		t.Fatal(e)
	}
	g.failSignIns(attempt(field.ID, "guessed", "", "198.51.100.66"), 9)
	g.failSignIns(attempt(field.ID, "guessed as well", "", "198.51.100.66"), 5)
	right.Address = attempt(field.ID, "", "", "198.51.100.8").Address // the same subnet
	if wait := g.lockedFor(right); wait != 0 {
		t.Errorf("the subnet is familiar, and she waits %s", wait)
	}
	fresh := attempt(field.ID, "bora", testkit.Password, at)
	if wait := g.lockedFor(fresh); wait != 16*time.Second {
		t.Errorf("the subnet is unfamiliar, and she waits %s", wait)
	}
	g.Clock.Advance(15 * time.Second)
	g.failSignIns(attempt(field.ID, "guessed too", "", "198.51.100.66"), 1) // failSignIns waits too
	if wait := g.lockedFor(fresh); wait != 0 {
		t.Errorf("after the wait: locked for %s", wait)
	}
	g.failSignIns(attempt(field.ID, "guessed", "", "198.51.100.66"), 1)
	if wait := g.lockedFor(fresh); wait != 0 {
		t.Errorf("after more guesses: locked for %s", wait)
	}
}

// Guesses at one account from ever new subnets lock nobody out: they make sign-in require a
// captcha, and its owner gets a warning, at most once a day.
func TestOwnerWarnedOfGuesses(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.SignIn.Run(ctx, g.Log.Logger) }()
	if e := g.signIn(attempt(field.ID, "ada", testkit.Password, homeAddr)); e != nil {
		t.Fatal(e)
	}
	guess := func(userName string, from, n int) {
		for i := range n {
			g.failSignIns(attempt(field.ID, userName, "", "10."+strconv.Itoa(from)+"."+strconv.Itoa(i)+".1"), 1)
		}
	}
	emails := func(want int) []identity.Email {
		t.Helper()
		// Run sends the warning after the guess.
		testkit.Eventually(t, "the warning", func() bool { return len(g.Mails.Sent()) >= want })
		if got := g.Mails.Sent(); len(got) == want {
			return got
		}
		t.Fatalf("%d emails, want %d", len(g.Mails.Sent()), want)
		return nil
	}
	guess("ada", 1, 9)
	emails(0)
	guess("ada", 2, 21)
	email := emails(1)[0]
	if email.To != field.Ada.Email || !strings.Contains(email.Text, "10") || !strings.Contains(email.Text, "ada") {
		t.Errorf("%+v", email)
	}
	if e := g.signInWithCaptcha(attempt(field.ID, "ada", testkit.Password, "203.0.113.77")); e != nil {
		t.Errorf("from a familiar subnet: %v", e)
	}
	if e := g.signInWithCaptcha(attempt(field.ID, "ada", testkit.Password, "192.0.2.1")); e != nil {
		t.Errorf("from an unfamiliar subnet: %v", e)
	}
	g.Clock.Advance(23 * time.Hour)
	guess("ada", 3, 30)
	emails(1)
	g.Clock.Advance(time.Hour)
	guess("ada", 4, 30)
	emails(2)

	// Failures from a familiar subnet send no warning, and neither do guesses at accounts that do
	// not exist.
	g.Clock.Advance(48 * time.Hour)
	wrong := attempt(field.ID, "ada", "", homeAddr)
	g.failSignIns(wrong, 9)
	g.Clock.Advance(10 * time.Minute)
	guess("nobody", 5, 30)
	emails(2)
	end()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The familiar subnets of a user are the user's own, and at most fifty; old ones are forgotten.
func TestSignInNetworksPerUser(t *testing.T) {
	g := newSignInFixture(t)
	field, rival := g.Tenant(t, "field"), g.Tenant(t, "rival")
	count := func(want int64) {
		t.Helper()
		n, err := g.DB.Read(t.Context()).NewSelect().Table("sign_in_networks").Count(t.Context())
		if err != nil || n != want {
			t.Errorf("%d networks, want %d; %v", n, want, err)
		}
	}
	sign := func(a identity.Attempt) {
		t.Helper()
		if e := g.signInWithCaptcha(a); e != nil {
			t.Fatal(e)
		}
	}
	for i := range 60 {
		sign(attempt(field.ID, "ada", testkit.Password, "10.0."+strconv.Itoa(i)+".1"))
		g.Clock.Advance(time.Second)
	}
	count(50)
	sign(attempt(field.ID, "ada", testkit.Password, "10.0.59.200"))
	count(50)
	g.failSignIns(attempt(field.ID, "nobody", "", "10.0.59.1"), 9)
	g.failSignIns(attempt(field.ID, "nobody else", "", "10.0.59.1"), 1)
	if wait := g.lockedFor(attempt(field.ID, "ada", testkit.Password, "10.0.59.3")); wait != 0 {
		t.Errorf("from her last subnet: locked for %s", wait)
	}
	for name, a := range map[string]identity.Attempt{
		"the other tenant's ada": attempt(rival.ID, "ada", testkit.Password, "10.0.59.1"), "another": attempt(field.ID, "bora", testkit.Password, "10.0.59.1"),
	} {
		if g.lockedFor(a) == 0 {
			t.Errorf("%s does not wait where only ada need not", name)
		}
	}
	if err := g.Users.Sweep(t.Context(), g.Clock.Now().Add(399*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	count(50)
	if err := g.Users.Sweep(t.Context(), g.Clock.Now().Add(401*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	count(0)
	sign(attempt(rival.ID, "ada", testkit.Password, homeAddr))
	if err := g.Users.Delete(t.Context(), rival.ID, rival.Ada.ID); err != nil {
		t.Fatal(err)
	}
	count(0)
}
