package notify_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

// The mail server is down for an hour, in which 500 notices begin; the process is killed three
// times meanwhile, and three times while the mails are sent. Every mail is sent, serious ones
// first, and only those that were in flight at a kill may be sent twice, with the same ID.
func TestMailServerDownForAnHourWithCrashes(t *testing.T) {
	const (
		notices  = 500
		inFlight = 16
		kills    = 3
	)
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	c := p.channel("field", ada, "bora@example.org")
	p.mail.failWith(notify.Unavailable, "connection refused")
	begin, made := p.Clock.Now(), 0
	for p.Clock.Now().Sub(begin) < time.Hour {
		for ; made < notices*int(p.Clock.Now().Sub(begin)+time.Minute)/int(time.Hour) && made < notices; made++ {
			p.openNotice(fmt.Sprint(made), made%3, alertmsg.DeliveryOptions{Channels: []int64{c}})
		}
		if minutes := int(p.Clock.Now().Sub(begin) / time.Minute); minutes%15 == 14 {
			p.crashAfter(0)
		}
		p.Clock.Set(earlier(p.step(), p.Clock.Now().Add(time.Minute)))
	}
	for ; made < notices; made++ {
		p.openNotice(fmt.Sprint(made), made%3, alertmsg.DeliveryOptions{Channels: []int64{c}})
	}
	if n := len(p.mail.take()); n != 0 || p.mail.attempts() > 500 {
		t.Errorf("a server that is down accepted %d mails, after %d attempts", n, p.mail.attempts())
	}

	p.mail.setReply(nil)
	for _, after := range []int{50, 333, 4} {
		p.crashAfter(after)
	}
	for next := p.step(); !next.IsZero(); next = p.step() {
		p.Clock.Set(next)
	}
	var (
		count  = map[string]int{}  // by ID
		sent   = map[string]bool{} // by recipient and title
		levels []int
		twice  int
	)
	for _, l := range p.mail.take() {
		if count[l.ID]++; count[l.ID] > 1 {
			twice++
			continue
		}
		levels = append(levels, l.Alarms[0].Level)
		sent[l.Recipient+" "+l.Alarms[0].Title] = true
	}
	if len(sent) != 2*notices || len(count) != 2*notices {
		t.Errorf("%d of %d mails arrived, with %d IDs", len(sent), 2*notices, len(count))
	}
	if twice > kills*inFlight {
		t.Errorf("%d mails came twice", twice)
	}
	slices.Reverse(levels)
	if !slices.IsSorted(levels) {
		t.Error("the mails are not ordered by level")
	}
	if got := p.outbox.Stats(); got.Failed+got.Skipped != 0 {
		t.Errorf("%+v", got)
	}
	t.Logf("%d mails came twice after %d kills", twice, kills)
}

func earlier(a, b time.Time) time.Time {
	if !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

// crashAfter runs the outbox until it has sent after mails, kills it before it stores the results,
// and restarts it; 0: it kills it before it sends any.
func (p *outboxFixture) crashAfter(after int) {
	p.t.Helper()
	p.crashAfterSends(p.mail, after)
}

// crashAfterSends is crashAfter for the notifications of one sender.
func (p *outboxFixture) crashAfterSends(sender *fakeSender, after int) {
	p.t.Helper()
	ctx, kill := context.WithCancel(p.t.Context())
	defer kill()
	if after == 0 {
		kill()
	}
	arrived := 0
	sender.mu.Lock()
	reply := sender.reply
	sender.mu.Unlock()
	sender.setReply(func(l *notify.Notification) error {
		if reply != nil {
			return reply(l)
		}
		sender.mu.Lock()
		defer sender.mu.Unlock()
		if arrived++; arrived == after {
			kill()
		}
		return nil
	})
	if _, err := p.outbox.Step(ctx); err == nil || ctx.Err() == nil {
		p.t.Fatalf("the outbox was not killed: %v", err)
	}
	sender.setReply(reply)
	p.restart()
}
