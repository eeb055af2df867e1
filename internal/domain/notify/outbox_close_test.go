package notify_test

import (
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

var (
	morning = alertmsg.Period{Start: 6 * 60, End: 8 * 60} // the tests begin at noon
	ada     = "ada@example.com"
)

// What happens to deliveries when their notice ends, by their state and reason.
func TestNoticeClosedByDeliveryState(t *testing.T) {
	for name, c := range map[string]struct {
		options alertmsg.DeliveryOptions
		before  func(p *outboxFixture) // runs before the opening is sent
		ended   string                 // deliveries when the notice has ended
		after   string                 // deliveries a day after the mail server works again
		sent    string
	}{
		"sent": {
			ended: "ada@example.com resolved queued; ada@example.com triggered sent",
			after: "ada@example.com resolved sent; ada@example.com triggered sent",
			sent:  "ada@example.com triggered Frost; ada@example.com resolved Frost",
		},
		"waits for the period": {
			options: alertmsg.DeliveryOptions{Period: morning},
			ended:   "ada@example.com triggered skipped ended", after: "ada@example.com triggered skipped ended",
		},
		"is muted": {
			before: func(p *outboxFixture) { p.muted[1] = p.Clock.Milli() + 60_000 },
			ended:  "ada@example.com triggered skipped ended", after: "ada@example.com triggered skipped ended",
		},
		"waits for a backlog": {
			options: alertmsg.DeliveryOptions{Late: true},
			before:  func(p *outboxFixture) { p.backlog[int64(p.mast.ID)] = p.Clock.Now().Add(time.Minute) },
			ended:   "ada@example.com triggered skipped ended", after: "ada@example.com triggered skipped ended",
		},
		"the mail server is down": {
			before: func(p *outboxFixture) { p.mail.failWith(notify.Unavailable, "no route") },
			ended:  "ada@example.com resolved queued trigger; ada@example.com triggered queued server",
			after:  "ada@example.com resolved sent; ada@example.com triggered sent",
			sent:   "ada@example.com triggered Frost; ada@example.com resolved Frost",
		},
		"is deferred": {
			before: func(p *outboxFixture) { p.mail.failWith(notify.Transient, "busy") },
			ended:  "ada@example.com resolved queued trigger; ada@example.com triggered queued retry",
			after:  "ada@example.com resolved sent; ada@example.com triggered sent",
			sent:   "ada@example.com triggered Frost; ada@example.com resolved Frost",
		},
		"is refused": {
			before: func(p *outboxFixture) { p.mail.failWith(notify.Permanent, "no such box") },
			ended:  "ada@example.com resolved skipped notTold; ada@example.com triggered failed refused",
			after:  "ada@example.com resolved skipped notTold; ada@example.com triggered failed refused",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newOutboxFixture(t)
			c.options.Channels = []int64{p.channel("field", ada)}
			if c.before != nil {
				c.before(p)
			}
			a := p.openNotice("Frost", 1, c.options)
			p.step()
			p.closeNotice(a, true)
			p.wantEqual("ended", p.states(a), c.ended)
			p.closeNotice(a, true) // announced again
			p.wantEqual("ended again", p.states(a), c.ended)
			for _, d := range p.deliveries(a) {
				if d.State == notify.Skipped && (len(d.Steps) != 2 || d.Steps[1].Step != "skipped") {
					t.Errorf("skipped, with the steps %+v", d.Steps)
				}
			}
			p.mail.setReply(nil)
			for range 24 {
				p.advance(time.Hour)
			}
			p.wantEqual("after a day", p.states(a), c.after)
			p.wantEqual("sent", p.mail.sentText(), c.sent)
		})
	}
}

// When the rule is changed, deliveries that are being sent or retried are still sent, others are
// skipped, and the end is not announced.
func TestNoticeClosedByRuleChange(t *testing.T) {
	for name, c := range map[string]struct {
		options    alertmsg.DeliveryOptions
		before     func(p *outboxFixture)
		want, sent string
	}{
		"sent": {want: "ada@example.com triggered sent", sent: "ada@example.com triggered Frost"},
		"waits for the period": {
			options: alertmsg.DeliveryOptions{Period: morning},
			want:    "ada@example.com triggered skipped changed",
		},
		"is muted": {
			before: func(p *outboxFixture) { p.muted[1] = p.Clock.Milli() + 60_000 },
			want:   "ada@example.com triggered skipped changed",
		},
		"waits for a backlog": {
			options: alertmsg.DeliveryOptions{Late: true},
			before:  func(p *outboxFixture) { p.backlog[int64(p.mast.ID)] = p.Clock.Now().Add(time.Minute) },
			want:    "ada@example.com triggered skipped changed",
		},
		"waits for a digest": {
			before: func(p *outboxFixture) {
				for range notify.DefaultDigestAfter {
					p.openNotice("Other", 1, alertmsg.DeliveryOptions{Channels: []int64{1}})
				}
				p.step()
				p.mail.sentText()
			},
			want: "ada@example.com triggered skipped changed",
		},
		"a reminder waits": {
			options: alertmsg.DeliveryOptions{RemindEvery: time.Minute},
			want:    "ada@example.com triggered sent", sent: "ada@example.com triggered Frost",
		},
		"the mail server is down": {
			before: func(p *outboxFixture) { p.mail.failWith(notify.Unavailable, "no route") },
			want:   "ada@example.com triggered queued server", sent: "ada@example.com triggered Frost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newOutboxFixture(t)
			c.options.Channels = []int64{p.channel("field", ada)}
			if c.before != nil {
				c.before(p)
			}
			a := p.openNotice("Frost", 1, c.options)
			p.step()
			p.closeNotice(a, false)
			p.wantEqual("ended", p.states(a), c.want)
			p.mail.setReply(nil)
			for range 24 {
				p.advance(time.Hour)
			}
			p.wantEqual("sent", p.mail.sentText(), c.sent)
		})
	}
}

// If a notice ends before the outbox first scans its deliveries, the situation at the time of
// sending decides.
func TestNoticeClosedBeforeFirstScan(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	quick := p.openNotice("Quick", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	night := p.openNotice("Night", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	gone := p.openNotice("Gone", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	p.closeNotice(quick, true)
	p.closeNotice(night, true)
	p.closeNotice(gone, false)
	p.wantEqual("before the first scan", p.states(night),
		"ada@example.com resolved queued trigger; ada@example.com triggered queued")
	p.step()
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Quick; ada@example.com resolved Quick")
	p.wantEqual("outside the period", p.states(night), "ada@example.com triggered skipped ended")
	p.wantEqual("changed", p.states(gone), "ada@example.com triggered skipped changed")
	if got := p.outbox.Stats(); got.Sent != 2 || got.Skipped != 2 {
		t.Errorf("%+v", got)
	}
}

// A recipient that received the opening within the period receives an end outside the period when
// the next period begins.
func TestResolutionWaitsForThePeriod(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.at("07:59", 1)
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	p.step()
	p.at("08:30", 1)
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("outside the period", p.states(a),
		"ada@example.com resolved queued period; ada@example.com triggered sent")
	p.at("05:59", 2)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost")
	p.at("06:00", 2)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com resolved Frost")
}

// A notice ends while its opening is in flight.
func TestNoticeClosedWhileInFlight(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	var a *alertmsg.Alarm
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Alarms[0].Event == alertmsg.Triggered {
			p.closeNotice(a, true)
		}
		return nil
	})
	a = p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Minute})
	p.step()
	p.advance(time.Hour)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost; ada@example.com resolved Frost")
	p.wantEqual("no reminder", p.states(a), "ada@example.com resolved sent; ada@example.com triggered sent")
}
