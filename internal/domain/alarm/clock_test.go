package alarm_test

import (
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
)

// A rule that was published while the clock was ahead is evaluated once the clock is right, from
// then on, also after a restart.
func TestPublishedWhileTheClockWasAhead(t *testing.T) {
	for name, restart := range map[string]bool{"running": false, "restarted": true} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t)
			fx.Clock.Advance(72 * time.Hour)
			fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 3, 10*time.Minute })
			fx.Clock.Advance(-71 * time.Hour)
			if restart {
				fx.restart()
			}
			fx.evaluate(fx.airTemp(59*minute, 1), fx.airTemp(60*minute, 1)) // not after the clock was corrected
			fx.Clock.Advance(2 * time.Minute)
			fx.evaluate(fx.airTemp(61*minute, 1), fx.airTemp(62*minute, 1))
			fx.wantNotices("")
			fx.restart()
			fx.evaluate(fx.airTemp(63*minute, 1))
			fx.wantNotices("Frost 3780-")
			fx.evaluate(fx.airTemp(64*minute, 5))
			fx.wantNotices("Frost 3780-3840 recovered")
		})
	}
}

// The engine notices the corrected clock before the first reading: it compares it with what is on
// disk.
func TestClockCorrectionIsPersisted(t *testing.T) {
	fx := newFixture(t)
	fx.Clock.Advance(72 * time.Hour)
	fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 10*time.Minute })
	fx.Clock.Advance(-72 * time.Hour)
	fx.tick()
	fx.Clock.Advance(5 * time.Minute)
	fx.send(fx.airTemp(minute, 1), fx.airTemp(2*minute, 1)) // the kill comes before they are evaluated
	fx.restart()
	fx.wantNotices("Frost 120-")
}

// A floor that is no further ahead than readings may be stays: readings from before the rule was
// published do not count.
func TestClockSetBackALittle(t *testing.T) {
	fx := newFixture(t)
	fx.evaluate(fx.frame(9*minute, map[string]reading.Value{"airTemperature": reading.Number(1)}))
	fx.createRule(nil)
	fx.Clock.Advance(-30 * time.Second)
	fx.evaluate(fx.airTemp(8*minute, 1))
	fx.wantNotices("")
	fx.evaluate(fx.airTemp(10*minute, 1))
	fx.wantNotices("Frost 600-")
}

// People are not notified of devices that were silent only while the clock jumped ahead. A device
// that was offline before goes on counting where it stood.
func TestOfflineExcludesClockJump(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.deviceSeenAt(0)
	fx.Clock.Jump(8 * time.Hour)
	fx.tickAt(8*time.Hour + 15*time.Minute - 1)
	fx.wantNotices("")
	fx.tickAt(8*time.Hour + 15*time.Minute)
	fx.tickAt(8*time.Hour + 17*time.Minute)
	fx.Clock.Jump(time.Hour)
	fx.tickAt(9*time.Hour + 17*time.Minute)
	fx.tickAt(9*time.Hour + 20*time.Minute - 1)
	fx.wantNotices("")
	fx.tickAt(9*time.Hour + 20*time.Minute)
	fx.wantNotices("Silent 33600-")
}

// A jump that the evaluation notices first also affects rules on being offline.
func TestOfflineExcludesJumpSeenByEvaluation(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.deviceSeenAt(0)
	fx.tickAt(15 * time.Minute)
	fx.tickAt(17 * time.Minute)
	fx.Clock.Jump(time.Hour)
	fx.evaluate(fx.airTemp(77*minute, 20))
	fx.tickAt(80*time.Minute - 1)
	fx.wantNotices("")
	fx.tickAt(80 * time.Minute)
	fx.wantNotices("Silent 4800-")
}

// If the clock was far ahead and was set back, a rule on being offline opens a notice once the device
// has been silent since then.
func TestOfflineWhileTheClockWasAhead(t *testing.T) {
	fx := newFixture(t)
	fx.Clock.Advance(72 * time.Hour)
	fx.restart()
	fx.createOfflineRule()
	fx.tickAt(10 * time.Minute)
	fx.tickAt(15 * time.Minute)
	fx.wantNotices("")
	fx.tickAt(15*time.Minute + time.Millisecond)
	fx.wantNotices("Silent 900.001-")
	fx.deviceSeenAt(30 * time.Minute)
	fx.wantNotices("Silent 900.001-1800 online")
}
