package notify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// setHoldsSince writes since when a notice holds, as package alarm does.
func setHoldsSince(t testing.TB, s *testkit.Stores, notice, since int64) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "UPDATE notices SET holds_since = ? WHERE id = ?", since, notice)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sinceText describes what a sender accepted, with since when each alarm holds, in milliseconds
// after testkit.Start; ?: not known.
func sinceText(f *fakeSender) string {
	var lines []string
	for _, l := range f.take() {
		for _, a := range l.Alarms {
			since := "?"
			if a.HoldsSince != 0 {
				since = fmt.Sprint(a.HoldsSince - testkit.Start.UnixMilli())
			}
			lines = append(lines, fmt.Sprintf("%s %s %s", a.Event, a.Title, since))
		}
	}
	return strings.Join(lines, "; ")
}

// A notification of each kind says since when its alarms hold, as far as that is known when it is
// sent: it does not wait for that, and a later notification, or a later attempt, may say more.
func TestNotificationsHoldsSince(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.Channel(t, p.field.ID, "field").ID
	_, _, err := p.Webhooks.Create(t.Context(), p.field.ID,
		&notify.Webhook{Name: "hook", URL: "https://example.com/", Opened: true, Resolved: true, Enabled: true})
	p.must(err)
	start := testkit.Start.UnixMilli()
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Hour})
	p.mail.failWith(notify.Transient, "451 busy")
	p.step()
	p.wantEqual("SMS", sinceText(p.sms), "triggered Frost ?")
	p.wantEqual("webhook", sinceText(p.webhookSender), "triggered Frost ?")
	setHoldsSince(t, p.Stores, a.Notice, start-90_000)
	p.mail.setReply(nil)
	p.advance(time.Minute)
	p.wantEqual("a later attempt", sinceText(p.mail), "triggered Frost -90000")
	late := p.openNotice("Late", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.mail.setReply(func(l *notify.Notification) error { // like a sender that draws a picture first
		setHoldsSince(t, p.Stores, late.Notice, start-60_000)
		l.Refresh(t.Context())
		return nil
	})
	p.step()
	p.wantEqual("while it was rendered", sinceText(p.mail), "triggered Late -60000")
	p.mail.setReply(nil)
	sinceText(p.sms)
	sinceText(p.webhookSender)
	p.advance(time.Hour)
	p.wantEqual("reminder", sinceText(p.mail)+", "+sinceText(p.sms), "reminder Frost -90000, reminder Frost -90000")
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("end", sinceText(p.mail)+", "+sinceText(p.webhookSender),
		"resolved Frost -90000, resolved Frost -90000")

	// 0 means that it was searched for and not found. A value of the alarm itself takes precedence.
	b := p.openNotice("Wind", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	setHoldsSince(t, p.Stores, b.Notice, 0)
	p.step()
	p.wantEqual("not known", sinceText(p.mail), "triggered Wind ?")
	d := p.alarm("Silent", 1)
	d.HoldsSince = start - 5
	p.must(p.notifier.NoticeOpened(t.Context(), p.field.ID, d, &alertmsg.DeliveryOptions{Channels: []int64{c}}))
	setHoldsSince(t, p.Stores, d.Notice, start-7)
	p.step()
	p.wantEqual("of the alarm itself", sinceText(p.mail), "triggered Silent -5")
}

// A value that is found but not in the database yet is used too, for every notice of a digest.
func TestNotificationsFoundSince(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 1 })
	c := p.channel("field", "ada@example.com")
	start := testkit.Start.UnixMilli()
	found := map[int64]int64{}
	p.outbox.FoundSince = func(owner tenant.ID, notice int64) (int64, alertmsg.Precision) {
		if owner != p.field.ID {
			t.Errorf("asked for tenant %d", owner)
		}
		return found[notice], alertmsg.ToTheDay
	}
	var all []*alertmsg.Alarm
	for i := range 4 {
		all = append(all, p.openNotice(fmt.Sprint("n", i), 1, alertmsg.DeliveryOptions{Channels: []int64{c}}))
	}
	found[all[0].Notice] = start - 1
	found[all[1].Notice] = start - 2
	setHoldsSince(t, p.Stores, all[2].Notice, start-3)
	p.step()
	p.wantEqual("the first", sinceText(p.mail), "triggered n0 -1")
	p.advance(time.Minute)
	p.wantEqual("the others", sinceText(p.mail), "triggered n1 -2; triggered n2 -3; triggered n3 ?")
}

// If the database cannot be read, the notification is sent without it, and the log says why.
func TestNotificationsWithoutHoldsSince(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", "ada@example.com")
	p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	rename := func(ctx context.Context, from, to string) {
		p.must(p.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			_, err := tx.ExecContext(ctx, "ALTER TABLE notices RENAME COLUMN "+from+" TO "+to)
			return err
		}))
	}
	rename(t.Context(), "holds_since", "held")
	defer rename(t.Context(), "held", "holds_since") // with PostgreSQL, the next test uses the same tables
	p.step()
	p.wantEqual("mail", sinceText(p.mail), "triggered Frost ?")
	logged := p.Log.Text()
	if !strings.Contains(logged, "lacks since when") || !strings.Contains(logged, "holds_since") {
		t.Error(logged)
	}
}

// A message in the console has the value as soon as it is known; that of a removed notice has the
// value of the alarm itself.
func TestMessagesHoldsSince(t *testing.T) {
	o := newMessageFixture(t)
	frost := o.alarm(t, o.mast, "Frost")
	silent := o.alarm(t, o.mast, "Silent")
	silent.HoldsSince = silent.Start - 9
	for _, a := range []*alertmsg.Alarm{frost, silent} {
		if _, err := o.Messages.Add(t.Context(), o.field.ID, a, o.Clock.Milli()); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, want ...int64) {
		t.Helper()
		list, _, err := o.Messages.Page(t.Context(), o.field.ID, o.field.Ada.ID, notify.MessageQuery{Limit: 9})
		if err != nil || len(list) != 2 || list[1].Alarm.HoldsSince != want[0] || list[0].Alarm.HoldsSince != want[1] {
			t.Errorf("%s: %+v %v, want %v", when, list, err, want)
		}
	}
	check("not searched for", 0, silent.Start-9)
	setHoldsSince(t, o.Stores, frost.Notice, 0)
	check("not known", 0, silent.Start-9)
	setHoldsSince(t, o.Stores, frost.Notice, frost.Start-4)
	setHoldsSince(t, o.Stores, silent.Notice, silent.Start-9)
	check("known", frost.Start-4, silent.Start-9)
	err := o.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM notices WHERE tenant_id = ?", o.field.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	check("notice removed", 0, silent.Start-9)
}
