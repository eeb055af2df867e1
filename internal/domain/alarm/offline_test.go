package alarm_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// createOfflineRule makes a rule that opens a notice when the mast is offline for five minutes.
func (fx *fixture) createOfflineRule() alarm.RuleID {
	fx.t.Helper()
	return fx.createRule(func(r *alarm.Rule) {
		r.Name, r.Trigger, r.Conditions, r.Window = "Silent", alarm.DeviceOffline, nil, 5*time.Minute
	})
}

// tickAt sets the clock to a time after its start, lets devices go offline, and runs Tick.
func (fx *fixture) tickAt(d time.Duration) time.Time {
	fx.t.Helper()
	fx.Clock.Set(testkit.Start.Add(d))
	fx.Presence.Expire()
	return fx.tick()
}

func (fx *fixture) deviceSeenAt(d time.Duration) {
	fx.t.Helper()
	fx.Clock.Set(testkit.Start.Add(d))
	fx.Presence.Seen(testkit.Ref(fx.mast))
	fx.tick()
}

func TestOfflineOpensAndResolves(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.deviceSeenAt(0)
	fx.tickAt(15*time.Minute - time.Second)
	next := fx.tickAt(15 * time.Minute) // its reporting interval is over: it is offline
	if want := testkit.Start.Add(20 * time.Minute); !next.Equal(want) {
		t.Errorf("looks again at %v, want %v", next, want)
	}
	fx.tickAt(20*time.Minute - time.Millisecond)
	fx.wantNotices("")
	fx.tickAt(20*time.Minute + 400*time.Millisecond)
	fx.wantNotices("Silent 1200-")
	fx.deviceSeenAt(30 * time.Minute)
	fx.wantNotices("Silent 1200-1800 online")

	fx.tickAt(45 * time.Minute)
	fx.deviceSeenAt(46 * time.Minute) // back in time
	fx.tickAt(61 * time.Minute)
	fx.tickAt(65 * time.Minute)
	fx.wantNotices("Silent 1200-1800 online")
	fx.tickAt(66 * time.Minute)
	fx.wantNotices("Silent 1200-1800 online; Silent 3960-")
}

// Counting starts at publishing, also for a device that was never seen.
func TestOfflineCountsFromPublishing(t *testing.T) {
	fx := newFixture(t)
	fx.tickAt(time.Hour)
	fx.createOfflineRule()
	fx.tickAt(65*time.Minute - 1)
	fx.wantNotices("")
	fx.tickAt(65 * time.Minute)
	fx.wantNotices("Silent 3900-")
}

// A device that was offline when the server stopped goes on counting where it stood. The time in
// which the server was down does not count, however long.
func TestOfflineCountExcludesDowntime(t *testing.T) {
	for name, c := range map[string]struct {
		before func(fx *fixture) // up to 17:00
		due    time.Duration     // after the server is back
	}{
		"never seen": {func(fx *fixture) { fx.tickAt(15 * time.Minute); fx.createOfflineRule(); fx.tickAt(17 * time.Minute) }, 3 * time.Minute},
		"offline": {func(fx *fixture) {
			fx.createOfflineRule()
			fx.deviceSeenAt(0)
			fx.tickAt(15 * time.Minute)
			fx.tickAt(17 * time.Minute)
		}, 3 * time.Minute},
		"online": {func(fx *fixture) {
			fx.createOfflineRule()
			fx.deviceSeenAt(10 * time.Minute)
			fx.tickAt(17 * time.Minute)
		}, 20 * time.Minute},
		"connected": {func(fx *fixture) {
			fx.createOfflineRule()
			fx.Presence.Connected(testkit.Ref(fx.mast))
			fx.tickAt(17 * time.Minute)
		}, 20 * time.Minute},
		"went offline at the kill": {func(fx *fixture) {
			fx.createOfflineRule()
			fx.deviceSeenAt(2 * time.Minute)
			fx.tickAt(17 * time.Minute)
		}, 5 * time.Minute},
	} {
		downs := []time.Duration{0, time.Second, 4 * time.Minute, 5 * time.Minute, 3 * time.Hour, 400 * 24 * time.Hour}
		for i := 0; i < len(downs); i += stride(4) {
			down := downs[i]
			t.Run(fmt.Sprint(name, ", down for ", down), func(t *testing.T) {
				fx := newFixture(t)
				c.before(fx)
				fx.restartAfter(down)
				back := fx.Clock.Now().Sub(testkit.Start)
				if c.due == 20*time.Minute {
					fx.tickAt(back + 15*time.Minute) // it goes offline
				}
				fx.tickAt(back + c.due - 1)
				fx.wantNotices("")
				fx.tickAt(back + c.due)
				fx.wantNotices(fmt.Sprintf("Silent %g-", (back + c.due).Seconds()))
				fx.restartAfter(time.Hour)
				fx.tickAt(back + 5*time.Hour)
				fx.wantNotices(fmt.Sprintf("Silent %g-", (back + c.due).Seconds()))
			})
		}
	}
}

// The count continues over any number of restarts, also immediate ones. After a kill it is never
// too high.
func TestOfflineCountsOverManyRestarts(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	ran := time.Duration(0)
	for _, c := range []struct{ up, down time.Duration }{
		{time.Minute, time.Hour}, {0, 7 * time.Minute}, {30 * time.Second, 0}, {0, 0},
		{30 * time.Second, 200 * time.Hour}, {2 * time.Minute, time.Second},
	} {
		fx.tickAt(fx.Clock.Now().Add(c.up).Sub(testkit.Start))
		ran += c.up
		fx.restartAfter(c.down)
	}
	back := fx.Clock.Now().Sub(testkit.Start)
	fx.tickAt(back + 5*time.Minute - ran - 1)
	fx.wantNotices("")
	fx.tickAt(back + 5*time.Minute - ran)
	fx.wantNotices(fmt.Sprintf("Silent %g-", (back + 5*time.Minute - ran).Seconds()))

	// The kill comes eight seconds after the last SaveAlive.
	fx = newFixture(t)
	fx.createOfflineRule()
	fx.tickAt(2 * time.Minute)
	fx.Clock.Advance(8 * time.Second)
	fx.must(fx.Status.Flush(t.Context(), true))
	fx.previousStop = fx.Clock.Now().Add(-8 * time.Second)
	fx.Clock.Advance(time.Hour)
	fx.Restart(t)
	fx.start()
	fx.engine.LetIn()
	back = fx.Clock.Now().Sub(testkit.Start)
	fx.tickAt(back + 3*time.Minute - 1)
	fx.wantNotices("")
	fx.tickAt(back + 3*time.Minute)
	fx.wantNotices(fmt.Sprintf("Silent %g-", (back + 3*time.Minute).Seconds()))
}

// Where it is not known until when the server ran, as in a restored data folder, the count begins
// anew: no notification is too early.
func TestOfflineCountRestartsWithoutPreviousStop(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.tickAt(4 * time.Minute)
	fx.Clock.Advance(time.Hour)
	fx.Restart(t)
	fx.start()
	fx.engine.LetIn()
	fx.tickAt(69*time.Minute - 1)
	fx.wantNotices("")
	fx.tickAt(69 * time.Minute)
	fx.wantNotices("Silent 4140-")
}

// A notice that was due when the server was killed, and could not be recorded, opens at the next
// start: the time was over by then.
func TestOfflineDueAtKillOpensAfterRestart(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	undo := fx.fail("INSERT ON notices")
	fx.Clock.Set(testkit.Start.Add(6 * time.Minute))
	if _, err := fx.engine.Tick(t.Context()); err == nil {
		t.Error("recorded, though the database refused")
	}
	undo()
	fx.restartAfter(time.Hour)
	fx.tick()
	fx.wantNotices("Silent 3900-") // the device was offline for five of six minutes, which suffices
}

func TestOfflineRestart(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.deviceSeenAt(0)
	fx.tickAt(15 * time.Minute)
	fx.tickAt(20 * time.Minute)
	fx.wantNotices("Silent 1200-")
	fx.restartAfter(time.Hour)
	fx.tickAt(2 * time.Hour)
	fx.wantNotices("Silent 1200-")

	// The device comes back, and the kill comes before the engine notices.
	fx.Presence.Seen(testkit.Ref(fx.mast))
	fx.restartAfter(time.Second)
	fx.tick()
	fx.wantNotices("Silent 1200-7200 online")

	// A device that was online gets a new reporting interval: no storm of notices.
	fx.restartAfter(3*time.Hour - time.Second)
	fx.tickAt(5*time.Hour + 15*time.Minute)
	fx.tickAt(5*time.Hour + 20*time.Minute - 1)
	fx.wantNotices("Silent 1200-7200 online")
	fx.tickAt(5*time.Hour + 20*time.Minute)
	fx.wantNotices("Silent 1200-7200 online; Silent 19200-")
}

// No notice opens for a device while it could not come back, and that time does not count:
// evaluating the readings of an earlier run may take long.
func TestOfflineNotCountedBeforeLetIn(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.tickAt(time.Minute)
	fx.previousStop = fx.Clock.Now()
	fx.start() // devices are not let in
	fx.tickAt(10 * time.Hour)
	fx.wantNotices("")
	fx.engine.LetIn()
	fx.tickAt(10*time.Hour + 4*time.Minute - 1)
	fx.wantNotices("")
	fx.tickAt(10*time.Hour + 4*time.Minute)
	fx.wantNotices("Silent 36240-")
}

// Late contact which shows that the device had not gone offline ends the notice, never before it
// began.
func TestLateContactEndsOfflineNotice(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.deviceSeenAt(0)
	fx.tickAt(15 * time.Minute)
	fx.tickAt(20 * time.Minute)
	fx.wantNotices("Silent 1200-")
	fx.Presence.SeenAt(testkit.Ref(fx.mast), testkit.Start.Add(10*time.Minute).UnixMilli())
	fx.tick()
	fx.wantNotices("Silent 1200-1200 online")
	// It goes offline again fifteen minutes after that contact.
	fx.tickAt(25 * time.Minute)
	fx.tickAt(30 * time.Minute)
	fx.wantNotices("Silent 1200-1200 online; Silent 1800-")
}

// Late contact that postpones the time at which a device went offline postpones a notice that has
// not begun.
func TestLateContactPostponesOfflineNotice(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.deviceSeenAt(0)
	fx.tickAt(15 * time.Minute)
	fx.Clock.Set(testkit.Start.Add(19 * time.Minute))
	fx.Presence.SeenAt(testkit.Ref(fx.mast), testkit.Start.Add(3*time.Minute).UnixMilli()) // offline since 18:00, then
	fx.tickAt(20 * time.Minute)
	fx.wantNotices("")
	fx.tickAt(23 * time.Minute)
	fx.wantNotices("Silent 1380-")
}

func TestOfflineResolveManually(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.tickAt(15 * time.Minute)
	fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""))
	fx.restart()
	fx.tickAt(2 * time.Hour) // still offline: no new notice
	fx.wantNotices("Silent 300-900 byHand")
	fx.deviceSeenAt(2 * time.Hour)
	fx.restart()
	fx.tickAt(2*time.Hour + 15*time.Minute)
	fx.tickAt(2*time.Hour + 20*time.Minute)
	fx.wantNotices("Silent 300-900 byHand; Silent 8400-")
}

// kill kills the server before the newest presence changes were written, except those that led to
// events, and starts the next one.
func (fx *fixture) kill() {
	fx.t.Helper()
	fx.previousStop = fx.Clock.Now()
	fx.Restart(fx.t)
	fx.start()
	fx.Presence.AcceptDevices()
	fx.engine.LetIn()
}

// The device's return is on disk once the notice has ended: the device was online when the server
// was killed, and its next absence is a new one.
func TestOfflineAgainAfterKill(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.deviceSeenAt(0)
	fx.tickAt(15 * time.Minute)
	fx.tickAt(20 * time.Minute)
	fx.must(fx.Status.Flush(t.Context(), true))
	fx.deviceSeenAt(30 * time.Minute)
	fx.wantNotices("Silent 1200-1800 online")
	fx.kill()
	fx.tickAt(45 * time.Minute)
	fx.tickAt(50*time.Minute - 1)
	fx.wantNotices("Silent 1200-1800 online")
	fx.tickAt(50 * time.Minute)
	fx.wantNotices("Silent 1200-1800 online; Silent 3000-")
	fx.kill()
	fx.tickAt(51 * time.Minute)
	fx.wantNotices("Silent 1200-1800 online; Silent 3000-")
	fx.deviceSeenAt(52 * time.Minute)
	fx.wantNotices("Silent 1200-1800 online; Silent 3000-3120 online")
	if s := fx.engine.Stats(); s.Open != 0 {
		t.Errorf("%+v", s)
	}
}

func TestOfflineResolveManuallyThenKill(t *testing.T) {
	fx := newFixture(t)
	fx.createOfflineRule()
	fx.tickAt(15 * time.Minute)
	fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""))
	fx.must(fx.Status.Flush(t.Context(), true))
	fx.deviceSeenAt(30 * time.Minute)
	fx.kill()
	fx.tickAt(45 * time.Minute)
	fx.tickAt(50 * time.Minute)
	fx.wantNotices("Silent 300-900 byHand; Silent 3000-")
}

// Late contact is from before the device went offline: what counted for the notice that it ended
// does not count for the next, however that notice ended.
func TestLateContactThenKill(t *testing.T) {
	for name, byHand := range map[string]bool{"Silent 1200-1200 online": false, "Silent 1200-1200 byHand": true} {
		for _, killed := range []bool{false, true} {
			fx := newFixture(t)
			fx.createOfflineRule()
			fx.deviceSeenAt(0)
			fx.tickAt(15 * time.Minute)
			fx.tickAt(20 * time.Minute)
			fx.must(fx.Status.Flush(t.Context(), true))
			if killed {
				fx.kill()
			}
			if byHand {
				fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""))
			}
			fx.Presence.SeenAt(testkit.Ref(fx.mast), testkit.Start.Add(10*time.Minute).UnixMilli())
			fx.tick()
			fx.kill()
			fx.tickAt(35 * time.Minute)
			fx.tickAt(40*time.Minute - 1)
			fx.wantNotices(name)
			fx.tickAt(40 * time.Minute)
			fx.wantNotices(name + "; Silent 2400-")
		}
	}
}

// A stored notice that is over is not taken for an open one: the rule continues, and opens its next
// notice at a time of its own.
func TestOfflineExistingClosedNotice(t *testing.T) {
	fx := newFixture(t)
	id := fx.createOfflineRule()
	fx.Notice(t, testkit.Notice{
		Device: fx.mast, Rule: id, Revision: fx.revision(id), Status: alarm.ResolvedAutomatically,
		Start: testkit.Start.Add(5 * time.Minute).UnixMilli(), End: testkit.Start.Add(6 * time.Minute).UnixMilli(),
	})
	fx.tickAt(15 * time.Minute)
	if s := fx.engine.Stats(); s.Open != 0 || s.Opened != 0 {
		t.Errorf("taken for an open one: %+v", s)
	}
	fx.tickAt(15 * time.Minute)
	if n := fx.newest(); n.Status != alarm.Pending || n.Start != testkit.Start.Add(5*time.Minute).UnixMilli()+1 {
		t.Errorf("%+v", n)
	}
	if s := fx.engine.Stats(); s.Open != 1 || s.Opened != 1 {
		t.Errorf("%+v", s)
	}
}

func TestOfflineRuleStoppedAndDatabaseError(t *testing.T) {
	fx := newFixture(t)
	id := fx.createOfflineRule()
	fx.unpublish(id)
	fx.tickAt(time.Hour)
	fx.wantNotices("")
	fx.publish(id)
	undo := fx.fail("INSERT ON notices")
	fx.Clock.Set(testkit.Start.Add(66 * time.Minute))
	if _, err := fx.engine.Tick(t.Context()); err == nil {
		t.Error("recorded, though the database refused")
	}
	undo()
	fx.tickAt(67 * time.Minute)
	fx.wantNotices("Silent 3900-")
	fx.unpublish(id)
	fx.deviceSeenAt(68 * time.Minute)
	fx.wantNotices("Silent 3900-4020 stopped")
}

// SaveAlive is not called before the state of offline rules is on disk: otherwise the next start
// would take the time before as time that they counted.
func TestAliveSavedAfterOfflineFloors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fx := newFixture(t)
		fx.createOfflineRule()
		fx.must(fx.Status.Flush(t.Context(), true))
		undo := fx.fail("INSERT ON alarm_states")
		alive := make(chan time.Time, 100)
		now := time.Now
		start := func() *alarm.Engine {
			e := alarm.NewEngine(alarm.EngineOptions{
				DB:           fx.DB,
				Catalog:      fx.Catalog,
				Rules:        fx.rules,
				Positions:    fx.positions,
				Devices:      fx.Devices,
				Registry:     fx.Registry,
				Presence:     fx.Presence,
				Readings:     fx.readings,
				Screens:      fx.hub,
				Now:          now,
				Logger:       fx.Log.Logger,
				PreviousStop: now().Add(-time.Hour),
				SaveAlive:    func() error { alive <- now(); return nil },
			})
			fx.Presence.Changed.Then(e.PresenceChanged)
			fx.must(e.Start(t.Context()))
			return e
		}
		engine := start()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- engine.Run(ctx) }()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if len(alive) > 0 {
			t.Errorf("SaveAlive was called %d times before the count was on disk", len(alive))
		}
		undo()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n := len(alive); n < 3 || n > 5 {
			t.Errorf("SaveAlive was called %d times in half a minute", n)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Run wakes by itself when a device comes, and when a deadline is due.
func TestOfflineRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now
		fx := newFixture(t)
		presence := device.NewPresence(fx.Registry, now, nil, fx.Log.Logger)
		engine := alarm.NewEngine(alarm.EngineOptions{
			DB:        fx.DB,
			Catalog:   fx.Catalog,
			Rules:     fx.rules,
			Positions: fx.positions,
			Devices:   fx.Devices,
			Registry:  fx.Registry,
			Presence:  presence,
			Readings:  fx.readings,
			Screens:   fx.hub,
			Now:       now,
			Logger:    fx.Log.Logger,
		})
		presence.Changed.Then(engine.PresenceChanged)
		fx.must(engine.Start(t.Context()))
		fx.engine, fx.rules = engine, alarm.NewRuleStore(fx.DB, fx.Catalog, now)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- engine.Run(ctx) }()
		go presence.Run(ctx)
		fx.createOfflineRule()
		presence.Seen(testkit.Ref(fx.mast))
		time.Sleep(20*time.Minute + time.Second)
		synctest.Wait()
		if s := engine.Stats(); s.Opened != 1 || s.Open != 1 {
			t.Errorf("after twenty minutes of silence: %+v", s)
		}
		presence.Seen(testkit.Ref(fx.mast))
		synctest.Wait()
		if s := engine.Stats(); s.Resolved != 1 || s.Open != 0 {
			t.Errorf("when it was back: %+v", s)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
