package notify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/device"
	"tilth/internal/live"
	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/tenant"
	"tilth/internal/testkit"
)

// far is a far end that does as it is told, and keeps what it accepted.
type far struct {
	mu      sync.Mutex
	said    func(l *notify.Letter) error // nil: it accepts everything
	letters []notify.Letter
	all     int           // that it ever accepted
	tried   []string      // IDs, whatever came of it
	to      []string      // and their recipients
	more    chan struct{} // closed and made anew when something arrives
}

func (f *far) Carry(_ context.Context, l *notify.Letter) (string, error) {
	f.mu.Lock()
	said := f.said
	f.tried, f.to = append(f.tried, l.ID), append(f.to, l.Recipient)
	f.mu.Unlock()
	if said != nil {
		if err := said(l); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.letters = append(f.letters, *l)
	f.all++
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
	return "250 queued as " + fmt.Sprint(len(f.letters)), nil
}

func (f *far) says(said func(l *notify.Letter) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = said
}

// fails lets the far end fail at everything with a trouble.
func (f *far) fails(trouble notify.Trouble, answer string) {
	f.says(func(*notify.Letter) error { return &notify.Failure{Trouble: trouble, Answer: answer} })
}

func (f *far) attempts() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.tried)
}

// wait waits until so many letters have ever arrived.
func (f *far) wait(t testing.TB, n int) {
	t.Helper()
	for {
		f.mu.Lock()
		if f.all >= n {
			f.mu.Unlock()
			return
		}
		if f.more == nil {
			f.more = make(chan struct{})
		}
		more, all := f.more, f.all
		f.mu.Unlock()
		select {
		case <-more:
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d letters arrived", all, n)
		}
	}
}

// take gives what arrived since it was asked last.
func (f *far) take() []notify.Letter {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.letters
	f.letters = nil
	return got
}

// told is what arrived since it was asked last, in short: the recipient, what
// happened, and to which alarms.
func (f *far) told() string {
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

// post is an outbox over a real database, with two tenants and far ends that
// do as they are told.
type post struct {
	*testkit.Stores
	t         testing.TB
	field     *testkit.Tenant
	rival     *testkit.Tenant
	mast      *device.Device
	mail, sms *far
	programs  *far // webhooks
	carriers  map[notify.Mode]notify.Carrier
	muted     map[int64]int64 // by rule
	backlog   map[int64]time.Time
	late      []tenant.ID
	digests   int
	mailsADay int
	smsADay   int
	hub       *live.Hub
	outbox    *notify.Outbox
	desk      *notify.Desk
}

func newPost(t testing.TB, with ...func(p *post)) *post {
	t.Helper()
	p := &post{
		Stores: testkit.NewStores(t), t: t, mail: &far{}, sms: &far{}, programs: &far{}, muted: map[int64]int64{}, backlog: map[int64]time.Time{},
		digests: notify.DefaultDigestAfter, hub: live.NewHub("e"),
	}
	p.carriers = map[notify.Mode]notify.Carrier{notify.Email: p.mail, notify.Phone: p.sms, notify.Program: p.programs}
	p.field, p.rival = p.Tenant(t, "field"), p.Tenant(t, "rival")
	p.mast = p.Device(t, p.field.ID, p.Station(t), "MAST")
	for _, f := range with {
		f(p)
	}
	p.open()
	return p
}

// open makes the outbox anew, as a start does: of the one before nothing is
// left but what it wrote.
func (p *post) open() {
	p.outbox = notify.NewOutbox(notify.OutboxOptions{
		DB: p.DB, Tenants: p.Tenants, Channels: p.Channels, Webhooks: p.Webhooks, Carriers: p.carriers, DigestAfter: p.digests, MailsADay: p.mailsADay, SMSADay: p.smsADay, Now: p.Clock.Now, Ran: p.Clock.Ran, Log: p.Log.Logger,
		Muted:   func(_ context.Context, _ tenant.ID, rule int64) (int64, error) { return p.muted[rule], nil },
		Backlog: func(_ tenant.ID, device int64) time.Time { return p.backlog[device] },
		Late:    func() []tenant.ID { return p.late },
		Random:  func() float64 { return 0.5 }, // waits as they are written
		Screens: p.hub,
	})
	p.desk = notify.NewDesk(p.DB, p.Messages, p.outbox, p.hub)
}

func (p *post) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// channel tells people by mail only.
func (p *post) channel(name string, emails ...string) int64 {
	p.t.Helper()
	return p.Channel(p.t, p.field.ID, name, func(c *notify.Channel) { c.ByPhone, c.Phones, c.Emails = false, nil, emails }).ID
}

// alarm is a notice of the mast, written down.
func (p *post) alarm(title string, level int) *news.Alarm {
	p.t.Helper()
	now := p.Clock.Milli()
	id := p.Notice(p.t, testkit.Notice{Device: p.mast, Title: title, Started: now, Created: now})
	return &news.Alarm{Event: news.Triggered, Notice: id, Rule: 1, Title: title, Level: level, DeviceID: int64(p.mast.ID), DeviceName: p.mast.Name, Start: now}
}

// begins hands in a notice that begins, for some channels.
func (p *post) begins(title string, level int, w news.DeliveryOptions) *news.Alarm {
	p.t.Helper()
	a := p.alarm(title, level)
	p.must(p.desk.Began(p.t.Context(), p.field.ID, a, &w))
	return a
}

// ends hands in that a notice ended; by its rule's change where not told.
func (p *post) ends(a *news.Alarm, told bool) {
	p.t.Helper()
	over := *a
	over.Event, over.End = news.Resolved, p.Clock.Milli()
	p.must(p.desk.Ended(p.t.Context(), p.field.ID, &over, told))
}

func (p *post) step() time.Time {
	p.t.Helper()
	next, err := p.outbox.Step(p.t.Context())
	p.must(err)
	return next
}

// after moves the clock, and lets the outbox do what is due then.
func (p *post) after(d time.Duration) time.Time {
	p.t.Helper()
	p.Clock.Advance(d)
	return p.step()
}

// at sets the clock, by that of the tenant's wall on the day of the tests'
// begin or so many days later.
func (p *post) at(clock string, days int) time.Time {
	p.t.Helper()
	at, err := time.ParseInLocation("15:04", clock, p.field.TimeZone)
	p.must(err)
	start := testkit.Start.In(p.field.TimeZone)
	p.Clock.Set(time.Date(start.Year(), start.Month(), start.Day()+days, at.Hour(), at.Minute(), 0, 0, p.field.TimeZone))
	return p.step()
}

// of is what is known of a notice's deliveries: recipient, event, state, reason.
func (p *post) of(a *news.Alarm) string {
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

func (p *post) deliveries(a *news.Alarm) []notify.Delivery {
	p.t.Helper()
	list, err := p.outbox.Of(p.t.Context(), p.field.ID, a.Notice)
	p.must(err)
	return list
}

// wants fails the test unless got is want.
func (p *post) wants(what, got, want string) {
	p.t.Helper()
	if got != want {
		p.t.Errorf("%s:\n %q, want\n %q", what, got, want)
	}
}
