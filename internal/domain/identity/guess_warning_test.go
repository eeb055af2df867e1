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

// lockedFor tells for how long an attempt is not looked at; 0: it is.
func (g *signInFixture) lockedFor(a identity.Attempt) time.Duration {
	g.t.Helper()
	if e := g.signInWithCaptcha(a); e != nil && e.Kind == errs.TooMany && e.Key == "signin.locked" {
		return e.Retry
	}
	return 0
}

// Guesses from a neighbourhood wait for longer and longer, whichever of its addresses
// they come from, and whichever account they are at.
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
				t.Errorf("guess %d: %s left just before", i, left)
			}
			g.Clock.Advance(time.Millisecond)
			if g.lockedFor(guess(i)) != 0 {
				t.Fatalf("guess %d has waited and is not looked at", i)
			}
		}
	}
	want := []float64{1, 2, 4, 8, 16, 30, 30, 30, 30} // seconds
	if !slices.EqualFunc(waited, want, func(got time.Duration, want float64) bool { return got.Seconds() == want }) {
		t.Errorf("waits %v, want %v s", waited, want)
	}
	if wait := g.lockedFor(attempt(field.ID, "ada", testkit.Password, "198.51.101.1")); wait != 0 {
		t.Errorf("from the neighbourhood beside it: %s", wait)
	}
}

// Who signed in from a neighbourhood before does not wait for what others try from it;
// who comes there for the first time waits once, and no more, however long the others go on.
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
	right.Address = attempt(field.ID, "", "", "198.51.100.8").Address // the same neighbourhood
	if wait := g.lockedFor(right); wait != 0 {
		t.Errorf("she signed in from there, and waits %s", wait)
	}
	fresh := attempt(field.ID, "bora", testkit.Password, at)
	if wait := g.lockedFor(fresh); wait != 16*time.Second {
		t.Errorf("for the first time from there: waits %s", wait)
	}
	g.Clock.Advance(15 * time.Second)
	g.failSignIns(attempt(field.ID, "guessed too", "", "198.51.100.66"), 1) // waits for itself
	if wait := g.lockedFor(fresh); wait != 0 {
		t.Errorf("after that: %s more", wait)
	}
	g.failSignIns(attempt(field.ID, "guessed", "", "198.51.100.66"), 1)
	if wait := g.lockedFor(fresh); wait != 0 {
		t.Errorf("signed in, and waits %s", wait)
	}
}

// Guesses at one account from ever new networks lock nobody out: they make a captcha
// be demanded, and its owner is told, once a day.
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
	told := func(want int) []identity.Email {
		t.Helper()
		for range 200 { // it is told behind the guess
			if len(g.Postbox.Sent()) >= want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got := g.Postbox.Sent(); len(got) == want {
			return got
		}
		t.Fatalf("%d letters, want %d", len(g.Postbox.Sent()), want)
		return nil
	}
	guess("ada", 1, 9)
	told(0)
	guess("ada", 2, 21)
	l := told(1)[0]
	if l.To != field.Ada.Email || !strings.Contains(l.Text, "10") || !strings.Contains(l.Text, "ada") {
		t.Errorf("%+v", l)
	}
	if e := g.signInWithCaptcha(attempt(field.ID, "ada", testkit.Password, "203.0.113.77")); e != nil {
		t.Errorf("she comes from where she always comes from: %v", e)
	}
	if e := g.signInWithCaptcha(attempt(field.ID, "ada", testkit.Password, "192.0.2.1")); e != nil {
		t.Errorf("she comes from somewhere else: %v", e)
	}
	g.Clock.Advance(23 * time.Hour)
	guess("ada", 3, 30)
	told(1)
	g.Clock.Advance(time.Hour)
	guess("ada", 4, 30)
	told(2)

	// What she mistypes at home is not news to her, and nobody is told of accounts that are not there.
	g.Clock.Advance(48 * time.Hour)
	wrong := attempt(field.ID, "ada", "", homeAddr)
	g.failSignIns(wrong, 9)
	g.Clock.Advance(10 * time.Minute)
	guess("nobody", 5, 30)
	told(2)
	end()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The networks of a user are the user's alone, and no more than fifty; those of long
// ago are forgotten.
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
		t.Errorf("from where she was last: %s", wait)
	}
	for name, a := range map[string]identity.Attempt{
		"the other tenant's ada": attempt(rival.ID, "ada", testkit.Password, "10.0.59.1"), "another": attempt(field.ID, "bora", testkit.Password, "10.0.59.1"),
	} {
		if g.lockedFor(a) == 0 {
			t.Errorf("%s does not wait where she need not", name)
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
