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
		t.Errorf("looks again at %v, want %v", next, want)
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

// Where clocks are set, the wall decides: of the hour that is skipped nothing
// is told, in that which comes twice both times.
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
		if told := p.mail.sentText(); told != "ada@example.com triggered Frost" {
			t.Errorf("%s: told %q", at, told)
		}
		if got := p.Clock.Now().UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: told at %s, want %s", at, got, want)
		}
	}
}

// A period on days of the week: the farm's, not UTC's.
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
		t.Errorf("looks again at %v, want %v", next.In(zone), monday)
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
		t.Errorf("looks again at %v", next)
	}
	// Somebody makes it longer, then ends it; another tenant's rule of that number is none.
	p.muted[1] += time.Hour.Milliseconds()
	p.must(p.outbox.Unmute(t.Context(), p.field.ID, 1))
	if next := p.step(); next.UnixMilli() != p.muted[1] {
		t.Errorf("looks again at %v", next)
	}
	p.muted[1] = 0
	p.must(p.outbox.Unmute(t.Context(), p.rival.ID, 1))
	p.step()
	p.wantEqual("still", p.mail.sentText(), "")
	p.must(p.outbox.Unmute(t.Context(), p.field.ID, 1))
	p.step()
	p.wantEqual("told", p.mail.sentText(), "ada@example.com triggered Frost")

	p.muted[1] = p.Clock.Milli() + time.Hour.Milliseconds()
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("its end is muted too", p.states(a),
		"ada@example.com resolved queued muted; ada@example.com triggered sent")
	p.advance(time.Hour)
	p.wantEqual("told", p.mail.sentText(), "ada@example.com resolved Frost")
}

// What a logger hands over late is told of only when it is still so once it has
// handed over everything.
func TestDeliveryWaitsForBacklog(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	id := int64(p.mast.ID)
	p.backlog[id] = p.Clock.Now().Add(2 * time.Minute)
	over := p.openNotice("Over", 2, alertmsg.DeliveryOptions{Channels: []int64{c}, Late: true})
	open := p.openNotice("Open", 2, alertmsg.DeliveryOptions{Channels: []int64{c}, Late: true})
	p.wantEqual("before it is looked at", p.states(open), "ada@example.com triggered queued")
	present := p.openNotice("Present", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("waits", p.states(open), "ada@example.com triggered queued backlog")
	p.closeNotice(over, true)
	p.backlog[id] = p.Clock.Now().Add(4 * time.Minute) // more comes
	p.advance(2 * time.Minute)
	p.wantEqual("told", p.mail.sentText(), "ada@example.com triggered Present")
	p.advance(2 * time.Minute)
	p.wantEqual("told", p.mail.sentText(), "ada@example.com triggered Open")
	p.wantEqual("over", p.states(over), "ada@example.com triggered skipped ended")
	p.wantEqual("present", p.states(present), "ada@example.com triggered sent")
}

// Of a tenant whose alarms are not all known yet nothing leaves, and nobody else
// waits for it; then everything is told, also of what is over by then.
func TestNotReadyTenantsWait(t *testing.T) {
	p := newOutboxFixture(t)
	p.notReady = []tenant.ID{p.field.ID}
	p.restart()
	a := p.openNotice("Frost", 2, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.closeNotice(a, true)
	p.addTenants("b")[0].openNotices(1, 0)
	next := p.step()
	p.wantEqual("late", p.states(a), "ada@example.com resolved queued trigger; ada@example.com triggered queued")
	p.wantEqual("told", p.mail.sentText(), "b@example.com triggered 0")
	if !next.After(p.Clock.Now()) && !next.IsZero() {
		t.Errorf("it looks again at %v, at once", next)
	}
	p.notReady = nil
	p.step()
	p.step()
	p.wantEqual("told", p.mail.sentText(), "ada@example.com triggered Frost; ada@example.com resolved Frost")
}

// More wait than are looked at together: none is forgotten, and those that wait
// do not keep others from going.
func TestManyWaitingDeliveries(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	c := p.channel("field", ada)
	for range 560 {
		p.openNotice("Night", 2, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	}
	p.openNotice("Now", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("told", p.mail.sentText(), "ada@example.com triggered Now")
	p.at("06:00", 1)
	if n := len(p.mail.take()); n != 560 {
		t.Errorf("%d of 560", n)
	}
}

// Of a rule that is asked for in vain nobody is told; it is asked again.
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
	p.wantEqual("told", p.mail.sentText(), "ada@example.com triggered Frost")
}

// What one tenant's letters wait for is nothing to another's.
func TestTenantsIndependent(t *testing.T) {
	p := newOutboxFixture(t)
	station := p.mast.ProductID
	theirs := p.Device(t, p.rival.ID, &device.Product{ID: station}, "THEIRS")
	channel := p.Channel(t, p.rival.ID, "rival", func(c *notify.Channel) { c.ByPhone, c.Phones = false, nil }).ID
	now := p.Clock.Milli()
	id := p.Notice(t, testkit.Notice{Device: theirs, Start: now, CreateTime: now})
	a := &alertmsg.Alarm{Event: alertmsg.Triggered, Notice: id, Rule: 2, Title: "Theirs", DeviceID: int64(theirs.ID),
		Start: now}
	p.must(p.notifier.NoticeOpened(t.Context(), p.rival.ID, a, &alertmsg.DeliveryOptions{Channels: []int64{channel}}))
	mine := p.openNotice("Mine", 2,
		alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, Period: morning})
	// Another tenant's end of my notice is none.
	over := *mine
	over.Event = alertmsg.Resolved
	p.must(p.notifier.NoticeClosed(t.Context(), p.rival.ID, &over, false))
	p.step()
	p.wantEqual("told", p.mail.sentText(), "rival@example.com triggered Theirs")
	p.wantEqual("mine", p.states(mine), "ada@example.com triggered queued period")
}

// A delivery that nobody can read, and a letter that its carrier breaks at, do
// not keep the others waiting.
func TestUnreadableDeliveryAndPanickingSender(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	unread := p.openNotice("Unread", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.must(p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "UPDATE deliveries SET facts = '{'")
		return err
	}))
	breaks := p.openNotice("Breaks", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.openNotice("Fine", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Alarms[0].Title == "Breaks" {
			panic("no such face")
		}
		return nil
	})
	p.step()
	p.wantEqual("told", p.mail.sentText(), "ada@example.com triggered Fine")
	p.wantEqual("unread", p.states(unread), "ada@example.com triggered failed refused")
	p.wantEqual("breaks", p.states(breaks), "ada@example.com triggered failed refused")
	for _, said := range []string{"what of cannot be read", "no such face"} {
		if !strings.Contains(p.Log.Text(), said) {
			t.Errorf("the log does not say %q", said)
		}
	}
}
