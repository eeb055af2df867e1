package captcha_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"testing"
	"time"

	"tilth/internal/domain/captcha"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

var clientAddr = netip.MustParseAddr("203.0.113.1")

// newService makes a Service whose targets the test knows.
func newService() (*testkit.Slider, *testkit.Clock) {
	clock, slider := testkit.NewClock(), testkit.NewSlider()
	slider.Service = captcha.New(clock.Now, slider.Draw, nil)
	return slider, clock
}

func mustGet(t *testing.T, s *testkit.Slider, from netip.Addr) *captcha.Challenge {
	t.Helper()
	c, err := s.Get(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encryptPoint(c *captcha.Challenge, x int) string {
	return captcha.Encrypt(testkit.Point(x), c.SecretKey)
}

func receiptFor(c *captcha.Challenge, x int) string {
	return captcha.Encrypt(c.Token+"---"+testkit.Point(x), c.SecretKey)
}

var (
	tokenForm  = regexp.MustCompile(`^[0-9a-f]{32}$`)
	secretForm = regexp.MustCompile(`^[A-Z2-7]{16}$`)
)

func TestGet(t *testing.T) {
	s, _ := newService()
	seen := map[string]bool{}
	for range 50 {
		c := mustGet(t, s, clientAddr)
		if !tokenForm.MatchString(c.Token) || !secretForm.MatchString(c.SecretKey) || len(c.Background) == 0 ||
			len(c.Strip) == 0 {
			t.Errorf("%+v", c)
		}
		if seen[c.Token] || seen[c.SecretKey] {
			t.Errorf("the token or key was given before: %+v", c)
		}
		seen[c.Token], seen[c.SecretKey] = true, true
	}
}

// The piece may be up to five off its target, ignoring decimals.
func TestTolerance(t *testing.T) {
	s, _ := newService()
	for name, c := range map[string]struct {
		point func(target int) string
		want  captcha.Code
	}{
		"exactly":          {testkit.Point, captcha.OK},
		"5 to the left":    {func(x int) string { return testkit.Point(x - 5) }, captcha.OK},
		"5 to the right":   {func(x int) string { return testkit.Point(x + 5) }, captcha.OK},
		"5.99 right":       {func(x int) string { return fmt.Sprintf(`{"x":%d.99,"y":5}`, x+5) }, captcha.OK},
		"6 to the right":   {func(x int) string { return testkit.Point(x + 6) }, captcha.Failed},
		"6 to the left":    {func(x int) string { return testkit.Point(x - 6) }, captcha.Failed},
		"5.01 to the left": {func(x int) string { return fmt.Sprintf(`{"x":%d.99,"y":5}`, x-6) }, captcha.Failed},
		"a client's 5.0":   {func(x int) string { return fmt.Sprintf(`{"x":%d.0,"y":5.0}`, x) }, captcha.OK},
		"negative":         {func(x int) string { return testkit.Point(-x) }, captcha.Failed},
		"another row":      {func(x int) string { return fmt.Sprintf(`{"x":%d,"y":50}`, x) }, captcha.Failed},
		"in pixels":        {func(x int) string { return testkit.Point(2 * x) }, captcha.Failed},
	} {
		challenge := mustGet(t, s, clientAddr)
		point := c.point(s.Target)
		err := s.Check(clientAddr, challenge.Token, captcha.Encrypt(point, challenge.SecretKey))
		if got := captcha.CodeOf(err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		// The receipt contains the point as it was sent.
		if got := s.Verify(captcha.Encrypt(challenge.Token+"---"+point,
			challenge.SecretKey)); got != (c.want == captcha.OK) {
			t.Errorf("%s: verified %t", name, got)
		}
	}
}

func TestCheckEmptyParameters(t *testing.T) {
	s, _ := newService()
	c := mustGet(t, s, clientAddr)
	for name, err := range map[string]error{
		"no token": s.Check(clientAddr, "", encryptPoint(c, s.Target)), "no point": s.Check(clientAddr, c.Token, ""), "nothing": s.Check(clientAddr, "", ""),
	} {
		if captcha.CodeOf(err) != captcha.Empty {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Check(clientAddr, c.Token, encryptPoint(c, s.Target)); err != nil {
		t.Errorf("an incomplete request used up the token: %v", err)
	}
}

// Each token allows one attempt, right or wrong.
func TestOneAttemptPerToken(t *testing.T) {
	s, _ := newService()
	for _, off := range []int{0, 50} {
		c := mustGet(t, s, clientAddr)
		target := s.Target
		first := captcha.CodeOf(s.Check(clientAddr, c.Token, encryptPoint(c, target+off)))
		if want := map[int]captcha.Code{0: captcha.OK, 50: captcha.Failed}[off]; first != want {
			t.Errorf("first: %s, want %s", first, want)
		}
		for range 3 {
			if err := s.Check(clientAddr, c.Token, encryptPoint(c, target)); captcha.CodeOf(err) != captcha.Expired {
				t.Errorf("again: %v", err)
			}
		}
	}
	if err := s.Check(clientAddr, "0123456789abcdef0123456789abcdef", "x"); captcha.CodeOf(err) != captcha.Expired {
		t.Errorf("an unknown token: %v", err)
	}
}

func TestChallengeAndReceiptExpiry(t *testing.T) {
	s, clock := newService()
	early, late := mustGet(t, s, clientAddr), mustGet(t, s, clientAddr)
	target := s.Target
	clock.Advance(130*time.Second - 1)
	if err := s.Check(clientAddr, late.Token, encryptPoint(late, target)); err != nil {
		t.Errorf("just within 130 s: %v", err)
	}
	clock.Advance(1)
	if err := s.Check(clientAddr, early.Token, encryptPoint(early, target)); captcha.CodeOf(err) != captcha.Expired {
		t.Errorf("after 130 s: %v", err)
	}
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{180*time.Second - 1, true}, {180 * time.Second, false}} {
		challenge := mustGet(t, s, clientAddr)
		if err := s.Check(clientAddr, challenge.Token, encryptPoint(challenge, s.Target)); err != nil {
			t.Fatal(err)
		}
		verification := receiptFor(challenge, s.Target)
		clock.Advance(c.after)
		if got := s.Verify(verification); got != c.want {
			t.Errorf("verified after %s: %t", c.after, got)
		}
	}
}

// A failure of drawing is a Fault, and creates no challenge.
func TestDrawFailure(t *testing.T) {
	broken := errors.New("out of ink")
	s := captcha.New(testkit.NewClock().Now, func() (captcha.Picture, error) { return captcha.Picture{}, broken }, nil)
	if _, err := s.Get(t.Context(), clientAddr); !errors.Is(err, broken) || captcha.CodeOf(err) != captcha.Fault {
		t.Errorf("%v", err)
	}
}

// Every code has a text in every language.
func TestCodesHaveTexts(t *testing.T) {
	for _, c := range captcha.Codes {
		if c != captcha.OK && !text.HasKey("captcha."+string(c)) {
			t.Errorf("no text for %s", c)
		}
		if wrapped := fmt.Errorf("check: %w", c); c != captcha.OK && captcha.CodeOf(wrapped) != c {
			t.Errorf("CodeOf does not find %s in a wrapped error", c)
		}
	}
	if captcha.CodeOf(nil) != captcha.OK || captcha.CodeOf(context.Canceled) != captcha.Fault {
		t.Error("CodeOf is wrong for nil or for another error")
	}
}
