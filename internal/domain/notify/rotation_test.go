package notify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// tenantFixture is a tenant with a device and a channel to one address.
type tenantFixture struct {
	*outboxFixture
	id      tenant.ID
	station *device.Device
	channel int64
	last    int64 // id of the newest notice
}

// addTenants adds tenants to those of the fixture and gives them in the order of their ids.
func (p *outboxFixture) addTenants(names ...string) (all []*tenantFixture) {
	p.t.Helper()
	for _, name := range names {
		f := &tenantFixture{outboxFixture: p, id: p.Tenant(p.t, name).ID}
		f.station = p.Device(p.t, f.id, &device.Product{ID: p.mast.ProductID}, "AT-"+name)
		f.channel = p.Channel(p.t, f.id, name, func(c *notify.Channel) {
			c.To = notify.Recipients{notify.KindEmail: {name + "@example.com"}}
		}).ID
		all = append(all, f)
	}
	return all
}

// openNotices opens n notices of a level.
func (f *tenantFixture) openNotices(n, level int) {
	f.t.Helper()
	for i := range n {
		now := f.Clock.Milli()
		id := f.Notice(f.t, testkit.Notice{Device: f.station, Start: now, CreateTime: now})
		f.last = id
		a := &alertmsg.Alarm{Event: alertmsg.Triggered, Notice: id, Rule: 9, Title: fmt.Sprint(i), Level: level,
			DeviceID: int64(f.station.ID), Start: now}
		f.must(f.notifier.NoticeOpened(f.t.Context(), f.id, a, &alertmsg.DeliveryOptions{Channels: []int64{f.channel}}))
	}
}

// sendOneByOne sends what is due with one mail in flight at a time, and gives the order; "b2" is a
// serious mail of tenant b.
func (p *outboxFixture) sendOneByOne() string {
	p.t.Helper()
	var mu sync.Mutex
	var order []string
	p.mail.setReply(func(l *notify.Notification) error {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, fmt.Sprintf("%s%d", strings.TrimSuffix(l.Recipient, "@example.com"), l.Alarms[0].Level))
		return nil
	})
	p.outbox.OneAtATime(notify.KindEmail)
	p.step()
	return strings.Join(order, " ")
}

// However many mails one tenant has due, the next one is of another tenant that has any.
func TestTenantsRoundRobin(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	f := p.addTenants("a", "b", "c")
	f[0].openNotices(5, 1)
	f[1].openNotices(1, 1)
	f[2].openNotices(2, 0)
	p.wantEqual("round robin", p.sendOneByOne(), "a1 b1 c0 a1 c0 a1 a1 a1")
	// It continues after the tenant that was served last.
	f[0].openNotices(2, 1)
	f[1].openNotices(1, 1)
	p.wantEqual("later", p.sendOneByOne(), "b1 a1 a1")
}

// Serious mails of all tenants go first, with others in between; those of one tenant go by level.
func TestSeriousTenantsFirst(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	f := p.addTenants("a", "b", "c", "d")
	f[0].openNotices(1, 0)
	f[0].openNotices(5, 2)
	f[1].openNotices(2, 1)
	f[2].openNotices(3, 2)
	f[3].openNotices(1, 0)
	p.wantEqual("round robin", p.sendOneByOne(), "a2 c2 a2 b1 c2 a2 c2 d0 a2 a2 a0 b1")
}

// While a tenant's notifications of a higher level are in flight, none of a lower level starts;
// another tenant's does.
func TestLevelOrderWithinTenant(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	f := p.addTenants("a", "b")
	arrived, release := make(chan string, 10), make(chan struct{})
	p.mail.setReply(func(l *notify.Notification) error {
		arrived <- fmt.Sprintf("%s %d", l.Recipient, l.Alarms[0].Level)
		<-release
		return nil
	})
	f[0].openNotices(1, 2)
	f[0].openNotices(1, 1)
	stop := p.runInBackground()
	p.wantEqual("the first", testkit.Receive(t, "a mail", arrived), "a@example.com 2")
	f[1].openNotices(1, 0)
	p.wantEqual("another tenant's", testkit.Receive(t, "a mail", arrived), "b@example.com 0")
	f[0].openNotices(1, 2)
	p.wantEqual("of the same level", testkit.Receive(t, "a mail", arrived), "a@example.com 2")
	close(release)
	p.wantEqual("the lower one", testkit.Receive(t, "a mail", arrived), "a@example.com 1")
	p.mail.wait(t, 4)
	stop()
}

// A tenant whose webhooks all hang has four calls in flight; other tenants' webhooks are called
// meanwhile.
func TestWebhooksPerTenantLimit(t *testing.T) {
	p := newOutboxFixture(t)
	for _, host := range []string{"one", "two", "three"} {
		p.addWebhook(host)
	}
	calls, release := make(chan tenant.ID, 20), make(chan struct{})
	p.webhookSender.setReply(func(l *notify.Notification) error {
		calls <- l.Tenant
		<-release
		return nil
	})
	for range 3 {
		p.openNotice("Frost", 2, alertmsg.DeliveryOptions{})
	}
	stop := p.runInBackground()
	for range 4 {
		if of := testkit.Receive(t, "a call", calls); of != p.field.ID {
			t.Errorf("a call of tenant %d", of)
		}
	}
	f := p.addTenants("a")[0]
	_, _, err := p.Webhooks.Create(t.Context(), f.id,
		&notify.Webhook{Name: "theirs", URL: "https://theirs.example/", Enabled: true, Opened: true})
	p.must(err)
	f.openNotices(1, 0)
	if of := testkit.Receive(t, "the other tenant's call", calls); of != f.id {
		t.Errorf("a call of tenant %d", of)
	}
	if len(calls) != 0 {
		t.Errorf("%d more calls", len(calls))
	}
	close(release)
	p.webhookSender.wait(t, 10)
	stop()
}

// While 12,000 serious mails of one tenant wait for a mail server that hangs, another tenant's
// serious mail is the next to start, and one that is not serious starts after at most
// maxSeriousInRow of them. That holds even if the query for waiting tenants took so long that the
// worker does not repeat it.
func TestOtherTenantsNotDelayedByAlertStorm(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 0 })
	f := p.addTenants(strings.Split("abcdefghijklmn", "")...)
	f[0].openNotices(1, 2)
	const columns = `tenant_id, notice_id, rule_id, channel_id, channel_name, recipient, destination, mode, event,
		alarm_level, language, facts, period,
		remind_every, state, next_time, create_time, update_time`
	p.must(p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO deliveries (seq, "+columns+
			") WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 11999) SELECT n, "+
			columns+" FROM deliveries, numbers")
		return err
	}))
	type attempt struct {
		of      tenant.ID
		release chan struct{}
	}
	started, over := make(chan attempt, 16), make(chan struct{})
	p.mail.setReply(func(l *notify.Notification) error {
		one := attempt{l.Tenant, make(chan struct{})}
		select {
		case started <- one:
		case <-over:
		}
		select {
		case <-one.release:
		case <-over:
		}
		return nil
	})
	stop := p.runInBackground()
	var held []attempt
	for range cap(started) {
		held = append(held, testkit.Receive(t, "a mail of the storm", started))
	}
	p.outbox.SetQueryTime(notify.KindEmail, time.Hour)
	// next lets the mail held[i] finish and gives the tenant of the mail that starts next.
	next := func(i int) tenant.ID {
		t.Helper()
		close(held[i].release)
		one := testkit.Receive(t, "the next mail", started)
		held = append(slices.Delete(held, i, i+1), one)
		return one.of
	}
	waits := func(level, most int) {
		t.Helper()
		f[1].openNotices(1, level)
		before := 0
		for next(0) != f[1].id {
			if before++; before > most {
				t.Fatalf("%d mails of the storm started before one of level %d", before, level)
			}
		}
		t.Logf("level %d: after %d mails of the storm", level, before)
		if next(len(held)-1) != f[0].id {
			t.Fatal("the storm does not go on")
		}
	}
	for range 3 { // the storm goes on for a while
		waits(2, 0)
		waits(1, notify.MaxSeriousInRow)
		waits(0, notify.MaxSeriousInRow)
	}
	// Many tenants have one mail each, and then the storm goes on.
	for _, other := range f[2:] {
		other.openNotices(1, 2)
	}
	for i := range f[2:] {
		if of := next(0); of == f[0].id {
			t.Errorf("a mail of the storm started before that of tenant %d of %d", i+1, len(f[2:]))
		}
	}
	for range 2 * len(f) {
		if of := next(len(held) - 1); of != f[0].id {
			t.Errorf("a second mail of tenant %d starts", of)
		}
	}
	close(over)
	stop()
}

func (p *outboxFixture) waiting(m notify.ChannelKind) int {
	p.t.Helper()
	waiting, err := p.outbox.Waiting(p.t.Context())
	p.must(err)
	return waiting[m].Deliveries
}
