package alarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tilth/internal/app"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// recorder records the notifications that it receives.
type recorder struct {
	opened []alertmsg.Alarm
	wishes []alertmsg.DeliveryOptions
	closed []alertmsg.Alarm
	acked  []alertmsg.Alarm
	lines  []string
	broken error
}

func (r *recorder) NoticeOpened(_ context.Context, t tenant.ID, a *alertmsg.Alarm, w *alertmsg.DeliveryOptions) error {
	if r.broken != nil {
		return r.broken
	}
	r.opened, r.wishes = append(r.opened, *a), append(r.wishes, *w)
	r.lines = append(r.lines, fmt.Sprintf("%d %s %s", t, a.Title, a.Event))
	return nil
}

func (r *recorder) NoticeClosed(_ context.Context, t tenant.ID, a *alertmsg.Alarm, told bool) error {
	if r.broken != nil {
		return r.broken
	}
	r.closed = append(r.closed, *a)
	r.lines = append(r.lines, fmt.Sprintf("%d %s %s %v", t, a.Title, a.Event, told))
	return nil
}

func (r *recorder) NoticeAcknowledged(_ context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	if r.broken != nil {
		return r.broken
	}
	r.acked = append(r.acked, *a)
	r.lines = append(r.lines, fmt.Sprintf("%d %s %s", t, a.Title, a.Event))
	return nil
}

// takeLines are the notifications since the last call.
func (r *recorder) takeLines() string {
	said := strings.Join(r.lines, "; ")
	r.lines = nil
	return said
}

// newRecordingFixture is a fixture whose engine notifies a recorder.
func newRecordingFixture(t *testing.T) (*fixture, *recorder) {
	t.Helper()
	fx, r := newFixture(t), &recorder{}
	fx.notifier = r
	fx.start()
	fx.engine.LetIn()
	return fx, r
}

// A notification holds all facts that a text is written from.
func TestNotifierReceivesAlarm(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	fx.mast.NoteName = "East mast"
	fx.must(fx.Devices.Put(t.Context(), fx.owner, fx.mast))
	fx.Reload(t)
	channel := fx.Channel(t, fx.owner, "field").ID
	id := fx.createRule(func(r *alarm.Rule) {
		r.Hits, r.Window, r.Level, r.Description = 2, 5*time.Minute, alarm.LevelSerious, "cover the beds"
		r.Channels, r.Period, r.RemindEvery = []int64{channel}, alertmsg.Period{Start: 60, End: 120}, 30*time.Minute
		r.Conditions[0].Recovery = new(4.0)
		r.Conditions = append(r.Conditions, alarm.Condition{Join: "and", Attribute: "heating",
			Operator: comparator.Equal, Value: reading.Boolean(false)},
			alarm.Condition{Join: "or", Attribute: "note", Operator: comparator.Equal, Value: reading.Text("frost")})
	})
	cold := func(after int64, degrees float64, heating bool) reading.Arrival {
		return fx.frame(after, map[string]reading.Value{"airTemperature": reading.Number(degrees),
			"heating": reading.Boolean(heating), "rain": reading.Number(3)})
	}
	fx.evaluate(cold(1*second, 1.5, false), cold(2*second, 0.64, false))
	n := fx.newest()
	want := alertmsg.Alarm{
		Event:       alertmsg.Triggered,
		Notice:      n.ID,
		Rule:        int64(id),
		Title:       "Frost",
		Level:       2,
		DeviceID:    int64(fx.mast.ID),
		DeviceName:  "MAST",
		NoteName:    "East mast",
		Product:     fx.station.ID,
		Window:      300_000,
		Hits:        2,
		Start:       n.Start,
		Description: "cover the beds",
		Values:      map[string]any{"airTemperature": 0.64, "heating": false},
		Conditions: []alertmsg.Condition{
			{Join: "and", Property: "airTemperature", Operator: "<", Value: 2.0, Recovery: new(4.0)},
			{Join: "and", Property: "heating", Operator: "=", Value: false},
			{Join: "or", Property: "note", Operator: "=", Value: "frost"},
		},
		Properties: map[string]alertmsg.Property{
			"airTemperature": {
				Name:     "Air temp.",
				Unit:     "°C",
				Decimals: new(1),
			},
			"heating": {Name: "Heating"},
			"note":    {},
		},
	}
	if len(rec.opened) != 1 || !reflect.DeepEqual(rec.opened[0], want) {
		t.Errorf("%+v, want\n%+v", rec.opened, want)
	}
	if w := rec.wishes[0]; !reflect.DeepEqual(w, alertmsg.DeliveryOptions{Channels: []int64{channel},
		Period: alertmsg.Period{Start: 60, End: 120}, RemindEvery: 30 * time.Minute}) {
		t.Errorf("%+v", w)
	}
	if _, err := json.Marshal(rec.opened[0]); err != nil {
		t.Error(err)
	}

	fx.Clock.Advance(10 * time.Second)
	fx.evaluate(cold(9*second, 4.2, true))
	want.Event, want.End = alertmsg.Resolved, n.Start+7000
	want.Values = map[string]any{"airTemperature": 4.2, "heating": true}
	if len(rec.closed) != 1 || !reflect.DeepEqual(rec.closed[0], want) {
		t.Errorf("%+v, want\n%+v", rec.closed, want)
	}
	fx.wantNotices(fmt.Sprintf("Frost 2-9 %s", alarm.Recovered))
}

// Whether people are notified of an end depends on how it ended.
func TestNotifierReceivesEnds(t *testing.T) {
	fx, told := newRecordingFixture(t)
	id := fx.createRule(nil)
	at := int64(0)
	open := func() alarm.Notice {
		t.Helper()
		fx.evaluate(fx.airTemp(at+1*second, 5), fx.airTemp(at+2*second, 1))
		at += 10 * second
		fx.Clock.Advance(10 * time.Second)
		if got, want := told.takeLines(), fmt.Sprintf("%d Frost triggered", fx.owner); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		return fx.newest()
	}
	ended := func(told string, want bool) {
		t.Helper()
		if line := fmt.Sprintf("%d Frost resolved %v", fx.owner, want); told != line {
			t.Errorf("%q, want %q", told, line)
		}
	}
	open()
	fx.evaluate(fx.airTemp(at, 5))
	ended(told.takeLines(), true)

	n := open()
	fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, n.ID, "Ada", "heater on"))
	ended(told.takeLines(), true)
	if a := told.closed[len(told.closed)-1]; !a.Manual || a.User != "Ada" || a.Remark != "heater on" ||
		a.Values != nil || a.End != fx.Clock.Milli() {
		t.Errorf("%+v", a)
	}

	open()
	card, err := fx.rules.Get(t.Context(), fx.owner, id)
	fx.must(err)
	fx.must(fx.engine.Change(t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Changed, func(ctx context.Context) error {
		return fx.rules.Update(ctx, fx.owner, &card.Rule)
	}))
	ended(told.takeLines(), false)

	open()
	fx.unpublish(id)
	ended(told.takeLines(), false)

	fx.publish(id)
	open()
	fx.must(fx.engine.Change(t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Deleted, func(ctx context.Context) error {
		return fx.rules.Delete(ctx, fx.owner, id)
	}))
	ended(told.takeLines(), false)
}

func TestNotifierReceivesOfflineAlarm(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	fx.createRule(func(r *alarm.Rule) { r.Name, r.Trigger, r.Conditions = "Silent", alarm.DeviceOffline, nil })
	fx.Clock.Advance(2 * time.Hour)
	fx.tick()
	if len(rec.opened) != 1 || !rec.opened[0].Offline || rec.opened[0].Values != nil ||
		rec.opened[0].Window != 60_000 || rec.wishes[0].Late {
		t.Fatalf("%+v %+v", rec.opened, rec.wishes)
	}
	fx.Presence.Seen(testkit.Ref(fx.mast))
	fx.tick()
	if len(rec.closed) != 1 || !rec.closed[0].Offline || rec.closed[0].End != fx.Clock.Milli() ||
		!strings.HasSuffix(rec.takeLines(), " true") {
		t.Errorf("%+v", rec.closed)
	}
}

// Rules of a deleted device send nothing more; their open notices end.
func TestNotifierReceivesEndOfDeletedDevice(t *testing.T) {
	for name, restarted := range map[string]bool{"while it runs": false, "cut short by a kill": true} {
		t.Run(name, func(t *testing.T) {
			fx, rec := newRecordingFixture(t)
			fx.createRule(func(r *alarm.Rule) { r.Description = "close the vents" })
			fx.evaluate(fx.airTemp(second, 1))
			n := fx.newest()
			rec.takeLines()
			fx.must(fx.Devices.Delete(t.Context(), fx.owner, fx.mast.ID))
			fx.Reload(t)
			if restarted {
				fx.restart()
			} else {
				fx.must(fx.engine.Reload(t.Context()))
			}
			if got, want := rec.takeLines(), fmt.Sprintf("%d Frost resolved false", fx.owner); got != want ||
				rec.closed[0].Notice != n.ID {
				t.Errorf("%q, want %q: %+v", got, want, rec.closed)
			}
			if a := rec.closed[0]; a.Description != "close the vents" {
				t.Errorf("the end has the description %q", a.Description)
			}
		})
	}
}

// An event whose notification fails is not recorded either. Both are tried again.
func TestNotifierErrorIsRetried(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	fx.createRule(nil)
	rec.broken = errors.New("no room")
	batch := []reading.Arrival{fx.airTemp(second, 1)}
	fx.send(batch...)
	if err := fx.engine.Evaluate(t.Context(), fx.pos, batch); !errors.Is(err, rec.broken) {
		t.Errorf("%v", err)
	}
	fx.wantNotices("")
	rec.broken = nil
	fx.must(fx.engine.Evaluate(t.Context(), fx.pos, batch))
	fx.wantNotices("Frost 1-")
	if got, want := rec.takeLines(), fmt.Sprintf("%d Frost triggered", fx.owner); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A reading out of a logger's memory is notified as late. The backlog lasts until a present reading
// comes, or until none comes for two minutes.
func TestBacklogUntil(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	fx.Clock.Advance(2 * time.Hour)
	id := int64(fx.mast.ID)
	if got := fx.engine.BacklogUntil(fx.owner, id); !got.IsZero() {
		t.Errorf("a backlog without readings: %v", got)
	}
	fx.createRule(nil)
	fx.sql("UPDATE alarm_rules SET deploy_time = 0, update_time = 0")
	fx.sql("DELETE FROM alarm_states")
	fx.start() // it has run for a long time
	fx.engine.LetIn()
	other := fx.Device(t, fx.owner, fx.station, "OTHER")
	fx.evaluate(fx.airTemp(minute, 1))
	if len(rec.wishes) != 1 || !rec.wishes[0].Late {
		t.Fatalf("%+v", rec.wishes)
	}
	until := fx.Clock.Now().Add(2 * time.Minute)
	if got := fx.engine.BacklogUntil(fx.owner, id); !got.Equal(until) {
		t.Errorf("until %v, want %v", got, until)
	}
	if got := fx.engine.BacklogUntil(fx.owner, int64(other.ID)); !got.IsZero() {
		t.Errorf("another device's: %v", got)
	}
	if got := fx.engine.BacklogUntil(fx.owner+1, id); !got.IsZero() {
		t.Errorf("another tenant sees the device's backlog: %v", got)
	}
	fx.Clock.Advance(time.Minute)
	fx.evaluate(fx.airTemp(2*minute, 1))
	until = until.Add(time.Minute)
	if got := fx.engine.BacklogUntil(fx.owner, id); !got.Equal(until) {
		t.Errorf("until %v, want %v", got, until)
	}
	fx.Clock.Set(until)
	if got := fx.engine.BacklogUntil(fx.owner, id); !got.IsZero() {
		t.Errorf("after two minutes without a reading: %v", got)
	}
	fx.evaluate(fx.airTemp(3*minute, 1))
	fx.evaluate(fx.airTemp(122*minute, 5))
	if got := fx.engine.BacklogUntil(fx.owner, id); !got.IsZero() {
		t.Errorf("after a present reading: %v", got)
	}
	fx.evaluate(fx.airTemp(123*minute, 1))
	if len(rec.wishes) != 2 || rec.wishes[1].Late {
		t.Errorf("%+v", rec.wishes)
	}
}

// All readings of a device whose clock is behind seem to come out of its memory. No notification
// waits for them longer than half an hour, until its readings have been present for as long.
func TestBacklogWaitIsLimited(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	id := int64(fx.mast.ID)
	begin := testkit.Start.Add(24 * time.Hour)
	late := func(d time.Duration) {
		fx.Clock.Set(begin.Add(d))
		fx.evaluate(fx.airTemp((begin.Add(d - time.Hour)).Sub(testkit.Start).Milliseconds(), 1))
	}
	present := func(d time.Duration) {
		fx.Clock.Set(begin.Add(d))
		fx.evaluate(fx.airTemp(begin.Add(d).Sub(testkit.Start).Milliseconds(), 1))
	}
	wants := func(what string, want time.Duration) {
		t.Helper()
		got := fx.engine.BacklogUntil(fx.owner, id)
		if want == 0 && !got.IsZero() || want != 0 && !got.Equal(begin.Add(want)) {
			t.Errorf("%s: until %v, want %v", what, got, want)
		}
	}
	for d := time.Duration(0); d < 28*time.Minute; d += time.Minute {
		late(d)
		wants("as it comes", d+2*time.Minute)
	}
	late(29 * time.Minute)
	wants("at most half an hour", 30*time.Minute)
	for d := 30 * time.Minute; d < 90*time.Minute; d += time.Minute {
		late(d)
		wants("not any more", 0)
	}
	present(90 * time.Minute)
	late(100 * time.Minute)
	wants("present for a moment", 0)
	for d := 101 * time.Minute; d <= 130*time.Minute; d += time.Minute {
		present(d)
	}
	late(131 * time.Minute)
	wants("another backlog", 133*time.Minute)
	fx.Clock.Set(begin.Add(time.Hour))
	wants("the clock is set back", 0)
	late(61 * time.Minute)
	wants("a late one by that clock", 63*time.Minute)
	fx.Clock.Set(begin.Add(4 * time.Hour))
	wants("silent for long", 0)
	late(4*time.Hour + time.Minute)
	wants("another backlog, later", 4*time.Hour+3*time.Minute)
}

// A serious alarm of such a device is sent while it is open.
func TestAlarmOfSlowDeviceClockIsSent(t *testing.T) {
	fx := newFixture(t)
	channel := fx.Channel(t, fx.owner, "field", func(c *notify.Channel) { delete(c.To, notify.KindSMS) }).ID
	fx.Restart(t, func(d *app.Deps) {
		d.Senders = func(*app.Stores) map[notify.ChannelKind]notify.Sender {
			return map[notify.ChannelKind]notify.Sender{notify.KindEmail: carried{}}
		}
	})
	fx.start()
	fx.engine.LetIn()
	fx.createRule(func(r *alarm.Rule) { r.Channels, r.Level = []int64{channel}, alarm.LevelSerious })
	fx.Clock.Advance(24 * time.Hour)
	for m := int64(0); m <= 31; m++ {
		fx.evaluate(fx.airTemp(23*60*minute+m*minute, 1))
		if _, err := fx.Outbox.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := fx.Outbox.Deliveries(t.Context(), fx.owner, fx.newest().ID)
		fx.must(err)
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		if told := list[0].State == notify.Sent; told != (m >= 30) {
			t.Fatalf("after %d minutes: %s %s", m, list[0].State, list[0].Reason)
		}
		fx.Clock.Advance(time.Minute)
	}
}

// carried is a mail server that accepts everything.
type carried struct{}

func (carried) Send(context.Context, *notify.Notification) (string, error) { return "taken", nil }

// From a reading to a delivery: a server's engine and outbox, with a kill in between.
func TestReadingToDelivery(t *testing.T) {
	fx := newFixture(t)
	channel := fx.Channel(t, fx.owner, "field", func(c *notify.Channel) { delete(c.To, notify.KindSMS) }).ID
	fx.createRule(func(r *alarm.Rule) { r.Channels = []int64{channel} })
	fx.evaluate(fx.airTemp(second, 1))
	n := fx.newest()
	// The restarted server evaluates again what was not recorded.
	fx.sql("UPDATE judged_positions SET position = 0")
	fx.sql("UPDATE notices SET resolve_status = 0")
	fx.restart()
	fx.evaluate(fx.airTemp(2*second, 5))
	fx.wantNotices("Frost 1-2 recovered")
	if _, err := fx.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := fx.Outbox.Deliveries(t.Context(), fx.owner, n.ID)
	fx.must(err)
	var got []string
	for _, d := range list {
		got = append(got, fmt.Sprint(d.Recipient, " ", d.Event, " ", d.State))
	}
	if s := strings.Join(got, "; "); s != "field@example.com triggered sent; field@example.com resolved sent" {
		t.Error(s)
	}
	if _, total, err := fx.Messages.Page(t.Context(), fx.owner, 1, notify.MessageQuery{Limit: 10}); err != nil ||
		total != 2 {
		t.Errorf("%d messages (%v)", total, err)
	}
}
