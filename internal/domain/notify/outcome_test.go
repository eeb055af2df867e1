package notify_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

// A notification with a transient failure is retried with growing waits, for a day. Others for the
// same destination are sent meanwhile, so the destination is not paused.
func TestTransientFailureRetried(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	c := p.channel("field", ada)
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Alarms[0].Title == "Frost" {
			return &notify.Failure{Kind: notify.Transient, Answer: "451 busy"}
		}
		return nil
	})
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	begin := p.Clock.Now()
	var waits []time.Duration
	for next := p.step(); !next.IsZero(); next = p.step() {
		waits = append(waits, next.Sub(p.Clock.Now()))
		p.Clock.Set(next)
		p.openNotice("Fine", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	}
	want := []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute,
		8 * time.Minute, 15 * time.Minute, 15 * time.Minute}
	if got := waits[:len(want)]; !slices.Equal(got, want) {
		t.Errorf("waits %v, want %v", got, want)
	}
	if took := p.Clock.Now().Sub(begin); took != 24*time.Hour {
		t.Errorf("given up after %v", took)
	}
	d := p.deliveries(a)[0]
	if d.State != notify.Failed || d.Reason != notify.Expired || d.LastError != "451 busy" ||
		d.Attempts != len(waits)+1 || d.NextTime != 0 {
		t.Errorf("%+v", d)
	}
	if len(d.Steps) != 20 || d.Steps[0].Step != "failed" || d.Steps[19].Answer != "451 busy" ||
		d.Steps[19].Time != p.Clock.Milli() {
		t.Errorf("%d steps, %+v", len(d.Steps), d.Steps)
	}
	var kept int
	p.must(p.DB.Read(t.Context()).NewRaw("SELECT COUNT(*) FROM delivery_steps WHERE delivery_id = ?", d.ID).
		Scan(t.Context(), &kept))
	if kept != 20 {
		t.Errorf("%d steps are kept", kept)
	}
	if got := p.outbox.Stats(); got.Failed != 1 || int(got.Sent) != len(waits) {
		t.Errorf("%+v", got)
	}
}

func TestRetryDelayJitter(t *testing.T) {
	wants := map[float64]time.Duration{0: 12 * time.Second, 0.5: 15 * time.Second, 1: 18 * time.Second}
	for random, want := range wants {
		p := newOutboxFixture(t)
		p.outbox.Random = func() float64 { return random }
		p.mail.failWith(notify.Transient, "451 busy")
		p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
		if wait := p.step().Sub(p.Clock.Now()); wait != want {
			t.Errorf("%v: %v, want %v", random, wait, want)
		}
	}
}

func TestPermanentFailure(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada, "bora@example.com")
	p.mail.setReply(func(l *notify.Notification) error {
		if l.Recipient == ada {
			return &notify.Failure{Kind: notify.Permanent, Answer: "550 " + strings.Repeat("ş", 400),
				Cause: errors.New("hidden")}
		}
		return nil
	})
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}, RemindEvery: time.Minute})
	p.step()
	p.wantEqual("one is refused", p.states(a),
		"ada@example.com triggered failed refused; bora@example.com reminder queued; bora@example.com triggered sent")
	d := p.deliveries(a)[0]
	if len(d.LastError) > 510 || !strings.HasSuffix(d.LastError, "ş…") || d.Steps[1].Step != "refused" ||
		d.Steps[1].Answer != d.LastError {
		t.Errorf("%+v", d)
	}
	p.advance(24 * time.Hour)
	if n := len(p.mail.triedIDs); n != 3 {
		t.Errorf("tried %d times", n)
	}
}

// An error that is no *Failure is retried and not shown to people.
func TestUnknownErrorRetriedAndHidden(t *testing.T) {
	p := newOutboxFixture(t)
	p.mail.setReply(func(*notify.Notification) error { return errors.New("password hunter2") })
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.step()
	if d := p.deliveries(a)[0]; d.State != notify.Queued || d.Reason != notify.ForRetry ||
		strings.Contains(d.LastError, "hunter2") {
		t.Errorf("%+v", d)
	}
}

func TestKindNotConfigured(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { delete(p.senders, notify.KindEmail) })
	c := p.Channel(t, p.field.ID, "field").ID
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("off", p.states(a), "+905551112233 triggered sent; field@example.com triggered failed off")
	if d := p.deliveries(a)[0]; d.Kind != notify.KindEmail || d.Attempts != 0 || len(d.Steps) != 2 ||
		d.Steps[1].Step != "failed" {
		t.Errorf("%+v", d)
	}
}

// The worker probes a mail server that accepts nothing with one mail, the most important; the
// others wait without an attempt.
func TestUnavailableServerProbed(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada, "bora@example.org", "cem@example.net")
	p.mail.failWith(notify.Unavailable, "421 closing")
	first := p.openNotice("First", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	next := p.step()
	if wait := next.Sub(p.Clock.Now()); wait != 5*time.Second {
		t.Errorf("waits %v", wait)
	}
	if !p.outbox.Stats().Down[notify.KindEmail] || p.outbox.Stats().Down[notify.KindSMS] {
		t.Errorf("%+v", p.outbox.Stats())
	}
	before := p.mail.attempts()
	serious := p.openNotice("Serious", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	if n := p.mail.attempts(); n != before {
		t.Errorf("%d attempts while the worker waits", n-before)
	}
	for _, d := range p.deliveries(serious) {
		if d.State != notify.Queued || d.Reason != notify.ForServer || d.NextTime != next.UnixMilli() ||
			d.Attempts != 0 {
			t.Errorf("%+v", d)
		}
	}
	var waits []time.Duration
	for range 8 {
		p.Clock.Set(next)
		next = p.step()
		waits = append(waits, next.Sub(p.Clock.Now()))
	}
	if got := fmt.Sprint(waits); got != "[10s 20s 40s 1m20s 2m0s 2m0s 2m0s 2m0s]" {
		t.Errorf("waits %v", got)
	}
	if n := p.mail.attempts(); n != before+8 {
		t.Errorf("%d attempts by eight probes", n-before)
	}
	for _, d := range p.deliveries(first) {
		if d.Attempts > 1 {
			t.Errorf("the probe is not the most important mail: %+v", d)
		}
	}
	p.mail.setReply(nil)
	p.Clock.Set(next)
	p.step()
	p.advance(2 * time.Minute) // those of the last probe wait for the next one
	got := p.mail.take()
	if len(got) != 6 || got[0].Alarms[0].Title != "Serious" {
		t.Errorf("%d arrived, %+v", len(got), got)
	}
	if p.outbox.Stats().Down[notify.KindEmail] {
		t.Error("still down")
	}
	if n := strings.Count(p.Log.Text(), "notifications cannot be sent"); n != 1 {
		t.Errorf("the log says so %d times", n)
	}
}

// Deliveries that a mail server does not accept within 24 hours fail; time in which no server ran
// does not count.
func TestUnavailableForADayExpires(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.mail.failWith(notify.Unavailable, "421 closing")
	var all []*alertmsg.Alarm
	for range 20 {
		all = append(all, p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{c}}))
	}
	p.step()
	p.Clock.Advance(23 * time.Hour)
	p.restart()
	late := p.openNotice("Late", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	for range 23 {
		p.advance(time.Hour)
	}
	for _, a := range append(all, late) { // sixteen of them were tried in the first step
		p.wantEqual("before", p.states(a), "ada@example.com triggered queued server")
	}
	for range 8 {
		p.advance(3 * time.Hour)
	}
	for i, a := range append(all, late) {
		p.wantEqual(fmt.Sprint(i), p.states(a), "ada@example.com triggered failed old")
	}
	p.mail.setReply(nil)
	p.advance(time.Hour)
	p.wantEqual("sent", p.mail.sentText(), "")
}

// A power cut hits while mails wait for the network; a day later the server runs before the network
// works. All mails are sent, however often they were tried before.
func TestUnavailableAfterLongOutage(t *testing.T) {
	answers := map[notify.FailureKind]string{notify.Unavailable: "no route to host", notify.Transient: "451 busy"}
	for kind, answer := range answers {
		p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
		c := p.channel("field", ada)
		p.mail.failWith(kind, answer)
		var all []*alertmsg.Alarm
		for i := range 20 {
			all = append(all, p.openNotice(fmt.Sprint("Frost ", i), 2, alertmsg.DeliveryOptions{Channels: []int64{c}}))
		}
		p.step()
		p.advance(time.Minute)
		p.Clock.Advance(25 * time.Hour)
		p.restart()
		p.step()
		p.advance(time.Minute)
		p.mail.setReply(nil)
		for range 3 {
			p.advance(5 * time.Minute)
		}
		for _, a := range all {
			p.wantEqual(answer, p.states(a), "ada@example.com triggered sent")
		}
	}
}

// If the clock jumps ahead while the mail server is down for seconds, while mails wait or one is in
// flight, no delivery expires for it. Deliveries expire with time that passes, also after the clock
// was set back again.
func TestClockJumpForward(t *testing.T) {
	p := newOutboxFixture(t)
	c := p.channel("field", ada)
	p.mail.failWith(notify.Unavailable, "no route to host")
	tried := p.openNotice("Tried", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	never := p.openNotice("Never tried", 2, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.Clock.Jump(72 * time.Hour)
	p.step()
	p.mail.setReply(func(*notify.Notification) error { // the next jump comes while it is in flight
		p.Clock.Jump(48 * time.Hour)
		return &notify.Failure{Kind: notify.Transient, Answer: "451 busy"}
	})
	p.advance(2 * time.Minute)
	p.mail.failWith(notify.Transient, "451 busy")
	p.advance(time.Minute)
	p.wantEqual("after the jumps", p.states(tried)+"; "+p.states(never),
		"ada@example.com triggered queued retry; ada@example.com triggered queued retry")
	p.Clock.Jump(-120 * time.Hour)
	for range 20 {
		p.advance(time.Hour)
	}
	p.wantEqual("20 hours later", p.states(tried), "ada@example.com triggered queued retry")
	for range 6 {
		p.advance(time.Hour)
	}
	p.wantEqual("26 hours later", p.states(never), "ada@example.com triggered failed old")
}

// A clock that is adjusted in small steps does not count as jumping.
func TestClockAdjustedGradually(t *testing.T) {
	p := newOutboxFixture(t)
	p.mail.failWith(notify.Transient, "451 busy")
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}})
	p.step()
	for range 25 {
		p.Clock.Jump(time.Second)
		p.advance(time.Hour)
	}
	p.wantEqual("a day later", p.states(a), "ada@example.com triggered failed old")
}

// A destination that defers three mails in a row is paused; others are not.
func TestFailingDestinationPaused(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	busy, fine := p.channel("busy", "ada@busy.example"), p.channel("fine", "ada@fine.example")
	p.mail.setReply(func(l *notify.Notification) error {
		if strings.HasSuffix(l.Recipient, "@busy.example") {
			return &notify.Failure{Kind: notify.Transient, Answer: "450 greylisted"}
		}
		return nil
	})
	for range 3 {
		p.openNotice("Frost", 2, alertmsg.DeliveryOptions{Channels: []int64{busy}})
	}
	p.step()
	p.mail.take()
	before := p.mail.attempts()
	a := p.openNotice("Serious", 2, alertmsg.DeliveryOptions{Channels: []int64{busy}})
	p.openNotice("General", 0, alertmsg.DeliveryOptions{Channels: []int64{fine}})
	next := p.step()
	p.wantEqual("the other", p.mail.sentText(), "ada@fine.example triggered General")
	if n := p.mail.attempts() - before; n != 1 {
		t.Errorf("%d attempts", n)
	}
	if wait := next.Sub(p.Clock.Now()); wait != 15*time.Second {
		t.Errorf("next step in %v", wait)
	}
	p.mail.setReply(nil)
	p.advance(15 * time.Second)
	if got := p.mail.take(); len(got) != 4 {
		t.Errorf("%d arrived", len(got))
	}
	p.wantEqual("the fourth", p.states(a), "ada@busy.example triggered sent")
}
