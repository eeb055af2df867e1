package testkit

import (
	"context"
	"regexp"
	"sync"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
)

// SMS is a text message that a phone received.
type SMS struct{ To, Text string }

// Phones is an SMS sender that keeps what is sent to all phones.
type Phones struct {
	mu   sync.Mutex
	sent []SMS
	err  error
}

// SendSMS keeps an SMS, or returns the error that Break set.
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

// Sent returns all SMS that were sent.
func (p *Phones) Sent() []SMS {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]SMS(nil), p.sent...)
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// Code returns the newest code that was sent to a phone.
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
	t.Fatalf("no code was sent to %s", mobile)
	return ""
}

// FakeSender is a sender that keeps the notifications it is given and reports them as sent.
type FakeSender struct {
	mu   sync.Mutex
	sent []notify.Notification
	err  error
	logs bool
}

// Send keeps a notification, or returns the error that Break set.
func (f *FakeSender) Send(_ context.Context, n *notify.Notification) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return "", f.err
	}
	f.sent = append(f.sent, *n)
	return "accepted", nil
}

// Break makes every Send fail with err, a *notify.Failure, until Break(nil).
func (f *FakeSender) Break(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// OnlyLog makes it a sender that only writes to the log, as far as the outbox knows.
func (f *FakeSender) OnlyLog() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logs = true
}

// LogsOnly tells whether OnlyLog was called.
func (f *FakeSender) LogsOnly() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logs
}

// Sent returns all notifications that were sent.
func (f *FakeSender) Sent() []notify.Notification {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]notify.Notification(nil), f.sent...)
}

// MailRecorder is a mailer that keeps the emails it is given.
type MailRecorder struct {
	mu   sync.Mutex
	sent []identity.Email
}

// Enqueue keeps an email.
func (p *MailRecorder) Enqueue(e identity.Email) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, e)
}

// Sent returns all emails that were enqueued.
func (p *MailRecorder) Sent() []identity.Email {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]identity.Email(nil), p.sent...)
}
