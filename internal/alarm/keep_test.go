package alarm_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/reading"
	"tilth/internal/testkit"
)

// detail is the newest notice with everything.
func (y *yard) detail() *alarm.Detail {
	y.t.Helper()
	d, err := y.Notices.Get(y.t.Context(), y.owner, y.newest().ID)
	y.must(err)
	return d
}

// working lets an engine run until the returned function is called.
func (y *yard) working() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- y.engine.Run(ctx) }()
	testkit.Eventually(y.t, "the engine to write beside", y.engine.Beside)
	return func() {
		y.t.Helper()
		cancel()
		if err := testkit.Receive(y.t, "the engine's end", ended); err != nil {
			y.t.Error(err)
		}
	}
}

// Five minutes after its end a notice gets the points of its chart; a restart
// in between loses nothing.
func TestKeptChart(t *testing.T) {
	y := newYard(t)
	y.rule(func(r *alarm.Rule) {
		r.Conditions = append(r.Conditions, alarm.Condition{Join: "or", Attribute: "heating", Operator: alarm.Equal, Value: reading.Boolean(true)})
	})
	y.judge(y.air(-5*minute, 9), y.air(-4*minute, 8)) // the former is just too early
	for i := range int64(1200) {
		y.judge(y.air(second+i*500, 1-float64(i%7)/10))
	}
	y.judge(y.frame(602*second, map[string]reading.Value{"airTemperature": reading.Number(3), "relativeHumidity": reading.Number(40)}))
	y.judge(y.air(602*second+5*minute, 4), y.air(602*second+5*minute+1, 5)) // the latter just too late
	y.wants("Frost 1-602 recovered")

	y.Clock.Set(testkit.Start.Add(602*time.Second + 5*time.Minute - time.Millisecond))
	stop := y.working()
	stop()
	if d := y.detail(); d.Kept != nil {
		t.Errorf("kept too early: %v", d.Kept)
	}
	y.Clock.Advance(time.Millisecond)
	y.restart()
	stop = y.working()
	testkit.Eventually(t, "the chart", func() bool { return y.detail().Kept != nil })
	stop()
	kept := y.detail().Kept
	air := kept["airTemperature"]
	if len(kept) != 1 || len(air) < 200 || len(air) > 500 {
		t.Fatalf("%d properties, %d points", len(kept), len(air))
	}
	first, last := air[0], air[len(air)-1]
	if seconds(first.Time) != "-240" || first.Value != reading.Number(8) || seconds(last.Time) != "902" || last.Value != reading.Number(4) {
		t.Errorf("from %+v to %+v", first, last)
	}
}

// What the product has lost in between is kept all the same: the readings are
// still there.
func TestKeptOfAPropertyThatIsGone(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	y.judge(y.air(second, 1.5))
	y.station.Properties = y.station.Properties[1:]
	y.must(y.Catalog.PutProduct(t.Context(), y.station))
	y.Reload(t)
	y.must(y.engine.Reload(t.Context()))
	y.Clock.Advance(6 * time.Minute)
	stop := y.working()
	defer stop()
	testkit.Eventually(t, "the chart", func() bool { return y.detail().Kept != nil })
	d := y.detail()
	if points := d.Kept["airTemperature"]; len(points) != 1 || points[0].Value != reading.Number(1.5) {
		t.Errorf("%+v", d.Kept)
	}
	want := alarm.AttributeCopy{Identifier: "airTemperature", FunctionName: "Air temp.", Unit: "°C", Precision: new(1)}
	if was := d.Was.Attribute("airTemperature"); was == nil || !reflect.DeepEqual(*was, want) {
		t.Errorf("%+v", was)
	}
}

// A device that is gone leaves no chart, and is not looked at for ever.
func TestKeptOfADeviceThatIsGone(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	y.judge(y.air(second, 1))
	y.must(y.Devices.Delete(t.Context(), y.owner, y.mast.ID))
	y.Reload(t)
	y.must(y.engine.Reload(t.Context()))
	y.Clock.Advance(6 * time.Minute)
	stop := y.working()
	defer stop()
	testkit.Eventually(t, "an empty chart", func() bool { k := y.detail().Kept; return k != nil && len(k) == 0 })
}

func TestOldNoticesAreRemoved(t *testing.T) {
	y := newYard(t)
	now := y.Clock.Now()
	for _, n := range []struct {
		created time.Time
		status  alarm.ResolveStatus
	}{
		{now.AddDate(-3, 0, 0).Add(-time.Millisecond), alarm.ResolvedItself},
		{now.AddDate(-3, 0, 0).Add(-time.Hour), alarm.ResolvedByHand},
		{now.AddDate(-3, 0, 0), alarm.ResolvedItself},
		{now.AddDate(-4, 0, 0), alarm.Pending},
	} {
		y.Notice(t, testkit.Notice{Device: y.mast, Status: n.status, Started: n.created.UnixMilli(), Created: n.created.UnixMilli()})
	}
	stop := y.working()
	defer stop()
	testkit.Eventually(t, "old notices to go", func() bool {
		_, total, err := y.Notices.Page(t.Context(), y.owner, alarm.NoticeQuery{Limit: 1})
		y.must(err)
		return total == 2
	})
}

// What is old goes by how far time has come: a clock that leapt makes nothing old.
func TestNoticesAreNotOldByAClockThatLeapt(t *testing.T) {
	y := newYard(t)
	come := y.Clock.Now()
	y.until = func() time.Time { return come }
	y.restart()
	for _, created := range []time.Time{come.AddDate(-3, 0, 0).Add(-time.Millisecond), come.AddDate(-2, 0, 0)} {
		y.Notice(t, testkit.Notice{Device: y.mast, Status: alarm.ResolvedItself, Started: created.UnixMilli(), Created: created.UnixMilli()})
	}
	y.Clock.Advance(9 * 365 * 24 * time.Hour)
	stop := y.working()
	left := func() int64 {
		_, total, err := y.Notices.Page(t.Context(), y.owner, alarm.NoticeQuery{Limit: 1})
		y.must(err)
		return total
	}
	testkit.Eventually(t, "the old notice to go", func() bool { return left() < 2 })
	stop()
	if n := left(); n != 1 {
		t.Errorf("%d notices are left", n)
	}
}
