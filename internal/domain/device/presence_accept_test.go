package device_test

import (
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// After a start, the OfflineAfter of the devices that were online counts from AcceptDevices:
// evaluating what an earlier run left may take longer than OfflineAfter. Devices that were offline
// or never seen stay so.
func TestOfflineTimeoutStartsAtAcceptDevices(t *testing.T) {
	s := testkit.NewStores(t)
	field, p := s.Tenant(t, "field"), s.Station(t)
	on, off, never, heard := s.Device(t, field.ID, p, "ON"), s.Device(t, field.ID, p, "OFF"),
		s.Device(t, field.ID, p, "NEVER"), s.Device(t, field.ID, p, "HEARD")
	s.Presence.Seen(testkit.Ref(off))
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Expire()
	s.Presence.Seen(testkit.Ref(on))
	s.Presence.Seen(testkit.Ref(heard))
	if err := s.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(3 * time.Hour) // the server is down
	s.Restart(t)
	s.Clock.Advance(testkit.OfflineAfter / 2) // the server evaluates what the earlier run left
	s.Presence.Seen(testkit.Ref(heard))
	s.Clock.Advance(testkit.OfflineAfter / 2)
	s.Presence.AcceptDevices()
	s.Presence.Expire()
	online := func(want ...bool) {
		t.Helper()
		for i, d := range []*device.Device{on, off, never, heard} {
			if st := s.Presence.Status(field.ID, d.ID); st.Online != want[i] {
				t.Errorf("%s: %+v", d.Name, st)
			}
		}
	}
	online(true, false, false, true)
	s.Clock.Advance(testkit.OfflineAfter/2 - time.Millisecond)
	s.Presence.Expire()
	online(true, false, false, true)
	s.Clock.Advance(time.Millisecond)
	s.Presence.Expire()
	online(true, false, false, false) // this device had contact, and its silence counts from then
	s.Clock.Advance(testkit.OfflineAfter/2 - time.Millisecond)
	s.Presence.Expire()
	online(true, false, false, false)
	s.Clock.Advance(time.Millisecond)
	s.Presence.Expire()
	online(false, false, false, false)
}
