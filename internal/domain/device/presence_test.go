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

// presenceFixture is a Presence with its own registry and clock, and the changes that it notified.
type presenceFixture struct {
	*device.Presence
	clock    *testkit.Clock
	registry *device.Registry
	changes  []string
}

// Devices 1 and 2 are the field's, 3 is the rival's; device 2 has a longer OfflineAfter.
func newPresenceFixture() *presenceFixture {
	w := &presenceFixture{clock: testkit.NewClock(), registry: device.NewRegistry(testkit.SecretKey)}
	w.setDevices(offlineAfter, 1, 2, 3)
	w.Presence = device.NewPresence(w.registry, w.clock.Now, w.clock.Elapsed, testkit.NewLog().Logger)
	w.Changed.Then(func(c device.StatusChange) {
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

// advance lets time pass and calls Expire.
func (w *presenceFixture) advance(d time.Duration) time.Time {
	w.clock.Advance(d)
	return w.Expire()
}

func (w *presenceFixture) wantChanges(t *testing.T, want ...string) {
	t.Helper()
	if len(w.changes) != len(want) || len(want) > 0 && !reflect.DeepEqual(w.changes, want) {
		t.Errorf("changes %q, want %q", w.changes, want)
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
		t.Error("the device has a status before any contact")
	}
	w.Seen(ref(1))
	w.wantChanges(t, "d1 true 0s")
	if next := w.advance(offlineAfter - time.Millisecond); !next.Equal(testkit.Start.Add(offlineAfter)) {
		t.Errorf("the next Expire is at %s", next.Sub(testkit.Start))
	}
	w.wantOnline(t, 1, true)
	w.Seen(ref(1)) // just in time: the silence starts anew
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
		t.Errorf("the next Expire is at %s though no device is online", next)
	}
	w.wantChanges(t)
	w.Seen(ref(1))
	w.wantChanges(t, "d1 true 1h1m59.999s")
	if got := w.Status(field, 1); !got.Online || got.OnlineTime != w.clock.Milli() ||
		got.OfflineTime != want.OfflineTime {
		t.Errorf("%+v", got)
	}
}

// Each product has its own OfflineAfter; changes are notified in order of time, and once for each
// silent device.
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

// While its own connection is open, a device is online even if it is silent; the end of the last
// connection begins a new silence.
func TestOpenConnectionKeepsDeviceOnline(t *testing.T) {
	w := newPresenceFixture()
	w.Connected(ref(1))
	w.Connected(ref(1)) // it reconnects before the server notices that the old connection is dead
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
	// A Disconnected without a Connected does no harm.
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

// A deleted device is forgotten: its deadline notifies nothing, and with a new contact it starts
// anew.
func TestPresenceForget(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(1))
	w.Forget(ref(1))
	w.wantChanges(t, "d1 true 0s")
	if w.Status(field, 1) != (device.Status{}) {
		t.Error("the forgotten device still has a status")
	}
	w.Seen(ref(1))
	w.advance(offlineAfter)
	w.wantChanges(t, "d1 true 0s", "d1 false 1m0s")
	w.advance(time.Hour)
	w.wantChanges(t)
}

// The import of past contacts shows when a device came online and went offline, without bringing a
// device online whose OfflineAfter has passed since.
func TestPresenceBackfill(t *testing.T) {
	w := newPresenceFixture()
	start := testkit.Start.UnixMilli()
	ago := func(d time.Duration) int64 { return start - d.Milliseconds() }
	minutes := offlineAfter
	status := func(online bool, contact, on, off time.Duration) device.Status {
		return device.Status{Online: online, LastContact: ago(contact), OnlineTime: ago(on), OfflineTime: ago(off)}
	}
	const half = 30 * time.Second
	for _, step := range []struct {
		at      int64
		want    device.Status
		changes string
	}{
		{ago(30 * minutes), status(false, 30*minutes, 30*minutes, 29*minutes), ""},
		{ago(29*minutes + half), status(false, 29*minutes+half, 30*minutes, 28*minutes+half), ""},
		{ago(40 * minutes), status(false, 29*minutes+half, 30*minutes, 28*minutes+half), ""}, // out of order
		{ago(2 * minutes), status(false, 2*minutes, 2*minutes, minutes), ""},
		{ago(minutes + 10*time.Second), status(false, minutes+10*time.Second, 2*minutes, 10*time.Second), ""},
		// A recent contact: the device is online since two minutes ago, and was offline before.
		{ago(20 * time.Second), status(true, 20*time.Second, 2*minutes, 28*minutes+half), "d1 true -20s"},
		{ago(3 * minutes), status(true, 20*time.Second, 2*minutes, 28*minutes+half), ""},
	} {
		w.SeenAt(ref(1), step.at)
		if got := w.Status(field, 1); got != step.want {
			t.Errorf("seen at %s: %+v, want %+v", time.UnixMilli(step.at).Sub(testkit.Start), got, step.want)
		}
		if step.changes != "" {
			w.wantChanges(t, step.changes)
		} else {
			w.wantChanges(t)
		}
	}
	// Its silence counts from the contact, not from now.
	w.advance(40*time.Second - time.Millisecond)
	w.wantOnline(t, 1, true)
	w.advance(time.Millisecond)
	w.wantOnline(t, 1, false)
}

// If the clock is set back by any time, OfflineAfter stays as long as before: it counts from the
// last contact, or from when Presence noticed the change of the clock.
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

// A jump of the clock does not count as silence: a device goes offline when it has really been
// silent for its OfflineAfter, and its times are by the clock after the jump.
func TestPresenceClockJumpsAhead(t *testing.T) {
	for _, ahead := range []time.Duration{2 * time.Minute, 8 * time.Hour, 30 * 365 * 24 * time.Hour} {
		for name, heard := range map[string]func(w *presenceFixture){
			"another": func(w *presenceFixture) { w.Seen(ref(3)) },
			"nobody":  func(w *presenceFixture) { w.Expire() },
			"a contact from before the jump that arrives after it": func(w *presenceFixture) { w.SeenAt(ref(1), w.clock.Milli()-ahead.Milliseconds()) },
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

// The same holds for a device whose connection ended; and a device that comes online after the jump
// stays online for its full OfflineAfter.
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
	w.clock.Jump(time.Hour) // no device is online
	w.advance(time.Hour)
	w.wantChanges(t, "d1 true 0s", fmt.Sprintf("d1 false %s", 2*time.Hour+2*offlineAfter-time.Millisecond))
}

// A device that went offline while the clock was ahead, and comes online after the clock was set
// back, had been offline.
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

// Run notices without a call that the clock was set back.
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
			t.Error("the device is online for more than its OfflineAfter and a minute")
		}
		stop()
		<-done
	})
}

// A message of a deleted device that still arrives brings no device back.
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

// Reschedule applies a changed OfflineAfter, shorter or longer.
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

// A device whose product sets no OfflineAfter, or that the registry does not hold, gets the
// default.
func TestPresenceDefaultOfflineAfter(t *testing.T) {
	w := newPresenceFixture()
	w.Seen(ref(2)) // and then the registry loses it
	w.setDevices(0, 1)
	for _, id := range []device.ID{1, 2} {
		w.Seen(ref(id))
		w.advance(device.DefaultOfflineAfter - time.Millisecond)
		w.wantOnline(t, id, true)
		w.advance(time.Millisecond)
		w.wantOnline(t, id, false)
	}
}

// Run makes devices offline when they are due, without a call.
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
		p.Changed.Then(func(c device.StatusChange) {
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
		synctest.Wait() // Run sleeps, since no device is online
		p.Seen(ref(1))
		next("d1 true 0s")
		time.Sleep(10 * time.Second) // of the bubble's own time
		p.Seen(ref(2))               // due before the deadline that Run waits for: Run must wake
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

// Arrivals, connections, reads and deletions run concurrently under the race detector, and the
// counts are right at the end.
func TestPresenceConcurrency(t *testing.T) {
	w := newPresenceFixture()
	var mu sync.Mutex
	state := map[device.ID]bool{}
	w.Changed.Then(func(c device.StatusChange) {
		mu.Lock()
		defer mu.Unlock()
		if state[c.ID] == c.Online {
			t.Errorf("device %d: notified %t twice", c.ID, c.Online)
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
