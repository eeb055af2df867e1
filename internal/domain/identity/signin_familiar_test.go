package identity_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// outcome is all that a client sees of a refusal, the time apart.
func outcome(e *errs.Error) string {
	if e == nil {
		return "let in"
	}
	return fmt.Sprintf("%v %s %q %v %v, again after %s", e.Kind, e.Key, e.Field, e.Args, e.Data, e.Retry)
}

// Whoever does not know the password cannot tell whether an account signed in from the network before,
// nor whether it exists: the same attempts get the same answers, for the account and for others from
// there.
func TestFamiliarityIsNotRevealed(t *testing.T) {
	seen := func(target string) (answers []string) {
		g := newSignInFixture(t)
		field := g.Tenant(t, "field")
		if e := g.signIn(attempt(field.ID, "ada", testkit.Password, "198.51.100.1")); e != nil {
			t.Fatal(e)
		}
		try := func(name string, from int, captcha bool) {
			a := attempt(field.ID, name, "wrong", "198.51.100."+strconv.Itoa(from))
			e := (*errs.Error)(nil)
			if captcha {
				e = g.signInWithCaptcha(a)
			} else {
				e = g.signIn(a)
			}
			answers = append(answers, outcome(e))
		}
		for i := range 9 {
			try("other"+strconv.Itoa(i), 50+i, true)
		}
		try(target, 1, true)
		try("the next", 2, true) // waits if the failure before counted
		for i := range 30 {
			try(target, 3+i/8, i%3 > 0)
			if i%4 == 3 { // else it does not wait, or not as long as it was told
				g.Clock.Advance(16 * time.Second)
			}
		}
		for i := range 12 { // from one address, up to its lock
			try(target, 20, true)
			g.Clock.Advance(time.Duration(25+i) * time.Second)
		}
		g.Clock.Advance(15 * time.Minute)
		try(target, 1, false)
		return answers
	}
	want := seen("nobody")
	for _, key := range []string{"signin.fail", "signin.locked", "signin.captcha"} {
		if !slices.ContainsFunc(want, func(a string) bool { return strings.Contains(a, key) }) {
			t.Errorf("no attempt was refused with %s", key)
		}
	}
	for _, target := range []string{"ada", "bora"} {
		got := seen(target)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s, attempt %d: %s, of a name without an account %s", target, i+1, got[i], want[i])
			}
		}
	}
}

// While the queue of unknown requesters is full, a wrong password is refused alike for all, and the
// right one is let in from where the account signed in before.
func TestFullQueueDoesNotRevealFamiliarity(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	right := attempt(field.ID, "ada", testkit.Password, "198.51.100.1")
	if e := g.signIn(right); e != nil {
		t.Fatal(e)
	}
	leave := g.SignIn.Hasher.FillUnknown(t.Context())
	var answers []string
	for range 4 { // more than would demand a captcha, if they counted
		for _, name := range []string{"ada", "bora", "nobody"} {
			answers = append(answers, outcome(g.signIn(attempt(field.ID, name, "wrong", "198.51.100.1"))))
		}
	}
	if len(slices.Compact(slices.Clone(answers))) != 1 || !strings.Contains(answers[0], "error.503") {
		t.Errorf("%q", answers)
	}
	if e := g.signIn(right); e != nil {
		t.Errorf("the right password: %v", e)
	}
	leave()
	for _, name := range []string{"ada", "bora", "nobody"} {
		if e := g.signIn(attempt(field.ID, name, "wrong", "198.51.100.2")); e == nil || e.Key != "signin.fail" {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// A refusal before the password is looked at takes as long as a hash, as that of a wrong password does
// where the account signed in before.
func TestRefusalsBeforeHashingTakeAsLong(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	for i := range 10 {
		if e := g.signIn(attempt(field.ID, "other"+strconv.Itoa(i), "wrong",
			"198.51.100."+strconv.Itoa(i))); e == nil || e.Key != "signin.fail" {
			t.Fatal(e)
		}
	}
	const hash = 50 * time.Millisecond
	g.SignIn.Hasher.SetHashTime(testkit.PasswordCost, hash)
	for _, name := range []string{"ada", "nobody"} {
		began := time.Now()
		if e := g.signIn(attempt(field.ID, name, "wrong", "198.51.100.77")); e == nil || e.Key != "signin.locked" {
			t.Errorf("%s: %v", name, e)
		}
		if took := time.Since(began); took < hash {
			t.Errorf("%s: refused after %s, and a hash takes %s", name, took, hash)
		}
	}
}

// Somebody in the network of an account gets no more than ten looks at it while others there wait;
// after that its owner waits there too, for at most half a minute.
func TestHiddenGuessesAreLimited(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	right := attempt(field.ID, "ada", testkit.Password, "198.51.100.1")
	if e := g.signIn(right); e != nil {
		t.Fatal(e)
	}
	for i := range 12 {
		g.failSignIns(attempt(field.ID, "other"+strconv.Itoa(i), "", "198.51.100.66"), 1)
	}
	for i := range 9 {
		a := attempt(field.ID, "ada", "wrong", "198.51.100.2")
		if wait := g.lockedFor(a); wait == 0 {
			t.Fatalf("guess %d was looked at", i+1)
		}
	}
	if e := g.signInWithCaptcha(right); e != nil {
		t.Errorf("after nine: %v", e)
	}
	if wait := g.lockedFor(attempt(field.ID, "ada", "wrong", "198.51.100.2")); wait == 0 {
		t.Error("the tenth was looked at")
	}
	wait := g.lockedFor(right)
	if wait == 0 || wait > 30*time.Second {
		t.Errorf("after ten the owner waits %s", wait)
	}
	g.Clock.Advance(wait)
	if e := g.signInWithCaptcha(right); e != nil {
		t.Errorf("after the wait: %v", e)
	}
}

// An account that was never seen from a network of many failures waits at most half a minute there.
func TestUnseenAccountWaitsHalfAMinuteAtMost(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	for i := range 40 {
		g.failSignIns(attempt(field.ID, "other"+strconv.Itoa(i), "", "198.51.100."+strconv.Itoa(i)), 1)
	}
	right := attempt(field.ID, "bora", testkit.Password, "198.51.100.99")
	if wait := g.lockedFor(right); wait != 30*time.Second {
		t.Errorf("the first attempt waits %s", wait)
	}
	g.Clock.Advance(30 * time.Second)
	if e := g.signInWithCaptcha(right); e != nil {
		t.Error(e)
	}
}
