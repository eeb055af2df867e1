package notify_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

func TestDeliveryWaitsForPeriod(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	next := p.step()
	if want := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC); !next.Equal(want) {
		t.Errorf("next step at %v, want %v", next, want)
	}
	d := p.deliveries(a)[0]
	if d.Reason != notify.ForPeriod || d.NextTime != next.UnixMilli() || d.Attempts != 0 {
		t.Errorf("%+v", d)
	}
	p.at("05:59", 1)
	p.wantEqual("before", p.mail.sentText(), "")
	p.at("06:00", 1)
	p.wantEqual("at its begin", p.mail.sentText(), "ada@example.com triggered Frost")
}

// When daylight saving begins or ends, periods follow the local clock: nothing is sent in the
// skipped hour, and mails are sent in both repetitions of the repeated hour.
func TestPeriodByDaylightSaving(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	half := alertmsg.Period{Slots: []int{5}} // 02:30 to 03:00
	for at, want := range map[string]string{ // UTC
		"2027-03-27T22:00:00Z": "2027-03-29T00:30:00Z", // not on the 28th, when 03:00 follows 01:59
		"2026-10-24T23:00:00Z": "2026-10-25T00:30:00Z", // the first 02:30
		"2026-10-25T01:05:00Z": "2026-10-25T01:30:00Z", // the second
		"2026-10-25T00:45:00Z": "2026-10-25T00:45:00Z",
		"2026-10-25T01:45:00Z": "2026-10-25T01:45:00Z",
	} {
		p := newOutboxFixture(t)
		p.field.TimeZone = zone
		p.must(p.Tenants.Put(t.Context(), p.field.Tenant))
		begin, err := time.Parse(time.RFC3339, at)
		p.must(err)
		p.Clock.Set(begin)
		p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, Period: half})
		for next := p.step(); !next.IsZero(); next = p.step() {
			p.Clock.Set(next)
		}
		if sent := p.mail.sentText(); sent != "ada@example.com triggered Frost" {
			t.Errorf("%s: sent %q", at, sent)
		}
		if got := p.Clock.Now().UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: sent at %s, want %s", at, got, want)
		}
	}
}

// The weekdays of a period are those of the tenant's zone, not of UTC.
func TestPeriodOnWeekdays(t *testing.T) {
	zone, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	p := newOutboxFixture(t)
	p.field.TimeZone = zone
	p.must(p.Tenants.Put(t.Context(), p.field.Tenant))
	p.Clock.Set(time.Date(2026, 11, 20, 12, 0, 0, 0, zone)) // a Friday
	w := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)},
		Period: alertmsg.Period{Start: 6 * 60, End: 8 * 60, Weekdays: []int{1, 2, 3, 4, 5}}}
	a := p.openNotice("Frost", 1, w)
	next := p.step()
	p.wantEqual("after its hours", p.states(a), "ada@example.com triggered queued period")
	if monday := time.Date(2026, 11, 23, 6, 0, 0, 0, zone); !next.Equal(monday) {
		t.Errorf("next step at %v, want %v", next.In(zone), monday)
	}
	p.Clock.Set(time.Date(2026, 11, 22, 7, 0, 0, 0, zone)) // Sunday at its hour
	p.step()
	p.wantEqual("on Sunday", p.mail.sentText(), "")
	p.Clock.Set(time.Date(2026, 11, 23, 6, 0, 0, 0, zone))
	p.step()
	p.wantEqual("on Monday", p.mail.sentText(), "ada@example.com triggered Frost")
}

func TestMute(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.muted[1] = p.Clock.Milli() + time.Hour.Milliseconds()
	a := p.openNotice("Frost", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	next := p.step()
	p.wantEqual("muted", p.states(a), "ada@example.com triggered queued muted")
	if next.UnixMilli() != p.muted[1] {
		t.Errorf("next step at %v", next)
	}
	// A user extends the mute, then ends it; Unmute for another tenant changes nothing.
	p.muted[1] += time.Hour.Milliseconds()
	p.must(p.outbox.Unmute(t.Context(), p.field.ID, 1))
	if next := p.step(); next.UnixMilli() != p.muted[1] {
		t.Errorf("next step at %v", next)
	}
	p.muted[1] = 0
	p.must(p.outbox.Unmute(t.Context(), p.rival.ID, 1))
	p.step()
	p.wantEqual("still", p.mail.sentText(), "")
	p.must(p.outbox.Unmute(t.Context(), p.field.ID, 1))
	p.step()
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost")

	p.muted[1] = p.Clock.Milli() + time.Hour.Milliseconds()
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("its end is muted too", p.states(a),
		"ada@example.com resolved queued muted; ada@example.com triggered sent")
	p.advance(time.Hour)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com resolved Frost")
}

// An alarm on stored readings is sent only if it is still open when the device has sent all of
// them.
func TestDeliveryWaitsForBacklog(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	id := int64(p.mast.ID)
	p.backlog[id] = p.Clock.Now().Add(2 * time.Minute)
	over := p.openNotice("Over", 2, alertmsg.DeliveryOptions{Channels: []int64{c}, Late: true})
	open := p.openNotice("Open", 2, alertmsg.DeliveryOptions{Channels: []int64{c}, Late: true})
	p.wantEqual("before the first scan", p.states(open), "ada@example.com triggered queued")
	present := p.openNotice("Present", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("waits", p.states(open), "ada@example.com triggered queued backlog")
	p.closeNotice(over, true)
	p.backlog[id] = p.Clock.Now().Add(4 * time.Minute) // the device sends more
	p.advance(2 * time.Minute)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Present")
	p.advance(2 * time.Minute)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Open")
	p.wantEqual("over", p.states(over), "ada@example.com triggered skipped ended")
	p.wantEqual("present", p.states(present), "ada@example.com triggered sent")
}

// Nothing is sent for a tenant whose alarms are not all known yet, and no other tenant waits for
// it; then everything is sent, also about notices that have ended by then.
func TestNotReadyTenantsWait(t *testing.T) {
	p := newOutboxFixture(t)
	p.notReady = []tenant.ID{p.field.ID}
	p.restart()
	a := p.openNotice("Frost", 2, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.closeNotice(a, true)
	p.addTenants("b")[0].openNotices(1, 0)
	next := p.step()
	p.wantEqual("late", p.states(a), "ada@example.com resolved queued trigger; ada@example.com triggered queued")
	p.wantEqual("sent", p.mail.sentText(), "b@example.com triggered 0")
	if !next.After(p.Clock.Now()) && !next.IsZero() {
		t.Errorf("next step at %v, at once", next)
	}
	p.notReady = nil
	p.step()
	p.step()
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost; ada@example.com resolved Frost")
}

// More deliveries wait than one scan reads: none is lost, and they do not block others.
func TestManyWaitingDeliveries(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	c := p.channel("field", ada)
	for range 560 {
		p.openNotice("Night", 2, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	}
	p.openNotice("Now", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Now")
	p.at("06:00", 1)
	if n := len(p.mail.take()); n != 560 {
		t.Errorf("%d of 560", n)
	}
}

// If reading a rule's mute fails, nothing is sent, and the next step reads it again.
func TestMuteLookupErrorRetried(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	boom := errors.New("boom")
	fails := true
	var asked tenant.ID
	outbox := notify.NewOutbox(notify.OutboxOptions{
		DB: p.DB, Tenants: p.Tenants, Channels: p.Channels, Senders: p.senders, Now: p.Clock.Now, Logger: p.Log.Logger,
		Muted: func(_ context.Context, owner tenant.ID, _ int64) (int64, error) {
			asked = owner
			if fails {
				return 0, boom
			}
			return 0, nil
		},
	})
	p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	if _, err := outbox.Step(t.Context()); !errors.Is(err, boom) || asked != p.field.ID {
		t.Errorf("%v, asked for %d", err, asked)
	}
	fails = false
	if _, err := outbox.Step(t.Context()); err != nil {
		t.Error(err)
	}
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost")
}

// One tenant's waiting deliveries do not affect another tenant.
func TestTenantsIndependent(t *testing.T) {
	p := newOutboxFixture(t)
	station := p.mast.ProductID
	theirs := p.Device(t, p.rival.ID, &device.Product{ID: station}, "THEIRS")
	channel := p.Channel(t, p.rival.ID, "rival", func(c *notify.Channel) { delete(c.To, notify.KindSMS) }).ID
	now := p.Clock.Milli()
	id := p.Notice(t, testkit.Notice{Device: theirs, Start: now, CreateTime: now})
	a := &alertmsg.Alarm{Event: alertmsg.Triggered, Notice: id, Rule: 2, Title: "Theirs", DeviceID: int64(theirs.ID),
		Start: now}
	p.must(p.notifier.NoticeOpened(t.Context(), p.rival.ID, a, &alertmsg.DeliveryOptions{Channels: []int64{channel}}))
	mine := p.openNotice("Mine", 2,
		alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, Period: morning})
	// Closing the notice for another tenant changes nothing.
	over := *mine
	over.Event = alertmsg.Resolved
	p.must(p.notifier.NoticeClosed(t.Context(), p.rival.ID, &over, false))
	p.step()
	p.wantEqual("sent", p.mail.sentText(), "rival@example.com triggered Theirs")
	p.wantEqual("mine", p.states(mine), "ada@example.com triggered queued period")
}

// An unreadable delivery, and a notification at which the sender panics, do not block the others.
func TestUnreadableDeliveryAndPanickingSender(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	unreadable := p.openNotice("Unreadable", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.must(p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "UPDATE deliveries SET facts = '{'")
		return err
	}))
	panics := p.openNotice("Panics", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.openNotice("Fine", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Alarms[0].Title == "Panics" {
			panic("no such face")
		}
		return nil
	})
	p.step()
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Fine")
	p.wantEqual("unreadable", p.states(unreadable), "ada@example.com triggered failed refused")
	p.wantEqual("panics", p.states(panics), "ada@example.com triggered failed refused")
	for _, logged := range []string{"its facts cannot be read", "no such face"} {
		if !strings.Contains(p.Log.Text(), logged) {
			t.Errorf("the log does not contain %q", logged)
		}
	}
}
