package notify_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// runInBackground runs the outbox until the test calls stop.
func (p *outboxFixture) runInBackground() (stop func()) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.outbox.Run(ctx) }()
	return func() {
		p.t.Helper()
		cancel()
		p.must(testkit.Receive(p.t, "the end of the outbox", ended))
	}
}

// A delivery that becomes due during a scan waits only for the next scan, which follows soon, and
// not for the end of a lease.
func TestDueDuringScan(t *testing.T) {
	p := newOutboxFixture(t)
	p.outbox.Muted = func(context.Context, tenant.ID, int64) (int64, error) {
		p.Clock.Advance(20 * time.Millisecond) // the query takes that long
		return 0, nil
	}
	c := p.channel("field", ada)
	p.at("06:00", 1)
	p.Clock.Advance(-10 * time.Millisecond)
	p.openNotice("Frost", 2, alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning})
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 100*time.Millisecond {
		t.Errorf("next step in %v", wait)
	}
	p.Clock.Set(next)
	p.step()
	p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Frost")
}

// The same while another destination is paused.
func TestDueWhileDestinationPaused(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	busy, fine := p.channel("busy", "ada@busy.example"), p.channel("fine", "ada@fine.example")
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Recipient == "ada@busy.example" {
			return &notify.Failure{Kind: notify.Transient, Answer: "450 greylisted", RetryAfter: time.Hour}
		}
		return nil
	})
	for range 3 {
		p.openNotice("Frost", 2, alertmsg.DeliveryOptions{Channels: []int64{busy}})
	}
	p.at("05:30", 1) // it defers them once more and is paused until 06:30
	p.Clock.Advance(30*time.Minute - 10*time.Millisecond)
	p.openNotice("Serious", 2, alertmsg.DeliveryOptions{Channels: []int64{busy}})
	p.step()
	p.mail.take()
	p.outbox.Muted = func(context.Context, tenant.ID, int64) (int64, error) {
		p.Clock.Advance(20 * time.Millisecond)
		return 0, nil
	}
	p.openNotice("Storm", 2, alertmsg.DeliveryOptions{Channels: []int64{fine}, Period: morning})
	if wait := p.step().Sub(p.Clock.Now()); wait != 100*time.Millisecond {
		t.Errorf("next step in %v", wait)
	}
}

// At most sixteen mails and four SMS are in flight, and one that has not finished occupies only its
// own slot.
func TestInFlightLimits(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	c := p.Channel(t, p.field.ID, "field",
		func(c *notify.Channel) {
			c.To = notify.Recipients{notify.KindEmail: {ada}, notify.KindSMS: {"+905551112233"}}
		}).ID
	const mails, texts, notices = 16, 4, 40
	var mailing, mostMails, texting, mostTexts atomic.Int64
	arrived, texted := make(chan string, notices), make(chan string, notices)
	release, releaseTexts := make(chan struct{}), make(chan struct{})
	type reply = func(*notify.Notification) error
	count := func(inFlight, most *atomic.Int64, arrived chan string, release chan struct{}) reply {
		return func(l *notify.Notification) error {
			n := inFlight.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			arrived <- l.Alarms[0].Title
			<-release
			inFlight.Add(-1)
			return nil
		}
	}
	p.mail.setReply(count(&mailing, &mostMails, arrived, release))
	p.sms.setReply(count(&texting, &mostTexts, texted, releaseTexts))
	for i := range notices {
		p.openNotice(fmt.Sprint(i), 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	}
	stop := p.runInBackground()
	for range mails {
		testkit.Receive(t, "a mail", arrived)
	}
	for range texts {
		testkit.Receive(t, "an SMS", texted)
	}
	// One finishes, and the next one starts while the others hang.
	for range notices - mails {
		release <- struct{}{}
		testkit.Receive(t, "the next mail", arrived)
	}
	close(release)
	close(releaseTexts)
	for range notices - texts {
		testkit.Receive(t, "the next SMS", texted)
	}
	testkit.Eventually(t, "everything to be sent", func() bool { return p.outbox.Stats().Sent == 2*notices })
	stop()
	if mostMails.Load() != mails || mostTexts.Load() != texts {
		t.Errorf("%d mails and %d SMS were in flight", mostMails.Load(), mostTexts.Load())
	}
}
