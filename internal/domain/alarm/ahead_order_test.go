package alarm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// One reading a minute ahead, then 45 frosts in 45 seconds: the first of them opens the one notice,
// with a restart after any of them, too.
func TestReadingAMinuteAheadSilencesNoFrost(t *testing.T) {
	for killed := -1; killed <= 45; killed += stride(23) {
		fx := newFixture(t)
		fx.createRule(nil)
		fx.evaluateAt(0, 5)
		fx.evaluate(fx.airTemp(minute, 5))
		if killed == 0 {
			fx.restart()
		}
		for i := 1; i <= 45; i++ {
			fx.evaluateAt(int64(i)*second, 1)
			if i == 1 {
				fx.wantNotices("Frost 1-")
			}
			if i == killed {
				fx.restart()
			}
		}
		fx.wantNotices("Frost 1-")
		fx.evaluateAt(minute+second, 1) // the time of the reading ahead is past: it ends nothing
		fx.wantNotices("Frost 1-")
		if t.Failed() {
			t.Fatalf("killed after %d", killed)
		}
	}
}

// A rule of several hits counts the frosts between readings that are ahead. Those keep it from
// nothing, whether they come before the frosts or between them.
func TestReadingsAheadBetweenHits(t *testing.T) {
	runningAndRestarted(t, func(fx *fixture, maybeRestart func()) {
		fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 5, 5*time.Minute })
		for i := int64(1); i <= 4; i++ {
			fx.setClock(i * 10 * second)
			fx.evaluate(fx.airTemp(i*10*second+minute, 5))
			fx.evaluateAt(i*10*second+5*second, 1)
			fx.wantNotices("")
		}
		maybeRestart()
		fx.evaluateAt(50*second, 1)
		fx.wantNotices("Frost 50-")
		fx.evaluateAt(2*minute, 1)
		fx.wantNotices("Frost 50-")
	})
}

// Readings ahead that come every second do no more than readings with right times would: there are
// as many notices as with those.
func TestReadingsAheadHaveNoMorePowerThanRightOnes(t *testing.T) {
	story := func(ahead int64, restarted bool) int {
		fx := newFixture(t)
		fx.maxPerHour = 3
		fx.restart() // with this limit
		fx.createRule(nil)
		for i := int64(1); i <= 90; i++ {
			fx.setClock(i * second)
			fx.evaluate(fx.airTemp(i*second+ahead, 5))
			fx.evaluateAt(i*second+500, 1)
			if restarted && i == 2 {
				fx.restart()
			}
		}
		got := fx.noticeSummary()
		if n := fx.newest(); n.Status != alarm.Pending || !n.Unsteady {
			t.Errorf("%d ms ahead: %s", ahead, got)
		}
		return strings.Count(got, "Frost")
	}
	want := story(0, false)
	if want != 4 { // three, and the unsteady one, which stays open
		t.Fatalf("%d notices with right times", want)
	}
	for _, restarted := range []bool{false, true} {
		for _, ahead := range []int64{1, second, 30 * second, minute} {
			if got := story(ahead, restarted); got != want {
				t.Errorf("%d ms ahead, restarted %v: %d notices, want %d", ahead, restarted, got, want)
			}
		}
	}
}

// A frost that is ahead opens a notice as it arrives, and none when its time comes.
func TestFrostAheadOpensOnce(t *testing.T) {
	for name, then := range map[string]struct {
		degrees float64
		want    string
	}{
		"it stays cold": {1, "Frost 60-"},
		"it is warm":    {5, "Frost 60-60 recovered"}, // a notice does not end before it begins
	} {
		t.Run(name, func(t *testing.T) {
			runningAndRestarted(t, func(fx *fixture, maybeRestart func()) {
				fx.createRule(nil)
				fx.evaluate(fx.airTemp(minute, 1))
				fx.wantNotices("Frost 60-")
				for i := int64(1); i <= 70; i++ {
					fx.evaluateAt(i*second, then.degrees)
					if i == 30 {
						maybeRestart()
					}
				}
				fx.wantNotices(then.want)
			})
		})
	}
}

// Two conditions whose attributes arrive in messages of their own: a reading ahead of one of them
// does not stand in for the right one.
func TestReadingAheadOfOneAttribute(t *testing.T) {
	runningAndRestarted(t, func(fx *fixture, maybeRestart func()) {
		fx.createRule(func(r *alarm.Rule) {
			r.Conditions = append(r.Conditions, alarm.Condition{Join: "and", Attribute: "relativeHumidity",
				Operator: comparator.Above, Value: reading.Number(85)})
		})
		humidity := func(after int64, percent float64) {
			fx.setClock(after)
			fx.evaluate(fx.frame(after, map[string]reading.Value{"relativeHumidity": reading.Number(percent)}))
		}
		fx.evaluateAt(0, 5)
		humidity(second, 90)
		fx.evaluate(fx.airTemp(minute, 5))
		maybeRestart()
		fx.evaluateAt(10*second, 1)
		fx.wantNotices("Frost 10-")
		humidity(20*second, 50)
		fx.wantNotices("Frost 10-20 recovered")
	})
}

// A device whose clock is always fast is evaluated in the order of its times, restart or not, as if
// it were right.
func TestFastClockIsEvaluatedByItsTimes(t *testing.T) {
	story := func(fast int64, restart func(fx *fixture)) string {
		fx := newFixture(t)
		fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 3, 5*time.Minute })
		for i := int64(0); i < 60; i++ {
			fx.setClock(i*10*second - fast)
			fx.evaluate(fx.airTemp(i*10*second, []float64{1, 1, 1, 5, 1, 1}[i%6]))
			restart(fx)
		}
		return fx.noticeSummary()
	}
	still := func(*fixture) {}
	want := story(0, still)
	if n := strings.Count(want, "recovered"); n < 5 {
		t.Fatalf("%q: too few notices to prove anything", want)
	}
	for _, fast := range []int64{1, 5 * second, 59 * second, minute} {
		for name, restart := range map[string]func(*fixture){"running": still, "restarted": (*fixture).restart} {
			t.Run(fmt.Sprintf("%d/%s", fast, name), func(t *testing.T) {
				if got := story(fast, restart); got != want {
					t.Errorf("%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// The clock of the former process, or of the node that led before, was a little ahead of this one's.
// Its readings still count in windows, and silence nothing.
func TestReadingsOfAClockSlightlyAheadCountAfterRestart(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 3, 5*time.Minute })
	fx.evaluateAt(30*second, 1)
	fx.setClock(20 * second)
	fx.restart()
	fx.evaluateAt(21*second, 1)
	fx.wantNotices("")
	fx.evaluateAt(31*second, 1)
	fx.wantNotices("Frost 31-")
}
