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

// The mail server is down for an hour, in which 500 notices begin; the server
// dies three times meanwhile, and three times while the mails leave. Every mail
// arrives, the serious first, and only those that were in flight at a kill may
// come twice, with the same ID.
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
		t.Errorf("%d arrived of a server that is down, after %d attempts", n, p.mail.attempts())
	}

	p.mail.setReply(nil)
	for _, after := range []int{50, 333, 4} {
		p.crashAfter(after)
	}
	for next := p.step(); !next.IsZero(); next = p.step() {
		p.Clock.Set(next)
	}
	var (
		came   = map[string]int{} // by ID
		whom   = map[string]bool{}
		levels []int
		twice  int
	)
	for _, l := range p.mail.take() {
		if came[l.ID]++; came[l.ID] > 1 {
			twice++
			continue
		}
		levels = append(levels, l.Alarms[0].Level)
		whom[l.Recipient+" "+l.Alarms[0].Title] = true
	}
	if len(whom) != 2*notices || len(came) != 2*notices {
		t.Errorf("%d mails of %d arrived, with %d IDs", len(whom), 2*notices, len(came))
	}
	if twice > kills*inFlight {
		t.Errorf("%d came twice", twice)
	}
	slices.Reverse(levels)
	if !slices.IsSorted(levels) {
		t.Error("they did not come by level")
	}
	if got := p.outbox.Stats(); got.Failed+got.Skipped != 0 {
		t.Errorf("%+v", got)
	}
	t.Logf("%d came twice after %d kills", twice, kills)
}

func earlier(a, b time.Time) time.Time {
	if !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

// crashAfter lets the outbox work until so many letters have arrived, and then die
// without writing what it knows; 0: before any. Then another is opened.
func (p *outboxFixture) crashAfter(after int) {
	p.t.Helper()
	p.crashAfterSends(p.mail, after)
}

// crashAfterSends is killed, by the letters that have arrived at one far end.
func (p *outboxFixture) crashAfterSends(end *fakeSender, after int) {
	p.t.Helper()
	ctx, kill := context.WithCancel(p.t.Context())
	defer kill()
	if after == 0 {
		kill()
	}
	arrived := 0
	end.mu.Lock()
	said := end.reply
	end.mu.Unlock()
	end.setReply(func(l *notify.Notification) error {
		if said != nil {
			return said(l)
		}
		end.mu.Lock()
		defer end.mu.Unlock()
		if arrived++; arrived == after {
			kill()
		}
		return nil
	})
	if _, err := p.outbox.Step(ctx); err == nil || ctx.Err() == nil {
		p.t.Fatalf("it did not die: %v", err)
	}
	end.setReply(said)
	p.restart()
}
