package device_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// rosterNames gives the names of a tenant's devices from the roster.
func rosterNames(t *testing.T, s *testkit.Stores, owner tenant.ID, q device.Query) string {
	t.Helper()
	q.Limit = 100
	list, total, err := s.Roster.Page(t.Context(), owner, q)
	if err != nil || int(total) != len(list) {
		t.Fatalf("%d of %d: %v", len(list), total, err)
	}
	return deviceNames(list)
}

// The roster shows every committed change, and no others.
func TestRosterFollowsCommittedChanges(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station, barn := s.Station(t), s.Scene(t, field.ID, "barn")
	shows := func(want string) {
		t.Helper()
		if got := rosterNames(t, s, field.ID, device.Query{}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	shows("")
	b := s.Device(t, field.ID, station, "b", func(d *device.Device) { d.SceneID = barn })
	shows("b")
	s.Device(t, field.ID, station, "c")
	s.Device(t, rival.ID, station, "theirs")
	s.Device(t, field.ID, station, "a")
	shows("a b c")
	b.NoteName = "zz"
	if err := s.Devices.Put(t.Context(), field.ID, b); err != nil {
		t.Fatal(err)
	}
	shows("a c b")
	undone := errors.New("undone")
	if err := s.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		if err := s.Devices.Put(ctx, field.ID, &device.Device{Name: "never", ProductID: station.ID}); err != nil {
			return err
		}
		shows("a c b")
		// A read within the transaction does not see the change either.
		if list, _, err := s.Roster.Page(ctx, field.ID, device.Query{Limit: 9}); err != nil ||
			deviceNames(list) != "a c b" {
			t.Errorf("within: %s %v", deviceNames(list), err)
		}
		return undone
	}); !errors.Is(err, undone) {
		t.Fatal(err)
	}
	shows("a c b")
	if err := s.Scenes.Delete(t.Context(), field.ID, barn); err != nil {
		t.Fatal(err)
	}
	if got := rosterNames(t, s, field.ID, device.Query{Scene: new(device.DefaultScene)}); got != "a c b" {
		t.Errorf("in no scene: %q", got)
	}
	if err := s.Devices.Delete(t.Context(), field.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	shows("a c")
	// More changes at once than a refresh reads one by one.
	many := make([]*device.Device, 1100)
	for i := range many {
		many[i] = &device.Device{Name: fmt.Sprintf("m%04d", i), ProductID: station.ID}
	}
	s.PutDevices(t, field.ID, many...)
	if _, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Limit: 1}); err != nil || total != 1102 {
		t.Errorf("%d %v", total, err)
	}
	// The roster drops an unused tenant and reads it again.
	s.Clock.Advance(61 * time.Minute)
	if got := rosterNames(t, s, rival.ID, device.Query{}); got != "theirs" {
		t.Errorf("%q", got)
	}
	if got := rosterNames(t, s, field.ID, device.Query{Search: "A"}); got != "a" {
		t.Errorf("found again: %q", got)
	}
}

// A failed read has no effect on later reads.
func TestRosterRecoversAfterFailedRead(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	s.Device(t, field.ID, station, "a")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if _, _, err := s.Roster.Page(gone, field.ID, device.Query{Limit: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if got := rosterNames(t, s, field.ID, device.Query{}); got != "a" {
			t.Errorf("%q", got)
		}
		// The second time, the read of a change fails.
		d, err := s.Devices.Get(t.Context(), field.ID, "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Devices.Put(t.Context(), field.ID, d); err != nil {
			t.Fatal(err)
		}
	}
}

// After a commit the next read sees the change, even with concurrent changes.
func TestRosterConcurrentChanges(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 20 {
				name := fmt.Sprintf("w%d-%02d", n, i)
				d := &device.Device{Name: name, ProductID: station.ID}
				if err := s.Devices.Put(t.Context(), field.ID, d); err != nil {
					t.Error(err)
					return
				}
				if _, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Search: name,
					Limit: 1}); err != nil || total != 1 {
					t.Errorf("%s was created, but the roster does not show it: %d %v", name, total, err)
				}
				if i%2 == 0 {
					continue
				}
				if err := s.Devices.Delete(t.Context(), field.ID, d.ID); err != nil {
					t.Error(err)
				}
				if _, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Search: name,
					Limit: 1}); err != nil || total != 0 {
					t.Errorf("%s was deleted, but the roster still shows it: %d %v", name, total, err)
				}
			}
		})
	}
	all.Wait()
	if _, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Limit: 1}); err != nil || total != 80 {
		t.Errorf("%d %v", total, err)
	}
}
