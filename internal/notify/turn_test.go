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

	"tilth/internal/device"
	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/tenant"
	"tilth/internal/testkit"
)

// farmer is a tenant with a device and a channel to one address.
type farmer struct {
	*post
	id      tenant.ID
	station *device.Device
	channel int64
	last    int64 // notice
}

// farmers are tenants besides those of the post, in the order of their ids.
func (p *post) farmers(names ...string) (all []*farmer) {
	p.t.Helper()
	for _, name := range names {
		f := &farmer{post: p, id: p.Tenant(p.t, name).ID}
		f.station = p.Device(p.t, f.id, &device.Product{ID: p.mast.ProductID}, "AT-"+name)
		f.channel = p.Channel(p.t, f.id, name, func(c *notify.Channel) {
			c.ByPhone, c.Phones, c.Emails = false, nil, []string{name + "@example.com"}
		}).ID
		all = append(all, f)
	}
	return all
}

// begin begins so many notices of a level.
func (f *farmer) begin(n, level int) {
	f.t.Helper()
	for i := range n {
		now := f.Clock.Milli()
		id := f.Notice(f.t, testkit.Notice{Device: f.station, Started: now, Created: now})
		f.last = id
		a := &news.Alarm{Event: news.Triggered, Notice: id, Rule: 9, Title: fmt.Sprint(i), Level: level, DeviceID: int64(f.station.ID), Start: now}
		f.must(f.desk.Began(f.t.Context(), f.id, a, &news.DeliveryOptions{Channels: []int64{f.channel}}))
	}
}

// oneByOne lets what is due leave with one mail in flight at a time, and gives in
// which order, as "b2" for a serious one of b.
func (p *post) oneByOne() string {
	p.t.Helper()
	var mu sync.Mutex
	var order []string
	p.mail.says(func(l *notify.Letter) error {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, fmt.Sprintf("%s%d", strings.TrimSuffix(l.Recipient, "@example.com"), l.Alarms[0].Level))
		return nil
	})
	p.outbox.OneAtATime(notify.Email)
	p.step()
	return strings.Join(order, " ")
}

// However much one tenant has due, the next letter is another's who has something.
func TestTenantsInTurn(t *testing.T) {
	p := newPost(t, func(p *post) { p.digests = 0 })
	f := p.farmers("a", "b", "c")
	f[0].begin(5, 1)
	f[1].begin(1, 1)
	f[2].begin(2, 0)
	p.wants("in turn", p.oneByOne(), "a1 b1 c0 a1 c0 a1 a1 a1")
	// It goes on behind whose turn it was last.
	f[0].begin(2, 1)
	f[1].begin(1, 1)
	p.wants("later", p.oneByOne(), "b1 a1 a1")
}

// Serious ones of all tenants first, but not alone; of one tenant in the levels' order.
func TestSeriousTenantsFirst(t *testing.T) {
	p := newPost(t, func(p *post) { p.digests = 0 })
	f := p.farmers("a", "b", "c", "d")
	f[0].begin(1, 0)
	f[0].begin(5, 2)
	f[1].begin(2, 1)
	f[2].begin(3, 2)
	f[3].begin(1, 0)
	p.wants("in turn", p.oneByOne(), "a2 c2 a2 b1 c2 a2 c2 d0 a2 a2 a0 b1")
}

// While a tenant's letters of a higher level fly, no lower one of its starts; another
// tenant's does.
func TestLevelsHoldWithinATenant(t *testing.T) {
	p := newPost(t, func(p *post) { p.digests = 0 })
	f := p.farmers("a", "b")
	arrived, let := make(chan string, 10), make(chan struct{})
	p.mail.says(func(l *notify.Letter) error {
		arrived <- fmt.Sprintf("%s %d", l.Recipient, l.Alarms[0].Level)
		<-let
		return nil
	})
	f[0].begin(1, 2)
	f[0].begin(1, 1)
	stop := p.running()
	p.wants("the first", testkit.Receive(t, "a letter", arrived), "a@example.com 2")
	f[1].begin(1, 0)
	p.wants("another tenant's", testkit.Receive(t, "a letter", arrived), "b@example.com 0")
	f[0].begin(1, 2)
	p.wants("of the same level", testkit.Receive(t, "a letter", arrived), "a@example.com 2")
	close(let)
	p.wants("the lower one", testkit.Receive(t, "a letter", arrived), "a@example.com 1")
	p.mail.wait(t, 4)
	stop()
}

// A tenant whose programs all hang has four calls in flight; others are called beside.
func TestProgramsOfATenant(t *testing.T) {
	p := newPost(t)
	for _, host := range []string{"one", "two", "three"} {
		p.hook(host)
	}
	calls, let := make(chan tenant.ID, 20), make(chan struct{})
	p.programs.says(func(l *notify.Letter) error {
		calls <- l.Tenant
		<-let
		return nil
	})
	for range 3 {
		p.begins("Frost", 2, news.DeliveryOptions{})
	}
	stop := p.running()
	for range 4 {
		if of := testkit.Receive(t, "a call", calls); of != p.field.ID {
			t.Errorf("a call of %d", of)
		}
	}
	f := p.farmers("a")[0]
	_, _, err := p.Webhooks.Create(t.Context(), f.id, &notify.Webhook{Name: "theirs", URL: "https://theirs.example/", Enabled: true, Opened: true})
	p.must(err)
	f.begin(1, 0)
	if of := testkit.Receive(t, "the other tenant's call", calls); of != f.id {
		t.Errorf("a call of %d", of)
	}
	if len(calls) != 0 {
		t.Errorf("%d more calls", len(calls))
	}
	close(let)
	p.programs.wait(t, 10)
	stop()
}

// While 12,000 serious mails of one tenant wait for a mail server that holds all it was
// given, another tenant's serious one is the next to leave, and one that is not serious
// goes behind seriousInARow of them at most: however long it took the lane to learn who
// waits, and so for however long it does not ask again.
func TestNobodyWaitsForAStorm(t *testing.T) {
	p := newPost(t, func(p *post) { p.digests = 0 })
	f := p.farmers(strings.Split("abcdefghijklmn", "")...)
	f[0].begin(1, 2)
	const columns = `tenant_id, notice_id, rule_id, channel_id, channel_name, recipient, destination, mode, event, alarm_level, language, facts, period,
		remind_every, state, next_time, create_time, update_time`
	p.must(p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO deliveries (seq, "+columns+") WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 11999) SELECT n, "+columns+" FROM deliveries, numbers")
		return err
	}))
	type flying struct {
		of    tenant.ID
		lands chan struct{}
	}
	started, over := make(chan flying, 16), make(chan struct{})
	p.mail.says(func(l *notify.Letter) error {
		one := flying{l.Tenant, make(chan struct{})}
		select {
		case started <- one:
		case <-over:
		}
		select {
		case <-one.lands:
		case <-over:
		}
		return nil
	})
	stop := p.running()
	var held []flying
	for range cap(started) {
		held = append(held, testkit.Receive(t, "a letter of the storm", started))
	}
	p.outbox.AskedFor(notify.Email, time.Hour)
	// follows lets one letter land, and gives whose follows.
	follows := func(lands int) tenant.ID {
		t.Helper()
		close(held[lands].lands)
		one := testkit.Receive(t, "the letter that follows", started)
		held = append(slices.Delete(held, lands, lands+1), one)
		return one.of
	}
	waits := func(level, most int) {
		t.Helper()
		f[1].begin(1, level)
		before := 0
		for follows(0) != f[1].id {
			if before++; before > most {
				t.Fatalf("%d letters of the storm started before one of level %d", before, level)
			}
		}
		t.Logf("of level %d behind %d letters of the storm", level, before)
		if follows(len(held)-1) != f[0].id {
			t.Fatal("it is not the storm that goes on")
		}
	}
	for range 3 { // the storm goes on for a while
		waits(2, 0)
		waits(1, notify.SeriousInARow)
		waits(0, notify.SeriousInARow)
	}
	// Many come with a letter each, and leave the lane to the storm.
	for _, other := range f[2:] {
		other.begin(1, 2)
	}
	for i := range f[2:] {
		if of := follows(0); of == f[0].id {
			t.Errorf("a letter of the storm started before that of tenant %d of %d", i+1, len(f[2:]))
		}
	}
	for range 2 * len(f) {
		if of := follows(len(held) - 1); of != f[0].id {
			t.Errorf("a letter of tenant %d follows, who had one", of)
		}
	}
	close(over)
	stop()
}

func (p *post) waiting(m notify.Mode) int {
	p.t.Helper()
	waiting, err := p.outbox.Waiting(p.t.Context())
	p.must(err)
	return waiting[m].Deliveries
}
