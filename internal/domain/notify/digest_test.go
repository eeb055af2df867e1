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

// openMany opens n notices of a level.
func (p *outboxFixture) openMany(n, level int, w alertmsg.DeliveryOptions) (all []*alertmsg.Alarm) {
	for i := range n {
		all = append(all, p.openNotice(fmt.Sprintf("%d", i+1), level, w))
	}
	return all
}

// digestSizes gives event and number of alarms of each notification accepted since the last take,
// such as "t1 t4".
func (f *fakeSender) digestSizes() string {
	var sizes []string
	for _, l := range f.take() {
		sizes = append(sizes, fmt.Sprintf("%s%d", l.Alarms[0].Event[:1], len(l.Alarms)))
	}
	slices.Sort(sizes) // notifications of one level are in flight together
	return strings.Join(sizes, " ")
}

// The first ten notices of a minute are sent at once, the rest as one digest at its end; serious
// ones at once.
func TestDigest(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada, "bora@example.com")
	other := p.channel("other", "cem@example.com")
	all := p.openMany(10, 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.Clock.Advance(20 * time.Second)
	all = append(all, p.openMany(7, 0, alertmsg.DeliveryOptions{Channels: []int64{c}})...)
	p.openNotice("Serious", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.openNotice("Other", 0, alertmsg.DeliveryOptions{Channels: []int64{other}})
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 40*time.Second {
		t.Errorf("the minute ends in %v", wait)
	}
	if n := len(p.mail.take()); n != 2*11+1 {
		t.Errorf("%d mails at once", n)
	}
	p.wantEqual("the eleventh", p.states(all[10]),
		"ada@example.com triggered queued digest; bora@example.com triggered queued digest")
	p.Clock.Set(next)
	p.step()
	notifications := p.mail.take()
	if len(notifications) != 2 || notifications[0].ID == notifications[1].ID {
		t.Fatalf("%+v", notifications)
	}
	for _, l := range notifications {
		if len(l.Alarms) != 7 || l.Alarms[0].Notice != all[10].Notice || l.Alarms[6].Notice != all[16].Notice {
			t.Errorf("%+v", l)
		}
	}
	for _, a := range all[10:] {
		for _, d := range p.deliveries(a) {
			if d.State != notify.Sent || !d.Digest || d.Attempts != 1 || len(d.Steps) != 2 || d.Steps[1].Answer == "" {
				t.Errorf("%+v", d)
			}
		}
	}
	// A new minute begins with the next notice.
	p.advance(10 * time.Second)
	p.openNotice("Next", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("the next minute", p.mail.digestSizes(), "t1 t1")
	// A new minute begins when the clock is set back, too.
	p.Clock.Advance(-time.Hour)
	p.openMany(11, 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("set back", p.mail.digestSizes(), strings.TrimSpace(strings.Repeat("t1 ", 20)))
	p.advance(time.Minute)
	p.wantEqual("the rest", p.mail.digestSizes(), "t1 t1")
}

// A digest that fails is sent again unchanged, with the same ID.
func TestDigestRetried(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.openMany(14, 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.mail.take()
	p.mail.failWith(notify.Transient, "451")
	before := p.mail.attempts()
	p.advance(time.Minute)
	p.mail.setReply(nil)
	p.advance(15 * time.Second)
	notifications := p.mail.take()
	if len(notifications) != 1 || len(notifications[0].Alarms) != 4 || p.mail.attempts() != before+2 ||
		p.mail.triedIDs[before] != notifications[0].ID {
		t.Errorf("%+v", notifications)
	}
}

// Periods and mutes apply to deliveries of a digest too, each by its own rule.
func TestDigestWaitsForPeriodAndMute(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.openMany(10, 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	now := p.openMany(2, 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.openMany(3, 1, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	dropped := p.openMany(1, 1, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})[0]
	p.step()
	p.mail.take()
	p.advance(time.Minute)
	p.wantEqual("at the minute's end", p.mail.digestSizes(), "t2")
	p.closeNotice(now[0], true)
	p.closeNotice(dropped, true)
	p.at("06:00", 1)
	p.wantEqual("in the morning", p.mail.digestSizes(), "r1 t3")
}

// Ends are sent as a digest too, and the end of a notice whose opening waits for a digest is sent
// after that digest.
func TestDigestOfResolutions(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	all := p.openMany(15, 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.mail.take()
	p.Clock.Advance(30 * time.Second)
	for _, a := range all {
		p.closeNotice(a, true)
	}
	p.step()
	p.wantEqual("ends of the ten that were sent", p.mail.digestSizes(), strings.TrimSpace(strings.Repeat("r1 ", 10)))
	p.wantEqual("one that waits", p.states(all[14]),
		"ada@example.com resolved queued trigger; ada@example.com triggered queued digest")
	p.advance(30 * time.Second)
	p.wantEqual("the first minute's end", p.mail.digestSizes(), "t5")
	p.wantEqual("one that waits", p.states(all[14]),
		"ada@example.com resolved queued digest; ada@example.com triggered sent")
	p.advance(30 * time.Second)
	p.wantEqual("the second minute's end", p.mail.digestSizes(), "r5")
}

// Deliveries that waited for the morning or for the end of a mute become a digest too.
func TestDigestAfterPeriodAndMute(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada, "bora@example.com")
	for i := range 24 {
		p.Clock.Advance(10 * time.Minute)
		w := alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning}
		all := p.openMany(1, i%2, w)
		if i == 5 {
			p.openNotice("Serious", 2, w)
		}
		if i == 7 {
			p.closeNotice(all[0], true)
		}
	}
	p.step()
	p.wantEqual("in the evening", p.mail.digestSizes(), "")
	p.at("06:00", 1)
	// For each of two recipients: ten mails, the serious one, and a digest of the other thirteen.
	p.wantEqual("in the morning", p.mail.digestSizes(), strings.Repeat("t1 ", 2*11)+"t13 t13")

	p.muted[1] = p.Clock.Milli() + time.Hour.Milliseconds()
	for range 12 {
		p.Clock.Advance(2 * time.Minute)
		p.openMany(1, 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	}
	p.step()
	p.wantEqual("muted", p.mail.digestSizes(), "")
	p.advance(36 * time.Minute)
	p.wantEqual("at the mute's end", p.mail.digestSizes(), strings.Repeat("t1 ", 2*10)+"t2 t2")
}

// If some of the deliveries that waited together are muted by now, the rest is still sent as a
// digest.
func TestDigestWithMutedRules(t *testing.T) {
	p := newOutboxFixture(t)
	c, other := p.channel("field", ada), p.channel("other", "bora@example.com")
	open := func(rule int64, channel int64) {
		a := p.alarm("Frost", 1)
		a.Rule = rule
		p.must(p.notifier.NoticeOpened(t.Context(), p.field.ID, a,
			&alertmsg.DeliveryOptions{Channels: []int64{channel}, Period: morning}))
		p.Clock.Advance(2 * time.Minute) // each has a minute of its own
	}
	for range 4 {
		open(1, other)
	}
	for range 10 {
		open(1, c)
	}
	open(2, c)
	open(2, c)
	p.step()
	p.muted[1] = p.Clock.Milli() + (72 * time.Hour).Milliseconds()
	p.at("06:00", 1)
	p.wantEqual("those of the other rule", p.mail.digestSizes(), "t2")
}

func TestDigestDisabled(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	c := p.channel("field", ada)
	p.openMany(30, 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	if n := len(p.mail.take()); n != 30 {
		t.Errorf("%d of 30", n)
	}
}

func TestReminders(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: 30 * time.Minute})
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 30*time.Minute {
		t.Errorf("reminds in %v", wait)
	}
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost")
	p.advance(29 * time.Minute)
	p.wantEqual("too early", p.mail.sentText(), "")
	p.mail.failWith(notify.Unavailable, "no route")
	next = p.advance(time.Minute)
	p.mail.setReply(nil)
	p.Clock.Set(next)
	next = p.step()
	p.wantEqual("five seconds late", p.mail.sentText(), "ada@example.com reminder Frost")
	if wait := next.Sub(p.Clock.Now()); wait != 30*time.Minute {
		t.Errorf("from the last one on: reminds in %v", wait)
	}
	p.Clock.Set(next)
	p.step()
	p.wantEqual("the second", p.mail.sentText(), "ada@example.com reminder Frost")
	if n := len(p.deliveries(a)); n != 4 {
		t.Errorf("%d deliveries", n)
	}
	p.closeNotice(a, true)
	p.step()
	p.advance(24 * time.Hour)
	p.wantEqual("over", p.mail.sentText(), "ada@example.com resolved Frost")
	p.wantEqual("kept", p.states(a),
		"ada@example.com reminder sent; ada@example.com reminder sent; "+
			"ada@example.com resolved sent; ada@example.com triggered sent")
}

// However long a notice is open, for each recipient the newest reminders are kept, and the opening
// and the end.
func TestNewestRemindersKept(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada, "bora@example.com")
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Recipient != ada && l.Alarms[0].Event == alertmsg.Reminder {
			return &notify.Failure{Kind: notify.Transient, Answer: "451 busy"}
		}
		return nil
	})
	a := p.openNotice("Silent", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: 5 * time.Minute})
	other := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Hour})
	p.step()
	for range 20 {
		p.advance(5 * time.Minute)
	}
	kept, newest := 0, int64(0)
	for _, d := range p.deliveries(a) {
		if d.Recipient == ada && d.Event == alertmsg.Reminder && d.State == notify.Sent {
			kept++
			newest = max(newest, d.UpdateTime)
			if age := p.Clock.Milli() - d.UpdateTime; age > (10*5*time.Minute).Milliseconds() || len(d.Steps) != 2 {
				t.Errorf("%d ms ago: %+v", age, d)
			}
		}
	}
	if kept != 10 || newest != p.Clock.Milli() {
		t.Errorf("%d are kept, the newest at %d", kept, newest)
	}
	p.wantEqual("the other notice", p.states(other),
		"ada@example.com reminder queued; ada@example.com reminder sent; ada@example.com triggered sent; "+
			"bora@example.com reminder queued retry; bora@example.com triggered sent")
	p.closeNotice(a, true)
	p.advance(time.Hour)
	rest := strings.ReplaceAll(p.states(a), "ada@example.com reminder sent; ", "")
	p.wantEqual("in the end", rest, "ada@example.com resolved sent; ada@example.com triggered sent; "+
		"bora@example.com reminder skipped ended; bora@example.com resolved sent; bora@example.com triggered sent")
	var steps int
	p.must(p.DB.Read(t.Context()).
		NewRaw("SELECT COUNT(*) FROM delivery_steps WHERE delivery_id NOT IN (SELECT id FROM deliveries)").
		Scan(t.Context(), &steps))
	if steps > 0 {
		t.Errorf("%d steps of removed deliveries", steps)
	}
}

// A reminder waits for the period and the end of the mute like any other delivery, and one that
// waits for a retry when its notice ends is not sent any more.
func TestRemindersWait(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.at("07:45", 1)
	a := p.openNotice("Frost", 1,
		alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: 30 * time.Minute, Period: morning})
	p.step()
	p.at("08:15", 1)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost")
	p.wantEqual("waits", p.states(a), "ada@example.com reminder queued period; ada@example.com triggered sent")
	p.muted[1] = p.Clock.Milli() + (22 * time.Hour).Milliseconds() // until 06:15
	p.at("06:00", 2)
	p.wantEqual("waits", p.states(a), "ada@example.com reminder queued muted; ada@example.com triggered sent")
	p.at("06:15", 2)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com reminder Frost")
	p.mail.failWith(notify.Transient, "451")
	p.at("06:45", 2)
	p.wantEqual("deferred", p.states(a),
		"ada@example.com reminder queued retry; ada@example.com reminder sent; ada@example.com triggered sent")
	p.closeNotice(a, true)
	p.mail.setReply(nil)
	p.at("07:00", 2)
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com resolved Frost")
	p.wantEqual("not sent", p.states(a),
		"ada@example.com reminder sent; ada@example.com reminder skipped ended; "+
			"ada@example.com resolved sent; ada@example.com triggered sent")
}

// Notices that were sent as a digest are reminded of in a digest.
func TestRemindersOfDigest(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	all := p.openMany(14, 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Hour})
	p.step()
	p.advance(time.Minute)
	p.mail.take()
	p.closeNotice(all[13], true)
	p.step()
	p.wantEqual("one ends", p.mail.digestSizes(), "r1")
	p.advance(time.Hour)
	p.wantEqual("an hour later", p.mail.digestSizes(), strings.Repeat("r1 ", 10)+"r3")
}
