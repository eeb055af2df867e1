package testkit

import (
	"context"
	"regexp"
	"sync"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
)

// SMS is a text that reached a phone.
type SMS struct{ To, Text string }

// Phones is every phone of the world: it keeps what is sent to them.
type Phones struct {
	mu   sync.Mutex
	sent []SMS
	err  error
}

// SendSMS delivers an SMS, or refuses while the phones are broken.
func (p *Phones) SendSMS(_ context.Context, mobile, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	p.sent = append(p.sent, SMS{mobile, text})
	return nil
}

// Break makes every SMS fail with err, until Break(nil).
func (p *Phones) Break(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
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

// FakeSender keeps the letters that it is given, as one that brings them at once.
type FakeSender struct {
	mu   sync.Mutex
	sent []notify.Notification
	err  error
}

// Send takes a letter, or refuses it while the carrier is broken.
func (c *FakeSender) Send(_ context.Context, l *notify.Notification) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return "", c.err
	}
	c.sent = append(c.sent, *l)
	return "accepted", nil
}

// Break makes every letter fail with err, a *notify.Failure, until Break(nil).
func (c *FakeSender) Break(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// Sent is all that was carried.
func (c *FakeSender) Sent() []notify.Notification {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]notify.Notification(nil), c.sent...)
}

// MailRecorder keeps the mails that were enqueued.
type MailRecorder struct {
	mu   sync.Mutex
	sent []identity.Email
}

// Enqueue takes a letter.
func (p *MailRecorder) Enqueue(l identity.Email) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, l)
}

// Sent is all that was posted.
func (p *MailRecorder) Sent() []identity.Email {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]identity.Email(nil), p.sent...)
}
