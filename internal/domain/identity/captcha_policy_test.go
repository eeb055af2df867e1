package identity_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// captchaRequired tells whether a refusal requires a captcha.
func captchaRequired(t *testing.T, e *errs.Error) bool {
	t.Helper()
	if e == nil || e.Key != "signin.captcha" {
		return false
	}
	if e.Kind != errs.Refused || e.Data != (identity.CaptchaRequired{CaptchaRequired: true}) {
		t.Errorf("the refusal is %+v", e)
	}
	return true
}

// After three failures of an account from any addresses, or from an address at any accounts,
// sign-in requires a captcha for that account or address, and for no others.
func TestCaptchaRequiredAfterFailures(t *testing.T) {
	for name, c := range map[string]struct{ userName, address string }{
		"of the account":           {"ada", ""},
		"from the address":         {"", homeAddr},
		"of the pair":              {"ada", homeAddr},
		"of an unknown account":    {"nobody", ""},
		"of both, unknown account": {"nobody", homeAddr},
	} {
		t.Run(name, func(t *testing.T) {
			g := newSignInFixture(t)
			field := g.Tenant(t, "field")
			for i := range 3 {
				userName, address := c.userName, c.address
				if userName == "" {
					userName = g.User(t, field.ID, "user"+strconv.Itoa(i)).UserName
				}
				if address == "" {
					address = "198.51." + strconv.Itoa(i) + ".1"
				}
				if e := g.signIn(attempt(field.ID, userName, "wrong", address)); e == nil || e.Key != "signin.fail" {
					t.Fatalf("failure %d: %v", i+1, e)
				}
			}
			for _, probe := range []struct{ userName, address string }{
				{"ada", homeAddr}, {"ada", otherAddr}, {"nobody", homeAddr}, {"bora", homeAddr}, {"bora", otherAddr},
			} {
				a := attempt(field.ID, probe.userName, testkit.Password, probe.address)
				want := probe.userName == c.userName || probe.address == c.address
				if got := captchaRequired(t, g.signIn(a)); got != want {
					t.Errorf("%s from %s: captcha required %t, want %t", probe.userName, probe.address, got, want)
				}
			}
			right := attempt(field.ID, "ada", testkit.Password, homeAddr)
			if e := g.signInWithCaptcha(right); e != nil {
				t.Errorf("with a captcha: %v", e)
			}
			g.Clock.Advance(15 * time.Minute)
			if e := g.signIn(right); e != nil {
				t.Errorf("a quarter of an hour later: %v", e)
			}
		})
	}
}

// A refusal for want of a captcha counts as no failure and computes no password hash: the hash in
// the database would make the hasher fail.
func TestCaptchaRefusalComputesNoHash(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	right := attempt(field.ID, "ada", testkit.Password, homeAddr)
	g.failSignIns(right, 3)
	if err := g.Users.PutPassword(t.Context(), field.ID, field.Ada.ID, "garbage"); err != nil {
		t.Fatal(err)
	}
	bad := right
	for i := range 30 {
		bad.Verification = []string{"", "made up", "x"}[i%3]
		if !captchaRequired(t, g.signIn(bad)) {
			t.Fatalf("attempt %d", i)
		}
	}
	if err := g.Users.PutPassword(t.Context(), field.ID, field.Ada.ID,
		testkit.PasswordHash(testkit.Password)); err != nil {
		t.Fatal(err)
	}
	if e := g.signInWithCaptcha(right); e != nil {
		t.Errorf("the refusals were counted as failures: %v", e)
	}
}

// A verification is valid for one attempt, whether or not it was needed, and whatever the outcome.
func TestVerificationIsUsedUp(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	for name, a := range map[string]identity.Attempt{
		"not needed": attempt(field.ID, "ada", testkit.Password, "198.51.100.1"), "wrong password": attempt(field.ID, "bora", "wrong", "198.51.100.2"),
	} {
		a.Verification = g.Slider.Verification(t)
		if e := g.signIn(a); e != nil && e.Key != "signin.fail" {
			t.Fatal(e)
		}
		if g.Slider.Verify(a.Verification) {
			t.Errorf("%s: the verification is valid twice", name)
		}
	}
	g.failSignIns(attempt(field.ID, "ada", "", homeAddr), 3)
	again := attempt(field.ID, "ada", "wrong", homeAddr)
	again.Verification = g.Slider.Verification(t)
	if e := g.signIn(again); e == nil || e.Key != "signin.fail" {
		t.Fatal(e)
	}
	again.Password = testkit.Password
	if !captchaRequired(t, g.signIn(again)) {
		t.Error("one captcha allowed two guesses")
	}
}

// Failures from many addresses make sign-in require a captcha from the account's owner, but never
// lock her out.
func TestFailuresElsewhereDoNotLockOwnerOut(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	for i := range 60 {
		g.failSignIns(attempt(field.ID, "ada", "", "198.51."+strconv.Itoa(i)+".1"), 1)
	}
	right := attempt(field.ID, "ada", testkit.Password, homeAddr)
	if !captchaRequired(t, g.signIn(right)) {
		t.Error("no captcha is required after sixty failures")
	}
	if e := g.signInWithCaptcha(right); e != nil {
		t.Errorf("the owner is locked out: %v", e)
	}
	// Her success does not clear the failures of those who guess.
	if !captchaRequired(t, g.signIn(attempt(field.ID, "ada", "wrong", otherAddr))) {
		t.Error("no captcha is required after the owner's own sign-in")
	}
}

// An attacker cannot clear the failures of an address by signing in to his own account.
func TestSuccessKeepsAddressFailures(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	for i := range 3 {
		victim := g.User(t, field.ID, "victim"+strconv.Itoa(i)).UserName
		if e := g.signIn(attempt(field.ID, victim, "wrong", homeAddr)); e == nil || e.Key != "signin.fail" {
			t.Fatal(e)
		}
		if e := g.signInWithCaptcha(attempt(field.ID, "bora", testkit.Password, homeAddr)); e != nil {
			t.Fatal(e)
		}
	}
	if !captchaRequired(t, g.signIn(attempt(field.ID, "victim3", "wrong", homeAddr))) {
		t.Error("the success cleared the failures of the address")
	}
}

// Concurrent guesses learn no more than sequential ones: three without a captcha.
func TestConcurrentGuessesAreLimited(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	var looked, asked atomic.Int32
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			_, err := g.SignIn.WithPassword(t.Context(), attempt(field.ID, "ada", "wrong",
				"198.51."+strconv.Itoa(i)+".1"))
			switch e := errs.As(err); e.Key {
			case "signin.fail":
				looked.Add(1)
			case "signin.captcha":
				asked.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if looked.Load() != 3 || asked.Load() != 27 {
		t.Errorf("%d guesses were checked, %d were refused", looked.Load(), asked.Load())
	}
	// Those that waited meanwhile cost no hash: three slots may have begun one more each.
	if n := g.SignIn.Hasher.Hashes(); n > 6 {
		t.Errorf("%d hashes for three guesses", n)
	}
}

// Concurrent valid sign-ins from a familiar subnet all succeed, up to the number that may wait.
func TestConcurrentValidSignIns(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	if e := g.signIn(attempt(field.ID, "ada", testkit.Password, homeAddr)); e != nil {
		t.Fatal(e)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := g.SignIn.WithPassword(t.Context(), attempt(field.ID, "ada", testkit.Password,
				homeAddr)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestCaptchaPolicies(t *testing.T) {
	g := newSignInFixture(t)
	field := g.Tenant(t, "field")
	right := attempt(field.ID, "ada", testkit.Password, homeAddr)
	with := func(d identity.CaptchaPolicy, verify func(string) bool) {
		g.SignIn = identity.NewSignIn(identity.SignInDeps{
			Tenants:  g.Tenants,
			Users:    g.Users,
			Sessions: g.Sessions,
			Hasher:   identity.NewHasherAt(testkit.PasswordCost, nil),
			Captcha:  identity.Captcha{Policy: d, Verify: verify},
			Now:      g.Clock.Now,
		})
		if g.SignIn.CaptchaPolicy() != d {
			t.Errorf("the policy is %s, CaptchaPolicy gives %s", d, g.SignIn.CaptchaPolicy())
		}
	}

	with(identity.CaptchaAlways, g.Slider.Verify)
	if !captchaRequired(t, g.signIn(right)) {
		t.Error("policy always: the first attempt needs no captcha")
	}
	if e := g.signInWithCaptcha(right); e != nil {
		t.Errorf("policy always: %v", e)
	}

	with(identity.CaptchaOff, func(string) bool { t.Error("the captcha is verified although it is off"); return false })
	right.Verification = "x"
	wrong := right
	wrong.Password = "wrong"
	for range 10 {
		if e := g.signIn(wrong); e == nil || e.Key != "signin.fail" {
			t.Fatalf("policy off: %v", e)
		}
	}
	if e := g.signIn(right); e == nil || e.Kind != errs.TooMany {
		t.Errorf("policy off: the lock is off too: %v", e)
	}
}
