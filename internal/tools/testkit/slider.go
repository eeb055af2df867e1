package testkit

import (
	"fmt"
	"net/netip"
	"testing"

	"tilth/internal/domain/captcha"
)

// Slider is a captcha with blank pictures whose target a test knows.
type Slider struct {
	*captcha.Service     // of Stores
	Target           int // x of the newest challenge, in a picture 310 pixels wide

	client netip.Addr // of the newest Verification; a new address each time
}

// NewSlider makes a Slider without its service, which draws with it.
func NewSlider() *Slider { return &Slider{client: netip.MustParseAddr("198.18.0.0")} }

// Draw draws blank pictures.
func (s *Slider) Draw() (captcha.Picture, error) {
	s.Target = 58 + (s.Target+89)%201
	return captcha.Picture{Background: []byte("background"), Strip: []byte("strip"), Target: s.Target}, nil
}

// Point returns the JSON of a point that a client sends for x.
func Point(x int) string { return fmt.Sprintf(`{"x":%d,"y":5}`, x) }

// Verification solves a captcha and returns the captchaVerification.
func (s *Slider) Verification(t testing.TB) string {
	t.Helper()
	s.client = s.client.Next()
	c, err := s.Get(t.Context(), s.client)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(s.client, c.Token, captcha.Encrypt(Point(s.Target), c.SecretKey)); err != nil {
		t.Fatal(err)
	}
	return captcha.Encrypt(c.Token+"---"+Point(s.Target), c.SecretKey)
}
