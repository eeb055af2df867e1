package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/text"
)

// The first five serious ones of a minute at once, then a letter a minute until a
// minute brings no more than five, over all channels, each with its own proof.
func TestBurst(t *testing.T) {
	p := newPost(t)
	c, other := p.channel("field", ada), p.channel("house", ada, "bora@example.com")
	w, both := news.DeliveryOptions{Channels: []int64{c}}, news.DeliveryOptions{Channels: []int64{other}}
	all := p.storm(4, 2, w)
	p.Clock.Advance(20 * time.Second)
	all = append(all, p.storm(3, 2, both)...)
	p.begins("Mild", 1, w)
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 40*time.Second {
		t.Errorf("the minute ends in %v", wait)
	}
	p.wants("at once", p.mail.shapes(), strings.TrimSpace(strings.Repeat("t1 ", 5+3+1)))
	p.wants("the sixth", p.of(all[5]), "ada@example.com triggered queued digest; bora@example.com triggered sent")
	p.Clock.Set(next)
	p.step()
	letters := p.mail.take()
	if len(letters) != 1 || letters[0].Recipient != ada || len(letters[0].Alarms) != 2 {
		t.Fatalf("%+v", letters)
	}
	for _, a := range all[5:] {
		for _, d := range p.deliveries(a) {
			if d.State != notify.Sent || d.Digest != (d.Recipient == ada) || len(d.Steps) != 2 || d.Steps[1].Answer == "" {
				t.Errorf("%+v", d)
			}
		}
	}
	// The next minute begins with the next one, of which nothing comes at once.
	for minute := range 3 {
		p.after(10 * time.Second)
		p.storm(6, 2, w)
		p.step()
		p.wants(fmt.Sprint("minute ", minute), p.mail.shapes(), "")
		p.after(time.Minute)
		p.wants(fmt.Sprint("the end of minute ", minute), p.mail.shapes(), "t6")
	}
	p.after(10 * time.Second)
	p.storm(5, 2, w)
	p.step()
	p.wants("the last minute of the burst", p.mail.shapes(), "")
	p.after(time.Minute)
	p.wants("its end", p.mail.shapes(), "t5")
	p.after(10 * time.Second)
	p.storm(1, 2, w)
	p.step()
	p.wants("it is over", p.mail.shapes(), "t1")
	// Its ends are counted apart, and gathered alike.
	for _, a := range all {
		p.ends(a, true)
	}
	p.step()
	p.wants("ends at once", p.mail.shapes(), strings.TrimSpace(strings.Repeat("r1 ", 5+3)))
	p.after(time.Minute)
	p.wants("the other ends", p.mail.shapes(), "r2")
}

// A long time after a burst, and behind a clock that was set back, the first ones come at once.
func TestBurstIsForgotten(t *testing.T) {
	p := newPost(t)
	w := news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	p.storm(9, 2, w)
	p.step()
	p.after(time.Minute)
	p.wants("a burst", p.mail.shapes(), "t1 t1 t1 t1 t1 t4")
	p.after(time.Minute)
	p.must(p.outbox.Sweep(t.Context(), p.Clock.Now().Add(time.Minute)))
	p.storm(6, 2, w)
	p.step()
	p.wants("a minute later", p.mail.shapes(), "t1 t1 t1 t1 t1")
	p.Clock.Advance(-time.Hour)
	p.storm(1, 2, w)
	p.step()
	p.wants("set back", p.mail.shapes(), "t1")
}

// A recipient whose channels speak two languages gets a letter in each.
func TestBurstInLanguages(t *testing.T) {
	p := newPost(t)
	english, russian := p.channel("field", ada), p.Channel(t, p.field.ID, "house", func(c *notify.Channel) {
		c.ByPhone, c.Phones, c.Emails, c.Language = false, nil, []string{ada}, text.Russian
	}).ID
	p.storm(5, 2, news.DeliveryOptions{Channels: []int64{english}})
	p.storm(2, 2, news.DeliveryOptions{Channels: []int64{english}})
	p.storm(3, 2, news.DeliveryOptions{Channels: []int64{russian}})
	p.step()
	p.mail.take()
	p.after(time.Minute)
	sizes := map[text.Language]int{}
	letters := p.mail.take()
	for _, l := range letters {
		sizes[l.Language] += len(l.Alarms)
	}
	if len(letters) != 2 || sizes[text.Russian] != 3 {
		t.Errorf("%d letters, of %v", len(letters), sizes)
	}
}

// A night's serious ones come as a burst in the morning.
func TestBurstInTheMorning(t *testing.T) {
	p := newPost(t)
	w := news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}, Period: morning}
	for range 8 {
		p.storm(1, 2, w)
		p.after(5 * time.Minute)
	}
	p.at("06:00", 1)
	p.wants("in the morning", p.mail.shapes(), "t1 t1 t1 t1 t1 t3")
}

// With --digest-after 0 each goes by itself.
func TestNoBursts(t *testing.T) {
	p := newPost(t, func(p *post) { p.digests = 0 })
	p.storm(12, 2, news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.step()
	p.wants("each", p.mail.shapes(), strings.TrimSpace(strings.Repeat("t1 ", 12)))
}

// Of another tenant's recipient of the same address nothing is counted.
func TestBurstsOfTenants(t *testing.T) {
	p := newPost(t)
	f := p.farmers("a", "b")
	f[0].begin(9, 2)
	f[1].begin(1, 2)
	p.step()
	p.wants("at once", p.mail.shapes(), "t1 t1 t1 t1 t1 t1")
}
