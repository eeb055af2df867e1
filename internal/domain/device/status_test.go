package device_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// newDevices makes a tenant with n devices d0, d1, …
func newDevices(t *testing.T, n int) (*testkit.Stores, *testkit.Tenant, []*device.Device) {
	t.Helper()
	s := testkit.NewStores(t)
	owner := s.Tenant(t, "field")
	station := s.Station(t)
	devices := make([]*device.Device, n)
	for i := range devices {
		devices[i] = &device.Device{Name: fmt.Sprint("d", i), ProductID: station.ID}
	}
	s.PutDevices(t, owner.ID, devices...)
	return s, owner, devices
}

func flush(t *testing.T, s *testkit.Stores, all bool) {
	t.Helper()
	if err := s.Status.Flush(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}

func outOfRangeRefusal(s *testkit.Stores) []device.Refusal {
	return []device.Refusal{{Time: s.Clock.Milli(), Identifier: "rain", Reason: device.ReasonOutOfRange}}
}

// The status that was flushed is restored after a start.
func TestStatusSurvivesRestart(t *testing.T) {
	s, owner, d := newDevices(t, 3)
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Expire()
	s.Presence.Seen(testkit.Ref(d[1]))
	s.Diagnostics.Count(testkit.Ref(d[2]), s.Clock.Milli(), 2, outOfRangeRefusal(s), 90*time.Second)
	flush(t, s, true)
	type known struct {
		device.Status
		device.Intake
	}
	look := func() (all []known) {
		for _, d := range d {
			all = append(all, known{s.Presence.Status(owner.ID, d.ID), s.Diagnostics.Get(owner.ID, d.ID)})
		}
		return all
	}
	before, changes := look(), 0
	s.Restart(t)
	s.Presence.Changed.Then(func(device.StatusChange) { changes++ })
	if after := look(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%+v, want %+v", after, before)
	}
	if before[0].OfflineTime == 0 || !before[1].Online || before[2].LastRefusal.Reason != device.ReasonOutOfRange ||
		before[2].ClockAhead != 90*time.Second {
		t.Errorf("the fixture has no status to restore: %+v", before)
	}
	if n := s.Presence.OnlineCount(owner.ID); n != 1 || changes != 0 {
		t.Errorf("%d online, the start notified %d changes", n, changes)
	}
	// Counting continues from there.
	s.Diagnostics.Count(testkit.Ref(d[2]), s.Clock.Milli(), 1, nil, 0)
	if in := s.Diagnostics.Get(owner.ID, d[2].ID); in.Messages != 2 || in.Values != 3 || in.Refused != 1 {
		t.Errorf("%+v", in)
	}
}

// The downtime of the server does not count as silence: each device that was online gets a fresh
// OfflineAfter, so that a restart causes no flood of changes.
func TestRestartTakesNoDeviceOffline(t *testing.T) {
	s, owner, d := newDevices(t, 50)
	for _, d := range d {
		s.Presence.Seen(testkit.Ref(d))
	}
	s.Presence.Connected(testkit.Ref(d[0])) // its connection ends with the server
	s.Clock.Advance(testkit.OfflineAfter - time.Second)
	flush(t, s, true)
	s.Clock.Advance(9 * time.Hour)
	s.Restart(t)
	changes := 0
	s.Presence.Changed.Then(func(device.StatusChange) { changes++ })
	s.Presence.Expire()
	s.Clock.Advance(testkit.OfflineAfter - time.Millisecond)
	s.Presence.Expire()
	if n := s.Presence.OnlineCount(owner.ID); n != 50 || changes != 0 {
		t.Errorf("%d online, %d changes", n, changes)
	}
	s.Presence.Seen(testkit.Ref(d[7]))
	s.Clock.Advance(time.Millisecond)
	s.Presence.Expire()
	if n := s.Presence.OnlineCount(owner.ID); n != 1 || changes != 49 {
		t.Errorf("%d online, %d changes, want the silent devices offline", n, changes)
	}
}

// storedStatus reads a device's status from the database.
func storedStatus(t *testing.T, s *testkit.Stores, id device.ID) (online bool, lastContact, messages int64) {
	t.Helper()
	status, intake, err := device.StoredStatus(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	return status[id].Online, status[id].LastContact, intake[id].Messages
}

// Presence changes are written at once, since lists filter by them; contacts alone wait for the
// full flush.
func TestFlushChangesOnlyAndFlushAll(t *testing.T) {
	s, _, d := newDevices(t, 1)
	s.Presence.Seen(testkit.Ref(d[0]))
	flush(t, s, false)
	first := s.Clock.Milli()
	if online, contact, _ := storedStatus(t, s, d[0].ID); !online || contact != first {
		t.Errorf("after coming online: %t %d", online, contact)
	}
	s.Clock.Advance(time.Second)
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Milli(), 1, nil, 0)
	flush(t, s, false)
	if _, contact, messages := storedStatus(t, s, d[0].ID); contact != first || messages != 0 {
		t.Errorf("the contact alone was written: %d %d", contact-first, messages)
	}
	flush(t, s, true)
	if _, contact, messages := storedStatus(t, s, d[0].ID); contact != first+1000 || messages != 1 {
		t.Errorf("after the full flush: %d %d", contact-first, messages)
	}
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Expire()
	flush(t, s, false)
	if online, _, _ := storedStatus(t, s, d[0].ID); online {
		t.Error("the device went offline, but is stored as online")
	}
}

// Status and intake that could not be written stay marked, and the next flush writes them.
func TestFailedWriteIsRetried(t *testing.T) {
	s, _, d := newDevices(t, 2)
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Diagnostics.Count(testkit.Ref(d[1]), s.Clock.Milli(), 1, nil, 0)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Status.Flush(gone, true); err == nil {
		t.Fatal("the flush succeeded without a database")
	}
	if online, _, _ := storedStatus(t, s, d[0].ID); online {
		t.Fatal("the failed flush wrote a row")
	}
	flush(t, s, false)
	if online, contact, _ := storedStatus(t, s, d[0].ID); !online || contact != s.Clock.Milli() {
		t.Errorf("the next flush did not write the status: %t %d", online, contact)
	}
	if _, _, messages := storedStatus(t, s, d[1].ID); messages != 1 {
		t.Errorf("the next flush did not write the intake: %d", messages)
	}
}

// A device that was deleted meanwhile is in no page any more once the registry knows.
func TestFlushOfDeletedDevice(t *testing.T) {
	s, owner, d := newDevices(t, 2)
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Presence.Seen(testkit.Ref(d[1]))
	if err := s.Devices.Delete(t.Context(), owner.ID, d[0].ID); err != nil {
		t.Fatal(err)
	}
	s.Presence.Seen(testkit.Ref(d[1]))
	s.Reload(t)
	flush(t, s, false)
	status, _, err := device.StoredStatus(t.Context(), s.DB)
	if _, kept := status[d[0].ID]; err != nil || kept {
		t.Errorf("the deleted device is on disk (%v)", err)
	}
	if !status[d[1].ID].Online {
		t.Error("the other device's change to online is lost")
	}
}

// A text that a device sent does not make the flush of other devices fail: the database refuses
// NUL, so the store replaces it.
func TestFlushSanitizesRefusedIdentifier(t *testing.T) {
	s, owner, d := newDevices(t, 2)
	rival := s.Tenant(t, "rival")
	other := s.Device(t, rival.ID, &device.Product{ID: d[0].ProductID}, "other")
	for _, sent := range []string{"a\x00b", "a\xffb"} {
		s.Presence.Seen(testkit.Ref(other))
		s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Milli(), 0,
			[]device.Refusal{{Time: s.Clock.Milli(), Identifier: sent, Reason: device.ReasonUnknown}}, 0)
		flush(t, s, true)
		s.Restart(t)
		if got := s.Diagnostics.Get(owner.ID, d[0].ID).LastRefusal.Identifier; got != "a\uFFFDb" {
			t.Errorf("%q is stored as %q", sent, got)
		}
		if st := s.Presence.Status(rival.ID, other.ID); st.LastContact != s.Clock.Milli() {
			t.Errorf("%q: the other device's contact is lost: %+v", sent, st)
		}
		s.Clock.Advance(time.Second)
	}
}

// A flush of more devices than one statement takes writes all.
func TestFlushAcrossStatements(t *testing.T) {
	s, owner, d := newDevices(t, 1203)
	for _, d := range d {
		s.Presence.Seen(testkit.Ref(d))
	}
	flush(t, s, false)
	s.Restart(t)
	if n := s.Presence.OnlineCount(owner.ID); n != 1203 {
		t.Errorf("%d rows were written", n)
	}
}

func TestOfflineSince(t *testing.T) {
	s, owner, d := newDevices(t, 4)
	for i := range 3 { // d3 has no contact
		s.Presence.Seen(testkit.Ref(d[i]))
		s.Clock.Advance(testkit.OfflineAfter)
		s.Presence.Expire()
	}
	last := s.Clock.Milli()
	s.Presence.Seen(testkit.Ref(d[0])) // online again
	flush(t, s, true)
	step := testkit.OfflineAfter.Milliseconds()
	for since, want := range map[int64]int64{0: 2, last - step: 2, last - step + 1: 1, last: 1, last + 1: 0} {
		if n, err := s.Roster.OfflineSince(t.Context(), owner.ID, since); err != nil || n != want {
			t.Errorf("since %d ms before the last: %d (%v), want %d", last-since, n, err, want)
		}
	}
}

// Run writes presence changes within about a second and contacts within ten, logs a failed write
// and tries again, and writes once more at the end.
func TestStatusRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, d := newDevices(t, 1)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Status.Run(ctx) }()
		pass := func(d time.Duration) {
			s.Clock.Advance(d)
			time.Sleep(d) // of the bubble's own time
			synctest.Wait()
		}
		s.Presence.Seen(testkit.Ref(d[0]))
		pass(1001 * time.Millisecond)
		if online, _, _ := storedStatus(t, s, d[0].ID); !online {
			t.Error("a presence change is not on disk after a second")
		}
		s.Presence.Seen(testkit.Ref(d[0]))
		contact := s.Clock.Milli()
		pass(10 * time.Second)
		if _, got, _ := storedStatus(t, s, d[0].ID); got != contact {
			t.Errorf("the last contact is %d ms behind after ten seconds", contact-got)
		}

		rename := func(from, to string) {
			t.Helper()
			if err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
				_, err := tx.NewRaw("ALTER TABLE ? RENAME TO ?", bun.Ident(from), bun.Ident(to)).Exec(ctx)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		rename("device_status_pages", "hidden")
		s.Presence.Seen(testkit.Ref(d[0]))
		pass(10 * time.Second)
		if !strings.Contains(s.Log.Text(), "device status not written") {
			t.Error("the failed write was not logged")
		}
		rename("hidden", "device_status_pages")
		contact = s.Presence.Status(d[0].Tenant, d[0].ID).LastContact
		pass(time.Second)
		if _, got, _ := storedStatus(t, s, d[0].ID); got != contact {
			t.Errorf("Run did not repeat the failed write: %d ms behind", contact-got)
		}

		s.Clock.Advance(time.Second)
		s.Presence.Seen(testkit.Ref(d[0]))
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, got, _ := storedStatus(t, s, d[0].ID); got != s.Clock.Milli() {
			t.Error("Run did not write at the end")
		}
	})
}
