package testkit

import (
	"context"
	"regexp"
	"sync"
	"testing"

	"tilth/internal/identity"
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

// Postbox keeps the letters that were posted.
type Postbox struct {
	mu      sync.Mutex
	letters []identity.Letter
}

// Post takes a letter.
func (p *Postbox) Post(l identity.Letter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.letters = append(p.letters, l)
}

// Letters is all that was posted.
func (p *Postbox) Letters() []identity.Letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]identity.Letter(nil), p.letters...)
}
