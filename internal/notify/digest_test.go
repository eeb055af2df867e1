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

// storm begins so many notices of a level.
func (p *post) storm(n, level int, w news.DeliveryOptions) (all []*news.Alarm) {
	for i := range n {
		all = append(all, p.begins(fmt.Sprintf("%d", i+1), level, w))
	}
	return all
}

// shapes is how many alarms each letter told that arrived since it was asked last.
func (f *far) shapes() string {
	var sizes []string
	for _, l := range f.take() {
		sizes = append(sizes, fmt.Sprintf("%s%d", l.Alarms[0].Event[:1], len(l.Alarms)))
	}
	slices.Sort(sizes) // letters of one level fly together
	return strings.Join(sizes, " ")
}

// The first ten of a minute at once, the rest in one letter at its end; the
// serious at once.
func TestDigest(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada, "bora@example.com")
	other := p.channel("other", "cem@example.com")
	all := p.storm(10, 1, news.DeliveryOptions{Channels: []int64{c}})
	p.Clock.Advance(20 * time.Second)
	all = append(all, p.storm(7, 0, news.DeliveryOptions{Channels: []int64{c}})...)
	p.begins("Grave", 2, news.DeliveryOptions{Channels: []int64{c}})
	p.begins("Other", 0, news.DeliveryOptions{Channels: []int64{other}})
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 40*time.Second {
		t.Errorf("the minute ends in %v", wait)
	}
	if n := len(p.mail.take()); n != 2*11+1 {
		t.Errorf("%d letters at once", n)
	}
	p.wants("the eleventh", p.of(all[10]), "ada@example.com triggered queued digest; bora@example.com triggered queued digest")
	p.Clock.Set(next)
	p.step()
	letters := p.mail.take()
	if len(letters) != 2 || letters[0].ID == letters[1].ID {
		t.Fatalf("%+v", letters)
	}
	for _, l := range letters {
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
	p.after(10 * time.Second)
	p.begins("Next", 0, news.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wants("the next minute", p.mail.shapes(), "t1 t1")
	// A clock that is set back does, too.
	p.Clock.Advance(-time.Hour)
	p.storm(11, 0, news.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wants("set back", p.mail.shapes(), strings.TrimSpace(strings.Repeat("t1 ", 20)))
	p.after(time.Minute)
	p.wants("the rest", p.mail.shapes(), "t1 t1")
}

// A digest that does not arrive comes again as it was, with the same ID.
func TestDigestAgain(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	p.storm(14, 1, news.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.mail.take()
	p.mail.fails(notify.Later, "451")
	before := p.mail.attempts()
	p.after(time.Minute)
	p.mail.says(nil)
	p.after(15 * time.Second)
	letters := p.mail.take()
	if len(letters) != 1 || len(letters[0].Alarms) != 4 || p.mail.attempts() != before+2 || p.mail.tried[before] != letters[0].ID {
		t.Errorf("%+v", letters)
	}
}

// Periods and mutes hold for those in a digest, too, each for its own rule.
func TestDigestWaits(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	p.storm(10, 1, news.DeliveryOptions{Channels: []int64{c}})
	now := p.storm(2, 1, news.DeliveryOptions{Channels: []int64{c}})
	p.storm(3, 1, news.DeliveryOptions{Channels: []int64{c}, Period: morning})
	dropped := p.storm(1, 1, news.DeliveryOptions{Channels: []int64{c}, Period: morning})[0]
	p.step()
	p.mail.take()
	p.after(time.Minute)
	p.wants("at the minute's end", p.mail.shapes(), "t2")
	p.ends(now[0], true)
	p.ends(dropped, true)
	p.at("06:00", 1)
	p.wants("in the morning", p.mail.shapes(), "r1 t3")
}

// A storm that ends is one, too; and who was told of its begin in a digest is
// told of the end after it.
func TestDigestOfResolutions(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	all := p.storm(15, 1, news.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.mail.take()
	p.Clock.Advance(30 * time.Second)
	for _, a := range all {
		p.ends(a, true)
	}
	p.step()
	p.wants("ten had been told", p.mail.shapes(), strings.TrimSpace(strings.Repeat("r1 ", 10)))
	p.wants("one that waits", p.of(all[14]), "ada@example.com resolved queued trigger; ada@example.com triggered queued digest")
	p.after(30 * time.Second)
	p.wants("the first minute's end", p.mail.shapes(), "t5")
	p.wants("one that waits", p.of(all[14]), "ada@example.com resolved queued digest; ada@example.com triggered sent")
	p.after(30 * time.Second)
	p.wants("the second minute's end", p.mail.shapes(), "r5")
}

// What waited for the morning is a storm, too, and so is what a mute held back.
func TestDigestInTheMorning(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada, "bora@example.com")
	for i := range 24 {
		p.Clock.Advance(10 * time.Minute)
		w := news.DeliveryOptions{Channels: []int64{c}, Period: morning}
		all := p.storm(1, i%2, w)
		if i == 5 {
			p.begins("Grave", 2, w)
		}
		if i == 7 {
			p.ends(all[0], true)
		}
	}
	p.step()
	p.wants("in the evening", p.mail.shapes(), "")
	p.at("06:00", 1)
	// Ten general or important ones each for two people, the serious one, and the other thirteen.
	p.wants("in the morning", p.mail.shapes(), strings.Repeat("t1 ", 2*11)+"t13 t13")

	p.muted[1] = p.Clock.Milli() + time.Hour.Milliseconds()
	for range 12 {
		p.Clock.Advance(2 * time.Minute)
		p.storm(1, 0, news.DeliveryOptions{Channels: []int64{c}})
	}
	p.step()
	p.wants("muted", p.mail.shapes(), "")
	p.after(36 * time.Minute)
	p.wants("at the mute's end", p.mail.shapes(), strings.Repeat("t1 ", 2*10)+"t2 t2")
}

// Of what waited together some is muted by now: the rest comes as it was
// gathered.
func TestDigestInTheMorningOfMutedRules(t *testing.T) {
	p := newPost(t)
	c, other := p.channel("field", ada), p.channel("other", "bora@example.com")
	of := func(rule int64, channel int64) {
		a := p.alarm("Frost", 1)
		a.Rule = rule
		p.must(p.desk.Began(t.Context(), p.field.ID, a, &news.DeliveryOptions{Channels: []int64{channel}, Period: morning}))
		p.Clock.Advance(2 * time.Minute) // each has a minute of its own
	}
	for range 4 {
		of(1, other)
	}
	for range 10 {
		of(1, c)
	}
	of(2, c)
	of(2, c)
	p.step()
	p.muted[1] = p.Clock.Milli() + (72 * time.Hour).Milliseconds()
	p.at("06:00", 1)
	p.wants("those of the other rule", p.mail.shapes(), "t2")
}

func TestDigestOff(t *testing.T) {
	p := newPost(t, func(p *post) { p.digests = 0 })
	c := p.channel("field", ada)
	p.storm(30, 0, news.DeliveryOptions{Channels: []int64{c}})
	p.step()
	if n := len(p.mail.take()); n != 30 {
		t.Errorf("%d of 30", n)
	}
}

func TestReminders(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{c}, RemindEvery: 30 * time.Minute})
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 30*time.Minute {
		t.Errorf("reminds in %v", wait)
	}
	p.wants("told", p.mail.told(), "ada@example.com triggered Frost")
	p.after(29 * time.Minute)
	p.wants("too early", p.mail.told(), "")
	p.mail.fails(notify.Down, "no route")
	next = p.after(time.Minute)
	p.mail.says(nil)
	p.Clock.Set(next)
	next = p.step()
	p.wants("five seconds late", p.mail.told(), "ada@example.com reminder Frost")
	if wait := next.Sub(p.Clock.Now()); wait != 30*time.Minute {
		t.Errorf("from the last one on: reminds in %v", wait)
	}
	p.Clock.Set(next)
	p.step()
	p.wants("the second", p.mail.told(), "ada@example.com reminder Frost")
	if n := len(p.deliveries(a)); n != 4 {
		t.Errorf("%d deliveries", n)
	}
	p.ends(a, true)
	p.step()
	p.after(24 * time.Hour)
	p.wants("over", p.mail.told(), "ada@example.com resolved Frost")
	p.wants("kept", p.of(a), "ada@example.com reminder sent; ada@example.com reminder sent; ada@example.com resolved sent; ada@example.com triggered sent")
}

// However long a notice is open: of its reminders the newest are kept, for each
// recipient, and what it began and ended with.
func TestRemindersThatAreKept(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada, "bora@example.com")
	p.mail.says(func(l *notify.Letter) error {
		if l.Recipient != ada && l.Alarms[0].Event == news.Reminder {
			return &notify.Failure{Trouble: notify.Later, Answer: "451 busy"}
		}
		return nil
	})
	a := p.begins("Silent", 1, news.DeliveryOptions{Channels: []int64{c}, RemindEvery: 5 * time.Minute})
	other := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Hour})
	p.step()
	for range 20 {
		p.after(5 * time.Minute)
	}
	kept, newest := 0, int64(0)
	for _, d := range p.deliveries(a) {
		if d.Recipient == ada && d.Event == news.Reminder && d.State == notify.Sent {
			kept++
			newest = max(newest, d.UpdateTime)
			if age := p.Clock.Milli() - d.UpdateTime; age > (10*5*time.Minute).Milliseconds() || len(d.Steps) != 2 {
				t.Errorf("of %d ms ago: %+v", age, d)
			}
		}
	}
	if kept != 10 || newest != p.Clock.Milli() {
		t.Errorf("%d are kept, the newest of %d", kept, newest)
	}
	p.wants("the other notice", p.of(other), "ada@example.com reminder queued; ada@example.com reminder sent; ada@example.com triggered sent; "+
		"bora@example.com reminder queued retry; bora@example.com triggered sent")
	p.ends(a, true)
	p.after(time.Hour)
	rest := strings.ReplaceAll(p.of(a), "ada@example.com reminder sent; ", "")
	p.wants("in the end", rest, "ada@example.com resolved sent; ada@example.com triggered sent; "+
		"bora@example.com reminder skipped ended; bora@example.com resolved sent; bora@example.com triggered sent")
	var steps int
	p.must(p.DB.Read(t.Context()).NewRaw("SELECT COUNT(*) FROM delivery_steps WHERE delivery_id NOT IN (SELECT id FROM deliveries)").Scan(t.Context(), &steps))
	if steps > 0 {
		t.Errorf("%d steps of deliveries that are gone", steps)
	}
}

// A reminder waits for the period and the mute's end as everything does, and one
// that is being tried when its notice ends is not sent any more.
func TestRemindersWait(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	p.at("07:45", 1)
	a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{c}, RemindEvery: 30 * time.Minute, Period: morning})
	p.step()
	p.at("08:15", 1)
	p.wants("told", p.mail.told(), "ada@example.com triggered Frost")
	p.wants("waits", p.of(a), "ada@example.com reminder queued period; ada@example.com triggered sent")
	p.muted[1] = p.Clock.Milli() + (22 * time.Hour).Milliseconds() // until 06:15
	p.at("06:00", 2)
	p.wants("waits", p.of(a), "ada@example.com reminder queued muted; ada@example.com triggered sent")
	p.at("06:15", 2)
	p.wants("told", p.mail.told(), "ada@example.com reminder Frost")
	p.mail.fails(notify.Later, "451")
	p.at("06:45", 2)
	p.wants("is put off", p.of(a), "ada@example.com reminder queued retry; ada@example.com reminder sent; ada@example.com triggered sent")
	p.ends(a, true)
	p.mail.says(nil)
	p.at("07:00", 2)
	p.wants("told", p.mail.told(), "ada@example.com resolved Frost")
	p.wants("not sent", p.of(a), "ada@example.com reminder sent; ada@example.com reminder skipped ended; ada@example.com resolved sent; ada@example.com triggered sent")
}

// Those who were told in a digest are reminded in one.
func TestRemindersOfADigest(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	all := p.storm(14, 1, news.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Hour})
	p.step()
	p.after(time.Minute)
	p.mail.take()
	p.ends(all[13], true)
	p.step()
	p.wants("one ends", p.mail.shapes(), "r1")
	p.after(time.Hour)
	p.wants("an hour later", p.mail.shapes(), strings.Repeat("r1 ", 10)+"r3")
}
