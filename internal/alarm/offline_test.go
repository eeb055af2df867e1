package alarm_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/device"
	"tilth/internal/testkit"
)

// offlineRule is told of the mast after five minutes.
func (y *yard) offlineRule() alarm.RuleID {
	y.t.Helper()
	return y.rule(func(r *alarm.Rule) {
		r.Name, r.Trigger, r.Conditions, r.Window = "Silent", alarm.DeviceOffline, nil, 5*time.Minute
	})
}

// after sets the clock to so long after its start, lets silence have its
// effect, and the engine look.
func (y *yard) after(d time.Duration) time.Time {
	y.t.Helper()
	y.Clock.Set(testkit.Start.Add(d))
	y.Presence.Expire()
	return y.tick()
}

func (y *yard) seen(d time.Duration) {
	y.t.Helper()
	y.Clock.Set(testkit.Start.Add(d))
	y.Presence.Seen(testkit.Ref(y.mast))
	y.tick()
}

func TestOfflineOpensAndResolves(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.after(15*time.Minute - time.Second)
	next := y.after(15 * time.Minute) // its patience is over: it is offline
	if want := testkit.Start.Add(20 * time.Minute); !next.Equal(want) {
		t.Errorf("looks again at %v, want %v", next, want)
	}
	y.after(20*time.Minute - time.Millisecond)
	y.wants("")
	y.after(20*time.Minute + 400*time.Millisecond)
	y.wants("Silent 1200-")
	y.seen(30 * time.Minute)
	y.wants("Silent 1200-1800 online")

	y.after(45 * time.Minute)
	y.seen(46 * time.Minute) // back in time
	y.after(61 * time.Minute)
	y.after(65 * time.Minute)
	y.wants("Silent 1200-1800 online")
	y.after(66 * time.Minute)
	y.wants("Silent 1200-1800 online; Silent 3960-")
}

// Counting starts at publishing, of a device that was never seen too.
func TestOfflineCountsFromPublishing(t *testing.T) {
	y := newYard(t)
	y.after(time.Hour)
	y.offlineRule()
	y.after(65*time.Minute - 1)
	y.wants("")
	y.after(65 * time.Minute)
	y.wants("Silent 3900-")
}

// Who was offline when the server stopped goes on counting where it stood; the
// time in which the server was down does not count, however long.
func TestOfflineGoesOnCounting(t *testing.T) {
	for name, c := range map[string]struct {
		before func(y *yard) // up to 17:00
		due    time.Duration // after the server is back
	}{
		"never seen":      {func(y *yard) { y.after(15 * time.Minute); y.offlineRule(); y.after(17 * time.Minute) }, 3 * time.Minute},
		"offline":         {func(y *yard) { y.offlineRule(); y.seen(0); y.after(15 * time.Minute); y.after(17 * time.Minute) }, 3 * time.Minute},
		"online":          {func(y *yard) { y.offlineRule(); y.seen(10 * time.Minute); y.after(17 * time.Minute) }, 20 * time.Minute},
		"connected":       {func(y *yard) { y.offlineRule(); y.Presence.Connected(testkit.Ref(y.mast)); y.after(17 * time.Minute) }, 20 * time.Minute},
		"went as it fell": {func(y *yard) { y.offlineRule(); y.seen(2 * time.Minute); y.after(17 * time.Minute) }, 5 * time.Minute},
	} {
		downs := []time.Duration{0, time.Second, 4 * time.Minute, 5 * time.Minute, 3 * time.Hour, 400 * 24 * time.Hour}
		for i := 0; i < len(downs); i += stride(4) {
			down := downs[i]
			t.Run(fmt.Sprint(name, ", down for ", down), func(t *testing.T) {
				y := newYard(t)
				c.before(y)
				y.restartAfter(down)
				back := y.Clock.Now().Sub(testkit.Start)
				if c.due == 20*time.Minute {
					y.after(back + 15*time.Minute) // it goes
				}
				y.after(back + c.due - 1)
				y.wants("")
				y.after(back + c.due)
				y.wants(fmt.Sprintf("Silent %g-", (back + c.due).Seconds()))
				y.restartAfter(time.Hour)
				y.after(back + 5*time.Hour)
				y.wants(fmt.Sprintf("Silent %g-", (back + c.due).Seconds()))
			})
		}
	}
}

// What has been counted is kept over any number of restarts, those that come at
// once included, and what a kill leaves unsaid is never counted too much.
func TestOfflineCountsOverManyRestarts(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	ran := time.Duration(0)
	for _, c := range []struct{ up, down time.Duration }{
		{time.Minute, time.Hour}, {0, 7 * time.Minute}, {30 * time.Second, 0}, {0, 0}, {30 * time.Second, 200 * time.Hour}, {2 * time.Minute, time.Second},
	} {
		y.after(y.Clock.Now().Add(c.up).Sub(testkit.Start))
		ran += c.up
		y.restartAfter(c.down)
	}
	back := y.Clock.Now().Sub(testkit.Start)
	y.after(back + 5*time.Minute - ran - 1)
	y.wants("")
	y.after(back + 5*time.Minute - ran)
	y.wants(fmt.Sprintf("Silent %g-", (back + 5*time.Minute - ran).Seconds()))

	// The kill came eight seconds after it was last written that devices are let in.
	y = newYard(t)
	y.offlineRule()
	y.after(2 * time.Minute)
	y.Clock.Advance(8 * time.Second)
	y.must(y.Status.Flush(t.Context(), true))
	y.stopped = y.Clock.Now().Add(-8 * time.Second)
	y.Clock.Advance(time.Hour)
	y.Restart(t)
	y.start()
	y.engine.LetIn()
	back = y.Clock.Now().Sub(testkit.Start)
	y.after(back + 3*time.Minute - 1)
	y.wants("")
	y.after(back + 3*time.Minute)
	y.wants(fmt.Sprintf("Silent %g-", (back + 3*time.Minute).Seconds()))
}

// Where nobody knows until when the server ran, as in a folder that was restored,
// the count begins anew: nobody is told too early.
func TestOfflineWhereTheStopIsNotKnown(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.after(4 * time.Minute)
	y.Clock.Advance(time.Hour)
	y.Restart(t)
	y.start()
	y.engine.LetIn()
	y.after(69*time.Minute - 1)
	y.wants("")
	y.after(69 * time.Minute)
	y.wants("Silent 4140-")
}

// What was due when the server fell, and could not be recorded any more, is told
// at the next start: the time was up by then.
func TestOfflineDueAtTheFall(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	mend := y.fail("INSERT ON notices")
	y.Clock.Set(testkit.Start.Add(6 * time.Minute))
	if _, err := y.engine.Tick(t.Context()); err == nil {
		t.Error("recorded, though the database refused")
	}
	mend()
	y.restartAfter(time.Hour)
	y.tick()
	y.wants("Silent 3900-") // five of six minutes were enough
}

func TestOfflineRestart(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.after(15 * time.Minute)
	y.after(20 * time.Minute)
	y.wants("Silent 1200-")
	y.restartAfter(time.Hour)
	y.after(2 * time.Hour)
	y.wants("Silent 1200-")

	// The device comes back, and the kill comes before anybody took note.
	y.Presence.Seen(testkit.Ref(y.mast))
	y.restartAfter(time.Second)
	y.tick()
	y.wants("Silent 1200-7200 online")

	// One that was online has a fresh patience: no storm.
	y.restartAfter(3*time.Hour - time.Second)
	y.after(5*time.Hour + 15*time.Minute)
	y.after(5*time.Hour + 20*time.Minute - 1)
	y.wants("Silent 1200-7200 online")
	y.after(5*time.Hour + 20*time.Minute)
	y.wants("Silent 1200-7200 online; Silent 19200-")
}

// Nobody is told that a device is offline while it could not come back, and that
// time does not count: judging what an earlier run left may take long.
func TestOfflineWaitsUntilDevicesAreLetIn(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.after(time.Minute)
	y.stopped = y.Clock.Now()
	y.start() // and not let in
	y.after(10 * time.Hour)
	y.wants("")
	y.engine.LetIn()
	y.after(10*time.Hour + 4*time.Minute - 1)
	y.wants("")
	y.after(10*time.Hour + 4*time.Minute)
	y.wants("Silent 36240-")
}

// Contact that comes in late and shows that the device had not gone ends the
// notice, and never before it began.
func TestOfflineTakenBack(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.after(15 * time.Minute)
	y.after(20 * time.Minute)
	y.wants("Silent 1200-")
	y.Presence.SeenAt(testkit.Ref(y.mast), testkit.Start.Add(10*time.Minute).UnixMilli())
	y.tick()
	y.wants("Silent 1200-1200 online")
	// It goes again fifteen minutes after that contact.
	y.after(25 * time.Minute)
	y.after(30 * time.Minute)
	y.wants("Silent 1200-1200 online; Silent 1800-")
}

// Late contact that moves the time at which a device went moves the notice that
// has not begun.
func TestOfflineMovedByLateContact(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.after(15 * time.Minute)
	y.Clock.Set(testkit.Start.Add(19 * time.Minute))
	y.Presence.SeenAt(testkit.Ref(y.mast), testkit.Start.Add(3*time.Minute).UnixMilli()) // offline since 18:00, then
	y.after(20 * time.Minute)
	y.wants("")
	y.after(23 * time.Minute)
	y.wants("Silent 1380-")
}

func TestOfflineByHand(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.after(15 * time.Minute)
	y.must(y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""))
	y.restart()
	y.after(2 * time.Hour) // still offline: not again
	y.wants("Silent 300-900 byHand")
	y.seen(2 * time.Hour)
	y.restart()
	y.after(2*time.Hour + 15*time.Minute)
	y.after(2*time.Hour + 20*time.Minute)
	y.wants("Silent 300-900 byHand; Silent 8400-")
}

// kill is a kill of the server before the newest comings and goings of devices
// were written, but for those that led to something, and its next start.
func (y *yard) kill() {
	y.t.Helper()
	y.stopped = y.Clock.Now()
	y.Restart(y.t)
	y.start()
	y.Presence.LetIn()
	y.engine.LetIn()
}

// That the device was back is on disk once the notice says so: it was online when
// the server fell, and its next absence is another one.
func TestOfflineAgainAfterKill(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.after(15 * time.Minute)
	y.after(20 * time.Minute)
	y.must(y.Status.Flush(t.Context(), true))
	y.seen(30 * time.Minute)
	y.wants("Silent 1200-1800 online")
	y.kill()
	y.after(45 * time.Minute)
	y.after(50*time.Minute - 1)
	y.wants("Silent 1200-1800 online")
	y.after(50 * time.Minute)
	y.wants("Silent 1200-1800 online; Silent 3000-")
	y.kill()
	y.after(51 * time.Minute)
	y.wants("Silent 1200-1800 online; Silent 3000-")
	y.seen(52 * time.Minute)
	y.wants("Silent 1200-1800 online; Silent 3000-3120 online")
	if s := y.engine.Stats(); s.Open != 0 {
		t.Errorf("%+v", s)
	}
}

func TestOfflineByHandAndKill(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.after(15 * time.Minute)
	y.must(y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""))
	y.must(y.Status.Flush(t.Context(), true))
	y.seen(30 * time.Minute)
	y.kill()
	y.after(45 * time.Minute)
	y.after(50 * time.Minute)
	y.wants("Silent 300-900 byHand; Silent 3000-")
}

// Late contact is from before the device went: what counted for the notice that
// it ended does not count for the next, whoever ended it.
func TestOfflineTakenBackAndKill(t *testing.T) {
	for name, byHand := range map[string]bool{"Silent 1200-1200 online": false, "Silent 1200-1200 byHand": true} {
		for _, killed := range []bool{false, true} {
			y := newYard(t)
			y.offlineRule()
			y.seen(0)
			y.after(15 * time.Minute)
			y.after(20 * time.Minute)
			y.must(y.Status.Flush(t.Context(), true))
			if killed {
				y.kill()
			}
			if byHand {
				y.must(y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""))
			}
			y.Presence.SeenAt(testkit.Ref(y.mast), testkit.Start.Add(10*time.Minute).UnixMilli())
			y.tick()
			y.kill()
			y.after(35 * time.Minute)
			y.after(40*time.Minute - 1)
			y.wants(name)
			y.after(40 * time.Minute)
			y.wants(name + "; Silent 2400-")
		}
	}
}

// A notice that is there already and over is not taken for one that is open:
// the rule goes on, and tells of the device at a time of its own.
func TestOfflineNoticeThatIsOver(t *testing.T) {
	y := newYard(t)
	id := y.offlineRule()
	y.Notice(t, testkit.Notice{
		Device: y.mast, Rule: id, Revision: y.revision(id), Status: alarm.ResolvedItself,
		Started: testkit.Start.Add(5 * time.Minute).UnixMilli(), Ended: testkit.Start.Add(6 * time.Minute).UnixMilli(),
	})
	y.after(15 * time.Minute)
	if s := y.engine.Stats(); s.Open != 0 || s.Opened != 0 {
		t.Errorf("taken for an open one: %+v", s)
	}
	y.after(15 * time.Minute)
	if n := y.newest(); n.Status != alarm.Pending || n.Start != testkit.Start.Add(5*time.Minute).UnixMilli()+1 {
		t.Errorf("%+v", n)
	}
	if s := y.engine.Stats(); s.Open != 1 || s.Opened != 1 {
		t.Errorf("%+v", s)
	}
}

func TestOfflineStoppedAndRefused(t *testing.T) {
	y := newYard(t)
	id := y.offlineRule()
	y.unpublish(id)
	y.after(time.Hour)
	y.wants("")
	y.publish(id)
	mend := y.fail("INSERT ON notices")
	y.Clock.Set(testkit.Start.Add(66 * time.Minute))
	if _, err := y.engine.Tick(t.Context()); err == nil {
		t.Error("recorded, though the database refused")
	}
	mend()
	y.after(67 * time.Minute)
	y.wants("Silent 3900-")
	y.unpublish(id)
	y.seen(68 * time.Minute)
	y.wants("Silent 3900-4020 stopped")
}

// Until it is on disk where rules go on counting, nobody writes down that devices
// are let in: the next start would take the time before for time that they counted.
func TestOfflineAliveComesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYard(t)
		y.offlineRule()
		y.must(y.Status.Flush(t.Context(), true))
		mend := y.fail("INSERT ON alarm_states")
		alive := make(chan time.Time, 100)
		now := time.Now
		start := func() *alarm.Engine {
			e := alarm.NewEngine(alarm.EngineOptions{
				DB: y.DB, Catalog: y.Catalog, Rules: y.rules, Positions: y.positions, Devices: y.Devices, Registry: y.Registry, Presence: y.Presence,
				Readings: y.readings, Screens: y.hub, Now: now, Log: y.Log.Logger, Stopped: now().Add(-time.Hour),
				Alive: func() error { alive <- now(); return nil },
			})
			y.must(e.Start(t.Context()))
			return e
		}
		engine := start()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- engine.Run(ctx) }()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if len(alive) > 0 {
			t.Errorf("said %d times before the count was on disk", len(alive))
		}
		mend()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n := len(alive); n < 3 || n > 5 {
			t.Errorf("said %d times in half a minute", n)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Run needs nobody to ask: it wakes when a device comes, and when it is time.
func TestOfflineRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now
		y := newYard(t)
		presence := device.NewPresence(y.Registry, now, nil, y.Log.Logger)
		engine := alarm.NewEngine(alarm.EngineOptions{
			DB: y.DB, Catalog: y.Catalog, Rules: y.rules, Positions: y.positions, Devices: y.Devices, Registry: y.Registry, Presence: presence,
			Readings: y.readings, Screens: y.hub, Now: now, Log: y.Log.Logger,
		})
		y.must(engine.Start(t.Context()))
		y.engine, y.rules = engine, alarm.NewRuleStore(y.DB, y.Catalog, now)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- engine.Run(ctx) }()
		go presence.Run(ctx)
		y.offlineRule()
		presence.Seen(testkit.Ref(y.mast))
		time.Sleep(20*time.Minute + time.Second)
		synctest.Wait()
		if s := engine.Stats(); s.Opened != 1 || s.Open != 1 {
			t.Errorf("after twenty minutes of silence: %+v", s)
		}
		presence.Seen(testkit.Ref(y.mast))
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
