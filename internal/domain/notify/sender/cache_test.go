package sender

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

// The cache is bounded, and does not keep failures.
func TestMailCacheIsBounded(t *testing.T) {
	var p mailCache
	written := 0
	write := func() (mail.Message, bool, error) { written++; return mail.Message{Subject: "Frost"}, true, nil }
	for range 2 {
		for i := range int64(maxCachedMails) {
			if m, err := p.get(mailKey{notice: i}, write); err != nil || m.Subject != "Frost" {
				t.Fatalf("%+v, %v", m, err)
			}
		}
	}
	if written != maxCachedMails || len(p.entries) != maxCachedMails {
		t.Errorf("%d rendered, %d cached", written, len(p.entries))
	}
	failed := errors.New("failed")
	fail := func() (mail.Message, bool, error) { return mail.Message{}, false, failed }
	if _, err := p.get(mailKey{notice: 99}, fail); !errors.Is(err, failed) {
		t.Errorf("the failure is not returned: %v", err)
	}
	for _, notice := range []int64{99, 0, 99} { // the failure replaced 0, the oldest
		if _, err := p.get(mailKey{notice: notice}, write); err != nil {
			t.Fatal(err)
		}
	}
	if written != maxCachedMails+2 || len(p.entries) != maxCachedMails {
		t.Errorf("%d rendered, %d cached", written, len(p.entries))
	}
	if _, err := p.get(mailKey{tenant: 2, notice: 99}, write); err != nil || written != maxCachedMails+3 {
		t.Errorf("another tenant's mail: %v", err)
	}
}

// Concurrent callers get the mail that is being rendered; if rendering panics, they do not get an
// empty one.
func TestMailRenderedOnce(t *testing.T) {
	var p mailCache
	const readers = 8
	begun, release := make(chan struct{}), make(chan struct{})
	written := 0
	subjects := make(chan string, readers)
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			m, err := p.get(mailKey{notice: 1}, func() (mail.Message, bool, error) {
				written++
				close(begun)
				<-release
				return mail.Message{Subject: "Frost"}, true, nil
			})
			if err != nil {
				t.Error(err)
			}
			subjects <- m.Subject
		})
	}
	testkit.Receive(t, "the rendering", begun)
	close(release)
	all.Wait()
	close(subjects)
	for s := range subjects {
		if s != "Frost" {
			t.Errorf("a caller got %q", s)
		}
	}
	if written != 1 {
		t.Errorf("rendered %d times", written)
	}

	broken := p.find(mailKey{notice: 2})
	panics := func() (mail.Message, bool, error) { panic("no such face") }
	func() {
		defer func() { _ = recover() }()
		_, _ = p.get(broken.key, panics)
	}()
	broken.once.Do(func() { t.Error("the same entry is rendered again") })
	if broken.err == nil {
		t.Error("a waiting caller got an empty mail")
	}
	fine := func() (mail.Message, bool, error) { return mail.Message{Subject: "Fine"}, true, nil }
	if m, err := p.get(broken.key, fine); err != nil || m.Subject != "Fine" {
		t.Errorf("afterwards: %+v, %v", m, err)
	}
}

// The mail about a notice is rendered once per channel and language, and each recipient is sent a
// mail of its own.
func TestRecipientsShareRenderedMail(t *testing.T) {
	o := newFixture(t)
	tenants, read := o.Tenants, 0
	o.Tenants = func(ctx context.Context, id tenant.ID) (*tenant.Tenant, error) { read++; return tenants(ctx, id) }
	var sent []mail.Message
	c := NewMail(func(_ context.Context, m mail.Message) (string, error) {
		sent = append(sent, m)
		return "250", nil
	}, o.Options)
	send := func(change func(l *notify.Notification)) {
		t.Helper()
		l := newNotification(frost(text.English))
		change(l)
		if _, err := c.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	send(func(*notify.Notification) {})
	send(func(l *notify.Notification) { l.ID, l.Recipient = "another", "bora@example.com" })
	if read != 1 || sent[1].ID != "another" || sent[1].To != "bora@example.com" || sent[1].HTML != sent[0].HTML ||
		sent[0].To != "ada@example.com" || sent[0].HTML == "" {
		t.Errorf("rendered %d times: %+v", read, sent)
	}
	send(func(l *notify.Notification) { l.Channel = "Owners" })
	send(func(l *notify.Notification) { l.Language = text.Russian })
	send(func(l *notify.Notification) { l.Alarms[0].Event = "resolved" })
	send(func(l *notify.Notification) {
		l.Alarms[0].Ack = &alertmsg.Ack{User: "Ada", Time: 1, RemindAt: math.MaxInt64}
	})
	send(func(l *notify.Notification) {
		l.Alarms[0].Ack = &alertmsg.Ack{User: "Bora", Time: 2, RemindAt: math.MaxInt64}
	})
	if !strings.Contains(sent[5].HTML, "Ada is on it") || !strings.Contains(sent[6].HTML, "Bora is on it") {
		t.Errorf("acknowledgements: %s %s", sent[5].Text, sent[6].Text)
	}
	if read != 6 || sent[2].HTML == sent[0].HTML || sent[3].Subject == sent[0].Subject ||
		sent[4].Subject == sent[0].Subject {
		t.Errorf("rendered %d times", read)
	}
	// Digests are not cached.
	for range 2 {
		send(func(l *notify.Notification) { l.Alarms = append(l.Alarms, frost(text.English)) })
	}
	if read != 8 || len(c.cache.entries) != 6 {
		t.Errorf("rendered %d times, %d cached", read, len(c.cache.entries))
	}
	// A mail whose readings could not be read is rendered again for the next recipient.
	o.readingsErr = errors.New("disk")
	send(func(l *notify.Notification) { l.Alarms[0].Notice = 18 })
	o.readingsErr = nil
	send(func(l *notify.Notification) { l.Alarms[0].Notice = 18 })
	if read != 10 || sent[9].Picture != nil || sent[10].Picture == nil {
		t.Errorf("rendered %d times", read)
	}
}
