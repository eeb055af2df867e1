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

// The pages that are kept are bounded, and a failure is not kept.
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
		t.Errorf("%d written, %d kept", written, len(p.entries))
	}
	no := errors.New("no")
	if _, err := p.get(mailKey{notice: 99},
		func() (mail.Message, bool, error) { return mail.Message{}, false, no }); !errors.Is(err, no) {
		t.Errorf("a failure is kept back: %v", err)
	}
	for _, notice := range []int64{99, 0, 99} { // 0 was the oldest, whose place the failure took
		if _, err := p.get(mailKey{notice: notice}, write); err != nil {
			t.Fatal(err)
		}
	}
	if written != maxCachedMails+2 || len(p.entries) != maxCachedMails {
		t.Errorf("%d written, %d kept", written, len(p.entries))
	}
	if _, err := p.get(mailKey{tenant: 2, notice: 99}, write); err != nil || written != maxCachedMails+3 {
		t.Errorf("another tenant's page: %v", err)
	}
}

// Those who want a page while it is written get that one; where writing breaks,
// they do not get an empty one.
func TestMailRenderedOnce(t *testing.T) {
	var p mailCache
	const readers = 8
	begun, goOn := make(chan struct{}), make(chan struct{})
	written := 0
	subjects := make(chan string, readers)
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			m, err := p.get(mailKey{notice: 1}, func() (mail.Message, bool, error) {
				written++
				close(begun)
				<-goOn
				return mail.Message{Subject: "Frost"}, true, nil
			})
			if err != nil {
				t.Error(err)
			}
			subjects <- m.Subject
		})
	}
	testkit.Receive(t, "the writing", begun)
	close(goOn)
	all.Wait()
	close(subjects)
	for s := range subjects {
		if s != "Frost" {
			t.Errorf("somebody got %q", s)
		}
	}
	if written != 1 {
		t.Errorf("written %d times", written)
	}

	broken, breaks := p.find(mailKey{notice: 2}), func() (mail.Message, bool, error) { panic("no such face") }
	func() {
		defer func() { _ = recover() }()
		_, _ = p.get(broken.key, breaks)
	}()
	broken.once.Do(func() { t.Error("it is written again") })
	if broken.err == nil {
		t.Error("who waited for it got an empty page")
	}
	if m, err := p.get(broken.key,
		func() (mail.Message, bool, error) { return mail.Message{Subject: "Fine"}, true, nil }); err != nil ||
		m.Subject != "Fine" {
		t.Errorf("afterwards: %+v, %v", m, err)
	}
}

// A notice's recipients are written to once, each channel and language for
// itself, and each is sent a mail of their own.
func TestRecipientsShareRenderedMail(t *testing.T) {
	o := newFixture(t)
	tenants, read := o.Tenants, 0
	o.Tenants = func(ctx context.Context, id tenant.ID) (*tenant.Tenant, error) { read++; return tenants(ctx, id) }
	var taken []mail.Message
	c := NewMail(func(_ context.Context, m mail.Message) (string, error) {
		taken = append(taken, m)
		return "250",
			nil
	}, o.Options)
	carry := func(change func(l *notify.Notification)) {
		t.Helper()
		l := newNotification(frost(text.English))
		change(l)
		if _, err := c.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	carry(func(*notify.Notification) {})
	carry(func(l *notify.Notification) { l.ID, l.Recipient = "another", "bora@example.com" })
	if read != 1 || taken[1].ID != "another" || taken[1].To != "bora@example.com" || taken[1].HTML != taken[0].HTML ||
		taken[0].To != "ada@example.com" || taken[0].HTML == "" {
		t.Errorf("written %d times: %+v", read, taken)
	}
	carry(func(l *notify.Notification) { l.Channel = "Owners" })
	carry(func(l *notify.Notification) { l.Language = text.Russian })
	carry(func(l *notify.Notification) { l.Alarms[0].Event = "resolved" })
	carry(func(l *notify.Notification) {
		l.Alarms[0].Ack = &alertmsg.Ack{User: "Ada", Time: 1, RemindAt: math.MaxInt64}
	})
	carry(func(l *notify.Notification) {
		l.Alarms[0].Ack = &alertmsg.Ack{User: "Bora", Time: 2, RemindAt: math.MaxInt64}
	})
	if !strings.Contains(taken[5].HTML, "Ada is on it") || !strings.Contains(taken[6].HTML, "Bora is on it") {
		t.Errorf("who is on it: %s %s", taken[5].Text, taken[6].Text)
	}
	if read != 6 || taken[2].HTML == taken[0].HTML || taken[3].Subject == taken[0].Subject ||
		taken[4].Subject == taken[0].Subject {
		t.Errorf("written %d times", read)
	}
	// Several notices are one letter, for which nothing is kept.
	for range 2 {
		carry(func(l *notify.Notification) { l.Alarms = append(l.Alarms, frost(text.English)) })
	}
	if read != 8 || len(c.cache.entries) != 6 {
		t.Errorf("written %d times, %d kept", read, len(c.cache.entries))
	}
	// One whose readings could not be read is written again for the next.
	o.readingsErr = errors.New("disk")
	carry(func(l *notify.Notification) { l.Alarms[0].Notice = 18 })
	o.readingsErr = nil
	carry(func(l *notify.Notification) { l.Alarms[0].Notice = 18 })
	if read != 10 || taken[9].Picture != nil || taken[10].Picture == nil {
		t.Errorf("written %d times", read)
	}
}
