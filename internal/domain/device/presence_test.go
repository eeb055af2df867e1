package device_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

const (
	field tenant.ID = 1
	rival tenant.ID = 2

	offlineAfter = time.Minute
)

// presenceFixture is a Presence over a registry of its own, on a clock of its own, and
// what was told.
type presenceFixture struct {
	*device.Presence
	clock    *testkit.Clock
	registry *device.Registry
	changes  []string
}

// devices 1 and 2 are the field's, 3 the rival's; device 2 is more patient.
func newPresenceFixture() *presenceFixture {
	w := &presenceFixture{clock: testkit.NewClock(), registry: device.NewRegistry(testkit.SecretKey)}
	w.setDevices(offlineAfter, 1, 2, 3)
	w.Presence = device.NewPresence(w.registry, w.clock.Now, w.clock.Elapsed, testkit.NewLog().Logger)
	w.OnChange(func(c device.StatusChange) {
		w.changes = append(w.changes, fmt.Sprintf("%s %t %s", c.Name, c.Online, time.UnixMilli(c.At).
			Sub(testkit.Start)))
	})
	return w
}

func (w *presenceFixture) setDevices(short time.Duration, ids ...device.ID) {
	var entries []*device.Entry
	for _, id := range ids {
		p := &device.Product{OfflineAfter: short}
		if id == 2 {
			p.OfflineAfter = 3 * offlineAfter
		}
		entries = append(entries, device.NewEntry(ref(id), fmt.Sprint("d", id), p, false, false))
	}
	w.registry.Replace(entries)
}

func ref(id device.ID) device.Ref {
	if id == 3 {
		return device.Ref{Tenant: rival, ID: id}
	}
	return device.Ref{Tenant: field, ID: id}
}

// advance lets time pass and looks who was silent for too long.
func (w *presenceFixture) advance(d time.Duration) time.Time {
	w.clock.Advance(d)
	return w.Expire()
}

func (w *presenceFixture) wantChanges(t *testing.T, told ...string) {
	t.Helper()
	if len(w.changes) != len(told) || len(told) > 0 && !reflect.DeepEqual(w.changes, told) {
		t.Errorf("told %q, want %q", w.changes, told)
	}
	w.changes = nil
}

func (w *presenceFixture) wantOnline(t *testing.T, id device.ID, want bool) {
	t.Helper()
	if got := w.Status(ref(id).Tenant, id).Online; got != want {
		t.Errorf("device %d: online %t", id, got)
	}
}

func TestPresenceContactAndSilence(t *testing.T) {
	w := newPresenceFixture()
	if w.Status(field, 1) != (device.Status{}) || !w.Expire().IsZero() {
		t.Error("something is known before anything happened")
	}
	w.Seen(ref(1))
	w.wantChanges(t, "d1 true 0s")
	if next := w.advance(offlineAfter - time.Millisecond); !next.Equal(testkit.Start.Add(offlineAfter)) {
		t.Errorf("look again at %s", next.Sub(testkit.Start))
	}
	w.wantOnline(t, 1, true)
	w.Seen(ref(1)) // at the last moment: a fresh patience
	w.wantChanges(t)
	w.advance(offlineAfter - time.Millisecond)
	w.wantOnline(t, 1, true)
	w.advance(time.Millisecond)
	w.wantChanges(t, "d1 false 1m59.999s")
	start := testkit.Start.UnixMilli()
	want := device.Status{LastContact: start + 59_999, OnlineTime: start, OfflineTime: start + 119_999}
	if got := w.Status(field, 1); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if next := w.advance(time.Hour); !next.IsZero() {
		t.Errorf("look again at %s though nobody is online", next)
	}
	w.wantChanges(t)
	w.Seen(ref(1))
	w.wantChanges(t, "d1 true 1h1m59.999s")
	if got := w.Status(field, 1); !got.Online || got.OnlineTime != w.clock.Milli() ||
		got.OfflineTime != want.OfflineTime {
		t.Errorf("%+v", got)
	}
}

// Each product has its own patience; changes are told in order of time, and
// each device that was silent is told once.
func TestPresenceChangeOrderAndOfflineAfter(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(2))
	w.clock.Advance(time.Second)
	w.Seen(ref(1))
	w.clock.Advance(time.Second)
	w.Seen(ref(3))
	w.wantChanges(t, "d2 true 0s", "d1 true 1s", "d3 true 2s")
	w.advance(offlineAfter - time.Second)
	w.wantChanges(t, "d1 false 1m1s")
	w.advance(time.Second)
	w.wantChanges(t, "d3 false 1m2s")
	w.advance(2 * offlineAfter)
	w.wantChanges(t, "d2 false 3m2s")
}

// While its own connection lives a device is online, however silent; the end
// of the last one begins a new silence.
func TestOpenConnectionKeepsDeviceOnline(t *testing.T) {
	w := newPresenceFixture()
	w.Connected(ref(1))
	w.Connected(ref(1)) // it reconnects before the old connection is found dead
	w.wantChanges(t, "d1 true 0s")
	for range 5 {
		w.advance(offlineAfter)
	}
	w.Disconnected(ref(1))
	for range 5 {
		w.advance(offlineAfter)
	}
	w.wantOnline(t, 1, true)
	w.clock.Advance(offlineAfter / 2)
	w.Disconnected(ref(1))
	w.advance(offlineAfter - time.Millisecond)
	w.wantOnline(t, 1, true)
	w.wantChanges(t)
	w.advance(time.Millisecond)
	w.wantChanges(t, "d1 false 11m30s")
	// Ends that nobody began are no harm.
	w.Disconnected(ref(1))
	w.Disconnected(ref(2))
	w.advance(time.Hour)
	w.wantChanges(t)
	w.Connected(ref(1))
	w.advance(time.Hour)
	w.wantOnline(t, 1, true)
}

func TestPresenceCounts(t *testing.T) {
	w := newPresenceFixture()
	for _, step := range []struct {
		do           func()
		field, rival int
	}{
		{func() {}, 0, 0},
		{func() { w.Seen(ref(1)); w.Seen(ref(1)); w.Connected(ref(2)) }, 2, 0},
		{func() { w.Seen(ref(3)) }, 2, 1},
		{func() { w.advance(offlineAfter) }, 1, 0},
		{func() { w.Seen(ref(1)); w.Forget(ref(1)); w.Forget(ref(1)) }, 1, 0},
		{func() { w.Disconnected(ref(2)); w.advance(3 * offlineAfter) }, 0, 0},
		{func() { w.Forget(ref(2)); w.Forget(ref(9)) }, 0, 0},
	} {
		step.do()
		if f, r := w.OnlineCount(field), w.OnlineCount(rival); f != step.field || r != step.rival {
			t.Errorf("%d and %d online, want %d and %d", f, r, step.field, step.rival)
		}
	}
}

// A device that is deleted is forgotten: its deadline tells nothing, and when
// it is heard of again it starts anew.
func TestPresenceForget(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(1))
	w.Forget(ref(1))
	w.wantChanges(t, "d1 true 0s")
	if w.Status(field, 1) != (device.Status{}) {
		t.Error("still known")
	}
	w.Seen(ref(1))
	w.advance(offlineAfter)
	w.wantChanges(t, "d1 true 0s", "d1 false 1m0s")
	w.advance(time.Hour)
	w.wantChanges(t)
}

// A history that is fed in tells when a device came and went, without bringing
// anybody online whose patience has run out since.
func TestPresenceBackfill(t *testing.T) {
	w := newPresenceFixture()
	start := testkit.Start.UnixMilli()
	ago := func(d time.Duration) int64 { return start - d.Milliseconds() }
	minutes := offlineAfter
	for _, step := range []struct {
		at   int64
		want device.Status
		told string
	}{
		{ago(30 * minutes), device.Status{LastContact: ago(30 * minutes), OnlineTime: ago(30 * minutes), OfflineTime: ago(29 * minutes)}, ""},
		{ago(29*minutes + 30*time.Second), device.Status{LastContact: ago(29*minutes + 30*time.Second), OnlineTime: ago(30 * minutes), OfflineTime: ago(28*minutes + 30*time.Second)}, ""},
		{ago(40 * minutes), device.Status{LastContact: ago(29*minutes + 30*time.Second), OnlineTime: ago(30 * minutes), OfflineTime: ago(28*minutes + 30*time.Second)}, ""}, // out of order
		{ago(2 * minutes), device.Status{LastContact: ago(2 * minutes), OnlineTime: ago(2 * minutes), OfflineTime: ago(minutes)}, ""},
		{ago(minutes + 10*time.Second), device.Status{LastContact: ago(minutes + 10*time.Second), OnlineTime: ago(2 * minutes), OfflineTime: ago(10 * time.Second)}, ""},
		// Still fresh: it is online, and has been since two minutes ago; before that it was gone.
		{ago(20 * time.Second), device.Status{Online: true, LastContact: ago(20 * time.Second), OnlineTime: ago(2 * minutes), OfflineTime: ago(28*minutes + 30*time.Second)}, "d1 true -20s"},
		{ago(3 * minutes), device.Status{Online: true, LastContact: ago(20 * time.Second), OnlineTime: ago(2 * minutes), OfflineTime: ago(28*minutes + 30*time.Second)}, ""},
	} {
		w.SeenAt(ref(1), step.at)
		if got := w.Status(field, 1); got != step.want {
			t.Errorf("seen at %s: %+v, want %+v", time.UnixMilli(step.at).Sub(testkit.Start), got, step.want)
		}
		if step.told != "" {
			w.wantChanges(t, step.told)
		} else {
			w.wantChanges(t)
		}
	}
	// Its patience counts from when it was heard of, not from now.
	w.advance(40*time.Second - time.Millisecond)
	w.wantOnline(t, 1, true)
	w.advance(time.Millisecond)
	w.wantOnline(t, 1, false)
}

// However far a clock is set back, silence lasts as long as before: from the last
// contact, or from when it was seen that the clock was set back.
func TestPresenceClockSetBack(t *testing.T) {
	for _, back := range []time.Duration{time.Second, 10 * time.Second, 8 * time.Hour} {
		for name, heard := range map[string]func(w *presenceFixture){
			"itself":       func(w *presenceFixture) { w.Seen(ref(1)) },
			"another":      func(w *presenceFixture) { w.Seen(ref(3)) },
			"nobody":       func(w *presenceFixture) { w.Expire() },
			"under way":    func(w *presenceFixture) { w.SeenAt(ref(1), w.clock.Milli()+back.Milliseconds()) },
			"disconnected": func(w *presenceFixture) { w.Connected(ref(1)); w.Disconnected(ref(1)) },
		} {
			w := newPresenceFixture()
			w.Seen(ref(1))
			w.clock.Advance(-back)
			heard(w)
			if st := w.Status(field, 1); st.LastContact > w.clock.Milli() || st.OnlineTime > w.clock.Milli() {
				t.Errorf("back by %s, %s: %+v, later than it is now", back, name, st)
			}
			w.advance(offlineAfter - time.Millisecond)
			w.wantOnline(t, 1, true)
			w.advance(time.Millisecond)
			w.wantOnline(t, 1, false)
		}
	}
}

// Whom the clock leapt over has not been silent for that time: a device goes when it
// has really said nothing for its patience, and says so by the clock as it is now.
func TestPresenceClockJumpsAhead(t *testing.T) {
	for _, ahead := range []time.Duration{2 * time.Minute, 8 * time.Hour, 30 * 365 * 24 * time.Hour} {
		for name, heard := range map[string]func(w *presenceFixture){
			"another":                             func(w *presenceFixture) { w.Seen(ref(3)) },
			"nobody":                              func(w *presenceFixture) { w.Expire() },
			"come before the leap, and under way": func(w *presenceFixture) { w.SeenAt(ref(1), w.clock.Milli()-ahead.Milliseconds()) },
		} {
			w := newPresenceFixture()
			w.Seen(ref(1))
			w.advance(offlineAfter / 2)
			w.clock.Jump(ahead)
			heard(w)
			w.wantChanges(t, map[bool][]string{
				true:  {"d1 true 0s", fmt.Sprintf("d3 true %s", offlineAfter/2+ahead)},
				false: {"d1 true 0s"},
			}[name == "another"]...)
			if got := w.Status(field, 1).LastContact; got != testkit.Start.UnixMilli() {
				t.Errorf("by %s, %s: last contact %d", ahead, name, got)
			}
			w.advance(offlineAfter/2 - time.Millisecond)
			w.wantOnline(t, 1, true)
			w.advance(time.Millisecond)
			w.wantChanges(t, fmt.Sprintf("d1 false %s", offlineAfter+ahead))
		}
	}
}

// Of a device whose connection ended, too; and one that comes after the leap is
// online for as long as ever.
func TestPresenceClockJumpAfterDisconnect(t *testing.T) {
	w := newPresenceFixture()
	w.Connected(ref(1))
	w.advance(time.Hour)
	w.Disconnected(ref(1))
	w.clock.Jump(time.Hour)
	w.advance(offlineAfter - time.Millisecond)
	w.wantOnline(t, 1, true)
	w.Seen(ref(1))
	w.advance(offlineAfter - time.Millisecond)
	w.wantOnline(t, 1, true)
	w.advance(time.Millisecond)
	w.wantOnline(t, 1, false)
	w.clock.Jump(time.Hour) // nobody is online
	w.advance(time.Hour)
	w.wantChanges(t, "d1 true 0s", fmt.Sprintf("d1 false %s", 2*time.Hour+2*offlineAfter-time.Millisecond))
}

// A device that went while the clock was ahead and comes when it is right again
// had gone.
func TestPresenceOnlineBeforeItsOfflineTime(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(1))
	w.advance(offlineAfter)
	w.clock.Advance(-8 * time.Hour)
	w.Seen(ref(1))
	w.wantChanges(t, "d1 true 0s", "d1 false 1m0s", "d1 true -7h59m0s")
	if got := w.Status(field, 1); !got.Online || got.OnlineTime != w.clock.Milli() ||
		got.OfflineTime != w.clock.Milli() {
		t.Errorf("%+v", got)
	}
}

// Run notices by itself that the clock was set back.
func TestPresenceRunClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := device.NewRegistry(testkit.SecretKey)
		registry.Replace([]*device.Entry{device.NewEntry(ref(1), "d1", &device.Product{OfflineAfter: time.Hour},
			false, false)})
		var ahead atomic.Int64
		ahead.Store(int64(8 * time.Hour))
		p := device.NewPresence(registry, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
			nil, testkit.NewLog().Logger)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { p.Run(ctx); close(done) }()
		p.Seen(ref(1))
		time.Sleep(10 * time.Second) // of the bubble's own time
		ahead.Store(0)
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if p.Status(field, 1).Online {
			t.Error("online for more than its patience and a minute")
		}
		stop()
		<-done
	})
}

// What still comes of a device that was deleted brings nobody back.
func TestContactOfDeletedDeviceIsIgnored(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(1))
	w.setDevices(offlineAfter, 2, 3)
	w.Forget(ref(1))
	w.changes = nil
	w.Seen(ref(1))
	w.SeenAt(ref(1), w.clock.Milli()-time.Hour.Milliseconds())
	w.Connected(ref(1))
	w.Disconnected(ref(1))
	w.Gone(ref(1))
	w.FinishBackfill()
	w.advance(time.Hour)
	w.wantChanges(t)
	if n := w.OnlineCount(field); n != 0 || w.Status(field, 1) != (device.Status{}) {
		t.Errorf("%d online, %+v", n, w.Status(field, 1))
	}
}

// A product whose patience is changed is looked at anew, in both directions.
func TestPresenceReschedule(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(1))
	w.Seen(ref(3))
	w.setDevices(10*time.Second, 1, 2, 3)
	w.Reschedule()
	w.advance(10 * time.Second)
	w.wantChanges(t, "d1 true 0s", "d3 true 0s", "d1 false 10s", "d3 false 10s")
	w.Seen(ref(1))
	w.setDevices(time.Hour, 1, 2, 3)
	w.Reschedule()
	w.advance(time.Hour - time.Millisecond)
	w.wantOnline(t, 1, true)
	w.advance(time.Millisecond)
	w.wantOnline(t, 1, false)
}

// A device whose product sets nothing, or that the registry has lost, gets the
// default patience.
func TestPresenceDefaultOfflineAfter(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(2)) // and then it is lost
	w.setDevices(0, 1)
	for _, id := range []device.ID{1, 2} {
		w.Seen(ref(id))
		w.advance(device.DefaultOfflineAfter - time.Millisecond)
		w.wantOnline(t, id, true)
		w.advance(time.Millisecond)
		w.wantOnline(t, id, false)
	}
}

// Run takes devices offline when their time comes, without being asked.
func TestPresenceRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := device.NewRegistry(testkit.SecretKey)
		registry.Replace([]*device.Entry{
			device.NewEntry(ref(1), "d1", &device.Product{OfflineAfter: offlineAfter}, false, false),
			device.NewEntry(ref(2), "d2", &device.Product{OfflineAfter: time.Second}, false, false),
		})
		p := device.NewPresence(registry, time.Now, nil, testkit.NewLog().Logger)
		start := time.Now()
		changes := make(chan string, 10)
		p.OnChange(func(c device.StatusChange) {
			changes <- fmt.Sprintf("%s %t %s", c.Name, c.Online, time.UnixMilli(c.At).Sub(start))
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { p.Run(ctx); close(done) }()
		next := func(want string) {
			t.Helper()
			if got := <-changes; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		synctest.Wait() // it sleeps, having found nobody
		p.Seen(ref(1))
		next("d1 true 0s")
		time.Sleep(10 * time.Second) // of the bubble's own time
		p.Seen(ref(2))               // due before what it waits for: it must wake
		next("d2 true 10s")
		next("d2 false 11s")
		p.Seen(ref(1))
		next("d1 false 1m11s")
		p.Connected(ref(1))
		next("d1 true 1m11s")
		time.Sleep(time.Hour)
		p.Disconnected(ref(1))
		next("d1 false 1h2m11s")
		stop()
		<-done
	})
}

// Arrivals, connections, looks and deletions at once; the race detector
// watches, and the count comes out even.
func TestPresenceConcurrency(t *testing.T) {
	w := newPresenceFixture()
	var mu sync.Mutex
	state := map[device.ID]bool{}
	w.OnChange(func(c device.StatusChange) {
		mu.Lock()
		defer mu.Unlock()
		if state[c.ID] == c.Online {
			t.Errorf("device %d: told %t twice", c.ID, c.Online)
		}
		state[c.ID] = c.Online
	})
	var wg sync.WaitGroup
	for id := device.ID(1); id <= 3; id++ {
		for range 2 {
			wg.Go(func() {
				for range 300 {
					w.Connected(ref(id))
					w.Seen(ref(id))
					w.Disconnected(ref(id))
					w.advance(offlineAfter / 4)
					w.Status(field, id)
					w.OnlineCount(field)
				}
			})
		}
	}
	wg.Wait()
	w.advance(time.Hour)
	if f, r := w.OnlineCount(field), w.OnlineCount(rival); f != 0 || r != 0 {
		t.Errorf("%d and %d are still counted", f, r)
	}
}
