package notify_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, s := range texts {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}

// webhookCalls describes the webhook calls since the last take: webhook, event and title, sorted.
func (p *outboxFixture) webhookCalls() string {
	var lines []string
	for _, l := range p.webhookSender.take() {
		lines = append(lines, fmt.Sprintf("%s %s %s", l.Recipient, l.Alarms[0].Event, l.Alarms[0].Title))
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// Webhooks receive all openings and ends at once, also those that people receive later or not at
// all.
func TestWebhooksSentImmediately(t *testing.T) {
	p := newOutboxFixture(t, func(p *outboxFixture) { p.digestAfter = 1 })
	c := p.channel("field", ada)
	p.muted[1] = p.Clock.Milli() + time.Hour.Milliseconds()
	p.backlog[int64(p.mast.ID)] = p.Clock.Now().Add(time.Hour)
	id := p.addWebhook("planner")
	silent := p.openNotice("Silent", 0, alertmsg.DeliveryOptions{}) // without channels
	muted := p.openNotice("Muted", 0,
		alertmsg.DeliveryOptions{Channels: []int64{c}, Period: morning, Late: true, RemindEvery: time.Minute})
	digest := p.openNotice("Digest", 0, alertmsg.DeliveryOptions{Channels: []int64{c}})
	if next := p.step(); next.IsZero() {
		t.Error("nothing waits")
	}
	p.wantEqual("openings", p.webhookCalls(),
		fmt.Sprintf("%d triggered Digest; %d triggered Muted; %d triggered Silent", id, id, id))
	p.wantEqual("people", p.mail.sentText(), "")
	p.advance(2 * time.Minute)
	p.wantEqual("reminded", p.webhookCalls(), "")
	p.closeNotice(silent, true)
	p.closeNotice(muted, true)
	p.closeNotice(digest, false) // its rule was changed
	p.step()
	p.wantEqual("ends", p.webhookCalls(),
		fmt.Sprintf("%d resolved Digest; %d resolved Muted; %d resolved Silent", id, id, id))
	p.wantEqual("of one", p.states(silent), "planner.example resolved sent; planner.example triggered sent")
	for _, a := range []*alertmsg.Alarm{silent, muted, digest} {
		p.must(p.notifier.NoticeOpened(t.Context(), p.field.ID, a, &alertmsg.DeliveryOptions{}))
		p.closeNotice(a, true)
	}
	p.step()
	p.wantEqual("announced again", p.webhookCalls(), "")
}

func TestWebhooksBySubscription(t *testing.T) {
	p := newOutboxFixture(t)
	both := p.addWebhook("both", func(w *notify.Webhook) { w.Level = 1 })
	openings := p.addWebhook("openings", func(w *notify.Webhook) { w.Resolved = false })
	ends := p.addWebhook("ends", func(w *notify.Webhook) { w.Opened = false })
	p.addWebhook("off", func(w *notify.Webhook) { w.Enabled = false })
	_, _, err := p.Webhooks.Create(t.Context(), p.rival.ID,
		&notify.Webhook{Name: "theirs", URL: "https://x.example", Opened: true, Resolved: true, Enabled: true})
	p.must(err)
	general := p.openNotice("General", 0, alertmsg.DeliveryOptions{})
	important := p.openNotice("Important", 1, alertmsg.DeliveryOptions{})
	p.step()
	p.wantEqual("openings", p.webhookCalls(),
		fmt.Sprintf("%d triggered Important; %d triggered General; %d triggered Important", both, openings, openings))
	late := p.addWebhook("late") // it receives ends too: its program may have queried the open notices
	// A webhook that received the opening receives the end, whatever was changed meanwhile.
	w := p.webhook(both)
	w.Level = 2
	p.must(p.Webhooks.Update(t.Context(), p.field.ID, w))
	p.closeNotice(general, true)
	p.closeNotice(important, true)
	p.step()
	want := "%d resolved Important; " +
		"%d resolved General; %d resolved Important; %d resolved General; %d resolved Important"
	p.wantEqual("ends", p.webhookCalls(), fmt.Sprintf(want, both, ends, ends, late, late))
}

// An end is sent only after its opening, however long that takes; if the opening fails, the end is
// skipped.
func TestWebhookOpenedBeforeResolved(t *testing.T) {
	p := newOutboxFixture(t)
	p.addWebhook("planner")
	p.webhookSender.failWith(notify.Transient, "503")
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{})
	p.step()
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("waits", p.states(a), "planner.example resolved queued trigger; planner.example triggered queued retry")
	p.webhookSender.setReply(nil)
	p.advance(15 * time.Second)
	if got := p.webhookSender.take(); len(got) != 2 || got[0].Alarms[0].Event != alertmsg.Triggered ||
		got[1].Alarms[0].Event != alertmsg.Resolved || got[0].ID == got[1].ID {
		t.Errorf("%+v", got)
	}
	p.wantEqual("sent", p.states(a), "planner.example resolved sent; planner.example triggered sent")

	p.webhookSender.failWith(notify.Permanent, "not sent")
	a = p.openNotice("Refused", 1, alertmsg.DeliveryOptions{})
	p.closeNotice(a, true) // before it was tried
	p.step()
	p.wantEqual("refused", p.states(a),
		"planner.example resolved skipped notTold; planner.example triggered failed refused")
	a = p.openNotice("Refused", 1, alertmsg.DeliveryOptions{})
	p.step()
	p.closeNotice(a, true)
	p.wantEqual("refused before the end", p.states(a),
		"planner.example resolved skipped notTold; planner.example triggered failed refused")
}

// A webhook that fails is called again for a day, with growing waits and the same ID.
func TestWebhooksRetriedForADay(t *testing.T) {
	p := newOutboxFixture(t)
	id := p.addWebhook("planner")
	p.webhookSender.failWith(notify.Transient, "no answer")
	a := p.openNotice("Frost", 2, alertmsg.DeliveryOptions{})
	begin := p.Clock.Now()
	for next := p.step(); !next.IsZero(); next = p.step() {
		p.Clock.Set(next)
	}
	if took := p.Clock.Now().Sub(begin); took < 24*time.Hour || took > 24*time.Hour+time.Minute {
		t.Errorf("tried for %v", took)
	}
	p.wantEqual("in the end", p.states(a), "planner.example triggered failed old")
	if n := p.webhookSender.attempts(); n < 90 || n > 120 || len(slices.Compact(p.webhookSender.triedIDs)) != 1 {
		t.Errorf("%d attempts", n)
	}
	list, err := p.outbox.WebhookDeliveries(t.Context(), p.field.ID, id)
	if err != nil || len(list) != 1 || list[0].Answer != "no answer" || list[0].State != notify.Failed ||
		list[0].Notice != a.Notice || list[0].Title != "Frost" {
		t.Errorf("%+v %v", list, err)
	}
}

// The outbox respects RetryAfter up to an hour, but never retries sooner than usual. After three
// deferrals in a row it pauses the host for as long.
func TestWebhookRetryAfter(t *testing.T) {
	const second, minute = time.Second, time.Minute
	for after, want := range map[time.Duration][]time.Duration{
		0:              {15 * second, 30 * second, minute},
		20 * second:    {20 * second, 30 * second, minute},
		10 * minute:    {10 * minute, 10 * minute, 10 * minute},
		24 * time.Hour: {time.Hour, time.Hour, time.Hour},
	} {
		p := newOutboxFixture(t)
		p.addWebhook("planner")
		p.webhookSender.setReply(func(*notify.Notification) error {
			return &notify.Failure{Kind: notify.Transient, Answer: "503", RetryAfter: after}
		})
		a := p.openNotice("Frost", 2, alertmsg.DeliveryOptions{})
		for i, wait := range want {
			next := p.step()
			if got := next.Sub(p.Clock.Now()); got != wait {
				t.Errorf("RetryAfter %v, attempt %d: again after %v, want %v", after, i, got, wait)
			}
			if d := p.deliveries(a)[0]; d.NextTime != next.UnixMilli() || d.Reason != notify.ForRetry {
				t.Errorf("RetryAfter %v: %+v", after, d)
			}
			if i < len(want)-1 {
				p.Clock.Set(next)
			}
		}
		tried := p.webhookSender.attempts()
		p.openNotice("Another", 2, alertmsg.DeliveryOptions{})
		pause := max(15*second, min(after, time.Hour))
		p.Clock.Advance(pause - second)
		if p.step(); p.webhookSender.attempts() != tried {
			t.Errorf("RetryAfter %v: the host is not paused", after)
		}
		p.webhookSender.setReply(nil)
		p.Clock.Advance(second)
		if p.step(); p.webhookSender.attempts() == tried {
			t.Errorf("RetryAfter %v: the host is paused longer", after)
		}
	}
}

// The state of a webhook at the time of sending counts: deliveries to one that is switched off or
// deleted are skipped.
func TestWebhooksSwitchedOff(t *testing.T) {
	p := newOutboxFixture(t)
	off, deleted := p.addWebhook("off"), p.addWebhook("deleted")
	a := p.openNotice("Frost", 1, alertmsg.DeliveryOptions{})
	p.must(p.Webhooks.Toggle(t.Context(), p.field.ID, off))
	p.must(p.Webhooks.Delete(t.Context(), p.field.ID, deleted))
	p.step()
	p.closeNotice(a, true)
	p.step()
	p.wantEqual("sent", p.webhookCalls(), "")
	p.wantEqual("skipped", p.states(a),
		"deleted.example triggered skipped switchedOff; off.example triggered skipped switchedOff")
	p.must(p.Webhooks.Toggle(t.Context(), p.field.ID, off))
	p.openNotice("Again", 1, alertmsg.DeliveryOptions{})
	p.step()
	p.wantEqual("sent", p.webhookCalls(), fmt.Sprintf("%d triggered Again", off))
}

// Only the host that fails is paused: other hosts, and the same host for another tenant, are called
// meanwhile; and a webhook with a new URL is called without delay.
func TestWebhooksPausedByHost(t *testing.T) {
	p := newOutboxFixture(t)
	bad, well := p.addWebhook("bad"), p.addWebhook("well")
	theirs, _, err := p.Webhooks.Create(t.Context(), p.rival.ID,
		&notify.Webhook{Name: "theirs", URL: "https://bad.example", Opened: true, Enabled: true})
	p.must(err)
	p.webhookSender.setReply(func(l *notify.Notification) error {
		if l.Recipient == fmt.Sprint(bad) {
			return &notify.Failure{Kind: notify.Transient, Answer: "503"}
		}
		return nil
	})
	for i := range 5 {
		p.openNotice(fmt.Sprint(i), 1, alertmsg.DeliveryOptions{})
		p.step()
	}
	tried := 0
	for _, to := range p.webhookSender.triedRecipients {
		if to == fmt.Sprint(bad) {
			tried++
		}
	}
	if tried != 3 || strings.Count(p.webhookCalls(), fmt.Sprintf("%d triggered", well)) != 5 {
		t.Errorf("tried %d times in a row", tried)
	}
	if p.outbox.Stats().Down[notify.KindWebhook] {
		t.Error("all webhooks are paused")
	}
	a := p.alarm("Theirs", 1)
	p.must(p.notifier.NoticeOpened(t.Context(), p.rival.ID, a, &alertmsg.DeliveryOptions{}))
	p.step()
	p.wantEqual("another tenant", p.webhookCalls(), fmt.Sprintf("%d triggered Theirs", theirs))

	w := p.webhook(bad)
	w.URL = "https://better.example"
	p.must(p.Webhooks.Update(t.Context(), p.field.ID, w))
	p.webhookSender.setReply(nil)
	p.openNotice("Now", 1, alertmsg.DeliveryOptions{})
	p.step()
	if got := p.webhookCalls(); !strings.Contains(got, fmt.Sprintf("%d triggered Now", bad)) {
		t.Errorf("the new URL is paused: %s", got)
	}
	if got := p.outbox.Stats(); got.Failed != 0 {
		t.Errorf("%+v", got)
	}
}

// A slow host occupies two slots; other hosts do not wait for it, whatever the level.
func TestSlowWebhookDoesNotBlockOthers(t *testing.T) {
	p := newOutboxFixture(t)
	slow := p.addWebhook("slow")
	held, reached := make(chan struct{}), make(chan struct{}, 100)
	p.webhookSender.setReply(func(l *notify.Notification) error {
		if l.Recipient == fmt.Sprint(slow) {
			reached <- struct{}{}
			<-held
		}
		return nil
	})
	for i := range 40 {
		p.openNotice(fmt.Sprint(i), 2, alertmsg.DeliveryOptions{})
	}
	quick := p.addWebhook("quick")
	for i := range 12 {
		p.openNotice(fmt.Sprint("q", i), 0, alertmsg.DeliveryOptions{})
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.outbox.Run(ctx) }()
	<-reached
	<-reached
	p.webhookSender.wait(t, 12) // all calls of the quick one, while the slow one has not answered
	if n := len(reached); n != 0 {
		t.Errorf("%d more calls of the slow one are in flight", n)
	}
	for _, l := range p.webhookSender.take() {
		if l.Recipient != fmt.Sprint(quick) {
			t.Errorf("webhook %s received %s", l.Recipient, l.Alarms[0].Title)
		}
	}
	close(held)
	p.webhookSender.wait(t, 52)
	stop()
	p.must(<-ended)
}

// The process is killed several times while it calls webhooks: each webhook receives each event in
// order, and only calls that were in flight are repeated, with the same ID.
func TestWebhooksAfterCrashes(t *testing.T) {
	const (
		notices = 60
		kills   = 4
	)
	p := newOutboxFixture(t)
	p.addWebhook("one")
	p.addWebhook("two")
	for i := range notices {
		a := p.openNotice(fmt.Sprint(i), i%3, alertmsg.DeliveryOptions{})
		if i%2 == 0 {
			p.closeNotice(a, true)
		}
		if i%15 == 14 {
			p.crashAfterSends(p.webhookSender, i/15*10+3)
		}
	}
	for next := p.step(); !next.IsZero(); next = p.step() {
		p.Clock.Set(next)
	}
	count, order := map[string]int{}, map[string][]alertmsg.Event{}
	for _, l := range p.webhookSender.take() {
		if count[l.ID]++; count[l.ID] > 1 {
			continue
		}
		key := l.Recipient + " " + l.Alarms[0].Title
		order[key] = append(order[key], l.Alarms[0].Event)
	}
	twice := 0
	for _, n := range count {
		twice += n - 1
	}
	if len(count) != 2*(notices+notices/2) || twice > kills*16 {
		t.Errorf("%d of %d calls arrived, %d twice", len(count), 2*(notices+notices/2), twice)
	}
	for key, events := range order {
		if events[0] != alertmsg.Triggered {
			t.Errorf("%s: %v", key, events)
		}
	}
	if got := p.outbox.Stats(); got.Failed+got.Skipped != 0 {
		t.Errorf("%+v", got)
	}
}
