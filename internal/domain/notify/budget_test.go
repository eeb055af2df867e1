package notify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// newBudgetFixture makes a fixture with limits of mails and SMS per day and without digests.
func newBudgetFixture(t *testing.T, mails, sms int) *outboxFixture {
	return newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter, p.mailsADay, p.smsADay = 0, mails, sms })
}

// budgetUse describes the budgets of the tenant field, such as "email 8/10!"; ! is a warning.
func (p *outboxFixture) budgetUse() string {
	p.t.Helper()
	budgets, err := p.outbox.Budgets(p.t.Context(), p.field.ID)
	p.must(err)
	var lines []string
	for _, b := range budgets {
		near := ""
		if b.Near() {
			near = "!"
		}
		lines = append(lines, fmt.Sprintf("%s %d/%d%s", b.Kind, b.Sent, b.Limit, near))
	}
	return strings.Join(lines, ", ")
}

// together sorts the description of notifications that were in flight together.
func together(sent string) string {
	notifications := strings.Split(sent, "; ")
	slices.Sort(notifications)
	return strings.Join(notifications, "; ")
}

// Up to the budget, mails are sent one by one; over it once an hour, serious ones still at once;
// from one and a half times the budget on only serious ones; from twice the budget on nothing.
func TestBudget(t *testing.T) {
	p := newBudgetFixture(t, 10, 0)
	w := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	screen, _, _, _ := p.hub.Subscribe(p.field.ID, "key", "")
	other, _, _, _ := p.hub.Subscribe(p.rival.ID, "key", "")
	budgetEvents := func() (n int) {
		for len(screen.Events) > 0 {
			if e := <-screen.Events; e.Name == "budget" {
				n++
			}
		}
		return n
	}
	p.advance(20 * time.Minute)
	p.openMany(7, 1, w)
	p.step()
	p.wantEqual("below 80 %", p.budgetUse(), "email 7/10")
	if n := budgetEvents(); n != 0 {
		t.Errorf("%d events below the threshold", n)
	}
	p.openMany(1, 1, w)
	p.step()
	p.wantEqual("at 80 %", p.budgetUse(), "email 8/10!")
	if n := budgetEvents(); n != 1 {
		t.Errorf("%d events at 80 %%", n)
	}
	p.mail.take()
	all := p.openMany(4, 1, w)
	next := p.step()
	p.wantEqual("the last two", together(p.mail.sentText()), "ada@example.com triggered 1; ada@example.com triggered 2")
	p.wantEqual("the third", p.states(all[2]), "ada@example.com triggered queued budget")
	if d := p.deliveries(all[2])[0]; next.Sub(p.Clock.Now()) != 40*time.Minute || !d.Digest ||
		d.NextTime != next.UnixMilli() {
		t.Errorf("the hour ends at %v: %+v", next, d)
	}
	// The hourly digest contains openings and ends of all channels until the end of the hour.
	p.advance(30 * time.Minute)
	general := p.openNotice("General", 0, alertmsg.DeliveryOptions{Channels: []int64{p.channel("barn", ada)}})
	p.closeNotice(all[0], true)
	p.openMany(2, 2, w)
	p.step()
	p.wantEqual("serious ones", together(p.mail.sentText()), "ada@example.com triggered 1; ada@example.com triggered 2")
	p.advance(10 * time.Minute)
	notifications := p.mail.take()
	if len(notifications) != 1 || len(notifications[0].Alarms) != 4 || !notifications[0].Hourly {
		t.Errorf("%+v", notifications)
	}
	p.wantEqual("general", p.states(general), "ada@example.com triggered sent")
	p.wantEqual("the end", p.states(all[0]), "ada@example.com resolved sent; ada@example.com triggered sent")
	p.closeNotice(general, true)
	p.advance(59 * time.Minute)
	p.wantEqual("within the next hour", p.mail.sentText(), "")
	p.advance(time.Minute)
	p.wantEqual("at its end", p.mail.sentText(), "ada@example.com resolved General")
	for range 3 {
		p.openMany(1, 1, w)
		p.advance(time.Hour)
	}
	p.wantEqual("up to one and a half times the budget", p.mail.digestSizes(), "t1")
	p.wantEqual("used", p.budgetUse(), "email 15/10!")
	mild := p.openNotice("Mild", 1, alertmsg.DeliveryOptions{Channels: w.Channels, RemindEvery: time.Hour})
	p.step()
	p.wantEqual("over that", p.states(mild), "ada@example.com triggered skipped budget")
	p.closeNotice(mild, true)
	p.step()
	p.wantEqual("its end", p.states(mild),
		"ada@example.com resolved skipped notTold; ada@example.com triggered skipped budget")
	lasting := p.openNotice("Lasting", 2, alertmsg.DeliveryOptions{Channels: w.Channels, RemindEvery: 10 * time.Minute})
	p.step()
	p.openMany(4, 2, w)
	p.step()
	p.wantEqual("serious ones still", p.mail.digestSizes(), "t1 t1 t1 t1 t1")
	all = p.openMany(1, 2, w)
	p.step()
	p.wantEqual("at twice the budget", p.states(all[0]), "ada@example.com triggered skipped budget")
	p.advance(10 * time.Minute)
	p.wantEqual("a reminder", p.states(lasting),
		"ada@example.com reminder queued budget; ada@example.com triggered sent")
	if n := budgetEvents(); n != 3 {
		t.Errorf("%d events at the budget, one and a half times the budget, and twice the budget", n)
	}
	if len(other.Events) > 0 {
		t.Error("another tenant receives events")
	}
	// The next day begins anew.
	p.at("00:00", 1)
	p.wantEqual("the next day", p.mail.sentText(), "ada@example.com reminder Lasting")
	p.wantEqual("its budget", p.budgetUse(), "email 1/10")
}

// A tenant's own limit takes precedence over the server's at once, and does not affect other
// tenants.
func TestBudgetsOfTenants(t *testing.T) {
	p := newBudgetFixture(t, 0, 0)
	f := p.addTenants("a", "b")
	owner, err := p.Tenants.Get(t.Context(), f[0].id)
	p.must(err)
	owner.MailsPerDay = new(4)
	p.must(p.Tenants.Put(t.Context(), owner))
	f[0].openNotices(6, 1)
	f[1].openNotices(6, 1)
	p.step()
	p.wantEqual("a's four and b's six", p.mail.digestSizes(), strings.TrimSpace(strings.Repeat("t1 ", 10)))
	p.wantEqual("one that has none", p.budgetUse(), "")
	owner.MailsPerDay = new(0)
	p.must(p.Tenants.Put(t.Context(), owner))
	p.advance(time.Hour)
	p.wantEqual("without a budget", p.mail.digestSizes(), "t2")
}

// Mails and SMS are counted separately; logged SMS are not counted; webhooks have no budget.
func TestBudgetsOfKinds(t *testing.T) {
	p := newBudgetFixture(t, 5, 3)
	p.addWebhook("one")
	c := p.Channel(t, p.field.ID, "both",
		func(c *notify.Channel) {
			c.To = notify.Recipients{notify.KindEmail: {ada}, notify.KindSMS: {"+905551112233"}}
		}).ID
	p.openMany(6, 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("used", p.budgetUse(), "email 5/5!, phoneMessage 3/3!")
	if got := len(p.webhookSender.take()); got != 6 {
		t.Errorf("%d calls", got)
	}
	p = newOutboxFixture(t, func(p *outboxFixture) {
		p.digestAfter, p.smsADay = 0, 3
		p.senders[notify.KindSMS] = logOnlySender{p.sms}
	})
	c = p.Channel(t, p.field.ID, "phone",
		func(c *notify.Channel) { c.To = notify.Recipients{notify.KindSMS: {"+905551112233"}} }).ID
	p.openMany(6, 1, alertmsg.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wantEqual("the log", p.budgetUse(), "phoneMessage 0/3")
}

// An hourly digest that the mail server defers is sent with the next one; if it is refused, each of
// its deliveries says so.
func TestHourlyDigestFailure(t *testing.T) {
	p := newBudgetFixture(t, 4, 0)
	w := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	all := p.openMany(6, 1, w)
	p.step()
	p.closeNotice(all[0], true)
	p.step()
	p.mail.take()
	p.mail.failWith(notify.Transient, "451 busy")
	p.advance(time.Hour)
	p.wantEqual("deferred", p.states(all[0])+"; "+p.states(all[5]),
		"ada@example.com resolved queued retry; ada@example.com triggered sent; ada@example.com triggered queued retry")
	p.mail.failWith(notify.Permanent, "550 nobody")
	p.advance(20 * time.Minute)
	p.wantEqual("the next hour", p.states(all[0])+"; "+p.states(all[5]),
		"ada@example.com resolved queued budget; ada@example.com triggered sent; "+
			"ada@example.com triggered queued budget")
	p.advance(40 * time.Minute)
	p.wantEqual("refused", p.states(all[0])+"; "+p.states(all[5]),
		"ada@example.com resolved failed refused; ada@example.com triggered sent; "+
			"ada@example.com triggered failed refused")
	p.wantEqual("used", p.budgetUse(), "email 4/4!")
}

// A change of the rule skips the deliveries that wait for the budget.
func TestBudgetWaitingCancelledByRuleChange(t *testing.T) {
	p := newBudgetFixture(t, 2, 0)
	w := alertmsg.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	all := p.openMany(3, 1, w)
	p.step()
	p.closeNotice(all[2], false)
	p.wantEqual("waiting", p.states(all[2]), "ada@example.com triggered skipped changed")
}

// Mails in flight count towards the budget.
func TestBudgetCountsInFlight(t *testing.T) {
	p := newBudgetFixture(t, 3, 0)
	f := p.addTenants("a")[0]
	f.openNotices(9, 1)
	held := make(chan struct{})
	p.mail.setReply(func(*notify.Notification) error { <-held; return nil })
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.outbox.Run(ctx) }()
	testkit.Eventually(t, "three in flight", func() bool { return p.mail.attempts() >= 3 })
	f.openNotices(1, 1)
	testkit.Eventually(t, "the others wait", func() bool {
		list, err := p.outbox.Deliveries(t.Context(), f.id, f.last)
		p.must(err)
		return list[0].Reason == notify.ForBudget
	})
	close(held)
	p.mail.wait(t, 3)
	stop()
	p.must(<-done)
	if n := p.mail.attempts(); n != 3 {
		t.Errorf("%d mails were tried", n)
	}
}

// For a tenant that is deleted while its mails are in flight, nothing is counted.
func TestBudgetOfDeletedTenant(t *testing.T) {
	p := newBudgetFixture(t, 3, 0)
	gone := *p.field.Tenant
	c, err := p.Channels.Get(t.Context(), gone.ID, p.channel("field", ada))
	p.must(err)
	gone.ID = 4711
	_, err = p.outbox.SendTest(t.Context(), &gone, c)
	p.must(err)
	p.wantEqual("another's", p.budgetUse(), "email 0/3")
}

// Test messages of a channel count, and are refused once the budget is used up.
func TestBudgetCountsTestMessages(t *testing.T) {
	p := newBudgetFixture(t, 3, 0)
	c, err := p.Channels.Get(t.Context(), p.field.ID, p.channel("field", ada, "bora@example.com"))
	p.must(err)
	for range 2 {
		results, err := p.outbox.SendTest(t.Context(), p.field.Tenant, c)
		p.must(err)
		if len(results) != 2 {
			t.Errorf("%+v", results)
		}
	}
	p.wantEqual("used", p.budgetUse(), "email 4/3!")
	_, err = p.outbox.SendTest(t.Context(), p.field.Tenant, c)
	if !errs.Is(err, errs.TooMany) || len(p.mail.take()) != 4 {
		t.Errorf("%v", err)
	}
	p.at("00:00", 1)
	_, err = p.outbox.SendTest(t.Context(), p.field.Tenant, c)
	p.must(err)
	p.at("00:00", 9)
	p.must(p.outbox.Sweep(t.Context(), p.Clock.Now()))
	left, err := p.DB.Read(t.Context()).NewSelect().Table("letter_days").Count(t.Context())
	if p.must(err); left != 0 {
		t.Errorf("%d days are kept", left)
	}
}

// For random notices and failures: no day exceeds twice the budget; mails that are not serious do
// not exceed one and a half times the budget; and when all notices have ended nothing waits.
func TestBudgetLimitsRandomised(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 19))
			limit := 4 + random.IntN(8)
			p := newOutboxFixture(t, func(p *outboxFixture) { p.mailsADay, p.digestAfter = limit, []int{0, 3}[seed%2] })
			channels := []int64{p.channel("field", ada, "bora@example.com"), p.channel("barn", ada)}
			sent := 0
			p.mail.setReply(func(l *notify.Notification) error {
				if random.IntN(5) == 0 {
					return &notify.Failure{Kind: notify.Transient, Answer: "451 busy"}
				}
				if sent++; l.Alarms[0].Level < 2 {
					if sent > limit+limit/2 {
						t.Errorf("mail %d of %d is not serious", sent, limit)
					}
				}
				if sent > 2*limit {
					t.Errorf("mail %d of %d", sent, limit)
				}
				return nil
			})
			p.outbox.OneAtATime(notify.KindEmail) // otherwise notifications in flight finish in random order
			var all []*alertmsg.Alarm
			for range 60 {
				w := alertmsg.DeliveryOptions{Channels: channels[:1+random.IntN(2)],
					RemindEvery: time.Duration(random.IntN(2)) * 40 * time.Minute}
				all = append(all, p.openMany(random.IntN(3), random.IntN(3), w)...)
				if len(all) > 0 && random.IntN(2) == 0 {
					i := random.IntN(len(all))
					p.closeNotice(all[i], true)
					all = append(all[:i], all[i+1:]...)
				}
				day := p.Clock.Now().In(p.field.TimeZone).Day()
				d := time.Duration(random.IntN(30)) * time.Minute
				if p.Clock.Now().Add(d).In(p.field.TimeZone).Day() != day {
					sent = 0
				}
				p.advance(d)
			}
			for _, a := range all {
				p.closeNotice(a, true)
			}
			for range 3 * 24 {
				if p.Clock.Now().In(p.field.TimeZone).Hour() == 23 {
					sent = 0
				}
				p.advance(time.Hour)
			}
			if n := p.waiting(notify.KindEmail); n > 0 {
				t.Errorf("%d deliveries wait", n)
			}
		})
	}
}
