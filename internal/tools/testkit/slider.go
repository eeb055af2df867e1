package testkit

import (
	"fmt"
	"net/netip"
	"testing"

	"tilth/internal/domain/captcha"
)

// Slider is a captcha whose pictures are blank and whose places a test knows.
type Slider struct {
	*captcha.Service
	Target int // of the newest challenge, in the 310 basis

	client netip.Addr // where Verification slides: a network of its own each time
}

// NewSlider makes a Slider over a clock.
func NewSlider(c *Clock) *Slider {
	s := &Slider{client: netip.MustParseAddr("198.18.0.0")}
	s.Service = captcha.New(c.Now, func() (captcha.Picture, error) {
		s.Target = 58 + (s.Target+89)%201
		return captcha.Picture{Background: []byte("background"), Strip: []byte("strip"), Target: s.Target}, nil
	}, nil)
	return s
}

// Point is the point JSON that a client sends for x.
func Point(x int) string { return fmt.Sprintf(`{"x":%d,"y":5}`, x) }

// Verification solves a captcha and gives the captchaVerification.
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
