package notify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/live"
	"tilth/internal/tools/testkit"
)

// fakeSender replies as the test says, and records what it accepted.
type fakeSender struct {
	mu              sync.Mutex
	reply           func(l *notify.Notification) error // nil: it accepts everything
	received        []notify.Notification
	all             int           // how many it has accepted in all
	triedIDs        []string      // the IDs of all attempts
	triedRecipients []string      // and their recipients
	arrival         chan struct{} // closed and made anew when it accepts a notification
}

func (f *fakeSender) Send(_ context.Context, l *notify.Notification) (string, error) {
	f.mu.Lock()
	reply := f.reply
	f.triedIDs, f.triedRecipients = append(f.triedIDs, l.ID), append(f.triedRecipients, l.Recipient)
	f.mu.Unlock()
	if reply != nil {
		if err := reply(l); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.received = append(f.received, *l)
	f.all++
	if f.arrival != nil {
		close(f.arrival)
		f.arrival = nil
	}
	return "250 queued as " + fmt.Sprint(len(f.received)), nil
}

func (f *fakeSender) setReply(reply func(l *notify.Notification) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reply = reply
}

// failWith makes the sender fail every time.
func (f *fakeSender) failWith(kind notify.FailureKind, answer string) {
	f.setReply(func(*notify.Notification) error { return &notify.Failure{Kind: kind, Answer: answer} })
}

func (f *fakeSender) attempts() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.triedIDs)
}

// wait waits until the sender has accepted n notifications in all.
func (f *fakeSender) wait(t testing.TB, n int) {
	t.Helper()
	for {
		f.mu.Lock()
		if f.all >= n {
			f.mu.Unlock()
			return
		}
		if f.arrival == nil {
			f.arrival = make(chan struct{})
		}
		more, all := f.arrival, f.all
		f.mu.Unlock()
		select {
		case <-more:
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d notifications arrived", all, n)
		}
	}
}

// take gives the notifications accepted since its last call.
func (f *fakeSender) take() []notify.Notification {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.received
	f.received = nil
	return got
}

// sentText describes the notifications accepted since the last take: recipient, event and titles.
func (f *fakeSender) sentText() string {
	var lines []string
	for _, l := range f.take() {
		titles := make([]string, len(l.Alarms))
		for i, a := range l.Alarms {
			titles[i] = a.Title
		}
		lines = append(lines, fmt.Sprintf("%s %s %s", l.Recipient, l.Alarms[0].Event, strings.Join(titles, "+")))
	}
	return strings.Join(lines, "; ")
}

// outboxFixture is an outbox with a real database, two tenants and fake senders.
type outboxFixture struct {
	*testkit.Stores
	t             testing.TB
	field         *testkit.Tenant
	rival         *testkit.Tenant
	mast          *device.Device
	mail, sms     *fakeSender
	webhookSender *fakeSender
	senders       map[notify.ChannelKind]notify.Sender
	muted         map[int64]int64 // by rule
	backlog       map[int64]time.Time
	notReady      []tenant.ID
	digestAfter   int
	mailsADay     int
	smsADay       int
	hub           *live.Hub
	outbox        *notify.Outbox
	notifier      *notify.Notifier
}

func newOutboxFixture(t testing.TB, with ...func(p *outboxFixture)) *outboxFixture {
	t.Helper()
	p := &outboxFixture{
		Stores:        testkit.NewStores(t),
		t:             t,
		mail:          &fakeSender{},
		sms:           &fakeSender{},
		webhookSender: &fakeSender{},
		muted:         map[int64]int64{},
		backlog:       map[int64]time.Time{},
		digestAfter:   notify.DefaultDigestAfter,
		hub:           live.NewHub("e"),
	}
	p.senders = map[notify.ChannelKind]notify.Sender{notify.KindEmail: p.mail, notify.KindSMS: p.sms,
		notify.KindWebhook: p.webhookSender}
	p.field, p.rival = p.Tenant(t, "field"), p.Tenant(t, "rival")
	p.mast = p.Device(t, p.field.ID, p.Station(t), "MAST")
	for _, f := range with {
		f(p)
	}
	p.restart()
	return p
}

// restart replaces the outbox, like a restart of the process: the new one knows only what the old
// one wrote.
func (p *outboxFixture) restart() {
	p.outbox = notify.NewOutbox(notify.OutboxOptions{
		DB:          p.DB,
		Tenants:     p.Tenants,
		Channels:    p.Channels,
		Webhooks:    p.Webhooks,
		Senders:     p.senders,
		DigestAfter: p.digestAfter,
		PerDay:      map[notify.ChannelKind]int{notify.KindEmail: p.mailsADay, notify.KindSMS: p.smsADay},
		Now:         p.Clock.Now,
		Ran:         p.Clock.Elapsed,
		Logger:      p.Log.Logger,
		Muted:       func(_ context.Context, _ tenant.ID, rule int64) (int64, error) { return p.muted[rule], nil },
		Backlog:     func(_ tenant.ID, device int64) time.Time { return p.backlog[device] },
		NotReady:    func() []tenant.ID { return p.notReady },
		Random:      func() float64 { return 0.5 }, // waits without jitter
		Live:        p.hub,
	})
	p.notifier = notify.NewNotifier(p.DB, p.Messages, p.outbox, p.hub)
}

func (p *outboxFixture) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// channel makes a channel with mail only.
func (p *outboxFixture) channel(name string, emails ...string) int64 {
	p.t.Helper()
	return p.Channel(p.t, p.field.ID, name,
		func(c *notify.Channel) { c.To = notify.Recipients{notify.KindEmail: emails} }).ID
}

// alarm stores a notice of the mast and gives its alarm.
func (p *outboxFixture) alarm(title string, level int) *alertmsg.Alarm {
	p.t.Helper()
	now := p.Clock.Milli()
	id := p.Notice(p.t, testkit.Notice{Device: p.mast, Title: title, Start: now, CreateTime: now})
	return &alertmsg.Alarm{Event: alertmsg.Triggered, Notice: id, Rule: 1, Title: title, Level: level,
		DeviceID: int64(p.mast.ID), DeviceName: p.mast.Name, Start: now}
}

// openNotice announces the opening of a new notice.
func (p *outboxFixture) openNotice(title string, level int, w alertmsg.DeliveryOptions) *alertmsg.Alarm {
	p.t.Helper()
	a := p.alarm(title, level)
	p.must(p.notifier.NoticeOpened(p.t.Context(), p.field.ID, a, &w))
	return a
}

// closeNotice announces that a notice ended; announce is false if its rule was changed.
func (p *outboxFixture) closeNotice(a *alertmsg.Alarm, announce bool) {
	p.t.Helper()
	over := *a
	over.Event, over.End = alertmsg.Resolved, p.Clock.Milli()
	p.must(p.notifier.NoticeClosed(p.t.Context(), p.field.ID, &over, announce))
}

func (p *outboxFixture) step() time.Time {
	p.t.Helper()
	next, err := p.outbox.Step(p.t.Context())
	p.must(err)
	return next
}

// advance moves the clock and runs a step of the outbox.
func (p *outboxFixture) advance(d time.Duration) time.Time {
	p.t.Helper()
	p.Clock.Advance(d)
	return p.step()
}

// at sets the clock to a time of day of the tenant's zone, days days after testkit.Start, and runs
// a step of the outbox.
func (p *outboxFixture) at(clock string, days int) time.Time {
	p.t.Helper()
	at, err := time.ParseInLocation("15:04", clock, p.field.TimeZone)
	p.must(err)
	start := testkit.Start.In(p.field.TimeZone)
	p.Clock.Set(time.Date(start.Year(), start.Month(), start.Day()+days, at.Hour(), at.Minute(), 0, 0,
		p.field.TimeZone))
	return p.step()
}

// states describes a notice's deliveries: recipient, event, state and reason, sorted.
func (p *outboxFixture) states(a *alertmsg.Alarm) string {
	p.t.Helper()
	var lines []string
	for _, d := range p.deliveries(a) {
		line := fmt.Sprintf("%s %s %s", d.Recipient, d.Event, d.State)
		if d.Reason != "" {
			line += " " + string(d.Reason)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func (p *outboxFixture) deliveries(a *alertmsg.Alarm) []notify.Delivery {
	p.t.Helper()
	list, err := p.outbox.Deliveries(p.t.Context(), p.field.ID, a.Notice)
	p.must(err)
	return list
}

func (p *outboxFixture) wantEqual(what, got, want string) {
	p.t.Helper()
	if got != want {
		p.t.Errorf("%s:\n %q, want\n %q", what, got, want)
	}
}
