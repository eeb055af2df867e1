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

// acknowledge hands in that somebody is on a notice, and wants nobody to be reminded for so long.
func (p *outboxFixture) acknowledge(a *alertmsg.Alarm, user string, quiet time.Duration) {
	p.t.Helper()
	now := p.Clock.Milli()
	on := *a
	on.Event, on.At = alertmsg.Acknowledged, now
	on.Ack = &alertmsg.Ack{User: user, Time: now, Note: "at the pump", RemindAt: now + quiet.Milliseconds()}
	p.must(p.notifier.NoticeAcknowledged(p.t.Context(), p.field.ID, &on))
}

// unacknowledge hands in that nobody is on a notice any more.
func (p *outboxFixture) unacknowledge(a *alertmsg.Alarm) {
	p.t.Helper()
	off := *a
	off.Event, off.At = alertmsg.Unacknowledged, p.Clock.Milli()
	p.must(p.notifier.NoticeAcknowledged(p.t.Context(), p.field.ID, &off))
}

// remindersWithin lets so much time pass by five minutes at a time, and gives after how many minutes
// since its begin a notice was reminded of, with who was on it then.
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

// When people are reminded of a notice that somebody is on, by minutes since its begin,
// with and without reminders of the rule.
func TestRemindersOfAcknowledged(t *testing.T) {
	type act struct {
		at int // minutes
		do func(p *outboxFixture, a *alertmsg.Alarm)
	}
	takes := func(at int, user string, hours int) act {
		return act{at,
			func(p *outboxFixture, a *alertmsg.Alarm) { p.acknowledge(a, user, time.Duration(hours)*time.Hour) }}
	}
	back := func(at int) act { return act{at, (*outboxFixture).unacknowledge} }
	over := func(at int) act { return act{at, func(p *outboxFixture, a *alertmsg.Alarm) { p.closeNotice(a, true) }} }
	for name, c := range map[string]struct {
		every int // minutes
		acts  []act
		want  string
	}{
		"nobody":                        {every: 45, want: "45, 90, 135, 180, 225, 270, 315"},
		"no reminders of the rule":      {acts: []act{takes(10, "Ada", 1)}, want: "70 Ada"},
		"reminders of the rule":         {every: 45, acts: []act{takes(50, "Ada", 1)}, want: "45, 110 Ada, 155 Ada, 200 Ada, 245 Ada, 290 Ada, 335 Ada"},
		"sooner than the rule's":        {every: 300, acts: []act{takes(5, "Ada", 1)}, want: "65 Ada"},
		"again before":                  {acts: []act{takes(10, "Ada", 1), takes(30, "Bora", 4)}, want: "270 Bora"},
		"again, sooner":                 {acts: []act{takes(10, "Ada", 4), takes(30, "Bora", 1)}, want: "90 Bora"},
		"again after":                   {acts: []act{takes(10, "Ada", 1), takes(100, "Bora", 1)}, want: "70 Ada, 160 Bora"},
		"taken back":                    {acts: []act{takes(10, "Ada", 1), back(20)}},
		"taken back, into the rhythm":   {every: 45, acts: []act{takes(10, "Ada", 4), back(100)}, want: "135, 180, 225, 270, 315"},
		"taken back after the reminder": {every: 45, acts: []act{takes(10, "Ada", 1), back(80)}, want: "70 Ada, 115, 160, 205, 250, 295, 340"},
		"taken back, and again":         {acts: []act{takes(10, "Ada", 1), back(20), takes(40, "Bora", 1)}, want: "100 Bora"},
		"over":                          {every: 45, acts: []act{takes(50, "Ada", 1), over(60)}, want: "45"},
		"over, without reminders":       {acts: []act{takes(50, "Ada", 1), over(60)}},
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

// Who hears of a notice only when somebody is on it already is told so, and reminded as all
// others are.
func TestOpenedWhileAcknowledged(t *testing.T) {
	for name, c := range map[string]struct {
		at, want string // when it is acknowledged, for 4 hours, of the evening before
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
				if told := p.mail.sentText(); told != "" {
					got += p.Clock.Now().In(p.field.TimeZone).Format("15:04") + " " + strings.Fields(told)[1]
				}
			}
			p.wantEqual("afterwards", got, c.want)
		})
	}
}

// Periods, mutes and budgets hold for these reminders as for others.
func TestAcknowledgedReminderWaits(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.mailsADay = 2 })
	ch := p.channel("field", ada)
	p.at("06:30", 1)
	asleep := p.openNotice("Asleep", 2, alertmsg.DeliveryOptions{Channels: []int64{ch}, Period: morning})
	p.step()
	p.acknowledge(asleep, "Ada", 4*time.Hour)
	p.at("10:30", 1)
	p.wantEqual("outside the period", p.states(asleep),
		"ada@example.com reminder queued period; ada@example.com triggered sent")
	p.at("06:00", 2)
	p.wantEqual("in the morning", p.mail.sentText(),
		"ada@example.com triggered Asleep; ada@example.com reminder Asleep")
	p.closeNotice(asleep, false)

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
	for range 3 { // the budget of two, and a half more
		p.openNotice("Other", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}})
		p.step()
	}
	p.at("12:30", 4)
	p.mail.take()
	p.at("13:00", 4)
	if got := p.states(mild); !strings.Contains(got, "reminder queued budget") {
		t.Errorf("beyond the budget: %s", got)
	}
	p.at("00:00", 5)
	p.advance(time.Hour)
	if told := p.mail.sentText(); !strings.Contains(told, "reminder Mild") {
		t.Errorf("the next day: %s", told)
	}
}

// Somebody is on a notice while a reminder of it is in flight: whether that arrives or not,
// the next attempt is when nobody is to be spared any more.
func TestAcknowledgedInFlight(t *testing.T) {
	for name, fault := range map[string]*notify.Failure{
		"it arrives":     nil,
		"is put off":     {Kind: notify.Transient, Answer: "451 busy"},
		"the far end is": {Kind: notify.Unavailable, Answer: "no route"},
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
				if fault == nil {
					return nil
				}
				return fault
			})
			p.step()
			p.mail.setReply(nil)
			p.mail.take()
			p.wantEqual("before", p.remindersWithin(a, 59*time.Minute), "")
			p.wantEqual("then", p.remindersWithin(a, time.Minute), "90 Ada")
			p.wantEqual("in the rule's rhythm", p.remindersWithin(a, time.Hour), "120 Ada, 150 Ada")
		})
	}
}

// A reminder that was put off before somebody was on the notice rests, too, and is tried as
// long as any other afterwards.
func TestAcknowledgedWhilePutOff(t *testing.T) {
	p := newOutboxFixture(t)
	a := p.openNotice("Frost", 1,
		alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: 30 * time.Minute})
	p.step()
	p.mail.take()
	p.mail.failWith(notify.Transient, "451 busy")
	p.advance(30 * time.Minute)
	tried := p.mail.attempts()
	for range 3 { // 36 hours, which is longer than a letter is tried
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
	p.wantEqual("told", p.mail.sentText(), "ada@example.com reminder Frost")
}

// After a letter that failed for good nobody is reminded.
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
	p.wantEqual("told", p.mail.sentText(), "bora@example.com reminder Frost")
	p.wantEqual("nobody to tell", p.states(p.openNotice("Alone", 1, alertmsg.DeliveryOptions{})), "")
}

// Who was told of many in one letter, and was on one after the other, is reminded in one.
func TestAcknowledgedOfADigest(t *testing.T) {
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

// The process dies while the reminder that was waited for flies: it comes again with the same
// ID, and the next one once.
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
			t.Errorf("%v: %d letters, %d IDs", every, len(notifications), len(ids))
		}
		want := ""
		if every > 0 {
			want = "90 Ada, 120 Ada"
		}
		p.wantEqual("afterwards", p.remindersWithin(a, time.Hour), want)
	}
}

// The clock is set back: who is on a notice spares people as long as they wanted, not until that
// time comes again.
func TestAcknowledgedWithTheClockSetBack(t *testing.T) {
	for name, again := range map[string]func(p *outboxFixture){"while it runs": func(*outboxFixture) {}, "in between": (*outboxFixture).restart} {
		t.Run(name, func(t *testing.T) {
			p := newOutboxFixture(t)
			ch := p.channel("field", ada)
			told := p.openNotice("Told", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}})
			p.step()
			p.mail.failWith(notify.Transient, "451 busy")
			stuck := p.openNotice("Stuck", 1, alertmsg.DeliveryOptions{Channels: []int64{ch}})
			p.step()
			p.acknowledge(told, "Ada", 4*time.Hour)
			p.acknowledge(stuck, "Ada", 4*time.Hour)
			p.mail.setReply(nil)
			p.mail.take()
			p.Clock.Advance(-24 * time.Hour)
			again(p)
			p.step()
			p.advance(time.Minute)
			p.wantEqual("what was put off", p.mail.sentText(), "ada@example.com triggered Stuck")
			p.advance(3*time.Hour + 57*time.Minute)
			p.wantEqual("before", p.mail.sentText(), "")
			p.advance(3 * time.Minute)
			both := strings.Split(p.mail.sentText(), "; ")
			slices.Sort(both)
			p.wantEqual("four hours later", strings.Join(both, "; "),
				"ada@example.com reminder Stuck; ada@example.com reminder Told")
		})
	}
}

// Webhooks that want it hear of each acknowledgement and of each that is taken back, of one
// notice in their order; those from before hear what they heard.
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
	for range 6 { // each goes when the one before it has landed
		p.step()
	}
	heard, ids := map[string][]string{}, map[string]bool{}
	for _, l := range p.webhookSender.take() {
		heard[l.Recipient] = append(heard[l.Recipient], string(l.Alarms[0].Event))
		ids[l.ID] = true
	}
	for id, want := range map[int64]string{
		old: "triggered resolved", all: "triggered acknowledged acknowledged unacknowledged acknowledged resolved",
		alone: "acknowledged acknowledged unacknowledged acknowledged", serious: "",
	} {
		p.wantEqual(fmt.Sprint("webhook ", id), strings.Join(heard[fmt.Sprint(id)], " "), want)
	}
	if len(ids) != 2+6+4 {
		t.Errorf("%d IDs", len(ids))
	}
	told, err := p.outbox.WebhookDeliveries(t.Context(), p.field.ID, all)
	p.must(err)
	if len(told) != 6 || told[0].Event != alertmsg.Resolved || told[1].Event != alertmsg.Acknowledged ||
		told[2].Event != alertmsg.Unacknowledged {
		t.Errorf("%+v", told)
	}
}

// What a program did not take keeps what comes after it waiting, or from being told, as far as
// that makes no sense alone.
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
	var heard []string
	for _, l := range p.webhookSender.take() {
		heard = append(heard, string(l.Alarms[0].Event))
	}
	p.wantEqual("in order", strings.Join(heard, " "), "triggered acknowledged unacknowledged resolved")

	p.webhookSender.failWith(notify.Permanent, "not sent")
	a = p.openNotice("Refused", 1, alertmsg.DeliveryOptions{})
	p.acknowledge(a, "Ada", time.Hour)
	p.unacknowledge(a)
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("of a begin that failed", p.states(a),
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
	p.wantEqual("after what failed between", p.states(a),
		"planner.example acknowledged failed refused; planner.example resolved sent; planner.example triggered sent")
}
