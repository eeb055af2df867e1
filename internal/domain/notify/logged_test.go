package notify_test

import (
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// logOnlySender is a sender that only writes to the server's log.
type logOnlySender struct{ *fakeSender }

func (logOnlySender) LogsOnly() bool { return true }

// A notification that was only logged does not count as sent; its delivery and its step say so; and
// its reminders and its end follow as after any other.
func TestLoggedNotCountedAsSent(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.senders[notify.KindSMS] = logOnlySender{p.sms} })
	c := p.Channel(t, p.field.ID, "night",
		func(c *notify.Channel) {
			c.To = notify.Recipients{notify.KindEmail: {ada}, notify.KindSMS: {"+905551112233"}}
		}).ID
	p.sms.failWith(notify.Transient, "the log is full")
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Hour})
	p.step()
	p.wantEqual("deferred", p.states(a),
		"+905551112233 triggered queued retry; ada@example.com reminder queued; ada@example.com triggered sent")
	p.sms.setReply(nil)
	p.advance(15 * time.Second)
	p.wantEqual("opened", p.states(a),
		"+905551112233 reminder queued; +905551112233 triggered sent logged; "+
			"ada@example.com reminder queued; ada@example.com triggered sent")
	for _, d := range p.deliveries(a) {
		if d.Event != alertmsg.Triggered {
			continue
		}
		last := d.Steps[len(d.Steps)-1]
		wants := map[notify.ChannelKind]string{notify.KindEmail: "accepted", notify.KindSMS: "logged"}
		if last.Step != wants[d.Kind] {
			t.Errorf("%s: %+v", d.Kind, last)
		}
		if d.Kind == notify.KindSMS && d.LastError != "the log is full" {
			t.Errorf("the last error is %q", d.LastError)
		}
	}
	p.closeNotice(a, true)
	p.step()
	if s := p.outbox.Stats(); s.Sent != 2 || s.Logged != 2 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}

// A channel's test tells for each recipient whether the message was only logged.
func TestSendTestLogged(t *testing.T) {
	s := testkit.NewStores(t)
	c := notify.Channel{Name: "Night", To: notify.Recipients{notify.KindEmail: {ada}, notify.KindSMS: {"+12", "+13"}}}
	log := &fakeSender{}
	log.setReply(func(l *notify.Notification) error {
		if l.Recipient == "+13" {
			return &notify.Failure{Kind: notify.Permanent, Answer: "no"}
		}
		return nil
	})
	list, err := c.SendTest(t.Context(),
		map[notify.ChannelKind]notify.Sender{notify.KindEmail: &fakeSender{}, notify.KindSMS: logOnlySender{log}},
		"en-us", s.Clock.Now)
	if err != nil || list[0].Logged || !list[1].Logged || list[2].Logged {
		t.Errorf("%v %+v", err, list)
	}
}
