package notify_test

import (
	"testing"
	"time"

	"tilth/internal/news"
	"tilth/internal/notify"
)

var (
	morning = news.Period{Start: 6 * 60, End: 8 * 60} // the tests begin at noon
	ada     = "ada@example.com"
)

// What becomes of those who are to be told when a notice ends, by what they
// wait for.
func TestEnd(t *testing.T) {
	for name, c := range map[string]struct {
		wishes       news.DeliveryOptions
		before       func(p *post) // the trigger is tried
		ended, after string        // deliveries: when it has ended; after a day, with the far end as it should be
		told         string
	}{
		"told": {
			ended: "ada@example.com resolved queued; ada@example.com triggered sent",
			after: "ada@example.com resolved sent; ada@example.com triggered sent", told: "ada@example.com triggered Frost; ada@example.com resolved Frost",
		},
		"waits for the period": {
			wishes: news.DeliveryOptions{Period: morning},
			ended:  "ada@example.com triggered skipped ended", after: "ada@example.com triggered skipped ended",
		},
		"is muted": {
			before: func(p *post) { p.muted[1] = p.Clock.Milli() + 60_000 },
			ended:  "ada@example.com triggered skipped ended", after: "ada@example.com triggered skipped ended",
		},
		"waits for a backlog": {
			wishes: news.DeliveryOptions{Late: true},
			before: func(p *post) { p.backlog[int64(p.mast.ID)] = p.Clock.Now().Add(time.Minute) },
			ended:  "ada@example.com triggered skipped ended", after: "ada@example.com triggered skipped ended",
		},
		"the far end is down": {
			before: func(p *post) { p.mail.fails(notify.Down, "no route") },
			ended:  "ada@example.com resolved queued trigger; ada@example.com triggered queued server",
			after:  "ada@example.com resolved sent; ada@example.com triggered sent", told: "ada@example.com triggered Frost; ada@example.com resolved Frost",
		},
		"is put off": {
			before: func(p *post) { p.mail.fails(notify.Later, "busy") },
			ended:  "ada@example.com resolved queued trigger; ada@example.com triggered queued retry",
			after:  "ada@example.com resolved sent; ada@example.com triggered sent", told: "ada@example.com triggered Frost; ada@example.com resolved Frost",
		},
		"is refused": {
			before: func(p *post) { p.mail.fails(notify.Refused, "no such box") },
			ended:  "ada@example.com resolved skipped notTold; ada@example.com triggered failed refused",
			after:  "ada@example.com resolved skipped notTold; ada@example.com triggered failed refused",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			c.wishes.Channels = []int64{p.channel("field", ada)}
			if c.before != nil {
				c.before(p)
			}
			a := p.begins("Frost", 1, c.wishes)
			p.step()
			p.ends(a, true)
			p.wants("ended", p.of(a), c.ended)
			p.ends(a, true) // told of again
			p.wants("ended again", p.of(a), c.ended)
			for _, d := range p.deliveries(a) {
				if d.State == notify.Skipped && (len(d.Steps) != 2 || d.Steps[1].Step != "skipped") {
					t.Errorf("skipped, and its steps say %+v", d.Steps)
				}
			}
			p.mail.says(nil)
			for range 24 {
				p.after(time.Hour)
			}
			p.wants("after a day", p.of(a), c.after)
			p.wants("told", p.mail.told(), c.told)
		})
	}
}

// The rule is another one: what is being tried still goes, nothing else, and
// nobody is told of the end.
func TestEndWithTheRule(t *testing.T) {
	for name, c := range map[string]struct {
		wishes     news.DeliveryOptions
		before     func(p *post)
		said, told string
	}{
		"told":                 {said: "ada@example.com triggered sent", told: "ada@example.com triggered Frost"},
		"waits for the period": {wishes: news.DeliveryOptions{Period: morning}, said: "ada@example.com triggered skipped changed"},
		"is muted":             {before: func(p *post) { p.muted[1] = p.Clock.Milli() + 60_000 }, said: "ada@example.com triggered skipped changed"},
		"waits for a backlog": {
			wishes: news.DeliveryOptions{Late: true}, before: func(p *post) { p.backlog[int64(p.mast.ID)] = p.Clock.Now().Add(time.Minute) },
			said: "ada@example.com triggered skipped changed",
		},
		"waits for a digest": {
			before: func(p *post) {
				for range notify.DefaultDigestAfter {
					p.begins("Other", 1, news.DeliveryOptions{Channels: []int64{1}})
				}
				p.step()
				p.mail.told()
			},
			said: "ada@example.com triggered skipped changed",
		},
		"a reminder waits": {
			wishes: news.DeliveryOptions{RemindEvery: time.Minute},
			said:   "ada@example.com triggered sent", told: "ada@example.com triggered Frost",
		},
		"the far end is down": {
			before: func(p *post) { p.mail.fails(notify.Down, "no route") },
			said:   "ada@example.com triggered queued server", told: "ada@example.com triggered Frost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			c.wishes.Channels = []int64{p.channel("field", ada)}
			if c.before != nil {
				c.before(p)
			}
			a := p.begins("Frost", 1, c.wishes)
			p.step()
			p.ends(a, false)
			p.wants("ended", p.of(a), c.said)
			p.mail.says(nil)
			for range 24 {
				p.after(time.Hour)
			}
			p.wants("told", p.mail.told(), c.told)
		})
	}
}

// A notice that is over before anybody looked at its letters: the time of
// sending decides.
func TestEndBeforeTheFirstLook(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	quick := p.begins("Quick", 1, news.DeliveryOptions{Channels: []int64{c}})
	night := p.begins("Night", 1, news.DeliveryOptions{Channels: []int64{c}, Period: morning})
	gone := p.begins("Gone", 1, news.DeliveryOptions{Channels: []int64{c}, Period: morning})
	p.ends(quick, true)
	p.ends(night, true)
	p.ends(gone, false)
	p.wants("not looked at", p.of(night), "ada@example.com resolved queued trigger; ada@example.com triggered queued")
	p.step()
	p.wants("told", p.mail.told(), "ada@example.com triggered Quick; ada@example.com resolved Quick")
	p.wants("outside the period", p.of(night), "ada@example.com triggered skipped ended")
	p.wants("changed", p.of(gone), "ada@example.com triggered skipped changed")
	if got := p.outbox.Stats(); got.Sent != 2 || got.Skipped != 2 {
		t.Errorf("%+v", got)
	}
}

// Who was told of the trigger within the period and is asleep when it ends,
// hears of the end in the morning.
func TestResolutionWaitsForThePeriod(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	p.at("07:59", 1)
	a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{c}, Period: morning})
	p.step()
	p.at("08:30", 1)
	p.ends(a, true)
	p.step()
	p.wants("asleep", p.of(a), "ada@example.com resolved queued period; ada@example.com triggered sent")
	p.at("05:59", 2)
	p.wants("told", p.mail.told(), "ada@example.com triggered Frost")
	p.at("06:00", 2)
	p.wants("told", p.mail.told(), "ada@example.com resolved Frost")
}

// A notice may end while its letter is in flight.
func TestEndInFlight(t *testing.T) {
	p := newPost(t)
	c := p.channel("field", ada)
	var a *news.Alarm
	p.mail.says(func(l *notify.Letter) error {
		if l.Alarms[0].Event == news.Triggered {
			p.ends(a, true)
		}
		return nil
	})
	a = p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Minute})
	p.step()
	p.after(time.Hour)
	p.wants("told", p.mail.told(), "ada@example.com triggered Frost; ada@example.com resolved Frost")
	p.wants("no reminder", p.of(a), "ada@example.com resolved sent; ada@example.com triggered sent")
}
