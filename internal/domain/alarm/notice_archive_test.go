package alarm_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// detail is the newest notice with everything.
func (fx *fixture) detail() *alarm.Detail {
	fx.t.Helper()
	d, err := fx.Notices.Get(fx.t.Context(), fx.owner, fx.newest().ID)
	fx.must(err)
	return d
}

// runEngine runs an engine until the returned function is called.
func (fx *fixture) runEngine() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- fx.engine.Run(ctx) }()
	testkit.Eventually(fx.t, "the engine to write in the background", fx.engine.WritesInBackground)
	return func() {
		fx.t.Helper()
		cancel()
		if err := testkit.Receive(fx.t, "the engine's end", ended); err != nil {
			fx.t.Error(err)
		}
	}
}

// Five minutes after its end a notice gets the points of its chart, also after a restart in
// between.
func TestChartIsArchived(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(func(r *alarm.Rule) {
		r.Conditions = append(
			r.Conditions,
			alarm.Condition{Join: "or", Attribute: "heating", Operator: comparator.Equal,
				Value: reading.Boolean(true)},
		)
	})
	fx.evaluate(fx.airTemp(-5*minute, 9), fx.airTemp(-4*minute, 8)) // the former is just too early
	for i := range int64(1200) {
		fx.evaluate(fx.airTemp(second+i*500, 1-float64(i%7)/10))
	}
	fx.evaluate(fx.frame(602*second, map[string]reading.Value{"airTemperature": reading.Number(3),
		"relativeHumidity": reading.Number(40)}))
	fx.evaluate(fx.airTemp(602*second+5*minute, 4), fx.airTemp(602*second+5*minute+1, 5)) // the latter is just too late
	fx.wantNotices("Frost 1-602 recovered")

	fx.Clock.Set(testkit.Start.Add(602*time.Second + 5*time.Minute - time.Millisecond))
	stop := fx.runEngine()
	stop()
	if d := fx.detail(); d.Chart != nil {
		t.Errorf("archived too early: %v", d.Chart)
	}
	fx.Clock.Advance(time.Millisecond)
	fx.restart()
	stop = fx.runEngine()
	testkit.Eventually(t, "the chart", func() bool { return fx.detail().Chart != nil })
	stop()
	kept := fx.detail().Chart
	air := kept["airTemperature"]
	if len(kept) != 1 || len(air) < 200 || len(air) > 500 {
		t.Fatalf("%d properties, %d points", len(kept), len(air))
	}
	first, last := air[0], air[len(air)-1]
	if seconds(first.Time) != "-240" || first.Value != reading.Number(8) || seconds(last.Time) != "902" ||
		last.Value != reading.Number(4) {
		t.Errorf("from %+v to %+v", first, last)
	}
}

// A chart includes a property that the product lost in between: its readings still exist.
func TestChartOfRemovedProperty(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1.5))
	fx.station.Properties = fx.station.Properties[1:]
	fx.must(fx.Catalog.PutProduct(t.Context(), fx.station))
	fx.Reload(t)
	fx.must(fx.engine.Reload(t.Context()))
	fx.Clock.Advance(6 * time.Minute)
	stop := fx.runEngine()
	defer stop()
	testkit.Eventually(t, "the chart", func() bool { return fx.detail().Chart != nil })
	d := fx.detail()
	if points := d.Chart["airTemperature"]; len(points) != 1 || points[0].Value != reading.Number(1.5) {
		t.Errorf("%+v", d.Chart)
	}
	want := alarm.AttributeCopy{Identifier: "airTemperature", FunctionName: "Air temp.", Unit: "°C", Precision: new(1)}
	if was := d.RuleCopy.Attribute("airTemperature"); was == nil || !reflect.DeepEqual(*was, want) {
		t.Errorf("%+v", was)
	}
}

// A deleted device leaves an empty chart, and is not looked up again.
func TestChartOfDeletedDeviceIsEmpty(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	fx.must(fx.Devices.Delete(t.Context(), fx.owner, fx.mast.ID))
	fx.Reload(t)
	fx.must(fx.engine.Reload(t.Context()))
	fx.Clock.Advance(6 * time.Minute)
	stop := fx.runEngine()
	defer stop()
	testkit.Eventually(t, "an empty chart", func() bool { k := fx.detail().Chart; return k != nil && len(k) == 0 })
}

func TestOldNoticesAreRemoved(t *testing.T) {
	fx := newFixture(t)
	now := fx.Clock.Now()
	for _, n := range []struct {
		created time.Time
		status  alarm.ResolveStatus
	}{
		{now.AddDate(-3, 0, 0).Add(-time.Millisecond), alarm.ResolvedAutomatically},
		{now.AddDate(-3, 0, 0).Add(-time.Hour), alarm.ResolvedManually},
		{now.AddDate(-3, 0, 0), alarm.ResolvedAutomatically},
		{now.AddDate(-4, 0, 0), alarm.Pending},
	} {
		fx.Notice(t, testkit.Notice{Device: fx.mast, Status: n.status, Start: n.created.UnixMilli(),
			CreateTime: n.created.UnixMilli()})
	}
	stop := fx.runEngine()
	defer stop()
	testkit.Eventually(t, "old notices to go", func() bool {
		_, total, err := fx.Notices.Page(t.Context(), fx.owner, alarm.NoticeQuery{Limit: 1})
		fx.must(err)
		return total == 2
	})
}

// Age depends on the retention clock: a clock that jumped makes nothing old.
func TestClockJumpDoesNotExpireNotices(t *testing.T) {
	fx := newFixture(t)
	come := fx.Clock.Now()
	fx.retentionClock = func() time.Time { return come }
	fx.restart()
	for _, created := range []time.Time{come.AddDate(-3, 0, 0).Add(-time.Millisecond), come.AddDate(-2, 0, 0)} {
		fx.Notice(t, testkit.Notice{Device: fx.mast, Status: alarm.ResolvedAutomatically,
			Start: created.UnixMilli(), CreateTime: created.UnixMilli()})
	}
	fx.Clock.Advance(9 * 365 * 24 * time.Hour)
	stop := fx.runEngine()
	left := func() int64 {
		_, total, err := fx.Notices.Page(t.Context(), fx.owner, alarm.NoticeQuery{Limit: 1})
		fx.must(err)
		return total
	}
	testkit.Eventually(t, "the old notice to go", func() bool { return left() < 2 })
	stop()
	if n := left(); n != 1 {
		t.Errorf("%d notices are left", n)
	}
}
