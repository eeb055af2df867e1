package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// The first five serious notices of a minute are sent at once, then one digest per minute until a
// minute has no more than five, over all channels; each delivery has its own steps.
func TestSeriousBurst(t *testing.T) {
	p := newOutboxFixture(t)
	c, other := p.channel("field", ada), p.channel("barn", ada, "bora@example.com")
	w, both := alertmsg.DeliveryOptions{Channels: []int64{c}}, alertmsg.DeliveryOptions{Channels: []int64{other}}
	all := p.openMany(4, 2, w)
	p.Clock.Advance(20 * time.Second)
	all = append(all, p.openMany(3, 2, both)...)
	p.openNotice("Mild", 1, w)
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 40*time.Second {
		t.Errorf("the minute ends in %v", wait)
	}
	p.wantEqual("at once", p.mail.digestSizes(), strings.TrimSpace(strings.Repeat("t1 ", 5+3+1)))
	p.wantEqual("the sixth", p.states(all[5]),
		"ada@example.com triggered queued digest; bora@example.com triggered sent")
	p.Clock.Set(next)
	p.step()
	notifications := p.mail.take()
	if len(notifications) != 1 || notifications[0].Recipient != ada || len(notifications[0].Alarms) != 2 {
		t.Fatalf("%+v", notifications)
	}
	for _, a := range all[5:] {
		for _, d := range p.deliveries(a) {
			if d.State != notify.Sent || d.Digest != (d.Recipient == ada) || len(d.Steps) != 2 ||
				d.Steps[1].Answer == "" {
				t.Errorf("%+v", d)
			}
		}
	}
	// The next minute begins with the next notice; none of its notices is sent at once.
	for minute := range 3 {
		p.advance(10 * time.Second)
		p.openMany(6, 2, w)
		p.step()
		p.wantEqual(fmt.Sprint("minute ", minute), p.mail.digestSizes(), "")
		p.advance(time.Minute)
		p.wantEqual(fmt.Sprint("the end of minute ", minute), p.mail.digestSizes(), "t6")
	}
	p.advance(10 * time.Second)
	p.openMany(5, 2, w)
	p.step()
	p.wantEqual("the last minute of the burst", p.mail.digestSizes(), "")
	p.advance(time.Minute)
	p.wantEqual("its end", p.mail.digestSizes(), "t5")
	p.advance(10 * time.Second)
	p.openMany(1, 2, w)
	p.step()
	p.wantEqual("it is over", p.mail.digestSizes(), "t1")
	// Ends are counted separately and sent as digests in the same way.
	for _, a := range all {
		p.closeNotice(a, true)
	}
	p.step()
	p.wantEqual("ends at once", p.mail.digestSizes(), strings.TrimSpace(strings.Repeat("r1 ", 5+3)))
	p.advance(time.Minute)
	p.wantEqual("the other ends", p.mail.digestSizes(), "r2")
}

// Long after a burst, and after the clock was set back, the first notices are sent at once again.
func TestBurstEnds(t *testing.T) {
	p := newOutboxFixture(t)
	w := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	p.openMany(9, 2, w)
	p.step()
	p.advance(time.Minute)
	p.wantEqual("a burst", p.mail.digestSizes(), "t1 t1 t1 t1 t1 t4")
	p.advance(time.Minute)
	p.must(p.outbox.Sweep(t.Context(), p.Clock.Now().Add(time.Minute)))
	p.openMany(6, 2, w)
	p.step()
	p.wantEqual("a minute later", p.mail.digestSizes(), "t1 t1 t1 t1 t1")
	p.Clock.Advance(-time.Hour)
	p.openMany(1, 2, w)
	p.step()
	p.wantEqual("set back", p.mail.digestSizes(), "t1")
}

// A recipient of channels in two languages receives a digest in each.
func TestBurstInLanguages(t *testing.T) {
	p := newOutboxFixture(t)
	english, russian := p.channel("field", ada), p.Channel(t, p.field.ID, "barn", func(c *notify.Channel) {
		c.To, c.Language = notify.Recipients{notify.KindEmail: {ada}}, text.Russian
	}).ID
	p.openMany(5, 2, alertmsg.DeliveryOptions{Channels: []int64{english}})
	p.openMany(2, 2, alertmsg.DeliveryOptions{Channels: []int64{english}})
	p.openMany(3, 2, alertmsg.DeliveryOptions{Channels: []int64{russian}})
	p.step()
	p.mail.take()
	p.advance(time.Minute)
	sizes := map[text.Language]int{}
	notifications := p.mail.take()
	for _, l := range notifications {
		sizes[l.Language] += len(l.Alarms)
	}
	if len(notifications) != 2 || sizes[text.Russian] != 3 {
		t.Errorf("%d mails, of %v", len(notifications), sizes)
	}
}

// Serious notices of a night are a burst in the morning.
func TestBurstInTheMorning(t *testing.T) {
	p := newOutboxFixture(t)
	w := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, Period: morning}
	for range 8 {
		p.openMany(1, 2, w)
		p.advance(5 * time.Minute)
	}
	p.at("06:00", 1)
	p.wantEqual("in the morning", p.mail.digestSizes(), "t1 t1 t1 t1 t1 t3")
}

// With --digest-after 0 each notice is sent by itself.
func TestBurstsDisabled(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	p.openMany(12, 2, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.step()
	p.wantEqual("each", p.mail.digestSizes(), strings.TrimSpace(strings.Repeat("t1 ", 12)))
}

// Bursts are counted per tenant.
func TestBurstsOfTenants(t *testing.T) {
	p := newOutboxFixture(t)
	f := p.addTenants("a", "b")
	f[0].openNotices(9, 2)
	f[1].openNotices(1, 2)
	p.step()
	p.wantEqual("at once", p.mail.digestSizes(), "t1 t1 t1 t1 t1 t1")
}
