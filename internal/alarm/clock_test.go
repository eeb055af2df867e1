package alarm_test

import (
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/reading"
)

// A rule that was published while the clock was ahead is judged once the clock
// is right, from then on; a restart changes nothing of that.
func TestPublishedWhileTheClockWasAhead(t *testing.T) {
	for name, restart := range map[string]bool{"running": false, "restarted": true} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.Clock.Advance(72 * time.Hour)
			y.rule(func(r *alarm.Rule) { r.Hits, r.Window = 3, 10*time.Minute })
			y.Clock.Advance(-71 * time.Hour)
			if restart {
				y.restart()
			}
			y.judge(y.air(59*minute, 1), y.air(60*minute, 1)) // not after it was put right
			y.Clock.Advance(2 * time.Minute)
			y.judge(y.air(61*minute, 1), y.air(62*minute, 1))
			y.wants("")
			y.restart()
			y.judge(y.air(63*minute, 1))
			y.wants("Frost 3780-")
			y.judge(y.air(64*minute, 5))
			y.wants("Frost 3780-3840 recovered")
		})
	}
}

// Judging need not go on for the clock to be noticed: what is on disk says so
// before the first reading.
func TestClockPutRightIsKept(t *testing.T) {
	y := newYard(t)
	y.Clock.Advance(72 * time.Hour)
	y.rule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 10*time.Minute })
	y.Clock.Advance(-72 * time.Hour)
	y.tick()
	y.Clock.Advance(5 * time.Minute)
	y.send(y.air(minute, 1), y.air(2*minute, 1)) // and the kill comes before it is judged
	y.restart()
	y.wants("Frost 120-")
}

// A floor within what readings may be ahead stays: what came before the rule
// was published does not count.
func TestClockSetBackALittle(t *testing.T) {
	y := newYard(t)
	y.judge(y.frame(9*minute, map[string]reading.Value{"airTemperature": reading.Number(1)}))
	y.rule(nil)
	y.Clock.Advance(-30 * time.Second)
	y.judge(y.air(8*minute, 1))
	y.wants("")
	y.judge(y.air(10*minute, 1))
	y.wants("Frost 600-")
}

// Nobody is told of devices that were silent only while the clock leapt ahead, and
// who was offline before goes on counting where it stood.
func TestOfflineOverALeap(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.Clock.Leap(8 * time.Hour)
	y.after(8*time.Hour + 15*time.Minute - 1)
	y.wants("")
	y.after(8*time.Hour + 15*time.Minute)
	y.after(8*time.Hour + 17*time.Minute)
	y.Clock.Leap(time.Hour)
	y.after(9*time.Hour + 17*time.Minute)
	y.after(9*time.Hour + 20*time.Minute - 1)
	y.wants("")
	y.after(9*time.Hour + 20*time.Minute)
	y.wants("Silent 33600-")
}

// A leap that judging sees first is seen by those who wait for devices, too.
func TestLeapThatJudgingSees(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.after(15 * time.Minute)
	y.after(17 * time.Minute)
	y.Clock.Leap(time.Hour)
	y.judge(y.air(77*minute, 20))
	y.after(80*time.Minute - 1)
	y.wants("")
	y.after(80 * time.Minute)
	y.wants("Silent 4800-")
}

// The same of rules on being offline, a little ahead or much.
func TestOfflineWhileTheClockWasAhead(t *testing.T) {
	y := newYard(t)
	y.Clock.Advance(72 * time.Hour)
	y.restart()
	y.offlineRule()
	y.after(10 * time.Minute)
	y.after(15 * time.Minute)
	y.wants("")
	y.after(15*time.Minute + time.Millisecond)
	y.wants("Silent 900.001-")
	y.seen(30 * time.Minute)
	y.wants("Silent 900.001-1800 online")
}
