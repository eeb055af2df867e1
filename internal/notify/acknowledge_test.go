package notify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/news"
	"tilth/internal/notify"
)

// takes hands in that somebody is on a notice, and wants nobody to be reminded for so long.
func (p *post) takes(a *news.Alarm, user string, quiet time.Duration) {
	p.t.Helper()
	now := p.Clock.Milli()
	on := *a
	on.Event, on.At = news.Acknowledged, now
	on.Ack = &news.Ack{User: user, Time: now, Note: "at the pump", RemindAt: now + quiet.Milliseconds()}
	p.must(p.desk.Acknowledged(p.t.Context(), p.field.ID, &on))
}

// takesBack hands in that nobody is on a notice any more.
func (p *post) takesBack(a *news.Alarm) {
	p.t.Helper()
	off := *a
	off.Event, off.At = news.Unacknowledged, p.Clock.Milli()
	p.must(p.desk.Acknowledged(p.t.Context(), p.field.ID, &off))
}

// remindersWithin lets so much time pass by five minutes at a time, and gives after how many minutes
// since its begin a notice was reminded of, with who was on it then.
func (p *post) remindersWithin(a *news.Alarm, d time.Duration) string {
	p.t.Helper()
	var lines []string
	for end := p.Clock.Now().Add(d); p.Clock.Now().Before(end); {
		p.after(min(5*time.Minute, end.Sub(p.Clock.Now())))
		for _, l := range p.mail.take() {
			for _, one := range l.Alarms {
				if one.Event != news.Reminder || one.Notice != a.Notice {
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
		do func(p *post, a *news.Alarm)
	}
	takes := func(at int, user string, hours int) act {
		return act{at, func(p *post, a *news.Alarm) { p.takes(a, user, time.Duration(hours)*time.Hour) }}
	}
	back := func(at int) act { return act{at, (*post).takesBack} }
	over := func(at int) act { return act{at, func(p *post, a *news.Alarm) { p.ends(a, true) }} }
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
				p := newPost(t)
				w := news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: time.Duration(c.every) * time.Minute}
				a := p.begins("Frost", 1, w)
				p.step()
				var all []string
				until := func(minute int) {
					if restarts {
						p.open()
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
				p.wants("reminded", strings.Join(all, ", "), c.want)
			})
		}
	}
}

// Who hears of a notice only when somebody is on it already is told so, and reminded as all
// others are.
func TestToldWhileAcknowledged(t *testing.T) {
	for name, c := range map[string]struct {
		at, want string // when it is acknowledged, for 4 hours, of the evening before
	}{
		"for longer than the night": {"02:30", "06:30 reminder"},
		"until the night":           {"01:00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			ch := p.channel("field", ada)
			p.at("22:00", 0)
			a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{ch}, Period: morning})
			p.at(c.at, 1)
			p.takes(a, "Ada", 4*time.Hour)
			p.step()
			p.wants("at night", p.mail.told(), "")
			p.at("06:00", 1)
			letters := p.mail.take()
			if len(letters) != 1 || letters[0].Alarms[0].Event != news.Triggered || letters[0].Alarms[0].Ack == nil || letters[0].Alarms[0].Ack.Note != "at the pump" {
				t.Fatalf("%+v", letters)
			}
			got := ""
			for range 24 * 60 {
				p.after(time.Minute)
				if told := p.mail.told(); told != "" {
					got += p.Clock.Now().In(p.field.TimeZone).Format("15:04") + " " + strings.Fields(told)[1]
				}
			}
			p.wants("afterwards", got, c.want)
		})
	}
}

// Periods, mutes and budgets hold for these reminders as for others.
func TestAcknowledgedWaitsAsOthers(t *testing.T) {
	p := newPost(t, func(p *post) { p.mailsADay = 2 })
	ch := p.channel("field", ada)
	p.at("06:30", 1)
	asleep := p.begins("Asleep", 2, news.DeliveryOptions{Channels: []int64{ch}, Period: morning})
	p.step()
	p.takes(asleep, "Ada", 4*time.Hour)
	p.at("10:30", 1)
	p.wants("outside the period", p.of(asleep), "ada@example.com reminder queued period; ada@example.com triggered sent")
	p.at("06:00", 2)
	p.wants("in the morning", p.mail.told(), "ada@example.com triggered Asleep; ada@example.com reminder Asleep")
	p.ends(asleep, false)

	p.at("12:00", 3)
	muted := p.begins("Muted", 2, news.DeliveryOptions{Channels: []int64{ch}})
	p.step()
	p.takes(muted, "Ada", time.Hour)
	p.muted[1] = p.Clock.Milli() + 90*time.Minute.Milliseconds()
	p.at("13:00", 3)
	p.wants("muted", p.of(muted), "ada@example.com reminder queued muted; ada@example.com triggered sent")
	p.takesBack(muted)
	p.wants("taken back while it waits", p.of(muted), "ada@example.com triggered sent")
	p.takes(muted, "Ada", time.Hour)
	p.at("13:30", 3)
	p.at("14:00", 3)
	p.wants("the mute is over", p.mail.told(), "ada@example.com triggered Muted; ada@example.com reminder Muted")
	p.ends(muted, false)

	p.at("12:00", 4)
	mild := p.begins("Mild", 1, news.DeliveryOptions{Channels: []int64{ch}})
	p.step()
	p.takes(mild, "Ada", time.Hour)
	for range 3 { // the budget of two, and a half more
		p.begins("Other", 1, news.DeliveryOptions{Channels: []int64{ch}})
		p.step()
	}
	p.at("12:30", 4)
	p.mail.take()
	p.at("13:00", 4)
	if got := p.of(mild); !strings.Contains(got, "reminder queued budget") {
		t.Errorf("beyond the budget: %s", got)
	}
	p.at("00:00", 5)
	p.after(time.Hour)
	if told := p.mail.told(); !strings.Contains(told, "reminder Mild") {
		t.Errorf("the next day: %s", told)
	}
}

// Somebody is on a notice while a reminder of it is in flight: whether that arrives or not,
// the next attempt is when nobody is to be spared any more.
func TestAcknowledgedInFlight(t *testing.T) {
	for name, fault := range map[string]*notify.Failure{
		"it arrives":     nil,
		"is put off":     {Trouble: notify.Later, Answer: "451 busy"},
		"the far end is": {Trouble: notify.Down, Answer: "no route"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: 30 * time.Minute})
			p.step()
			p.mail.take()
			p.Clock.Advance(30 * time.Minute)
			p.mail.says(func(*notify.Letter) error {
				p.takes(a, "Ada", time.Hour)
				if fault == nil {
					return nil
				}
				return fault
			})
			p.step()
			p.mail.says(nil)
			p.mail.take()
			p.wants("before", p.remindersWithin(a, 59*time.Minute), "")
			p.wants("then", p.remindersWithin(a, time.Minute), "90 Ada")
			p.wants("in the rule's rhythm", p.remindersWithin(a, time.Hour), "120 Ada, 150 Ada")
		})
	}
}

// A reminder that was put off before somebody was on the notice rests, too, and is tried as
// long as any other afterwards.
func TestAcknowledgedWhilePutOff(t *testing.T) {
	p := newPost(t)
	a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: 30 * time.Minute})
	p.step()
	p.mail.take()
	p.mail.fails(notify.Later, "451 busy")
	p.after(30 * time.Minute)
	tried := p.mail.attempts()
	for range 3 { // 36 hours, which is longer than a letter is tried
		p.takes(a, "Ada", 12*time.Hour)
		p.after(12*time.Hour - time.Second)
	}
	if n := p.mail.attempts() - tried; n != 0 {
		t.Errorf("tried %d times meanwhile", n)
	}
	p.after(time.Second)
	p.after(20 * time.Hour)
	p.wants("tried on", p.of(a), "ada@example.com reminder queued retry; ada@example.com triggered sent")
	p.mail.says(nil)
	p.after(15 * time.Minute)
	p.wants("told", p.mail.told(), "ada@example.com reminder Frost")
}

// After a letter that failed for good nobody is reminded.
func TestAcknowledgedOfWhoWasNotTold(t *testing.T) {
	p := newPost(t)
	p.mail.says(func(l *notify.Letter) error {
		if l.Recipient == ada {
			return &notify.Failure{Trouble: notify.Refused, Answer: "no such box"}
		}
		return nil
	})
	a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{p.channel("field", ada, "bora@example.com")}})
	p.step()
	p.takes(a, "Ada", time.Hour)
	p.wants("planned", p.of(a), "ada@example.com triggered failed refused; bora@example.com reminder queued; bora@example.com triggered sent")
	p.must(p.desk.Acknowledged(t.Context(), p.rival.ID, &news.Alarm{Event: news.Unacknowledged, Notice: a.Notice}))
	p.wants("another tenant's", p.of(a), "ada@example.com triggered failed refused; bora@example.com reminder queued; bora@example.com triggered sent")
	p.mail.take()
	p.after(time.Hour)
	p.wants("told", p.mail.told(), "bora@example.com reminder Frost")
	p.wants("nobody to tell", p.of(p.begins("Alone", 1, news.DeliveryOptions{})), "")
}

// Who was told of many in one letter, and was on one after the other, is reminded in one.
func TestAcknowledgedOfADigest(t *testing.T) {
	p := newPost(t)
	all := p.storm(14, 1, news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.step()
	p.after(time.Minute)
	p.mail.take()
	for _, a := range all[10:] {
		p.Clock.Advance(time.Second)
		p.takes(a, "Ada", time.Hour)
	}
	begin := p.Clock.Now()
	next := p.step()
	if wait := next.Sub(begin); wait < time.Hour-4*time.Second || wait > time.Hour+time.Minute {
		t.Errorf("reminded after %v", wait)
	}
	p.Clock.Set(next)
	p.step()
	p.wants("together", p.mail.shapes(), "r4")
}

// The process dies while the reminder that was waited for flies: it comes again with the same
// ID, and the next one once.
func TestAcknowledgedAndKilled(t *testing.T) {
	for _, every := range []time.Duration{0, 30 * time.Minute} {
		p := newPost(t)
		a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, RemindEvery: every})
		p.step()
		p.mail.take()
		p.takes(a, "Ada", time.Hour)
		p.open()
		p.Clock.Advance(time.Hour)
		p.killed(1)
		p.step()
		letters := p.mail.take()
		ids := map[string]bool{}
		for _, l := range letters {
			ids[l.ID] = true
		}
		if len(letters) != 2 || len(ids) != 1 {
			t.Errorf("%v: %d letters, %d IDs", every, len(letters), len(ids))
		}
		want := ""
		if every > 0 {
			want = "90 Ada, 120 Ada"
		}
		p.wants("afterwards", p.remindersWithin(a, time.Hour), want)
	}
}

// The clock is set back: who is on a notice spares people as long as they wanted, not until that
// time comes again.
func TestAcknowledgedWithTheClockSetBack(t *testing.T) {
	for name, again := range map[string]func(p *post){"while it runs": func(*post) {}, "in between": (*post).open} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			ch := p.channel("field", ada)
			told := p.begins("Told", 1, news.DeliveryOptions{Channels: []int64{ch}})
			p.step()
			p.mail.fails(notify.Later, "451 busy")
			stuck := p.begins("Stuck", 1, news.DeliveryOptions{Channels: []int64{ch}})
			p.step()
			p.takes(told, "Ada", 4*time.Hour)
			p.takes(stuck, "Ada", 4*time.Hour)
			p.mail.says(nil)
			p.mail.take()
			p.Clock.Advance(-24 * time.Hour)
			again(p)
			p.step()
			p.after(time.Minute)
			p.wants("what was put off", p.mail.told(), "ada@example.com triggered Stuck")
			p.after(3*time.Hour + 57*time.Minute)
			p.wants("before", p.mail.told(), "")
			p.after(3 * time.Minute)
			both := strings.Split(p.mail.told(), "; ")
			slices.Sort(both)
			p.wants("four hours later", strings.Join(both, "; "), "ada@example.com reminder Stuck; ada@example.com reminder Told")
		})
	}
}

// Webhooks that want it hear of each acknowledgement and of each that is taken back, of one
// notice in their order; those from before hear what they heard.
func TestProgramsHearWhoIsOnIt(t *testing.T) {
	p := newPost(t)
	old := p.hook("old")
	all := p.hook("all", func(w *notify.Webhook) { w.Acknowledged = true })
	alone := p.hook("alone", func(w *notify.Webhook) { w.Opened, w.Resolved, w.Acknowledged = false, false, true })
	serious := p.hook("serious", func(w *notify.Webhook) { w.Acknowledged, w.Level = true, 2 })
	a := p.begins("Frost", 1, news.DeliveryOptions{})
	p.takes(a, "Ada", time.Hour)
	p.takes(a, "Bora", time.Hour)
	p.takesBack(a)
	p.takes(a, "Ada", time.Hour)
	p.ends(a, true)
	for range 6 { // each goes when the one before it has landed
		p.step()
	}
	heard, ids := map[string][]string{}, map[string]bool{}
	for _, l := range p.programs.take() {
		heard[l.Recipient] = append(heard[l.Recipient], string(l.Alarms[0].Event))
		ids[l.ID] = true
	}
	for id, want := range map[int64]string{
		old: "triggered resolved", all: "triggered acknowledged acknowledged unacknowledged acknowledged resolved",
		alone: "acknowledged acknowledged unacknowledged acknowledged", serious: "",
	} {
		p.wants(fmt.Sprint("webhook ", id), strings.Join(heard[fmt.Sprint(id)], " "), want)
	}
	if len(ids) != 2+6+4 {
		t.Errorf("%d IDs", len(ids))
	}
	told, err := p.outbox.NewestOf(t.Context(), p.field.ID, all)
	p.must(err)
	if len(told) != 6 || told[0].Event != news.Resolved || told[1].Event != news.Acknowledged || told[2].Event != news.Unacknowledged {
		t.Errorf("%+v", told)
	}
}

// What a program did not take keeps what comes after it waiting, or from being told, as far as
// that makes no sense alone.
func TestProgramsHearTheBeginBeforeWhoIsOnIt(t *testing.T) {
	p := newPost(t)
	p.hook("planner", func(w *notify.Webhook) { w.Acknowledged = true })
	p.programs.fails(notify.Later, "503")
	a := p.begins("Frost", 1, news.DeliveryOptions{})
	p.step()
	p.takes(a, "Ada", time.Hour)
	p.takesBack(a)
	p.ends(a, true)
	p.step()
	p.wants("waits", p.of(a), "planner.example acknowledged queued trigger; planner.example resolved queued trigger; "+
		"planner.example triggered queued retry; planner.example unacknowledged queued trigger")
	p.programs.says(nil)
	for range 5 {
		p.after(15 * time.Second)
	}
	var heard []string
	for _, l := range p.programs.take() {
		heard = append(heard, string(l.Alarms[0].Event))
	}
	p.wants("in order", strings.Join(heard, " "), "triggered acknowledged unacknowledged resolved")

	p.programs.fails(notify.Refused, "not sent")
	a = p.begins("Refused", 1, news.DeliveryOptions{})
	p.takes(a, "Ada", time.Hour)
	p.takesBack(a)
	p.ends(a, true)
	p.step()
	p.wants("of a begin that failed", p.of(a), "planner.example acknowledged skipped notTold; planner.example resolved skipped notTold; "+
		"planner.example triggered failed refused; planner.example unacknowledged skipped notTold")
	p.programs.says(nil)
	a = p.begins("Later", 1, news.DeliveryOptions{})
	p.step()
	p.programs.fails(notify.Refused, "not sent")
	p.takes(a, "Ada", time.Hour)
	p.ends(a, true)
	p.programs.says(func(l *notify.Letter) error {
		if l.Alarms[0].Event == news.Acknowledged {
			return &notify.Failure{Trouble: notify.Refused, Answer: "not sent"}
		}
		return nil
	})
	p.step()
	p.step()
	p.wants("after what failed between", p.of(a), "planner.example acknowledged failed refused; planner.example resolved sent; planner.example triggered sent")
}
