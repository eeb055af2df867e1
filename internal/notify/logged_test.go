package notify_test

import (
	"testing"
	"time"

	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/testkit"
)

// logbook is a far end that is the server's own log.
type logbook struct{ *far }

func (logbook) LogsOnly() bool { return true }

// What the server's log only got is not counted as sent, says so with its
// delivery and its step, and everything that follows a beginning follows it.
func TestLoggedIsNotSent(t *testing.T) {
	p := newPost(t, func(p *post) { p.carriers[notify.Phone] = logbook{p.sms} })
	c := p.Channel(t, p.field.ID, "night", func(c *notify.Channel) { c.Emails, c.Phones = []string{ada}, []string{"+905551112233"} }).ID
	p.sms.fails(notify.Later, "the log is full")
	a := p.begins("Frost", 1, news.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Hour})
	p.step()
	p.wants("put off", p.of(a), "+905551112233 triggered queued retry; ada@example.com reminder queued; ada@example.com triggered sent")
	p.sms.says(nil)
	p.after(15 * time.Second)
	p.wants("begun", p.of(a), "+905551112233 reminder queued; +905551112233 triggered sent logged; ada@example.com reminder queued; ada@example.com triggered sent")
	for _, d := range p.deliveries(a) {
		if d.Event != news.Triggered {
			continue
		}
		last := d.Steps[len(d.Steps)-1]
		if want := map[notify.Mode]string{notify.Email: "accepted", notify.Phone: "logged"}[d.Mode]; last.Step != want {
			t.Errorf("%s: %+v", d.Mode, last)
		}
		if d.Mode == notify.Phone && d.LastError != "the log is full" {
			t.Errorf("what went wrong before is %q", d.LastError)
		}
	}
	p.ends(a, true)
	p.step()
	if s := p.outbox.Stats(); s.Sent != 2 || s.Logged != 2 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}

// A channel's test says of each recipient whether anything left.
func TestTryLogged(t *testing.T) {
	s := testkit.NewStores(t)
	c := notify.Channel{Name: "Night", ByEmail: true, ByPhone: true, Emails: []string{ada}, Phones: []string{"+12", "+13"}}
	log := &far{}
	log.says(func(l *notify.Letter) error {
		if l.Recipient == "+13" {
			return &notify.Failure{Trouble: notify.Refused, Answer: "no"}
		}
		return nil
	})
	list, err := c.Try(t.Context(), map[notify.Mode]notify.Carrier{notify.Email: &far{}, notify.Phone: logbook{log}}, "en-us", s.Clock.Now)
	if err != nil || list[0].Logged || !list[1].Logged || list[2].Logged {
		t.Errorf("%v %+v", err, list)
	}
}
