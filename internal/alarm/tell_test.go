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

	"tilth/internal/alarm"
	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/reading"
	"tilth/internal/tenant"
	"tilth/internal/testkit"
)

// recorder takes down what it is told.
type recorder struct {
	began  []news.Alarm
	wishes []news.Wishes
	ended  []news.Alarm
	acked  []news.Alarm
	lines  []string
	broken error
}

func (r *recorder) Began(_ context.Context, t tenant.ID, a *news.Alarm, w *news.Wishes) error {
	if r.broken != nil {
		return r.broken
	}
	r.began, r.wishes = append(r.began, *a), append(r.wishes, *w)
	r.lines = append(r.lines, fmt.Sprintf("%d %s %s", t, a.Title, a.Event))
	return nil
}

func (r *recorder) Ended(_ context.Context, t tenant.ID, a *news.Alarm, told bool) error {
	if r.broken != nil {
		return r.broken
	}
	r.ended = append(r.ended, *a)
	r.lines = append(r.lines, fmt.Sprintf("%d %s %s %v", t, a.Title, a.Event, told))
	return nil
}

func (r *recorder) Acknowledged(_ context.Context, t tenant.ID, a *news.Alarm) error {
	if r.broken != nil {
		return r.broken
	}
	r.acked = append(r.acked, *a)
	r.lines = append(r.lines, fmt.Sprintf("%d %s %s", t, a.Title, a.Event))
	return nil
}

// said is what it was told since it was asked last.
func (r *recorder) said() string {
	said := strings.Join(r.lines, "; ")
	r.lines = nil
	return said
}

// recorded is a yard whose engine tells a recorder.
func recorded(t *testing.T) (*yard, *recorder) {
	t.Helper()
	y, r := newYard(t), &recorder{}
	y.teller = r
	y.start()
	y.engine.LetIn()
	return y, r
}

// What people are told holds all that a text is written from.
func TestNewsOfReadings(t *testing.T) {
	y, told := recorded(t)
	y.mast.NoteName = "East mast"
	y.must(y.Devices.Put(t.Context(), y.owner, y.mast))
	y.Reload(t)
	channel := y.Channel(t, y.owner, "field").ID
	id := y.rule(func(r *alarm.Rule) {
		r.Hits, r.Window, r.Level, r.Description = 2, 5*time.Minute, alarm.LevelSerious, "cover the beds"
		r.Channels, r.Period, r.RemindEvery = []int64{channel}, news.Period{Start: 60, End: 120}, 30*time.Minute
		r.Conditions[0].Recovery = new(4.0)
		r.Conditions = append(r.Conditions, alarm.Condition{Join: "and", Attribute: "heating", Operator: alarm.Equal, Value: reading.Boolean(false)},
			alarm.Condition{Join: "or", Attribute: "note", Operator: alarm.Equal, Value: reading.Text("frost")})
	})
	cold := func(after int64, degrees float64, heating bool) reading.Arrival {
		return y.frame(after, map[string]reading.Value{"airTemperature": reading.Number(degrees), "heating": reading.Boolean(heating), "rain": reading.Number(3)})
	}
	y.judge(cold(1*second, 1.5, false), cold(2*second, 0.64, false))
	n := y.newest()
	want := news.Alarm{
		Event: news.Triggered, Notice: n.ID, Rule: int64(id), Title: "Frost", Level: 2, DeviceID: int64(y.mast.ID), DeviceName: "MAST", NoteName: "East mast",
		Product: y.station.ID, Window: 300_000, Hits: 2, Start: n.Start, Description: "cover the beds",
		Values: map[string]any{"airTemperature": 0.64, "heating": false},
		Conditions: []news.Condition{
			{Join: "and", Property: "airTemperature", Operator: "<", Value: 2.0, Recovery: new(4.0)},
			{Join: "and", Property: "heating", Operator: "=", Value: false},
			{Join: "or", Property: "note", Operator: "=", Value: "frost"},
		},
		Properties: map[string]news.Property{
			"airTemperature": {Name: "Air temp.", Unit: "°C", Decimals: new(1)}, "heating": {Name: "Heating"}, "note": {},
		},
	}
	if len(told.began) != 1 || !reflect.DeepEqual(told.began[0], want) {
		t.Errorf("%+v, want\n%+v", told.began, want)
	}
	if w := told.wishes[0]; !reflect.DeepEqual(w, news.Wishes{Channels: []int64{channel}, Period: news.Period{Start: 60, End: 120}, RemindEvery: 30 * time.Minute}) {
		t.Errorf("%+v", w)
	}
	if _, err := json.Marshal(told.began[0]); err != nil {
		t.Error(err)
	}

	y.Clock.Advance(10 * time.Second)
	y.judge(cold(9*second, 4.2, true))
	want.Event, want.End = news.Resolved, n.Start+7000
	want.Values = map[string]any{"airTemperature": 4.2, "heating": true}
	if len(told.ended) != 1 || !reflect.DeepEqual(told.ended[0], want) {
		t.Errorf("%+v, want\n%+v", told.ended, want)
	}
	y.wants(fmt.Sprintf("Frost 2-9 %s", alarm.Recovered))
}

// Whether people are told of an end goes by who ended it.
func TestNewsOfEnds(t *testing.T) {
	y, told := recorded(t)
	id := y.rule(nil)
	at := int64(0)
	open := func() alarm.Notice {
		t.Helper()
		y.judge(y.air(at+1*second, 5), y.air(at+2*second, 1))
		at += 10 * second
		y.Clock.Advance(10 * time.Second)
		if got, want := told.said(), fmt.Sprintf("%d Frost triggered", y.owner); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		return y.newest()
	}
	ended := func(told string, want bool) {
		t.Helper()
		if line := fmt.Sprintf("%d Frost resolved %v", y.owner, want); told != line {
			t.Errorf("%q, want %q", told, line)
		}
	}
	open()
	y.judge(y.air(at, 5))
	ended(told.said(), true)

	n := open()
	y.must(y.engine.ResolveByHand(t.Context(), y.owner, n.ID, "Ada", "heater on"))
	ended(told.said(), true)
	if a := told.ended[len(told.ended)-1]; !a.ByHand || a.User != "Ada" || a.Remark != "heater on" || a.Values != nil || a.End != y.Clock.Milli() {
		t.Errorf("%+v", a)
	}

	open()
	card, err := y.rules.Get(t.Context(), y.owner, id)
	y.must(err)
	y.must(y.engine.Change(t.Context(), y.owner, []alarm.RuleID{id}, alarm.Changed, func(ctx context.Context) error {
		return y.rules.Update(ctx, y.owner, &card.Rule)
	}))
	ended(told.said(), false)

	open()
	y.unpublish(id)
	ended(told.said(), false)

	y.publish(id)
	open()
	y.must(y.engine.Change(t.Context(), y.owner, []alarm.RuleID{id}, alarm.Deleted, func(ctx context.Context) error {
		return y.rules.Delete(ctx, y.owner, id)
	}))
	ended(told.said(), false)
}

func TestNewsOfBeingOffline(t *testing.T) {
	y, told := recorded(t)
	y.rule(func(r *alarm.Rule) { r.Name, r.Trigger, r.Conditions = "Silent", alarm.DeviceOffline, nil })
	y.Clock.Advance(2 * time.Hour)
	y.tick()
	if len(told.began) != 1 || !told.began[0].Offline || told.began[0].Values != nil || told.began[0].Window != 60_000 || told.wishes[0].Late {
		t.Fatalf("%+v %+v", told.began, told.wishes)
	}
	y.Presence.Seen(testkit.Ref(y.mast))
	y.tick()
	if len(told.ended) != 1 || !told.ended[0].Offline || told.ended[0].End != y.Clock.Milli() || !strings.HasSuffix(told.said(), " true") {
		t.Errorf("%+v", told.ended)
	}
}

// Rules of a device that is gone say nothing more; what they had opened ends.
func TestNewsOfADeletedDevice(t *testing.T) {
	for name, restarted := range map[string]bool{"while it runs": false, "cut short by a kill": true} {
		t.Run(name, func(t *testing.T) {
			y, told := recorded(t)
			y.rule(func(r *alarm.Rule) { r.Description = "close the vents" })
			y.judge(y.air(second, 1))
			n := y.newest()
			told.said()
			y.must(y.Devices.Delete(t.Context(), y.owner, y.mast.ID))
			y.Reload(t)
			if restarted {
				y.restart()
			} else {
				y.must(y.engine.Reload(t.Context()))
			}
			if got, want := told.said(), fmt.Sprintf("%d Frost resolved false", y.owner); got != want || told.ended[0].Notice != n.ID {
				t.Errorf("%q, want %q: %+v", got, want, told.ended)
			}
			if a := told.ended[0]; a.Description != "close the vents" {
				t.Errorf("the end has the description %q", a.Description)
			}
		})
	}
}

// What cannot be handed in is not recorded either, and comes again.
func TestNewsThatIsNotTaken(t *testing.T) {
	y, told := recorded(t)
	y.rule(nil)
	told.broken = errors.New("no room")
	batch := []reading.Arrival{y.air(second, 1)}
	y.send(batch...)
	if err := y.engine.Judge(t.Context(), y.pos, batch); !errors.Is(err, told.broken) {
		t.Errorf("%v", err)
	}
	y.wants("")
	told.broken = nil
	y.must(y.engine.Judge(t.Context(), y.pos, batch))
	y.wants("Frost 1-")
	if got, want := told.said(), fmt.Sprintf("%d Frost triggered", y.owner); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A reading out of a logger's memory is told of as such, and the backlog lasts
// until a present one comes, or nothing for two minutes.
func TestNewsOfABacklog(t *testing.T) {
	y, told := recorded(t)
	y.Clock.Advance(2 * time.Hour)
	id := int64(y.mast.ID)
	if got := y.engine.BacklogUntil(y.owner, id); !got.IsZero() {
		t.Errorf("a backlog without readings: %v", got)
	}
	y.rule(nil)
	y.sql("UPDATE alarm_rules SET deploy_time = 0, update_time = 0")
	y.sql("DELETE FROM alarm_states")
	y.start() // runs since long ago
	y.engine.LetIn()
	other := y.Device(t, y.owner, y.station, "OTHER")
	y.judge(y.air(minute, 1))
	if len(told.wishes) != 1 || !told.wishes[0].Late {
		t.Fatalf("%+v", told.wishes)
	}
	until := y.Clock.Now().Add(2 * time.Minute)
	if got := y.engine.BacklogUntil(y.owner, id); !got.Equal(until) {
		t.Errorf("until %v, want %v", got, until)
	}
	if got := y.engine.BacklogUntil(y.owner, int64(other.ID)); !got.IsZero() {
		t.Errorf("another device's: %v", got)
	}
	if got := y.engine.BacklogUntil(y.owner+1, id); !got.IsZero() {
		t.Errorf("another tenant is told of the device's: %v", got)
	}
	y.Clock.Advance(time.Minute)
	y.judge(y.air(2*minute, 1))
	until = until.Add(time.Minute)
	if got := y.engine.BacklogUntil(y.owner, id); !got.Equal(until) {
		t.Errorf("until %v, want %v", got, until)
	}
	y.Clock.Set(until)
	if got := y.engine.BacklogUntil(y.owner, id); !got.IsZero() {
		t.Errorf("nothing came for two minutes: %v", got)
	}
	y.judge(y.air(3*minute, 1))
	y.judge(y.air(122*minute, 5))
	if got := y.engine.BacklogUntil(y.owner, id); !got.IsZero() {
		t.Errorf("a present reading came: %v", got)
	}
	y.judge(y.air(123*minute, 1))
	if len(told.wishes) != 2 || told.wishes[1].Late {
		t.Errorf("%+v", told.wishes)
	}
}

// Of a device whose clock is behind every reading seems to be of its memory: for
// that nobody waits longer than half an hour, until its readings have been
// present for as long.
func TestBacklogWithoutEnd(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	id := int64(y.mast.ID)
	begin := testkit.Start.Add(24 * time.Hour)
	late := func(d time.Duration) {
		y.Clock.Set(begin.Add(d))
		y.judge(y.air((begin.Add(d - time.Hour)).Sub(testkit.Start).Milliseconds(), 1))
	}
	present := func(d time.Duration) {
		y.Clock.Set(begin.Add(d))
		y.judge(y.air(begin.Add(d).Sub(testkit.Start).Milliseconds(), 1))
	}
	wants := func(what string, want time.Duration) {
		t.Helper()
		got := y.engine.BacklogUntil(y.owner, id)
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
	y.Clock.Set(begin.Add(time.Hour))
	wants("the clock is set back", 0)
	late(61 * time.Minute)
	wants("a late one by that clock", 63*time.Minute)
	y.Clock.Set(begin.Add(4 * time.Hour))
	wants("silent for long", 0)
	late(4*time.Hour + time.Minute)
	wants("another backlog, later", 4*time.Hour+3*time.Minute)
}

// A serious alarm of such a device is told while it is open.
func TestAlarmOfAClockThatIsBehind(t *testing.T) {
	y := newYard(t)
	channel := y.Channel(t, y.owner, "field", func(c *notify.Channel) { c.ByPhone, c.Phones = false, nil }).ID
	y.Outbox = notify.NewOutbox(notify.OutboxOptions{
		DB: y.DB, Tenants: y.Tenants, Channels: y.Channels, Now: y.Clock.Now, Log: y.Log.Logger,
		Carriers: map[notify.Mode]notify.Carrier{notify.Email: carried{}},
		Backlog:  func(t tenant.ID, id int64) time.Time { return y.engine.BacklogUntil(t, id) },
	})
	y.teller = notify.NewDesk(y.DB, y.Messages, y.Outbox, y.hub)
	y.start()
	y.engine.LetIn()
	y.rule(func(r *alarm.Rule) { r.Channels, r.Level = []int64{channel}, alarm.LevelSerious })
	y.Clock.Advance(24 * time.Hour)
	for m := int64(0); m <= 31; m++ {
		y.judge(y.air(23*60*minute+m*minute, 1))
		if _, err := y.Outbox.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := y.Outbox.Of(t.Context(), y.owner, y.newest().ID)
		y.must(err)
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		if told := list[0].State == notify.Sent; told != (m >= 30) {
			t.Fatalf("after %d minutes: %s %s", m, list[0].State, list[0].Reason)
		}
		y.Clock.Advance(time.Minute)
	}
}

// carried is a far end that takes everything.
type carried struct{}

func (carried) Carry(context.Context, *notify.Letter) (string, error) { return "taken", nil }

// From a reading to the people: the engine and the outbox of a server, and a
// kill in between.
func TestFromAReadingToPeople(t *testing.T) {
	y := newYard(t)
	channel := y.Channel(t, y.owner, "field", func(c *notify.Channel) { c.ByPhone, c.Phones = false, nil }).ID
	y.rule(func(r *alarm.Rule) { r.Channels = []int64{channel} })
	y.judge(y.air(second, 1))
	n := y.newest()
	// Judged again after a kill, as far as that was not recorded.
	y.sql("UPDATE judged_positions SET position = 0")
	y.sql("UPDATE notices SET resolve_status = 0")
	y.restart()
	y.judge(y.air(2*second, 5))
	y.wants("Frost 1-2 recovered")
	if _, err := y.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := y.Outbox.Of(t.Context(), y.owner, n.ID)
	y.must(err)
	var got []string
	for _, d := range list {
		got = append(got, fmt.Sprint(d.Recipient, " ", d.Event, " ", d.State))
	}
	if s := strings.Join(got, "; "); s != "field@example.com triggered sent; field@example.com resolved sent" {
		t.Error(s)
	}
	if _, total, err := y.Messages.Page(t.Context(), y.owner, 1, notify.MessageQuery{Limit: 10}); err != nil || total != 2 {
		t.Errorf("%d messages (%v)", total, err)
	}
}
