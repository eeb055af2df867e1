package testkit

import (
	"context"
	"regexp"
	"sync"
	"testing"

	"tilth/internal/identity"
	"tilth/internal/notify"
)

// SMS is a text that reached a phone.
type SMS struct{ To, Text string }

// Phones is every phone of the world: it keeps what is sent to them.
type Phones struct {
	mu     sync.Mutex
	sent   []SMS
	broken error
}

// SendText delivers an SMS, or refuses while the phones are broken.
func (p *Phones) SendText(_ context.Context, mobile, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return p.broken
	}
	p.sent = append(p.sent, SMS{mobile, text})
	return nil
}

// Break makes every SMS fail with err, until Break(nil).
func (p *Phones) Break(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = err
}

// Sent is all that was delivered.
func (p *Phones) Sent() []SMS {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]SMS(nil), p.sent...)
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// Code is the newest code that a phone was sent.
func (p *Phones) Code(t testing.TB, mobile string) string {
	t.Helper()
	sent := p.Sent()
	for i := len(sent) - 1; i >= 0; i-- {
		if sent[i].To != mobile {
			continue
		}
		if code := sixDigits.FindString(sent[i].Text); code != "" {
			return code
		}
	}
	t.Fatalf("%s was sent no code", mobile)
	return ""
}

// Carrier keeps the letters that it is given, as one that brings them at once.
type Carrier struct {
	mu      sync.Mutex
	letters []notify.Notification
	broken  error
}

// Carry takes a letter, or refuses it while the carrier is broken.
func (c *Carrier) Carry(_ context.Context, l *notify.Notification) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return "", c.broken
	}
	c.letters = append(c.letters, *l)
	return "accepted", nil
}

// Break makes every letter fail with err, a *notify.Failure, until Break(nil).
func (c *Carrier) Break(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = err
}

// Letters is all that was carried.
func (c *Carrier) Letters() []notify.Notification {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]notify.Notification(nil), c.letters...)
}

// Postbox keeps the letters that were posted.
type Postbox struct {
	mu      sync.Mutex
	letters []identity.Email
}

// Post takes a letter.
func (p *Postbox) Post(l identity.Email) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.letters = append(p.letters, l)
}

// Letters is all that was posted.
func (p *Postbox) Letters() []identity.Email {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]identity.Email(nil), p.letters...)
}
