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

	"tilth/internal/alarm"
	"tilth/internal/audit"
	"tilth/internal/errs"
	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/testkit"
)

// acked is who is on the newest notice, in short.
func (y *yard) acked() string {
	y.t.Helper()
	n := y.newest()
	d, err := y.Notices.Get(y.t.Context(), y.owner, n.ID)
	y.must(err)
	if !reflect.DeepEqual(n.Ack, d.Ack) {
		y.t.Errorf("the list says %+v, the detail %+v", n.Ack, d.Ack)
	}
	if n.Ack == nil {
		return ""
	}
	return fmt.Sprintf("%s at %s until %s: %s", n.Ack.User, seconds(n.Ack.Time), seconds(n.Ack.RemindAt), n.Ack.Note)
}

// refused fails the test unless a call was, with a sentence.
func (y *yard) refused(what string, err error, key string) {
	y.t.Helper()
	if err == nil || errs.As(err).Kind != errs.Refused || errs.As(err).Key != key {
		y.t.Errorf("%s: %v, want %s", what, err, key)
	}
}

func TestEngineAcknowledge(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	y.judge(y.air(second, 1))
	n := y.newest()
	rival := y.Tenant(t, "rival").ID
	for what, err := range map[string]error{
		"another tenant's":             y.engine.Acknowledge(t.Context(), rival, n.ID, "Eve", "", time.Hour),
		"another tenant's, taken back": y.engine.Unacknowledge(t.Context(), rival, n.ID),
		"none such":                    y.engine.Acknowledge(t.Context(), y.owner, 999, "Ada", "", time.Hour),
		"none such, taken back":        y.engine.Unacknowledge(t.Context(), y.owner, 999),
	} {
		if !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	y.refused("nobody is on it", y.engine.Unacknowledge(t.Context(), y.owner, n.ID), "notice.notAcknowledged")
	if got := y.acked(); got != "" {
		t.Errorf("after refusals: %s", got)
	}
	is := func(want string) {
		t.Helper()
		for range 2 {
			if got := y.acked(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			y.restart()
		}
	}
	y.Clock.Advance(10 * time.Second)
	y.must(y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Ada", "at the pump", 4*time.Hour))
	is("Ada at 10 until 14410: at the pump")
	y.Clock.Advance(10 * time.Second)
	y.must(y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Bora", "", time.Hour))
	is("Bora at 20 until 3620: ")
	y.must(y.engine.Unacknowledge(t.Context(), y.owner, n.ID))
	is("")
	y.must(y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Ada", "", time.Hour))
	y.judge(y.air(30*second, 5))
	y.wants("Frost 1-30 recovered")
	is("Ada at 20 until 3620: ") // it stays with a notice that is over
	y.refused("over", y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Ada", "", time.Hour), "notice.over")
	y.refused("over, taken back", y.engine.Unacknowledge(t.Context(), y.owner, n.ID), "notice.over")

	y.judge(y.air(40*second, 1))
	if got := y.acked(); got != "" {
		t.Errorf("the next notice: %s", got)
	}
	y.must(y.engine.Acknowledge(t.Context(), y.owner, y.newest().ID, "Ada", "", time.Hour))
	y.must(y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""))
	is("Ada at 20 until 3620: ")
}

// The open screens of the tenant hear of each acknowledgement, and what they are told
// later of the notice has it, too.
func TestScreensHearWhoIsOnIt(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	screen, _, _, _ := y.hub.Subscribe(y.owner, "", "")
	other, _, _, _ := y.hub.Subscribe(y.Tenant(t, "rival").ID, "", "")
	type told struct {
		ID     int64
		Status int       `json:"resolveStatus"`
		Ack    *news.Ack // its JSON is the same
	}
	hears := func(status int, want *news.Ack) {
		t.Helper()
		e := testkit.Receive(t, "the event", screen.Events)
		var got told
		y.must(json.Unmarshal(e.Data, &got))
		if e.Name != "notice" || got.Status != status || !reflect.DeepEqual(got.Ack, want) {
			t.Errorf("%s %s", e.Name, e.Data)
		}
	}
	y.judge(y.air(second, 1))
	hears(0, nil)
	n, now := y.newest(), y.Clock.Milli()
	y.must(y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Ada", "soon", time.Hour))
	ada := &news.Ack{User: "Ada", Time: now, Note: "soon", RemindAt: now + 60*minute}
	hears(0, ada)
	y.judge(y.air(2*second, 5))
	hears(1, ada)
	y.judge(y.air(3*second, 1))
	hears(0, nil)
	y.must(y.engine.Acknowledge(t.Context(), y.owner, y.newest().ID, "Ada", "soon", time.Hour))
	hears(0, ada)
	y.must(y.engine.Unacknowledge(t.Context(), y.owner, y.newest().ID))
	hears(0, nil)
	if len(screen.Events)+len(other.Events) != 0 {
		t.Errorf("%d more were told, %d to another tenant", len(screen.Events), len(other.Events))
	}
}

// News of an acknowledgement has who, when and what, and of later news of the notice
// that is a part.
func TestNewsOfAcknowledging(t *testing.T) {
	y, told := recorded(t)
	id := y.rule(nil)
	y.judge(y.air(second, 1))
	n := y.newest()
	y.Clock.Advance(time.Minute)
	now := y.Clock.Milli()
	y.must(y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Ada", "at the pump", time.Hour))
	ada := news.Ack{User: "Ada", Time: now, Note: "at the pump", RemindAt: now + 60*minute}
	if a := told.acked[0]; a.Event != news.Acknowledged || a.At != now || a.Notice != n.ID || a.Rule != int64(id) || a.Title != "Frost" || a.Ack == nil || *a.Ack != ada || a.End != 0 {
		t.Errorf("%+v", a)
	}
	y.Clock.Advance(time.Minute)
	y.must(y.engine.Unacknowledge(t.Context(), y.owner, n.ID))
	if a := told.acked[1]; a.Event != news.Unacknowledged || a.At != now+minute || a.Ack != nil {
		t.Errorf("%+v", a)
	}
	y.must(y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Bora", "", time.Hour))
	y.judge(y.air(minute, 5))
	if a := told.ended[0]; a.Ack == nil || a.Ack.User != "Bora" || a.At != 0 {
		t.Errorf("%+v", a)
	}

	// Also where the rule went with its device while nobody looked.
	y.judge(y.air(2*minute, 1))
	y.must(y.engine.Acknowledge(t.Context(), y.owner, y.newest().ID, "Cem", "", time.Hour))
	y.must(y.Devices.Delete(t.Context(), y.owner, y.mast.ID))
	y.Reload(t)
	y.restart()
	if a := told.ended[1]; a.Ack == nil || a.Ack.User != "Cem" {
		t.Errorf("%+v", a)
	}
}

// What cannot be written or told as a whole has not happened: not on disk, not in
// memory, not on the screens, not in the log of deeds.
func TestAcknowledgingIsOneTransaction(t *testing.T) {
	y := newYard(t)
	y.rule(func(r *alarm.Rule) { r.Channels = []int64{y.Channel(t, y.owner, "field").ID} })
	y.judge(y.air(second, 1))
	n := y.newest()
	_, err := y.Outbox.Step(t.Context())
	y.must(err)
	ctx := y.Audit.With(t.Context(), audit.Who{By: audit.User, ID: 1, Name: func(context.Context) (string, error) { return "Ada", nil }})
	y.must(y.engine.Acknowledge(ctx, y.owner, n.ID, "Ada", "", time.Hour))
	before := fmt.Sprint(y.acked(), y.reminders(n.ID), y.deeds())
	screen, _, _, _ := y.hub.Subscribe(y.owner, "", "")
	for _, what := range []string{"UPDATE ON notices", "UPDATE ON deliveries", "INSERT ON audit_entries"} {
		mend := y.fail(what)
		y.Clock.Advance(time.Second)
		if err := y.engine.Acknowledge(ctx, y.owner, n.ID, "Bora", "x", 4*time.Hour); err == nil {
			t.Errorf("%s failed, and nobody was told", what)
		}
		if err := y.engine.Unacknowledge(ctx, y.owner, n.ID); err == nil {
			t.Errorf("%s failed, and nobody was told", what)
		}
		mend()
		if got := fmt.Sprint(y.acked(), y.reminders(n.ID), y.deeds()); got != before {
			t.Errorf("%s failed: %s, want %s", what, got, before)
		}
	}
	if len(screen.Events) != 0 {
		t.Errorf("screens were told: %s", (<-screen.Events).Data)
	}
	y.must(y.engine.Unacknowledge(ctx, y.owner, n.ID))
	if got := y.deeds(); !strings.HasPrefix(got, "notice.unacknowledge Frost []; notice.acknowledge Frost [remindAt") {
		t.Error(got)
	}
}

// deeds are those of notices that were written down, the newest first.
func (y *yard) deeds() string {
	y.t.Helper()
	entries, _, err := y.Audit.Page(y.t.Context(), y.owner, audit.Query{Limit: 100})
	y.must(err)
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

// reminders are those of a notice that wait, and until when.
func (y *yard) reminders(notice int64) string {
	y.t.Helper()
	list, err := y.Outbox.Of(y.t.Context(), y.owner, notice)
	y.must(err)
	var lines []string
	for _, d := range list {
		if d.Event == news.Reminder && d.State == notify.Queued {
			lines = append(lines, fmt.Sprintf("%s %s", d.Recipient, seconds(d.NextTime)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// Whatever people and readings do, and whenever the server or the database dies: who is
// on a notice is what was answered last, each of its news is told once and in order,
// and people are reminded when they are to be.
func TestAcknowledgingThroughKills(t *testing.T) {
	all := map[string]int{}
	for seed := range uint64(12 / stride(4)) {
		everys := []time.Duration{0, 30 * time.Minute}
		s := &taking{yard: newYard(t), Rand: rand.New(rand.NewPCG(seed, 23)), all: all, every: everys[seed%2], ids: map[string]bool{}}
		s.run(t)
	}
	wanted := map[string]int{"acknowledged": 60, "again": 20, "unacknowledged": 20, "restart": 40, "refused by the disk": 20, "reminded": 50}
	for what, least := range wanted {
		if all[what]*stride(4) < least {
			t.Errorf("%q only %d times in %v", what, all[what], all)
		}
	}
	t.Log(all)
}

// taking plays people, readings and kills, and reckons by itself what must come of it.
type taking struct {
	*yard
	*rand.Rand
	all     map[string]int // how often what happened
	every   time.Duration
	program *testkit.Program

	open     bool
	ack      *alarm.Ack
	told     int64    // when the person was told last, epoch ms
	due      int64    // when they are to be reminded, epoch ms; 0: never
	heard    []string // by the program, to be
	calls    []string // as it was
	ids      map[string]bool
	reminded []int64
	at       int64 // of the newest reading, ms after the clock's start
}

func (s *taking) run(t *testing.T) {
	s.program = testkit.NewProgram(t)
	_, _, err := s.Webhooks.Create(t.Context(), s.owner, &notify.Webhook{
		Name: "Planner", URL: s.program.URL, Opened: true, Resolved: true, Acknowledged: true, Enabled: true,
	})
	s.must(err)
	channel := s.Channel(t, s.owner, "field", func(c *notify.Channel) { c.ByPhone, c.Phones, c.Emails = false, nil, []string{"ada@example.com"} }).ID
	s.rule(func(r *alarm.Rule) { r.Channels, r.RemindEvery = []int64{channel}, s.every })
	for range 70 {
		s.Clock.Advance(time.Duration(1+s.IntN(90)) * time.Minute)
		s.step()
		switch n := s.IntN(12); {
		case n < 2 && s.open && s.ack != nil:
			s.people(t, false)
		case n < 6 && s.open:
			s.people(t, true)
		case n < 8:
			s.restart()
			s.all["restart"]++
		case !s.open || n == 8:
			s.reading()
		}
		s.check(t)
	}
}

// people acknowledge, or take that back; sometimes the disk refuses.
func (s *taking) people(t *testing.T, on bool) {
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
		mend := s.fail([]string{"UPDATE ON notices", "INSERT ON deliveries"}[s.IntN(2)])
		if err := act(); err == nil {
			t.Fatal("the disk refused, and nobody was told")
		}
		mend()
		s.all["refused by the disk"]++
		return
	}
	s.must(act())
	if !on {
		s.all["unacknowledged"]++
		s.heard = append(s.heard, "notice.unacknowledged")
		switch {
		case s.every == 0:
			s.due = 0
		case s.ack.RemindAt > now:
			for s.due = s.told; s.due <= now; s.due += s.every.Milliseconds() {
			}
		}
		s.ack = nil
		return
	}
	s.all["acknowledged"]++
	if s.ack != nil {
		s.all["again"]++
	}
	s.heard = append(s.heard, "notice.acknowledged")
	s.ack = &alarm.Ack{User: user, Note: note, Time: now, RemindAt: now + int64(hours)*60*minute}
	s.due = s.ack.RemindAt
}

// reading begins a notice, or ends the one that is open.
func (s *taking) reading() {
	s.at = s.Clock.Milli() - testkit.Start.UnixMilli()
	if s.open {
		s.judge(s.air(s.at, 5))
		s.open, s.due = false, 0
		s.heard = append(s.heard, "notice.resolved")
		return
	}
	s.judge(s.air(s.at, 1))
	s.open, s.ack = true, nil
	s.heard = append(s.heard, "notice.opened")
	s.step()
	if s.told, s.due = s.Clock.Milli(), 0; s.every > 0 {
		s.due = s.told + s.every.Milliseconds()
	}
}

// step lets the outbox tell what is due, and reckons whom it reminds.
func (s *taking) step() {
	s.t.Helper()
	_, err := s.Outbox.Step(s.t.Context())
	s.must(err)
	now := s.Clock.Milli()
	if s.due == 0 || s.due > now {
		return
	}
	s.all["reminded"]++
	s.reminded = append(s.reminded, now)
	if s.told, s.due = now, 0; s.every > 0 {
		s.due = now + s.every.Milliseconds()
	}
}

func (s *taking) check(t *testing.T) {
	t.Helper()
	s.step()
	if len(s.heard) == 0 {
		return
	}
	if n := s.newest(); !reflect.DeepEqual(n.Ack, s.ack) || (n.Status == alarm.Pending) != s.open {
		t.Fatalf("%+v of %+v, want %+v, open %t", n.Ack, n, s.ack, s.open)
	}
	for _, call := range s.program.Heard() {
		var body struct{ Type string }
		s.must(json.Unmarshal(call.Body, &body))
		s.calls = append(s.calls, body.Type)
		s.ids[call.Header.Get("webhook-id")] = true
	}
	if !slices.Equal(s.calls, s.heard) || len(s.ids) != len(s.calls) {
		t.Fatalf("the program heard %d: %v, want %d: %v", len(s.ids), s.calls, len(s.heard), s.heard)
	}
	reminders := 0
	for _, l := range s.Mails.Letters() {
		if a := l.Alarms[0]; a.Event == news.Reminder {
			reminders++
			if said := a.Ack != nil; said && a.Ack.RemindAt > s.reminded[reminders-1] {
				t.Fatalf("reminded at %d, before %+v", s.reminded[reminders-1], a.Ack)
			}
		}
	}
	if reminders != len(s.reminded) {
		t.Fatalf("%d reminders, want %d", reminders, len(s.reminded))
	}
	want := ""
	if s.due > 0 {
		want = "ada@example.com " + seconds(s.due)
	}
	if got := s.reminders(s.newest().ID); got != want {
		t.Fatalf("%q waits, want %q", got, want)
	}
}

// People acknowledge and take back while readings begin and end notices: what the engine
// knows is what is on disk, and each was answered as it was.
func TestAcknowledgingUnderConcurrency(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	y.judge(y.air(1, 1))
	stop := y.working()
	var people sync.WaitGroup
	var answered atomic.Int64
	judged := make(chan struct{})
	for _, who := range []string{"Ada", "Bora"} {
		people.Go(func() {
			act := func() error {
				list, _, err := y.Notices.Page(t.Context(), y.owner, alarm.NoticeQuery{Limit: 1})
				if err != nil {
					return err
				}
				if rand.IntN(3) == 0 {
					return y.engine.Unacknowledge(t.Context(), y.owner, list[0].ID)
				}
				return y.engine.Acknowledge(t.Context(), y.owner, list[0].ID, who, "", time.Hour)
			}
			for {
				select {
				case <-judged:
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
		y.judge(y.air(n*10, float64(n%300/299*5))) // open mostly
	}
	close(judged)
	people.Wait()
	y.judge(y.air(1e9, 1)) // one is open at the end
	testkit.Eventually(t, "all to be recorded", func() bool { return y.engine.Recorded() == y.pos })
	n := y.newest()
	y.must(y.engine.Acknowledge(t.Context(), y.owner, n.ID, "Cem", "", time.Hour))
	stop()
	before := y.acked()
	y.restart()
	if got := y.acked(); got != before || !strings.HasPrefix(got, "Cem") {
		t.Errorf("%s, before the restart %s", got, before)
	}
	y.must(y.engine.Unacknowledge(t.Context(), y.owner, n.ID))
	if got := y.acked(); got != "" {
		t.Errorf("taken back: %s", got)
	}
}
