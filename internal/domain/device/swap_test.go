package device_test

import (
	"math"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// A swap is there after a restart, and so are all secrets of the boxes before, however many there were.
func TestSwapIsKept(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	d := s.Device(t, field.ID, s.Station(t), "WS-1")
	hash := func(secret string) device.SecretHash { return device.HashSecret(testkit.SecretKey, secret) }
	began := s.Clock.Now().UnixMilli()
	serials := []string{"SN-WS-1", "S-1", "", "S-3", "S-4", "S-5"}
	for i, serial := range serials[1:] {
		s.Clock.Advance(time.Minute)
		now := s.Clock.Now().UnixMilli()
		w := device.Swap{Time: now, FormerSerial: serials[i], Serial: serial, Note: "note " + serial, User: "Ada"}
		if err := s.Devices.PutSwap(t.Context(), field.ID, d, w, hash("box "+serial), now+7); err != nil {
			t.Fatal(err)
		}
	}
	// Writing the device again, as an edit does, leaves the time.
	edited := *d
	edited.SwapTime, edited.NoteName = 0, "Mast"
	if err := s.Devices.Put(t.Context(), field.ID, &edited); err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
	stored, err := s.Devices.Get(t.Context(), field.ID, "WS-1")
	since := s.Clock.Now().UnixMilli() + 7
	if err != nil || stored.Serial != "S-5" || stored.SwapTime != since || s.Registry.Get(d.ID).BoxSince() != since {
		t.Errorf("%+v, in the registry since %d (%v)", stored, s.Registry.Get(d.ID).BoxSince(), err)
	}
	if err := s.Devices.Reload(t.Context(), field.ID, s.Catalog, s.Registry, d.ID); err != nil ||
		s.Registry.Get(d.ID).BoxSince() != since {
		t.Errorf("reloaded: since %d (%v)", s.Registry.Get(d.ID).BoxSince(), err)
	}
	for _, c := range []struct {
		from, to int64
		limit    int
		want     string
	}{
		{0, math.MaxInt64, 9, "S-4>S-5 S-3>S-4 >S-3 S-1> SN-WS-1>S-1 "},
		{0, math.MaxInt64, 2, "S-4>S-5 S-3>S-4 "},
		{began + 2*60_000, began + 3*60_000, 9, ">S-3 S-1> "},
		{0, began, 9, ""},
	} {
		list, err := s.Devices.Swaps(t.Context(), field.ID, d.ID, c.from, c.to, c.limit)
		got := ""
		for _, w := range list {
			got += w.FormerSerial + ">" + w.Serial + " "
			if w.Note != "note "+w.Serial || w.User != "Ada" {
				t.Errorf("%+v", w)
			}
		}
		if got != c.want || err != nil {
			t.Errorf("%d to %d: %s, want %s (%v)", c.from, c.to, got, c.want, err)
		}
	}
	former, err := s.Devices.FormerBoxes(t.Context(), field.ID)
	if err != nil || len(former) != 1 || len(former[d.ID].Serials) != 5 || len(former[d.ID].Secrets) != 5 {
		t.Fatalf("%+v (%v)", former, err)
	}
	for _, secret := range []string{testkit.Secret("WS-1"), "box S-1", "box ", "box S-3", "box S-4"} {
		if !former[d.ID].Secrets[hash(secret)] {
			t.Errorf("%q is forgotten", secret)
		}
	}
	// A secret that is valid again is no former box's.
	if err := s.Devices.PutSecrets(t.Context(), field.ID, d.ID, hash("box S-1")); err != nil {
		t.Fatal(err)
	}
	if former, err = s.Devices.FormerBoxes(t.Context(), field.ID); err != nil || former[d.ID].Secrets[hash("box S-1")] {
		t.Errorf("%+v (%v)", former, err)
	}
	for serial, want := range map[string]bool{"S-4": true, "S-5": false, "s-4": false} {
		if had, err := s.Devices.HadSerial(t.Context(), field.ID, d.ID, []string{serial}); had != want || err != nil {
			t.Errorf("had %s: %t (%v)", serial, had, err)
		}
	}
	// They go with the device.
	if err := s.Devices.Delete(t.Context(), field.ID, d.ID); err != nil {
		t.Fatal(err)
	}
	if former, err = s.Devices.FormerBoxes(t.Context(), field.ID); err != nil || len(former) != 0 {
		t.Errorf("of a deleted device: %+v (%v)", former, err)
	}
}
