package alarm_test

import (
	"context"
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

// Counting starts at publishing, of a device that was never seen too. After a
// start of the server everybody has the time that their product grants to come
// back.
func TestOfflineCountsFromPublishing(t *testing.T) {
	y := newYard(t)
	y.after(time.Hour)
	y.offlineRule()
	y.after(65*time.Minute - 1)
	y.wants("")
	y.after(65 * time.Minute)
	y.wants("Silent 3900-")

	y = newYard(t) // let in at 0: granted until 15:00
	y.Clock.Advance(time.Minute)
	y.offlineRule()
	y.after(15*time.Minute - 1)
	y.wants("")
	y.after(15 * time.Minute)
	y.wants("Silent 360-")
}

func TestOfflineRestart(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.seen(0)
	y.after(15 * time.Minute)
	// Down from 16:00 to 40:00; due at 20:00.
	y.after(16 * time.Minute)
	y.Clock.Set(testkit.Start.Add(40 * time.Minute))
	y.restart()
	y.after(55*time.Minute - 1)
	y.wants("")
	y.after(55 * time.Minute)
	y.wants("Silent 1200-")
	y.restart()
	y.after(2 * time.Hour)
	y.wants("Silent 1200-")

	// The device comes back, and the kill comes before anybody took note.
	y.Presence.Seen(testkit.Ref(y.mast))
	y.Clock.Advance(time.Second)
	y.restart()
	y.tick()
	y.wants("Silent 1200-7200 online")

	// One that was online has a fresh patience: no storm.
	y.Clock.Set(testkit.Start.Add(5 * time.Hour))
	y.restart()
	y.after(5*time.Hour + 15*time.Minute)
	y.after(5*time.Hour + 20*time.Minute - 1)
	y.wants("Silent 1200-7200 online")
	y.after(5*time.Hour + 20*time.Minute)
	y.wants("Silent 1200-7200 online; Silent 19200-")
}

// Nobody is told that a device is offline while it could not come back.
func TestOfflineWaitsUntilDevicesAreLetIn(t *testing.T) {
	y := newYard(t)
	y.offlineRule()
	y.start() // and not let in
	y.after(10 * time.Hour)
	y.wants("")
	y.engine.LetIn()
	y.after(10*time.Hour + 15*time.Minute)
	y.wants("Silent 300-")
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
// were written, and its next start.
func (y *yard) kill() {
	y.t.Helper()
	y.Restart(y.t)
	y.start()
	y.engine.LetIn()
}

// That the device was back is known from the notice alone: its next absence is
// another one.
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
	y.after(45*time.Minute - 1)
	y.wants("Silent 1200-1800 online")
	y.after(45 * time.Minute)
	y.wants("Silent 1200-1800 online; Silent 2100.001-")
	y.kill()
	y.seen(50 * time.Minute)
	y.wants("Silent 1200-1800 online; Silent 2100.001-3000 online")
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
	y.wants("Silent 300-900 byHand; Silent 2100.001-")
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
			y.wants(name + "; Silent 1200.001-")
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
		y.engine, y.rules = engine, alarm.NewRuleStore(y.DB, now)
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
