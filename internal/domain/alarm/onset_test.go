package alarm_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"

	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

const day = 24 * 60 * minute

// onsetSummary is since when the newest notice holds, in seconds after the clock's start and with its
// precision, once the search has run; ? when that is not known.
func (fx *fixture) onsetSummary() string {
	fx.t.Helper()
	fx.must(fx.engine.FindSince(fx.t.Context()))
	var left int
	fx.must(fx.DB.Read(fx.t.Context()).NewRaw("SELECT COUNT(*) FROM notices WHERE holds_since IS NULL").
		Scan(fx.t.Context(), &left))
	if left != 0 {
		fx.t.Errorf("%d notices are searched for again", left)
	}
	n := fx.newest()
	if n.HoldsSince == 0 {
		return "?"
	}
	after := strconv.FormatFloat(float64(n.HoldsSince-testkit.Start.UnixMilli())/1000, 'f', -1, 64)
	return strings.TrimSpace(after + " " + string(n.HoldsSincePrecision))
}

// seal seals all days that are over.
func (fx *fixture) seal() {
	fx.t.Helper()
	fx.must(fx.readings.Seal(fx.t.Context(), testkit.Start.Add(10*24*time.Hour)))
}

func conditions(list ...any) (all []alarm.Condition) {
	for i := 0; i < len(list); i += 4 {
		all = append(all, alarm.Condition{
			Join:      list[i].(string),
			Attribute: list[i+1].(string),
			Operator:  list[i+2].(comparator.Operator),
			Value:     list[i+3].(reading.Value),
		})
	}
	return all
}

// A rule that was published just now learns from earlier readings since when its conditions have
// held.
func TestHoldsSince(t *testing.T) {
	type values = map[string]reading.Value
	number, boolean := reading.Number, reading.Boolean
	air := func(f float64) values { return values{"airTemperature": number(f)} }
	both := func(f, humidity float64) values {
		return values{"airTemperature": number(f), "relativeHumidity": number(humidity)}
	}
	note := func(s string) values { return values{"note": reading.Text(s)} }
	type sample struct {
		after  int64
		values values
	}
	damp := conditions(
		"and",
		"airTemperature",
		comparator.Below,
		number(2),
		"and",
		"relativeHumidity",
		comparator.Above,
		number(85),
	)
	for name, c := range map[string]struct {
		rule    []alarm.Condition // none: airTemperature < 2
		history []sample          // before the rule was published
		opens   []sample          // after that; the last sample opens the notice
		hits    int
		want    string
	}{
		"just now":                 {history: []sample{{-minute, air(2)}}, opens: []sample{{0, air(1)}}, want: "0"},
		"the first reading of all": {opens: []sample{{0, air(1)}}, want: "0"},
		"an hour":                  {history: []sample{{-70 * minute, air(5)}, {-59 * minute, air(1)}, {-30 * minute, air(0)}}, opens: []sample{{0, air(1)}}, want: "-3540"},
		"across the ends of stretches": {history: []sample{
			{-8 * day, air(3)}, {-7*day - 1, air(1)}, {-7 * day, air(1)}, {-3*day - 1, air(1)}, {-3 * day, air(1)},
			{-day, air(1)}, {-360 * minute, air(1)},
			{-60*minute - 1, air(1)}, {-60 * minute, air(1)},
		}, opens: []sample{{0, air(1)}}, want: "-604800.001"},
		"for many days, with gaps": {history: []sample{{-29 * day, air(5)}, {-28 * day, air(1)}, {-2 * day, air(1)}}, opens: []sample{{0, air(1)}}, want: "-2419200"},
		"for 30 days":              {history: []sample{{-31 * day, air(5)}, {-30*day - 1, air(2)}, {-30 * day, air(1)}, {-day, air(1)}}, opens: []sample{{0, air(1)}}, want: "-2592000"},
		"interrupted":              {history: []sample{{-300 * minute, air(1)}, {-200 * minute, air(2)}, {-100 * minute, air(1)}}, opens: []sample{{0, air(1)}}, want: "-6000"},
		"interrupted just now":     {history: []sample{{-100 * minute, air(1)}, {-1, air(2)}}, opens: []sample{{0, air(1)}}, want: "0"},
		"a rule of several hits": {
			history: []sample{{-100 * minute, air(1)}, {-90 * minute, air(5)}},
			opens:   []sample{{0, air(1)}, {5 * second, air(3)}, {10 * second, air(1)}, {20 * second, air(1)}},
			hits:    3, want: "10",
		},
		"rounded as in the evaluation": {
			history: []sample{{-30 * minute, air(1.95)}, {-20 * minute, air(1.949)}}, opens: []sample{{0, air(1)}},
			want: "-1200",
		},
		"another device's readings, and unused properties": {
			history: []sample{{-30 * minute, air(1)}, {-20 * minute, values{"rain": number(5)}}}, opens: []sample{{0, air(1)}}, want: "-1800",
		},
		"and: since both do": {
			rule:    damp,
			history: []sample{{-10 * day, both(1, 80)}, {-9 * day, values{"relativeHumidity": number(90)}}, {-2 * day, air(1.5)}}, opens: []sample{{0, air(1)}}, want: "-777600",
		},
		"and: the other's value is older than 30 days": {
			rule: damp, history: []sample{{-90 * day, both(9, 90)}, {-2 * day, air(1)}},
			opens: []sample{{0, air(1)}}, want: "-172800",
		},
		"and: the other never had a value before": {
			rule: damp, history: []sample{{-2 * day, air(1)}}, opens: []sample{{0, both(1, 90)}}, want: "0",
		},
		"or: one after the other": {
			rule: conditions("and", "airTemperature", comparator.Below, number(2), "or", "relativeHumidity", comparator.Above, number(85)),
			history: []sample{{-40 * minute, both(5, 80)}, {-30 * minute, air(1)}, {-20 * minute, both(1, 90)},
				{-10 * minute, air(5)}}, opens: []sample{{0, air(6)}}, want: "-1800",
		},
		"folded from left to right": {
			rule: conditions("and", "airTemperature", comparator.Below, number(2), "or", "airTemperature", comparator.Above, number(30), "and", "heating", comparator.Equal, boolean(false)),
			history: []sample{
				{-40 * minute, values{"airTemperature": number(1), "heating": boolean(true)}}, {-30 * minute, values{"heating": boolean(false)}}, {-20 * minute, air(31)},
			}, opens: []sample{{0, air(1)}}, want: "-1800",
		},
		"a boolean": {
			rule:    conditions("and", "heating", comparator.Equal, boolean(true)),
			history: []sample{{-2 * day, values{"heating": boolean(false)}}, {-day, values{"heating": boolean(true)}}}, opens: []sample{{0, values{"heating": boolean(true)}}}, want: "-86400",
		},
		"a text": {
			rule:    conditions("and", "note", comparator.NotEqual, reading.Text("ok")),
			history: []sample{{-2 * day, note("ok")}, {-day, note("jam")}, {-minute, note("Ok")}}, opens: []sample{{0, note("jam")}}, want: "-86400",
		},
	} {
		for packed, seal := range map[string]bool{"": false, ", packed": true} {
			t.Run(name+packed, func(t *testing.T) {
				fx := newFixture(t)
				other := fx.Device(t, fx.owner, fx.station, "OTHER")
				for _, s := range c.history {
					f := fx.frame(s.after, s.values)
					fx.send(f)
					f.Device, f.Fields = other.ID,
						[]reading.Field{{Property: fx.station.Property("airTemperature").ID, Value: number(9)}}
					fx.send(f)
				}
				if seal {
					fx.seal()
				}
				fx.createRule(func(r *alarm.Rule) {
					r.Hits = max(1, c.hits)
					if c.rule != nil {
						r.Conditions = c.rule
					}
				})
				for _, s := range c.opens {
					fx.evaluate(fx.frame(s.after, s.values))
				}
				if n := fx.newest(); n.Start != testkit.Start.UnixMilli()+c.opens[len(c.opens)-1].after {
					t.Fatalf("it began at %s", seconds(n.Start))
				}
				if got := fx.onsetSummary(); got != c.want {
					t.Errorf("holds since %s, want %s", got, c.want)
				}
			})
		}
	}
}

// In whatever order samples come, sealed or not: the onset is the one that a pass over all samples
// finds.
func TestHoldsSinceMatchesFullScan(t *testing.T) {
	attributes := []string{"airTemperature", "relativeHumidity", "heating"}
	for seed := range uint64(40 / stride(4)) {
		random := rand.New(rand.NewPCG(seed, 5))
		fx := newFixture(t)
		value := func(attribute string) reading.Value {
			if attribute == "heating" {
				return reading.Boolean(random.IntN(6) > 0)
			}
			return reading.Number(float64(random.IntN(50)) / 10)
		}
		var frames []reading.Arrival
		for range 40 + random.IntN(200) {
			back := int64(random.ExpFloat64() * float64(day))
			values := map[string]reading.Value{}
			for _, a := range attributes {
				if random.IntN(2) == 0 {
					values[a] = value(a)
				}
			}
			if len(values) > 0 {
				frames = append(frames, fx.frame(-back, values))
			}
		}
		for _, f := range frames {
			fx.send(f)
			if random.IntN(60) == 0 {
				fx.seal()
			}
		}
		rule := conditions("and", attributes[0], comparator.Below, reading.Number(4.5), []string{"and", "or"}[seed%2],
			attributes[1], comparator.Above, reading.Number(.7),
			"and", attributes[2], comparator.Equal, reading.Boolean(true))
		if seed%3 != 0 {
			rule[0].Recovery = new(4.8)
		}
		fx.createRule(func(r *alarm.Rule) { r.Conditions = rule })
		opens := fx.frame(1, map[string]reading.Value{attributes[0]: reading.Number(1),
			attributes[1]: reading.Number(4), attributes[2]: reading.Boolean(true)})
		fx.evaluate(opens)
		want := fx.expectedOnset(append(frames, opens), rule, 30*day)
		if fx.onsetSummary(); fx.newest().HoldsSince != want {
			t.Fatalf("seed %d: holds since %s, want %s", seed, seconds(fx.newest().HoldsSince), seconds(want))
		}
	}
}

// expectedOnset is since when conditions have held up to the newest of all frames, by a pass over
// those of the time before it (reach) one by one.
func (fx *fixture) expectedOnset(frames []reading.Arrival, rule []alarm.Condition, reach int64) (since int64) {
	fx.t.Helper()
	slices.SortStableFunc(frames, func(a, b reading.Arrival) int { return int(a.Time - b.Time) })
	predicate, err := alarm.NewPredicate(alarm.Rule{Conditions: rule, Hits: 1, Window: time.Minute}, fx.station, 0)
	fx.must(err)
	over := slices.Clone(rule)
	for i, c := range over {
		if c.Recovery != nil {
			over[i].Value, over[i].Recovery = reading.Number(*c.Recovery), nil
		}
	}
	lasting, err := alarm.NewPredicate(alarm.Rule{Conditions: over, Hits: 1, Window: time.Minute}, fx.station, 0)
	fx.must(err)
	newest := frames[len(frames)-1].Time
	var before []reading.Field
	for _, f := range frames {
		for _, own := range f.Fields {
			before = slices.DeleteFunc(before, func(b reading.Field) bool { return b.Property == own.Property })
			before = append(before, own)
		}
		slices.SortFunc(before, func(a, b reading.Field) int { return int(a.Property) - int(b.Property) })
		// A rule of one hit begins exactly with a sample for which its conditions hold.
		_, holds := alarm.Step(predicate, alarm.NewState(predicate, f.Time-1), f.Time, f.Time, before)
		_, lasts := alarm.Step(lasting, alarm.NewState(lasting, f.Time-1), f.Time, f.Time, before)
		switch {
		case !lasts:
			since = 0
		case holds && since == 0 && f.Time >= newest-reach:
			since = f.Time
		}
	}
	return since
}

// The onset is written once, published to the open screens, and known to the engine, which notifies
// it with the end. HoldsSince returns it before it is written.
func TestHoldsSinceIsPublished(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	screen, _, _, _ := fx.hub.Subscribe(fx.owner, "", "")
	fx.send(fx.airTemp(-30*minute, 5), fx.airTemp(-20*minute, 1))
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	n := fx.newest()
	if n.HoldsSince != 0 || rec.opened[0].HoldsSince != 0 ||
		strings.Contains(string(testkit.Receive(t, "the begin", screen.Events).Data), "holdsSince") {
		t.Fatalf("known too early: %+v, %+v", n, rec.opened)
	}
	undo := fx.fail("UPDATE ON notices")
	if err := fx.engine.FindSince(t.Context()); err == nil {
		t.Fatal("it is written")
	}
	since := testkit.Start.UnixMilli() - 20*minute
	stranger := fx.Tenant(t, "stranger").ID
	got, _ := fx.engine.HoldsSince(fx.owner, n.ID)
	if theirs, _ := fx.engine.HoldsSince(stranger, n.ID); got != since || theirs != 0 {
		t.Errorf("known before it is written: %d", got)
	}
	fx.send(fx.airTemp(-10*minute, 5)) // late: it does not change the onset
	undo()
	if got := fx.onsetSummary(); got != "-1200" {
		t.Errorf("since %s", got)
	}
	if kept, _ := fx.engine.HoldsSince(fx.owner, n.ID); kept != 0 {
		t.Error("it stays in memory")
	}
	var live struct{ ID, HoldsSince, ResolveStatus int64 }
	fx.must(json.Unmarshal(testkit.Receive(t, "since", screen.Events).Data, &live))
	if live.ID != n.ID || live.HoldsSince != since || live.ResolveStatus != 0 {
		t.Errorf("published %+v", live)
	}
	fx.must(fx.engine.FindSince(t.Context()))
	fx.evaluate(fx.airTemp(2*second, 5))
	if end := rec.closed[0]; end.HoldsSince != since {
		t.Errorf("the end: %+v", end)
	}
	fx.must(json.Unmarshal(testkit.Receive(t, "the end", screen.Events).Data, &live))
	if live.ResolveStatus != 1 || live.HoldsSince != since || len(screen.Events) != 0 {
		t.Errorf("received %+v and %d more", live, len(screen.Events))
	}
}

// The onset of a notice that is over before the search is found all the same.
func TestHoldsSinceOfClosedNotice(t *testing.T) {
	fx := newFixture(t)
	screen, _, _, _ := fx.hub.Subscribe(fx.owner, "", "")
	fx.send(fx.airTemp(-20*minute, 1))
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1), fx.airTemp(2*second, 5))
	if got := fx.onsetSummary(); got != "-1200" {
		t.Errorf("since %s", got)
	}
	var live struct{ HoldsSince, EndTime, ResolveStatus int64 }
	for range 3 {
		fx.must(json.Unmarshal(nextNotice(t, screen).Data, &live))
	}
	if live.ResolveStatus != 1 || live.HoldsSince != testkit.Start.UnixMilli()-20*minute || live.EndTime == 0 {
		t.Errorf("published %+v", live)
	}
}

// A kill comes before any onset was found, or between two: the next start continues, and an open
// notice has its earlier onset.
func TestHoldsSinceAfterAKill(t *testing.T) {
	fx := newFixture(t)
	fx.send(fx.airTemp(-20*minute, 1))
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	if got := fx.onsetSummary(); got != "-1200" {
		t.Fatal(got)
	}
	fx.createRule(func(r *alarm.Rule) { r.Name = "Second" })
	fx.evaluate(fx.airTemp(2*second, 1))
	fx.restart()
	rec := &recorder{}
	fx.notifier = rec
	fx.restart()
	stop := fx.runEngine()
	testkit.Eventually(t, "since", func() bool { return fx.newest().HoldsSince != 0 })
	stop()
	fx.evaluate(fx.airTemp(3*second, 5))
	since := testkit.Start.UnixMilli() - 20*minute
	if len(rec.closed) != 2 || rec.closed[0].HoldsSince != since || rec.closed[1].HoldsSince != since {
		t.Errorf("%+v", rec.closed)
	}
}

// The onset of an unsteady notice is published like any other.
func TestHoldsSinceOfAnUnsteadyOne(t *testing.T) {
	fx := newFixture(t)
	fx.setMaxPerHour(1)
	fx.createRule(nil)
	for i := range int64(3) {
		fx.evaluateAt(i*minute, []float64{1, 5}[i%2])
	}
	fx.evaluateAt(3*minute, 0)
	fx.wantNotices("Frost 0-60 recovered; Frost 120- unsteady")
	if got := fx.onsetSummary(); got != "120" {
		t.Errorf("since %s", got)
	}
	fx.evaluateAt(4*minute, 5) // its changes are counted, and written with its end
	for i := range int64(12) {
		fx.evaluateAt((5+i)*minute, 5)
	}
	if n := fx.newest(); n.Status == alarm.Pending || seconds(n.HoldsSince) != "120" {
		t.Errorf("%+v", n)
	}
}

// Where the readings are gone, or another reading replaced the one that opened the notice, the
// onset is not known. That is written, so that no search follows.
func TestHoldsSinceIsNotKnown(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(fx *fixture)
		want    string
	}{
		"unchanged":       {func(*fixture) {}, "-1200"},
		"erased":          {func(fx *fixture) { fx.must(fx.readings.Erase(fx.t.Context(), fx.owner, fx.mast.ID)) }, "?"},
		"replaced":        {func(fx *fixture) { fx.send(fx.airTemp(second, 5)) }, "?"},
		"removed":         {func(fx *fixture) { fx.send(fx.frame(second, map[string]reading.Value{"airTemperature": {}})) }, "?"},
		"late, before it": {func(fx *fixture) { fx.send(fx.airTemp(-10*minute, 5)) }, "1"},
		"the device is deleted": {func(fx *fixture) {
			fx.must(fx.Devices.Delete(fx.t.Context(), fx.owner, fx.mast.ID))
			fx.Reload(fx.t)
		}, "?"},
		"its attribute is removed, not its readings": {func(fx *fixture) {
			fx.station.Properties = fx.station.Properties[1:]
			fx.must(fx.Catalog.PutProduct(fx.t.Context(), fx.station))
			fx.Reload(fx.t)
		}, "-1200"},
		"its attribute has other decimals now": {func(fx *fixture) {
			fx.station.Properties[0].Precision = new(0)
			fx.must(fx.Catalog.PutProduct(fx.t.Context(), fx.station))
			fx.Reload(fx.t)
		}, "-1200"},
		"its attribute is unknown": {func(fx *fixture) {
			fx.sql(`UPDATE notices SET rule = replace(rule, 'airTemperature', 'unheardOf')`)
		}, "?"},
		"its rule copy cannot be decoded": {func(fx *fixture) { fx.sql(`UPDATE notices SET rule = '{'`) }, "?"},
		"its rule copy is empty":          {func(fx *fixture) { fx.sql(`UPDATE notices SET rule = '{}'`) }, "?"},
	} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t)
			fx.send(fx.airTemp(-30*minute, 5), fx.airTemp(-20*minute, 1.6)) // 2 without decimals
			fx.createRule(nil)
			fx.evaluate(fx.airTemp(second, 1))
			c.happens(fx)
			if got := fx.onsetSummary(); got != c.want {
				t.Errorf("since %s, want %s", got, c.want)
			}
		})
	}
}

// The search treats readings stamped ahead as the evaluation does: those after the sample that
// opened the notice do not count, and deferred ones count once their time is past.
func TestHoldsSinceAndReadingsStampedAhead(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluateAt(0, 1) // opens
	fx.evaluate(fx.airTemp(20*minute, 5))
	if got := fx.onsetSummary(); got != "0" {
		t.Errorf("since %s", got)
	}
	fx.evaluateAt(minute, 5) // ends it, and defers the readings ahead
	fx.evaluateAt(2*minute, 1)
	fx.wantNotices("Frost 0-1200 recovered; Frost 120-")
	if got := fx.onsetSummary(); got != "120" {
		t.Errorf("since %s", got)
	}
	fx.evaluateAt(3*minute, 5)
	for _, c := range []struct {
		at   int64 // minute
		want string
	}{{4, "240"}, {18, "240"}, {22, "1320"}, {30, "1320"}} { // the sample of minute 20 is false
		fx.createRule(nil)
		fx.evaluateAt(c.at*minute, 1)
		if got := fx.onsetSummary(); got != c.want {
			t.Errorf("minute %d: since %s, want %s", c.at, got, c.want)
		}
	}
	// A device whose clock is always fast has alarms with its own times.
	fx = newFixture(t)
	fx.createRule(nil)
	for i := range int64(5) {
		fx.setClock(i * minute)
		fx.evaluate(fx.airTemp(i*minute+60*minute, 5-2*float64(i)))
	}
	fx.wantNotices("Frost 3720-")
	if got := fx.onsetSummary(); got != "3720" {
		t.Errorf("since %s", got)
	}
}

// A notice on being offline has since its begin the time since when its device is silent.
func TestSilentSince(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	fx.deviceSeenAt(0)
	fx.tickAt(2 * time.Hour) // silent and offline long before the rule is published
	fx.createOfflineRule()
	fx.tickAt(2*time.Hour + 5*time.Minute)
	fx.wantNotices("Silent 7500-")
	if n := fx.newest(); seconds(n.HoldsSince) != "0" || rec.opened[0].HoldsSince != n.HoldsSince {
		t.Errorf("silent since %s, notified %+v", seconds(n.HoldsSince), rec.opened)
	}
	fx.deviceSeenAt(3 * time.Hour)
	if n := fx.newest(); rec.closed[0].HoldsSince != n.HoldsSince || n.Status == alarm.Pending {
		t.Errorf("%+v, notified %+v", n, rec.closed)
	}
	// The onset of a notice from an earlier version was not written: the search finds it.
	fx.tickAt(3*time.Hour + 20*time.Minute)
	fx.tickAt(3*time.Hour + 25*time.Minute)
	fx.wantNotices("Silent 7500-10800 online; Silent 12300-")
	fx.sql("UPDATE notices SET holds_since = NULL WHERE resolve_status = 0")
	if got := fx.onsetSummary(); got != "10800" {
		t.Errorf("silent since %s", got)
	}
	fx.sql("UPDATE notices SET holds_since = NULL WHERE resolve_status = 0")
	fx.Presence.Seen(testkit.Ref(fx.mast)) // back, before the search
	if got := fx.onsetSummary(); got != "?" {
		t.Errorf("silent since %s", got)
	}
}

// The onset of a device that was never seen is written as unknown at once.
func TestSilentSinceNeverSeen(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.tickAt(5 * time.Minute)
	fx.wantNotices("Silent 300-")
	if got := fx.onsetSummary(); got != "?" {
		t.Errorf("silent since %s", got)
	}
}
