package alarm_test

import (
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/tools/testkit"
)

// evaluateAt sets the clock and evaluates an air temperature of that time.
func (fx *fixture) evaluateAt(after int64, degrees float64) {
	fx.t.Helper()
	fx.setClock(after)
	fx.evaluate(fx.airTemp(after, degrees))
}

func (fx *fixture) setClock(after int64) {
	fx.Clock.Set(testkit.Start.Add(time.Duration(after) * time.Millisecond))
}

// Twenty frosts come after one reading that is stamped ahead, by little or by much. The server is
// killed after any of them. The notices are the same as without that reading.
func TestFutureReadingDoesNotHideNotices(t *testing.T) {
	story := func(fx *fixture, ahead int64, killedAfter int) string {
		fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 10*time.Minute })
		for i := range 40 {
			fx.evaluateAt(int64(i)*30*second, []float64{1, 1, 5, 1}[i%4])
			if i == 2 && ahead > 0 {
				fx.evaluate(fx.airTemp(60*second+ahead, 5))
			}
			if i == killedAfter {
				fx.restart()
			}
		}
		return fx.noticeSummary()
	}
	want := story(newFixture(t), 0, -1)
	if n := strings.Count(want, "recovered"); n < 10 {
		t.Fatalf("%q: too few notices to prove anything", want)
	}
	for _, ahead := range []time.Duration{2*time.Minute + 10*time.Second, 9*time.Minute + 50*time.Second,
		9*time.Hour + 50*time.Minute} {
		for killed := -1; killed < 40; killed += stride(17) {
			if ahead != 9*time.Minute+50*time.Second && killed >= 0 {
				break
			}
			if got := story(newFixture(t), ahead.Milliseconds(), killed); got != want {
				t.Fatalf("%v ahead, killed after %d:\n%s\nwant\n%s", ahead, killed, got, want)
			}
		}
	}
}

// A notice that a reading stamped ahead ended is over. The samples that it used up count from then
// on. That is written, once.
func TestLoweredFloorIsPersisted(t *testing.T) {
	fx := newFixture(t)
	id := fx.createRule(nil)
	fx.evaluateAt(1*minute, 1)
	fx.evaluate(fx.airTemp(9*minute, 5))
	fx.wantNotices("Frost 60-540 recovered")
	fx.evaluateAt(2*minute, 5) // lowers the floor, and has no other effect
	floor := fx.floor(id)
	if want := testkit.Start.UnixMilli() + minute; floor != want {
		t.Fatalf("floor %d, want %d", floor, want)
	}
	fx.restart()
	fx.evaluateAt(3*minute, 1)
	fx.wantNotices("Frost 60-540 recovered; Frost 180-")
	// A device that alternates between right times and times ahead, and ends nothing, causes no
	// further write.
	undo := fx.fail("UPDATE ON alarm_states")
	for i := int64(4); i < 30; i++ {
		fx.evaluateAt(i*minute, 1)
		fx.evaluate(fx.airTemp((i+9)*minute, 1))
	}
	undo()
	if fx.floor(id) != floor {
		t.Errorf("the floor is %d now", fx.floor(id))
	}
	fx.wantNotices("Frost 60-540 recovered; Frost 180-")
}

// floor is the stored floor of a rule.
func (fx *fixture) floor(id alarm.RuleID) (floor int64) {
	fx.t.Helper()
	fx.must(fx.DB.Read(fx.t.Context()).NewSelect().Table("alarm_states").Column("floor").Where("rule_id = ?", id).
		Scan(fx.t.Context(), &floor))
	return floor
}

// runningAndRestarted plays a story twice, the second time with a restart in it.
func runningAndRestarted(t *testing.T, story func(fx *fixture, maybeRestart func())) {
	t.Run("running", func(t *testing.T) { story(newFixture(t), func() {}) })
	t.Run("restarted", func(t *testing.T) {
		fx := newFixture(t)
		story(fx, fx.restart)
	})
}

// A rule that is published while its device's newest reading is ahead ignores no reading with a
// right time. Readings from before do not count, whatever their time.
func TestRulePublishedAfterFutureReading(t *testing.T) {
	runningAndRestarted(t, func(fx *fixture, maybeRestart func()) {
		fx.evaluateAt(0, 1)
		fx.evaluate(fx.airTemp(9*minute, 1))
		fx.setClock(10 * second)
		fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 20*time.Minute })
		fx.evaluate(fx.airTemp(9*minute+second, 1)) // the device's clock is still fast
		fx.wantNotices("")
		maybeRestart()
		fx.evaluateAt(1*minute, 1)
		fx.wantNotices("")
		fx.evaluateAt(2*minute, 1)
		fx.wantNotices("Frost 120-")
	})
}

// Readings that arrived before a rule was published do not count, though they are evaluated minutes
// later.
func TestRulePublishedWhileEvaluationLags(t *testing.T) {
	fx := newFixture(t)
	var waiting [][]reading.Arrival
	for i := range int64(10) {
		fx.setClock(i * minute)
		waiting = append(waiting, []reading.Arrival{fx.airTemp(i*minute, 1)})
		fx.must(fx.readings.Append(t.Context(), waiting[i]))
	}
	fx.createRule(nil)
	for _, batch := range waiting {
		fx.pos++
		fx.must(fx.engine.Evaluate(t.Context(), fx.pos, batch))
	}
	fx.wantNotices("")
	fx.evaluateAt(10*minute, 1)
	fx.wantNotices("Frost 600-")
}

// A server whose clock was days ahead took readings of those days as right. Once the clock is set
// back, the first right reading passes them over.
func TestServerClockAheadReadingsAreDeferred(t *testing.T) {
	runningAndRestarted(t, func(fx *fixture, maybeRestart func()) {
		fx.createRule(nil)
		fx.evaluateAt(72*60*minute, 5)
		fx.setClock(minute)
		fx.tick()
		maybeRestart()
		fx.evaluateAt(2*minute, 1)
		fx.wantNotices("Frost 120-")
		fx.evaluateAt(3*minute, 5)
		fx.wantNotices("Frost 120-180 recovered")
	})
}

// After a manual resolution at a reading stamped ahead, the rule still reacts to right readings.
func TestResolveManuallyAtFutureReading(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluateAt(1*minute, 5)
	fx.evaluate(fx.airTemp(9*minute, 1))
	fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""))
	fx.wantNotices("Frost 540-540 byHand")
	fx.evaluateAt(2*minute, 1) // the rule still waits
	fx.restart()
	fx.evaluateAt(3*minute, 5)
	fx.evaluateAt(4*minute, 1)
	fx.wantNotices("Frost 540-540 byHand; Frost 240-")
}
