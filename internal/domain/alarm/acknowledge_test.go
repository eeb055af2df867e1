package alarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// acked is the acknowledgement of the newest notice, in short.
func (fx *fixture) acked() string {
	fx.t.Helper()
	n := fx.newest()
	d, err := fx.Notices.Get(fx.t.Context(), fx.owner, n.ID)
	fx.must(err)
	if !reflect.DeepEqual(n.Ack, d.Ack) {
		fx.t.Errorf("the list says %+v, the detail %+v", n.Ack, d.Ack)
	}
	if n.Ack == nil {
		return ""
	}
	return fmt.Sprintf("%s at %s until %s: %s", n.Ack.User, seconds(n.Ack.Time), seconds(n.Ack.RemindAt), n.Ack.Note)
}

// refused fails the test unless a call was refused with a sentence.
func (fx *fixture) refused(what string, err error, key string) {
	fx.t.Helper()
	if err == nil || errs.As(err).Kind != errs.Refused || errs.As(err).Key != key {
		fx.t.Errorf("%s: %v, want %s", what, err, key)
	}
}

func TestEngineAcknowledge(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	n := fx.newest()
	rival := fx.Tenant(t, "rival").ID
	for what, err := range map[string]error{
		"another tenant's":            fx.engine.Acknowledge(t.Context(), rival, n.ID, "Eve", "", time.Hour),
		"another tenant's, withdrawn": fx.engine.Unacknowledge(t.Context(), rival, n.ID),
		"unknown notice":              fx.engine.Acknowledge(t.Context(), fx.owner, 999, "Ada", "", time.Hour),
		"unknown notice, withdrawn":   fx.engine.Unacknowledge(t.Context(), fx.owner, 999),
	} {
		if !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	fx.refused("nobody acknowledged it", fx.engine.Unacknowledge(t.Context(), fx.owner, n.ID), "notice.notAcknowledged")
	if got := fx.acked(); got != "" {
		t.Errorf("after refusals: %s", got)
	}
	is := func(want string) {
		t.Helper()
		for range 2 {
			if got := fx.acked(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			fx.restart()
		}
	}
	fx.Clock.Advance(10 * time.Second)
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Ada", "at the pump", 4*time.Hour))
	is("Ada at 10 until 14410: at the pump")
	fx.Clock.Advance(10 * time.Second)
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Bora", "", time.Hour))
	is("Bora at 20 until 3620: ")
	fx.must(fx.engine.Unacknowledge(t.Context(), fx.owner, n.ID))
	is("")
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Ada", "", time.Hour))
	fx.evaluate(fx.airTemp(30*second, 5))
	fx.wantNotices("Frost 1-30 recovered")
	is("Ada at 20 until 3620: ") // it stays with a notice that is over
	fx.refused("over", fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Ada", "", time.Hour), "notice.over")
	fx.refused("over, withdrawn", fx.engine.Unacknowledge(t.Context(), fx.owner, n.ID), "notice.over")

	fx.evaluate(fx.airTemp(40*second, 1))
	if got := fx.acked(); got != "" {
		t.Errorf("the next notice: %s", got)
	}
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, fx.newest().ID, "Ada", "", time.Hour))
	fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""))
	is("Ada at 20 until 3620: ")
}

// The tenant's open screens receive each acknowledgement. Later events of the notice carry it, too.
func TestScreensReceiveAcknowledgements(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	screen, _, _, _ := fx.hub.Subscribe(fx.owner, "", "")
	other, _, _, _ := fx.hub.Subscribe(fx.Tenant(t, "rival").ID, "", "")
	type event struct {
		ID     int64
		Status int           `json:"resolveStatus"`
		Ack    *alertmsg.Ack // its JSON is the same
	}
	wantEvent := func(status int, want *alertmsg.Ack) {
		t.Helper()
		e := nextNotice(t, screen)
		var got event
		fx.must(json.Unmarshal(e.Data, &got))
		if got.Status != status || !reflect.DeepEqual(got.Ack, want) {
			t.Errorf("%s", e.Data)
		}
	}
	fx.evaluate(fx.airTemp(second, 1))
	wantEvent(0, nil)
	n, now := fx.newest(), fx.Clock.Milli()
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Ada", "soon", time.Hour))
	ada := &alertmsg.Ack{User: "Ada", Time: now, Note: "soon", RemindAt: now + 60*minute}
	wantEvent(0, ada)
	fx.evaluate(fx.airTemp(2*second, 5))
	wantEvent(1, ada)
	fx.evaluate(fx.airTemp(3*second, 1))
	wantEvent(0, nil)
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, fx.newest().ID, "Ada", "soon", time.Hour))
	wantEvent(0, ada)
	fx.must(fx.engine.Unacknowledge(t.Context(), fx.owner, fx.newest().ID))
	wantEvent(0, nil)
	if more := noticesLeft(screen); more+len(other.Events) != 0 {
		t.Errorf("%d more events, %d for another tenant", more, len(other.Events))
	}
}

// The notification of an acknowledgement says who, when and what. Later notifications of the notice
// carry it, too.
func TestNotifierReceivesAcknowledgements(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	id := fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	n := fx.newest()
	fx.Clock.Advance(time.Minute)
	now := fx.Clock.Milli()
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Ada", "at the pump", time.Hour))
	ada := alertmsg.Ack{User: "Ada", Time: now, Note: "at the pump", RemindAt: now + 60*minute}
	if a := rec.acked[0]; a.Event != alertmsg.Acknowledged || a.At != now || a.Notice != n.ID ||
		a.Rule != int64(id) || a.Title != "Frost" || a.Ack == nil || *a.Ack != ada || a.End != 0 {
		t.Errorf("%+v", a)
	}
	fx.Clock.Advance(time.Minute)
	fx.must(fx.engine.Unacknowledge(t.Context(), fx.owner, n.ID))
	if a := rec.acked[1]; a.Event != alertmsg.Unacknowledged || a.At != now+minute || a.Ack != nil {
		t.Errorf("%+v", a)
	}
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Bora", "", time.Hour))
	fx.evaluate(fx.airTemp(minute, 5))
	if a := rec.closed[0]; a.Ack == nil || a.Ack.User != "Bora" || a.At != 0 {
		t.Errorf("%+v", a)
	}

	// Also where the rule was deleted with its device while the engine was down.
	fx.evaluate(fx.airTemp(2*minute, 1))
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, fx.newest().ID, "Cem", "", time.Hour))
	fx.must(fx.Devices.Delete(t.Context(), fx.owner, fx.mast.ID))
	fx.Reload(t)
	fx.restart()
	if a := rec.closed[1]; a.Ack == nil || a.Ack.User != "Cem" {
		t.Errorf("%+v", a)
	}
}

// An acknowledgement that cannot be written or notified as a whole leaves no trace: not on disk,
// not in memory, not on the screens, not in the audit log.
func TestAcknowledgeIsAtomic(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(func(r *alarm.Rule) { r.Channels = []int64{fx.Channel(t, fx.owner, "field").ID} })
	fx.evaluate(fx.airTemp(second, 1))
	n := fx.newest()
	_, err := fx.Outbox.Step(t.Context())
	fx.must(err)
	ctx := fx.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.User, ID: 1,
		Name: func(context.Context) (string, error) { return "Ada", nil }})
	fx.must(fx.engine.Acknowledge(ctx, fx.owner, n.ID, "Ada", "", time.Hour))
	before := fmt.Sprint(fx.acked(), fx.reminders(n.ID), fx.auditSummary())
	screen, _, _, _ := fx.hub.Subscribe(fx.owner, "", "")
	for _, what := range []string{"UPDATE ON notices", "UPDATE ON deliveries", "INSERT ON audit_entries"} {
		undo := fx.fail(what)
		fx.Clock.Advance(time.Second)
		if err := fx.engine.Acknowledge(ctx, fx.owner, n.ID, "Bora", "x", 4*time.Hour); err == nil {
			t.Errorf("%s failed, and the caller got no error", what)
		}
		if err := fx.engine.Unacknowledge(ctx, fx.owner, n.ID); err == nil {
			t.Errorf("%s failed, and the caller got no error", what)
		}
		undo()
		if got := fmt.Sprint(fx.acked(), fx.reminders(n.ID), fx.auditSummary()); got != before {
			t.Errorf("%s failed: %s, want %s", what, got, before)
		}
	}
	if len(screen.Events) != 0 {
		t.Errorf("screens received: %s", (<-screen.Events).Data)
	}
	fx.must(fx.engine.Unacknowledge(ctx, fx.owner, n.ID))
	if got := fx.auditSummary(); !strings.HasPrefix(got,
		"notice.unacknowledge Frost []; notice.acknowledge Frost [remindAt") {
		t.Error(got)
	}
}

// auditSummary are the audit entries of notices, the newest first.
func (fx *fixture) auditSummary() string {
	fx.t.Helper()
	entries, _, err := fx.Audit.Page(fx.t.Context(), fx.owner, audit.Query{Limit: 100})
	fx.must(err)
	var lines []string
	for _, e := range entries {
		fields := []string{}
		for _, c := range e.Changes {
			fields = append(fields, c.Field)
		}
		lines = append(lines, fmt.Sprintf("%s.%s %s %s", e.Kind, e.Action, e.Thing.Name, fields))
	}
	return strings.Join(lines, "; ")
}

// reminders are the pending reminders of a notice, and until when they wait.
func (fx *fixture) reminders(notice int64) string {
	fx.t.Helper()
	list, err := fx.Outbox.Deliveries(fx.t.Context(), fx.owner, notice)
	fx.must(err)
	var lines []string
	for _, d := range list {
		if d.Event == alertmsg.Reminder && d.State == notify.Queued {
			lines = append(lines, fmt.Sprintf("%s %s", d.Recipient, seconds(d.NextTime)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// Whatever people and readings do, and whenever the server or the database fails: the
// acknowledgement of a notice is the one that was confirmed last, each of its notifications is sent
// once and in order, and people are reminded when reminders are due.
func TestAcknowledgeSurvivesKills(t *testing.T) {
	all := map[string]int{}
	for seed := range uint64(12 / stride(4)) {
		everys := []time.Duration{0, 30 * time.Minute}
		s := &ackSimulation{
			fixture:     newFixture(t),
			Rand:        rand.New(rand.NewPCG(seed, 23)),
			all:         all,
			remindEvery: everys[seed%2],
			ids:         map[string]bool{},
		}
		s.run(t)
	}
	wanted := map[string]int{
		"acknowledged":        60,
		"again":               20,
		"unacknowledged":      20,
		"restart":             40,
		"refused by the disk": 20,
		"reminded":            50,
	}
	for what, least := range wanted {
		if all[what]*stride(4) < least {
			t.Errorf("%q only %d times in %v", what, all[what], all)
		}
	}
	t.Log(all)
}

// ackSimulation plays people, readings and kills, and computes independently what must follow.
type ackSimulation struct {
	*fixture
	*rand.Rand
	all         map[string]int // how often each thing happened
	remindEvery time.Duration
	webhook     *testkit.WebhookReceiver

	open         bool
	ack          *alarm.Ack
	lastTold     int64    // when the person was notified last, epoch ms
	nextReminder int64    // when the next reminder is due, epoch ms; 0: never
	wantCalls    []string // expected calls of the webhook
	calls        []string // actual calls
	ids          map[string]bool
	remindedAt   []int64
	at           int64 // of the newest reading, ms after the clock's start
}

func (s *ackSimulation) run(t *testing.T) {
	s.webhook = testkit.NewWebhookReceiver(t)
	_, _, err := s.Webhooks.Create(t.Context(), s.owner, &notify.Webhook{
		Name: "Planner", URL: s.webhook.URL, Opened: true, Resolved: true, Acknowledged: true, Enabled: true,
	})
	s.must(err)
	channel := s.Channel(t, s.owner, "field", func(c *notify.Channel) {
		c.To = notify.Recipients{notify.KindEmail: {"ada@example.com"}}
	}).ID
	s.createRule(func(r *alarm.Rule) { r.Channels, r.RemindEvery = []int64{channel}, s.remindEvery })
	for range 70 {
		s.Clock.Advance(time.Duration(1+s.IntN(90)) * time.Minute)
		s.deliverDue()
		switch n := s.IntN(12); {
		case n < 2 && s.open && s.ack != nil:
			s.toggleAck(t, false)
		case n < 6 && s.open:
			s.toggleAck(t, true)
		case n < 8:
			s.restart()
			s.all["restart"]++
		case !s.open || n == 8:
			s.reading()
		}
		s.check(t)
	}
}

// toggleAck acknowledges a notice, or withdraws that; sometimes the disk refuses.
func (s *ackSimulation) toggleAck(t *testing.T, on bool) {
	now, id := s.Clock.Milli(), s.newest().ID
	hours := alarm.RemindHours[s.IntN(len(alarm.RemindHours))]
	user, note := []string{"Ada", "Bora"}[s.IntN(2)], []string{"", "at the pump"}[s.IntN(2)]
	act := func() error {
		if on {
			return s.engine.Acknowledge(t.Context(), s.owner, id, user, note, time.Duration(hours)*time.Hour)
		}
		return s.engine.Unacknowledge(t.Context(), s.owner, id)
	}
	if s.IntN(4) == 0 {
		undo := s.fail([]string{"UPDATE ON notices", "INSERT ON deliveries"}[s.IntN(2)])
		if err := act(); err == nil {
			t.Fatal("the disk refused, and the caller got no error")
		}
		undo()
		s.all["refused by the disk"]++
		return
	}
	s.must(act())
	if !on {
		s.all["unacknowledged"]++
		s.wantCalls = append(s.wantCalls, "notice.unacknowledged")
		switch {
		case s.remindEvery == 0:
			s.nextReminder = 0
		case s.ack.RemindAt > now:
			for s.nextReminder = s.lastTold; s.nextReminder <= now; s.nextReminder += s.remindEvery.Milliseconds() {
			}
		}
		s.ack = nil
		return
	}
	s.all["acknowledged"]++
	if s.ack != nil {
		s.all["again"]++
	}
	s.wantCalls = append(s.wantCalls, "notice.acknowledged")
	s.ack = &alarm.Ack{User: user, Note: note, Time: now, RemindAt: now + int64(hours)*60*minute}
	s.nextReminder = s.ack.RemindAt
}

// reading begins a notice, or ends the open one.
func (s *ackSimulation) reading() {
	s.at = s.Clock.Milli() - testkit.Start.UnixMilli()
	if s.open {
		s.evaluate(s.airTemp(s.at, 5))
		s.open, s.nextReminder = false, 0
		s.wantCalls = append(s.wantCalls, "notice.resolved")
		return
	}
	s.evaluate(s.airTemp(s.at, 1))
	s.open, s.ack = true, nil
	s.wantCalls = append(s.wantCalls, "notice.opened")
	s.deliverDue()
	if s.lastTold, s.nextReminder = s.Clock.Milli(), 0; s.remindEvery > 0 {
		s.nextReminder = s.lastTold + s.remindEvery.Milliseconds()
	}
}

// deliverDue lets the outbox send what is due, and computes who is reminded.
func (s *ackSimulation) deliverDue() {
	s.t.Helper()
	_, err := s.Outbox.Step(s.t.Context())
	s.must(err)
	now := s.Clock.Milli()
	if s.nextReminder == 0 || s.nextReminder > now {
		return
	}
	s.all["reminded"]++
	s.remindedAt = append(s.remindedAt, now)
	if s.lastTold, s.nextReminder = now, 0; s.remindEvery > 0 {
		s.nextReminder = now + s.remindEvery.Milliseconds()
	}
}

func (s *ackSimulation) check(t *testing.T) {
	t.Helper()
	s.deliverDue()
	if len(s.wantCalls) == 0 {
		return
	}
	if n := s.newest(); !reflect.DeepEqual(n.Ack, s.ack) || (n.Status == alarm.Pending) != s.open {
		t.Fatalf("%+v of %+v, want %+v, open %t", n.Ack, n, s.ack, s.open)
	}
	for _, call := range s.webhook.TakeCalls() {
		var body struct{ Type string }
		s.must(json.Unmarshal(call.Body, &body))
		s.calls = append(s.calls, body.Type)
		s.ids[call.Header.Get("webhook-id")] = true
	}
	if !slices.Equal(s.calls, s.wantCalls) || len(s.ids) != len(s.calls) {
		t.Fatalf("the webhook got %d calls: %v, want %d: %v", len(s.ids), s.calls, len(s.wantCalls), s.wantCalls)
	}
	reminders := 0
	for _, l := range s.MailSender.Sent() {
		if a := l.Alarms[0]; a.Event == alertmsg.Reminder {
			reminders++
			if said := a.Ack != nil; said && a.Ack.RemindAt > s.remindedAt[reminders-1] {
				t.Fatalf("reminded at %d, before %+v", s.remindedAt[reminders-1], a.Ack)
			}
		}
	}
	if reminders != len(s.remindedAt) {
		t.Fatalf("%d reminders, want %d", reminders, len(s.remindedAt))
	}
	want := ""
	if s.nextReminder > 0 {
		want = "ada@example.com " + seconds(s.nextReminder)
	}
	if got := s.reminders(s.newest().ID); got != want {
		t.Fatalf("%q waits, want %q", got, want)
	}
}

// People acknowledge notices and withdraw that while readings begin and end notices: the engine's
// memory equals the disk, and each answer was true.
func TestAcknowledgeConcurrently(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(1, 1))
	stop := fx.runEngine()
	var people sync.WaitGroup
	var answered atomic.Int64
	evaluated := make(chan struct{})
	for _, who := range []string{"Ada", "Bora"} {
		people.Go(func() {
			act := func() error {
				list, _, err := fx.Notices.Page(t.Context(), fx.owner, alarm.NoticeQuery{Limit: 1})
				if err != nil {
					return err
				}
				if rand.IntN(3) == 0 {
					return fx.engine.Unacknowledge(t.Context(), fx.owner, list[0].ID)
				}
				return fx.engine.Acknowledge(t.Context(), fx.owner, list[0].ID, who, "", time.Hour)
			}
			for {
				select {
				case <-evaluated:
					return
				default:
				}
				switch err := act(); {
				case err == nil:
					answered.Add(1)
				case !errs.Is(err, errs.Refused):
					t.Error(err)
				}
			}
		})
	}
	for n := int64(1); n <= 600 || answered.Load() < 20; n++ {
		fx.evaluate(fx.airTemp(n*10, float64(n%300/299*5))) // open mostly
	}
	close(evaluated)
	people.Wait()
	fx.evaluate(fx.airTemp(1e9, 1)) // one notice is open at the end
	testkit.Eventually(t, "all to be recorded", func() bool { return fx.engine.Recorded() == fx.pos })
	n := fx.newest()
	fx.must(fx.engine.Acknowledge(t.Context(), fx.owner, n.ID, "Cem", "", time.Hour))
	stop()
	before := fx.acked()
	fx.restart()
	if got := fx.acked(); got != before || !strings.HasPrefix(got, "Cem") {
		t.Errorf("%s, before the restart %s", got, before)
	}
	fx.must(fx.engine.Unacknowledge(t.Context(), fx.owner, n.ID))
	if got := fx.acked(); got != "" {
		t.Errorf("withdrawn: %s", got)
	}
}
