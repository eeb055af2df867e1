package notify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

// acknowledge announces that a user acknowledges a notice, with reminders paused for quiet.
func (p *outboxFixture) acknowledge(a *alertmsg.Alarm, user string, quiet time.Duration) {
	p.t.Helper()
	now := p.Clock.Milli()
	acked := *a
	acked.Event, acked.At = alertmsg.Acknowledged, now
	acked.Ack = &alertmsg.Ack{User: user, Time: now, Note: "at the pump", RemindAt: now + quiet.Milliseconds()}
	p.must(p.notifier.NoticeAcknowledged(p.t.Context(), p.field.ID, &acked))
}

// unacknowledge announces that a notice's acknowledgement is taken back.
func (p *outboxFixture) unacknowledge(a *alertmsg.Alarm) {
	p.t.Helper()
	back := *a
	back.Event, back.At = alertmsg.Unacknowledged, p.Clock.Milli()
	p.must(p.notifier.NoticeAcknowledged(p.t.Context(), p.field.ID, &back))
}

// remindersWithin advances the clock by d, five minutes at a time, and gives the reminders of a
// notice: minutes since its start, and the user of its acknowledgement.
func (p *outboxFixture) remindersWithin(a *alertmsg.Alarm, d time.Duration) string {
	p.t.Helper()
	var lines []string
	for end := p.Clock.Now().Add(d); p.Clock.Now().Before(end); {
		p.advance(min(5*time.Minute, end.Sub(p.Clock.Now())))
		for _, l := range p.mail.take() {
			for _, one := range l.Alarms {
				if one.Event != alertmsg.Reminder || one.Notice != a.Notice {
					continue
				}
				line := fmt.Sprint((p.Clock.Milli() - a.Start) / time.Minute.Milliseconds())
				if one.Ack != nil {
					line += " " + one.Ack.User
				}
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, ", ")
}

// When people are reminded of an acknowledged notice, in minutes since its start, with and without
// reminders of the rule.
func TestRemindersOfAcknowledged(t *testing.T) {
	type act struct {
		at int // minutes
		do func(p *outboxFixture, a *alertmsg.Alarm)
	}
	acks := func(at int, user string, hours int) act {
		return act{at,
			func(p *outboxFixture, a *alertmsg.Alarm) { p.acknowledge(a, user, time.Duration(hours)*time.Hour) }}
	}
	back := func(at int) act { return act{at, (*outboxFixture).unacknowledge} }
	ends := func(at int) act { return act{at, func(p *outboxFixture, a *alertmsg.Alarm) { p.closeNotice(a, true) }} }
	for name, c := range map[string]struct {
		every int // minutes
		acts  []act
		want  string
	}{
		"not acknowledged":                {every: 45, want: "45, 90, 135, 180, 225, 270, 315"},
		"no reminders of the rule":        {acts: []act{acks(10, "Ada", 1)}, want: "70 Ada"},
		"reminders of the rule":           {every: 45, acts: []act{acks(50, "Ada", 1)}, want: "45, 110 Ada, 155 Ada, 200 Ada, 245 Ada, 290 Ada, 335 Ada"},
		"sooner than the rule's reminder": {every: 300, acts: []act{acks(5, "Ada", 1)}, want: "65 Ada"},
		"again before":                    {acts: []act{acks(10, "Ada", 1), acks(30, "Bora", 4)}, want: "270 Bora"},
		"again, sooner":                   {acts: []act{acks(10, "Ada", 4), acks(30, "Bora", 1)}, want: "90 Bora"},
		"again after":                     {acts: []act{acks(10, "Ada", 1), acks(100, "Bora", 1)}, want: "70 Ada, 160 Bora"},
		"taken back":                      {acts: []act{acks(10, "Ada", 1), back(20)}},
		"taken back, rule's schedule":     {every: 45, acts: []act{acks(10, "Ada", 4), back(100)}, want: "135, 180, 225, 270, 315"},
		"taken back after the reminder":   {every: 45, acts: []act{acks(10, "Ada", 1), back(80)}, want: "70 Ada, 115, 160, 205, 250, 295, 340"},
		"taken back, and again":           {acts: []act{acks(10, "Ada", 1), back(20), acks(40, "Bora", 1)}, want: "100 Bora"},
		"ended":                           {every: 45, acts: []act{acks(50, "Ada", 1), ends(60)}, want: "45"},
		"ended, without reminders":        {acts: []act{acks(50, "Ada", 1), ends(60)}},
	} {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", restarts ", restarts), func(t *testing.T) {
				p := newOutboxFixture(t)
				w := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)},
					RemindEvery: time.Duration(c.every) * time.Minute}
				a := p.openNotice("Frost", 1, w)
				p.step()
				var all []string
				until := func(minute int) {
					if restarts {
						p.restart()
					}
					now := int((p.Clock.Milli() - a.Start) / time.Minute.Milliseconds())
					if s := p.remindersWithin(a, time.Duration(minute-now)*time.Minute); s != "" {
						all = append(all, s)
					}
				}
				for _, act := range c.acts {
					until(act.at)
					act.do(p, a)
				}
				until(340)
				p.wantEqual("reminded", strings.Join(all, ", "), c.want)
			})
		}
	}
}

// A recipient whose opening is sent only after the acknowledgement receives it with the
// acknowledgement, and is reminded like all others.
func TestOpenedWhileAcknowledged(t *testing.T) {
	for name, c := range map[string]struct {
		at, want string // the time of the acknowledgement, which lasts 4 hours
	}{
		"for longer than the night": {"02:30", "06:30 reminder"},
		"until the night":           {"01:00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newOutboxFixture(t)
			ch := p.channel("field", ada)
			p.at("22:00", 0)
			a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}, Period: morning})
			p.at(c.at, 1)
			p.acknowledge(a, "Ada", 4*time.Hour)
			p.step()
			p.wantEqual("at night", p.mail.sentText(), "")
			p.at("06:00", 1)
			notifications := p.mail.take()
			if len(notifications) != 1 || notifications[0].Alarms[0].Event != alertmsg.Triggered ||
				notifications[0].Alarms[0].Ack == nil || notifications[0].Alarms[0].Ack.Note != "at the pump" {
				t.Fatalf("%+v", notifications)
			}
			got := ""
			for range 24 * 60 {
				p.advance(time.Minute)
				if sent := p.mail.sentText(); sent != "" {
					got += p.Clock.Now().In(p.field.TimeZone).Format("15:04") + " " + strings.Fields(sent)[1]
				}
			}
			p.wantEqual("afterwards", got, c.want)
		})
	}
}

// Periods, mutes and budgets apply to reminders of acknowledged notices as to others.
func TestAcknowledgedReminderWaits(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.mailsADay = 2 })
	ch := p.channel("field", ada)
	p.at("06:30", 1)
	outside := p.openNotice("Outside", 2, alertmsg.DeliveryOptions{Channels: []int64{ch}, Period: morning})
	p.step()
	p.acknowledge(outside, "Ada", 4*time.Hour)
	p.at("10:30", 1)
	p.wantEqual("outside the period", p.states(outside),
		"ada@example.com reminder queued period; ada@example.com triggered sent")
	p.at("06:00", 2)
	p.wantEqual("in the morning", p.mail.sentText(),
		"ada@example.com triggered Outside; ada@example.com reminder Outside")
	p.closeNotice(outside, false)

	p.at("12:00", 3)
	muted := p.openNotice("Muted", 2, alertmsg.DeliveryOptions{Channels: []int64{ch}})
	p.step()
	p.acknowledge(muted, "Ada", time.Hour)
	p.muted[1] = p.Clock.Milli() + 90*time.Minute.Milliseconds()
	p.at("13:00", 3)
	p.wantEqual("muted", p.states(muted), "ada@example.com reminder queued muted; ada@example.com triggered sent")
	p.unacknowledge(muted)
	p.wantEqual("taken back while it waits", p.states(muted), "ada@example.com triggered sent")
	p.acknowledge(muted, "Ada", time.Hour)
	p.at("13:30", 3)
	p.at("14:00", 3)
	p.wantEqual("the mute is over", p.mail.sentText(),
		"ada@example.com triggered Muted; ada@example.com reminder Muted")
	p.closeNotice(muted, false)

	p.at("12:00", 4)
	mild := p.openNotice("Mild", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}})
	p.step()
	p.acknowledge(mild, "Ada", time.Hour)
	for range 3 { // the budget of two, and half as many again
		p.openNotice("Other", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}})
		p.step()
	}
	p.at("12:30", 4)
	p.mail.take()
	p.at("13:00", 4)
	if got := p.states(mild); !strings.Contains(got, "reminder queued budget") {
		t.Errorf("over the budget: %s", got)
	}
	p.at("00:00", 5)
	p.advance(time.Hour)
	if sent := p.mail.sentText(); !strings.Contains(sent, "reminder Mild") {
		t.Errorf("the next day: %s", sent)
	}
}

// A user acknowledges a notice while a reminder of it is in flight: whether the reminder is sent or
// not, the next attempt is at the end of the acknowledgement.
func TestAcknowledgedInFlight(t *testing.T) {
	for name, failure := range map[string]*notify.Failure{
		"is sent":                 nil,
		"is deferred":             {Kind: notify.Transient, Answer: "451 busy"},
		"the mail server is down": {Kind: notify.Unavailable, Answer: "no route"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newOutboxFixture(t)
			a := p.openNotice("Frost", 1,
				alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: 30 * time.Minute})
			p.step()
			p.mail.take()
			p.Clock.Advance(30 * time.Minute)
			p.mail.setReply(func(*notify.Notification) error {
				p.acknowledge(a, "Ada", time.Hour)
				if failure == nil {
					return nil
				}
				return failure
			})
			p.step()
			p.mail.setReply(nil)
			p.mail.take()
			p.wantEqual("before", p.remindersWithin(a, 59*time.Minute), "")
			p.wantEqual("then", p.remindersWithin(a, time.Minute), "90 Ada")
			p.wantEqual("by the rule's schedule", p.remindersWithin(a, time.Hour), "120 Ada, 150 Ada")
		})
	}
}

// A reminder that was deferred before the acknowledgement waits for its end too, and is retried as
// long as any other afterwards.
func TestAcknowledgedWhileDeferred(t *testing.T) {
	p := newOutboxFixture(t)
	a := p.openNotice("Frost", 1,
		alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: 30 * time.Minute})
	p.step()
	p.mail.take()
	p.mail.failWith(notify.Transient, "451 busy")
	p.advance(30 * time.Minute)
	tried := p.mail.attempts()
	for range 3 { // 36 hours, which is longer than expireAfter
		p.acknowledge(a, "Ada", 12*time.Hour)
		p.advance(12*time.Hour - time.Second)
	}
	if n := p.mail.attempts() - tried; n != 0 {
		t.Errorf("tried %d times meanwhile", n)
	}
	p.advance(time.Second)
	p.advance(20 * time.Hour)
	p.wantEqual("tried on", p.states(a), "ada@example.com reminder queued retry; ada@example.com triggered sent")
	p.mail.setReply(nil)
	p.advance(15 * time.Minute)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com reminder Frost")
}

// After a permanent failure there is no reminder.
func TestAcknowledgedNoReminderAfterPermanentFailure(t *testing.T) {
	p := newOutboxFixture(t)
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Recipient == ada {
			return &notify.Failure{Kind: notify.Permanent, Answer: "no such box"}
		}
		return nil
	})
	a := p.openNotice("Frost", 1,
		alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada, "bora@example.com")}})
	p.step()
	p.acknowledge(a, "Ada", time.Hour)
	p.wantEqual("planned", p.states(a),
		"ada@example.com triggered failed refused; bora@example.com reminder queued; bora@example.com triggered sent")
	p.must(p.notifier.NoticeAcknowledged(t.Context(), p.rival.ID,
		&alertmsg.Alarm{Event: alertmsg.Unacknowledged, Notice: a.Notice}))
	p.wantEqual("another tenant's", p.states(a),
		"ada@example.com triggered failed refused; bora@example.com reminder queued; bora@example.com triggered sent")
	p.mail.take()
	p.advance(time.Hour)
	p.wantEqual("sent", p.mail.sentText(), "bora@example.com reminder Frost")
	p.wantEqual("no recipients", p.states(p.openNotice("Alone", 1, alertmsg.DeliveryOptions{})), "")
}

// Notices of one digest that are acknowledged one after the other are reminded of in one digest.
func TestAcknowledgedInDigest(t *testing.T) {
	p := newOutboxFixture(t)
	all := p.openMany(14, 1, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.step()
	p.advance(time.Minute)
	p.mail.take()
	for _, a := range all[10:] {
		p.Clock.Advance(time.Second)
		p.acknowledge(a, "Ada", time.Hour)
	}
	begin := p.Clock.Now()
	next := p.step()
	if wait := next.Sub(begin); wait < time.Hour-4*time.Second || wait > time.Hour+time.Minute {
		t.Errorf("reminded after %v", wait)
	}
	p.Clock.Set(next)
	p.step()
	p.wantEqual("together", p.mail.digestSizes(), "r4")
}

// The process is killed while the reminder at the end of an acknowledgement is in flight: the
// reminder is sent again with the same ID, and the next one is sent once.
func TestAcknowledgedReminderAfterCrash(t *testing.T) {
	for _, every := range []time.Duration{0, 30 * time.Minute} {
		p := newOutboxFixture(t)
		a := p.openNotice("Frost", 1,
			alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: every})
		p.step()
		p.mail.take()
		p.acknowledge(a, "Ada", time.Hour)
		p.restart()
		p.Clock.Advance(time.Hour)
		p.crashAfter(1)
		p.step()
		notifications := p.mail.take()
		ids := map[string]bool{}
		for _, l := range notifications {
			ids[l.ID] = true
		}
		if len(notifications) != 2 || len(ids) != 1 {
			t.Errorf("%v: %d mails, %d IDs", every, len(notifications), len(ids))
		}
		want := ""
		if every > 0 {
			want = "90 Ada, 120 Ada"
		}
		p.wantEqual("afterwards", p.remindersWithin(a, time.Hour), want)
	}
}

// The clock is set back: an acknowledgement lasts as long as the user wanted, not until the clock
// shows the same time again.
func TestAcknowledgedWithClockSetBack(t *testing.T) {
	for name, again := range map[string]func(p *outboxFixture){
		"while it runs":    func(*outboxFixture) {},
		"during a restart": (*outboxFixture).restart,
	} {
		t.Run(name, func(t *testing.T) {
			p := newOutboxFixture(t)
			ch := p.channel("field", ada)
			sent := p.openNotice("Sent", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}})
			p.step()
			p.mail.failWith(notify.Transient, "451 busy")
			stuck := p.openNotice("Stuck", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}})
			p.step()
			p.acknowledge(sent, "Ada", 4*time.Hour)
			p.acknowledge(stuck, "Ada", 4*time.Hour)
			p.mail.setReply(nil)
			p.mail.take()
			p.Clock.Advance(-24 * time.Hour)
			again(p)
			p.step()
			p.advance(time.Minute)
			p.wantEqual("what was deferred", p.mail.sentText(), "ada@example.com triggered Stuck")
			p.advance(3*time.Hour + 57*time.Minute)
			p.wantEqual("before", p.mail.sentText(), "")
			p.advance(3 * time.Minute)
			both := strings.Split(p.mail.sentText(), "; ")
			slices.Sort(both)
			p.wantEqual("four hours later", strings.Join(both, "; "),
				"ada@example.com reminder Sent; ada@example.com reminder Stuck")
		})
	}
}

// Webhooks that subscribe to it receive each acknowledgement and each that is taken back, those of
// one notice in order; other webhooks receive what they received before.
func TestWebhooksAcknowledged(t *testing.T) {
	p := newOutboxFixture(t)
	old := p.addWebhook("old")
	all := p.addWebhook("all", func(w *notify.Webhook) { w.Acknowledged = true })
	alone := p.addWebhook("alone",
		func(w *notify.Webhook) { w.Opened, w.Resolved, w.Acknowledged = false, false, true })
	serious := p.addWebhook("serious", func(w *notify.Webhook) { w.Acknowledged, w.Level = true, 2 })
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{})
	p.acknowledge(a, "Ada", time.Hour)
	p.acknowledge(a, "Bora", time.Hour)
	p.unacknowledge(a)
	p.acknowledge(a, "Ada", time.Hour)
	p.closeNotice(a, true)
	for range 6 { // each is sent after the one before it
		p.step()
	}
	received, ids := map[string][]string{}, map[string]bool{}
	for _, l := range p.webhookSender.take() {
		received[l.Recipient] = append(received[l.Recipient], string(l.Alarms[0].Event))
		ids[l.ID] = true
	}
	for id, want := range map[int64]string{
		old: "triggered resolved", all: "triggered acknowledged acknowledged unacknowledged acknowledged resolved",
		alone: "acknowledged acknowledged unacknowledged acknowledged", serious: "",
	} {
		p.wantEqual(fmt.Sprint("webhook ", id), strings.Join(received[fmt.Sprint(id)], " "), want)
	}
	if len(ids) != 2+6+4 {
		t.Errorf("%d IDs", len(ids))
	}
	list, err := p.outbox.WebhookDeliveries(t.Context(), p.field.ID, all)
	p.must(err)
	if len(list) != 6 || list[0].Event != alertmsg.Resolved || list[1].Event != alertmsg.Acknowledged ||
		list[2].Event != alertmsg.Unacknowledged {
		t.Errorf("%+v", list)
	}
}

// If a webhook defers an opening, later deliveries wait; if it refuses the opening, they are
// skipped; a refused acknowledgement does not block what follows.
func TestWebhookOpenedBeforeAcknowledged(t *testing.T) {
	p := newOutboxFixture(t)
	p.addWebhook("planner", func(w *notify.Webhook) { w.Acknowledged = true })
	p.webhookSender.failWith(notify.Transient, "503")
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{})
	p.step()
	p.acknowledge(a, "Ada", time.Hour)
	p.unacknowledge(a)
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("waits", p.states(a),
		"planner.example acknowledged queued trigger; planner.example resolved queued trigger; "+
			"planner.example triggered queued retry; planner.example unacknowledged queued trigger")
	p.webhookSender.setReply(nil)
	for range 5 {
		p.advance(15 * time.Second)
	}
	var received []string
	for _, l := range p.webhookSender.take() {
		received = append(received, string(l.Alarms[0].Event))
	}
	p.wantEqual("in order", strings.Join(received, " "), "triggered acknowledged unacknowledged resolved")

	p.webhookSender.failWith(notify.Permanent, "not sent")
	a = p.openNotice("Refused", 1, alertmsg.DeliveryOptions{})
	p.acknowledge(a, "Ada", time.Hour)
	p.unacknowledge(a)
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("after an opening that failed", p.states(a),
		"planner.example acknowledged skipped notTold; planner.example resolved skipped notTold; "+
			"planner.example triggered failed refused; planner.example unacknowledged skipped notTold")
	p.webhookSender.setReply(nil)
	a = p.openNotice("Later", 1, alertmsg.DeliveryOptions{})
	p.step()
	p.webhookSender.failWith(notify.Permanent, "not sent")
	p.acknowledge(a, "Ada", time.Hour)
	p.closeNotice(a, true)
	p.webhookSender.setReply(func(l *notify.Notification) error {
		if l.Alarms[0].Event == alertmsg.Acknowledged {
			return &notify.Failure{Kind: notify.Permanent, Answer: "not sent"}
		}
		return nil
	})
	p.step()
	p.step()
	p.wantEqual("after an acknowledgement that failed", p.states(a),
		"planner.example acknowledged failed refused; planner.example resolved sent; planner.example triggered sent")
}
