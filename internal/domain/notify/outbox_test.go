package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

func TestEachRecipientNotifiedOnce(t *testing.T) {
	p := newOutboxFixture(t)
	field := p.Channel(t, p.field.ID, "field",
		func(c *notify.Channel) { c.To[notify.KindEmail] = []string{"ada@example.com", "bora@example.com"} }).ID
	office := p.Channel(t, p.field.ID, "office", func(c *notify.Channel) {
		c.To[notify.KindEmail], c.Language = []string{"ADA@example.com", "cem@example.com"}, text.Turkish
		delete(c.To, notify.KindSMS)
	}).ID
	foreign := p.Channel(t, p.rival.ID, "rival").ID

	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{field, office, foreign, 999}})
	p.wantEqual("before", p.states(a),
		"+905551112233 triggered queued; ada@example.com triggered queued; "+
			"bora@example.com triggered queued; cem@example.com triggered queued")
	// The opening is announced again, as after a transaction whose outcome was unknown.
	options := alertmsg.DeliveryOptions{Channels: []int64{field, office}}
	p.must(p.notifier.NoticeOpened(t.Context(), p.field.ID, a, &options))
	if next := p.step(); !next.IsZero() {
		t.Errorf("next step at %v, want none", next)
	}
	p.wantEqual("SMS", p.sms.sentText(), "+905551112233 triggered Frost")
	notifications := p.mail.take()
	if len(notifications) != 3 {
		t.Fatalf("%d mails, want 3", len(notifications))
	}
	ids := map[string]bool{}
	for _, l := range notifications {
		ids[l.ID] = true
		want := text.English // the tenant's
		if l.Recipient == "cem@example.com" {
			want = text.Turkish
		}
		if l.Language != want || l.Tenant != p.field.ID || l.Kind != notify.KindEmail || l.Channel == "" ||
			len(l.Alarms) != 1 || l.Alarms[0].Notice != a.Notice {
			t.Errorf("%+v", l)
		}
		if strings.Trim(l.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("ID %q", l.ID)
		}
	}
	if len(ids) != 3 {
		t.Errorf("IDs are not unique: %v", ids)
	}
	for _, d := range p.deliveries(a) {
		if d.State != notify.Sent || d.Attempts != 1 || len(d.Steps) != 2 || d.Steps[0].Step != "queued" ||
			d.Steps[1].Step != "accepted" ||
			!strings.HasPrefix(d.Steps[1].Answer, "250 queued as") || d.NextTime != 0 || d.LastError != "" {
			t.Errorf("%+v", d)
		}
	}
	p.step()
	if more := p.mail.sentText() + p.sms.sentText(); more != "" {
		t.Errorf("sent again: %s", more)
	}

	p.Clock.Advance(time.Minute)
	p.closeNotice(a, true)
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("SMS", p.sms.sentText(), "+905551112233 resolved Frost")
	for _, l := range p.mail.take() {
		if ids[l.ID] || l.Alarms[0].Event != alertmsg.Resolved || l.Alarms[0].End != p.Clock.Milli() {
			t.Errorf("%+v", l)
		}
	}
	if got := p.outbox.Stats(); got.Sent != 8 || got.Failed+got.Skipped != 0 || got.Down[notify.KindEmail] ||
		got.Down[notify.KindSMS] {
		t.Errorf("%+v", got)
	}
	if list, err := p.outbox.Deliveries(t.Context(), p.rival.ID, a.Notice); err != nil || len(list) != 0 {
		t.Errorf("another tenant sees %v (%v)", list, err)
	}
}

// Every change of a delivery is published to the open screens of its tenant.
func TestDeliveryChangesPublished(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", "ada@example.com", "bora@example.com")
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	screen, _, _, _ := p.hub.Subscribe(p.field.ID, "key", "")
	other, _, _, _ := p.hub.Subscribe(p.rival.ID, "key", "")
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Recipient == "ada@example.com" {
			return nil
		}
		return &notify.Failure{Kind: notify.Transient, Answer: "451 busy"}
	})
	p.step()
	want := fmt.Sprintf(`{"noticeId":%d}`, a.Notice)
	for range 2 { // one was sent, one will be retried
		if e := testkit.Receive(t, "the event", screen.Events); e.Name != "delivery" || string(e.Data) != want {
			t.Errorf("%s %s", e.Name, e.Data)
		}
	}
	p.mail.setReply(nil)
	p.advance(time.Minute)
	if e := testkit.Receive(t, "the event", screen.Events); e.Name != "delivery" || string(e.Data) != want {
		t.Errorf("%s %s", e.Name, e.Data)
	}
	if len(screen.Events) > 0 || len(other.Events) > 0 {
		t.Errorf("%d more events, and %d of another tenant", len(screen.Events), len(other.Events))
	}
}

// If the caller's transaction rolls back, there is neither a message nor a delivery.
func TestNoticeOpenedRollsBack(t *testing.T) {
	p := newOutboxFixture(t)
	options := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", "ada@example.com")}}
	screen, _, _, _ := p.hub.Subscribe(p.field.ID, "key", "")
	other, _, _, _ := p.hub.Subscribe(p.rival.ID, "key", "")
	a := p.alarm("Frost", 1)
	boom := errors.New("boom")
	err := p.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		if err := p.notifier.NoticeOpened(ctx, p.field.ID, a, &options); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) || p.states(a) != "" {
		t.Errorf("%v %s", err, p.states(a))
	}
	p.must(p.notifier.NoticeOpened(t.Context(), p.field.ID, a, &options))
	p.closeNotice(a, false)
	list, total, err := p.Messages.Page(t.Context(), p.field.ID, p.field.Ada.ID, notify.MessageQuery{Limit: 10})
	if err != nil || total != 1 || list[0].Notice != a.Notice || list[0].Alarm.Title != "Frost" {
		t.Errorf("%+v %v", list, err)
	}
	var event struct {
		ID, NoticeID, CreateTime int64
		Event                    string
		AlarmLevel               int
	}
	e := <-screen.Events
	frame := string(e.Frame)
	data := frame[strings.Index(frame, "data: ")+len("data: "):]
	p.must(json.Unmarshal([]byte(strings.TrimSpace(data)), &event))
	if !strings.Contains(frame, "event: message\n") || event.ID != list[0].ID ||
		event.NoticeID != a.Notice || event.CreateTime != p.Clock.Milli() ||
		event.Event != "triggered" || event.AlarmLevel != 1 {
		t.Errorf("%s", frame)
	}
	if len(screen.Events)+len(other.Events) != 0 {
		t.Error("more events were published")
	}
}

func TestNoChannels(t *testing.T) {
	p := newOutboxFixture(t)
	a := p.openNotice("Frost", 2, alertmsg.DeliveryOptions{})
	p.step()
	p.closeNotice(a, true)
	p.step()
	if p.states(a) != "" || p.mail.attempts() != 0 {
		t.Errorf("%s", p.states(a))
	}
	if _, total, err := p.Messages.Page(t.Context(), p.field.ID, p.field.Ada.ID,
		notify.MessageQuery{Limit: 10}); err != nil || total != 2 {
		t.Errorf("%d messages (%v)", total, err)
	}
}

// Serious notifications are sent first, then important ones; within a level those that have waited
// longest.
func TestHigherLevelsSentFirst(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", "ada@example.com")
	p.mail.failWith(notify.Unavailable, "no route")
	p.openNotice("First", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	next := p.step()
	for range 3 {
		p.Clock.Advance(10 * time.Millisecond)
		for level := range 3 {
			p.openNotice("Later", level, alertmsg.DeliveryOptions{Channels: []int64{c}})
		}
	}
	p.mail.setReply(nil)
	p.Clock.Set(next)
	p.step()
	p.Clock.Advance(time.Minute)
	p.step()
	var levels []int
	for _, l := range p.mail.take() {
		levels = append(levels, l.Alarms[0].Level)
	}
	if len(levels) != 10 {
		t.Fatalf("%d arrived", len(levels))
	}
	for i := 1; i < len(levels); i++ {
		if levels[i] > levels[i-1] {
			t.Errorf("a higher level was sent later: %v", levels)
		}
	}
}

// A kind whose sender hangs does not block the other kind, and several notifications are in flight
// at once.
func TestKindsDoNotBlockEachOther(t *testing.T) {
	p := newOutboxFixture(t)
	var channels []int64
	for _, name := range []string{"a", "b", "c", "d"} {
		channels = append(channels,
			p.Channel(t, p.field.ID, name,
				func(c *notify.Channel) {
					c.To[notify.KindSMS] = []string{"+90555111220" + string(rune('0'+len(channels)))}
				}).ID)
	}
	held, arrived := make(chan struct{}), make(chan struct{}, 8)
	p.mail.setReply(func(*notify.Notification) error { arrived <- struct{}{}; <-held; return nil })
	texted := make(chan struct{}, 8)
	p.sms.setReply(func(*notify.Notification) error { texted <- struct{}{}; return nil })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.outbox.Run(ctx) }()
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: channels})
	for range 4 {
		testkit.Receive(t, "a mail", arrived)
		testkit.Receive(t, "an SMS", texted)
	}
	stop()
	close(held)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := p.states(a); strings.Count(got, "sent") != 8 {
		t.Errorf("a stop does not wait for notifications in flight: %s", got)
	}
}

// While a serious notification is in flight, only serious ones start.
func TestLowerLevelsWaitForSerious(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	started := make(chan string, 8)
	release := map[string]chan struct{}{"First": make(chan struct{}), "Second": make(chan struct{})}
	var finished, before atomic.Int64
	p.mail.setReply(func(l *notify.Notification) error {
		title := l.Alarms[0].Title
		started <- title
		if title == "General" {
			before.Store(finished.Load())
			return nil
		}
		<-release[title]
		finished.Add(1)
		return nil
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.outbox.Run(ctx) }()
	p.openNotice("First", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	testkit.Receive(t, "the first", started)
	p.openNotice("General", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	second := p.openNotice("Second", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	if next := testkit.Receive(t, "the second", started); next != "Second" {
		t.Errorf("%s is in flight", next)
	}
	close(release["Second"])
	// The transaction that stores this result takes the next deliveries.
	testkit.Eventually(t, "the second to be sent",
		func() bool { return p.states(second) == "ada@example.com triggered sent" })
	close(release["First"])
	testkit.Receive(t, "the general one", started)
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := before.Load(); n != 2 {
		t.Errorf("the general one started when %d of 2 serious ones had finished", n)
	}
}

// A notification that a stop aborts is sent after the next start, with the same ID.
func TestSendCutOffByStopIsRetried(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", "ada@example.com")
	started := make(chan struct{}, 1)
	stuck := &hangingSender{begun: started}
	p.senders[notify.KindEmail] = stuck
	p.restart()
	p.outbox.DrainTimeout = time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.outbox.Run(ctx) }()
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	testkit.Receive(t, "the notification", started)
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	p.wantEqual("after the stop", p.states(a), "ada@example.com triggered queued")
	p.senders[notify.KindEmail] = p.mail
	p.restart()
	p.step()
	got := p.mail.take()
	if len(got) != 1 || got[0].ID != stuck.id {
		t.Errorf("%+v, before %s", got, stuck.id)
	}
	if d := p.deliveries(a); d[0].Attempts != 1 || len(d[0].Steps) != 2 {
		t.Errorf("%+v", d)
	}
}

// hangingSender never answers.
type hangingSender struct {
	begun chan struct{}
	id    string
}

func (h *hangingSender) Send(ctx context.Context, l *notify.Notification) (string, error) {
	h.id = l.ID
	h.begun <- struct{}{}
	<-ctx.Done()
	return "", &notify.Failure{Kind: notify.Transient, Answer: "timeout", Cause: ctx.Err()}
}

// A lease that no process knows any more expires.
func TestExpiredLeaseIsRetaken(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.step()
	p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.must(p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "UPDATE deliveries SET lease_until = ?", p.Clock.Milli()+
			time.Minute.Milliseconds())
		return err
	}))
	next := p.step()
	p.wantEqual("leased", p.mail.sentText(), "")
	if wait := next.Sub(p.Clock.Now()); wait != time.Minute {
		t.Fatalf("next step in %v", wait)
	}
	p.Clock.Set(next)
	p.step()
	p.wantEqual("the lease is over", p.mail.sentText(), "ada@example.com triggered Frost")
}

// Deliveries whose leasing failed, with an answer that was lost, are sent at once and not after the lease.
func TestLeaseOfUnknownEndIsEnded(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.step()
	p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	var ids []int64
	p.must(p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "UPDATE deliveries SET lease_until = ?", p.Clock.Milli()+time.Hour.Milliseconds())
		if err != nil {
			return err
		}
		return tx.NewSelect().Table("deliveries").Column("id").Scan(ctx, &ids)
	}))
	p.outbox.LoseLeaseAnswer(notify.KindEmail, ids...)
	p.step()
	p.wantEqual("at once", p.mail.sentText(), "ada@example.com triggered Frost")
}

func TestHoldAndRelease(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", "ada@example.com")
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	for range 2 { // a second Hold changes nothing
		p.must(tenant.Hold(t.Context(), p.DB, p.Clock.Now()))
		if n, err := notify.CountQueued(t.Context(), p.DB); err != nil || n != 1 {
			t.Errorf("%d held (%v)", n, err)
		}
	}
	for range 2 { // a start does not release it
		p.must(p.Tenants.LoadHold(t.Context()))
		p.restart()
		p.advance(25 * time.Hour)
		p.wantEqual("held", p.states(a), "ada@example.com triggered queued released")
	}
	later := p.openNotice("Later", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("later", p.states(later), "ada@example.com triggered queued released")
	if held, n, err := p.outbox.Release(t.Context()); err != nil || !held || n != 2 {
		t.Errorf("%v, %d released (%v)", held, n, err)
	}
	p.step()
	if n := len(p.mail.take()); n != 2 {
		t.Errorf("%d of 2 sent", n)
	}
	if held, n, err := p.outbox.Release(t.Context()); err != nil || held || n != 0 {
		t.Errorf("%v, %d released again (%v)", held, n, err)
	}
	p.restart()
	p.openNotice("Afterwards", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("afterwards", p.mail.sentText(), "ada@example.com triggered Afterwards")
}

func TestSweep(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", "ada@example.com")
	old := p.openNotice("Old", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.Clock.Advance(200 * 24 * time.Hour)
	young := p.openNotice("Young", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.Clock.Advance(170 * 24 * time.Hour)
	p.must(p.outbox.Sweep(t.Context(), p.Clock.Now()))
	p.wantEqual("old", p.states(old), "")
	p.wantEqual("young", p.states(young), "ada@example.com triggered sent")
}

func TestWaiting(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", "ada@example.com", "bora@example.com")
	p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.Clock.Advance(90 * time.Second)
	got, err := p.outbox.Waiting(t.Context())
	if err != nil || got[notify.KindEmail] != (notify.Waiting{Deliveries: 2, Due: 90 * time.Second}) ||
		got[notify.KindSMS] != (notify.Waiting{}) {
		t.Errorf("%+v %v", got, err)
	}
	p.step()
	if got, err := p.outbox.Waiting(t.Context()); err != nil || got[notify.KindEmail].Deliveries != 0 {
		t.Errorf("%+v %v", got, err)
	}
}
