package alarm_test

import (
	"strings"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/reading"
	"tilth/internal/testkit"
)

// at sets the clock and judges the air temperature of then.
func (y *yard) at(after int64, degrees float64) {
	y.t.Helper()
	y.setClock(after)
	y.judge(y.air(after, degrees))
}

func (y *yard) setClock(after int64) {
	y.Clock.Set(testkit.Start.Add(time.Duration(after) * time.Millisecond))
}

// Twenty frosts come after one reading that is stamped ahead, by little or by
// much; the server is killed after any of them. The notices are those that there
// are without that reading.
func TestOneReadingAheadHidesNoFrost(t *testing.T) {
	story := func(y *yard, ahead int64, killedAfter int) string {
		y.rule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 10*time.Minute })
		for i := range 40 {
			y.at(int64(i)*30*second, []float64{1, 1, 5, 1}[i%4])
			if i == 2 && ahead > 0 {
				y.judge(y.air(60*second+ahead, 5))
			}
			if i == killedAfter {
				y.restart()
			}
		}
		return y.told()
	}
	want := story(newYard(t), 0, -1)
	if n := strings.Count(want, "recovered"); n < 10 {
		t.Fatalf("%q proves little", want)
	}
	for _, ahead := range []time.Duration{2*time.Minute + 10*time.Second, 9*time.Minute + 50*time.Second, 9*time.Hour + 50*time.Minute} {
		for killed := -1; killed < 40; killed += stride(17) {
			if ahead != 9*time.Minute+50*time.Second && killed >= 0 {
				break
			}
			if got := story(newYard(t), ahead.Milliseconds(), killed); got != want {
				t.Fatalf("%v ahead, killed after %d:\n%s\nwant\n%s", ahead, killed, got, want)
			}
		}
	}
}

// A notice that was ended by a reading stamped ahead is over, and what that used
// up counts from then on: that is kept, once.
func TestLoweredRuleIsKept(t *testing.T) {
	y := newYard(t)
	id := y.rule(nil)
	y.at(1*minute, 1)
	y.judge(y.air(9*minute, 5))
	y.wants("Frost 60-540 recovered")
	y.at(2*minute, 5) // lowers the rule, and leads to nothing else
	floor := y.floor(id)
	if want := testkit.Start.UnixMilli() + minute; floor != want {
		t.Fatalf("floor %d, want %d", floor, want)
	}
	y.restart()
	y.at(3*minute, 1)
	y.wants("Frost 60-540 recovered; Frost 180-")
	// One that alternates, and ends nothing, is written no more.
	mend := y.fail("UPDATE ON alarm_states")
	for i := int64(4); i < 30; i++ {
		y.at(i*minute, 1)
		y.judge(y.air((i+9)*minute, 1))
	}
	mend()
	if y.floor(id) != floor {
		t.Errorf("the floor is %d now", y.floor(id))
	}
	y.wants("Frost 60-540 recovered; Frost 180-")
}

// floor is what is written of a rule.
func (y *yard) floor(id alarm.RuleID) (floor int64) {
	y.t.Helper()
	y.must(y.DB.Read(y.t.Context()).NewSelect().Table("alarm_states").Column("floor").Where("rule_id = ?", id).Scan(y.t.Context(), &floor))
	return floor
}

// runningAndRestarted tells a story twice, the second time with a restart in it.
func runningAndRestarted(t *testing.T, story func(y *yard, maybeRestart func())) {
	t.Run("running", func(t *testing.T) { story(newYard(t), func() {}) })
	t.Run("restarted", func(t *testing.T) {
		y := newYard(t)
		story(y, y.restart)
	})
}

// A rule that is published while its device's newest reading is ahead is silent
// for none that is right; those from before do not count, whatever they say.
func TestPublishedAfterAReadingAhead(t *testing.T) {
	runningAndRestarted(t, func(y *yard, maybeRestart func()) {
		y.at(0, 1)
		y.judge(y.air(9*minute, 1))
		y.setClock(10 * second)
		y.rule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 20*time.Minute })
		y.judge(y.air(9*minute+second, 1)) // still fast
		y.wants("")
		maybeRestart()
		y.at(1*minute, 1)
		y.wants("")
		y.at(2*minute, 1)
		y.wants("Frost 120-")
	})
}

// What arrived before a rule was published does not count though it is judged
// only then, minutes late.
func TestPublishedWhileJudgingIsBehind(t *testing.T) {
	y := newYard(t)
	var waiting [][]reading.Arrival
	for i := range int64(10) {
		y.setClock(i * minute)
		waiting = append(waiting, []reading.Arrival{y.air(i*minute, 1)})
		y.must(y.readings.Append(t.Context(), waiting[i]))
	}
	y.rule(nil)
	for _, batch := range waiting {
		y.pos++
		y.must(y.engine.Judge(t.Context(), y.pos, batch))
	}
	y.wants("")
	y.at(10*minute, 1)
	y.wants("Frost 600-")
}

// A server whose clock was days ahead took readings of those days as right. Once
// it is set back, the first right one passes them over.
func TestReadingsOfAClockThatWasAhead(t *testing.T) {
	runningAndRestarted(t, func(y *yard, maybeRestart func()) {
		y.rule(nil)
		y.at(72*60*minute, 5)
		y.setClock(minute)
		y.tick()
		maybeRestart()
		y.at(2*minute, 1)
		y.wants("Frost 120-")
		y.at(3*minute, 5)
		y.wants("Frost 120-180 recovered")
	})
}

// What people do to rules whose device's clock is fast leaves nothing silent.
func TestResolvedByHandAtAReadingAhead(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	y.at(1*minute, 5)
	y.judge(y.air(9*minute, 1))
	y.must(y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""))
	y.wants("Frost 540-540 byHand")
	y.at(2*minute, 1) // waits on
	y.restart()
	y.at(3*minute, 5)
	y.at(4*minute, 1)
	y.wants("Frost 540-540 byHand; Frost 240-")
}
