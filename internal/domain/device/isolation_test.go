package device_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// No method of the stores, called with another tenant's id for this tenant's device or scene, finds
// or changes anything.
func TestTenantIsolation(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station, scene := s.Station(t), s.Scene(t, field.ID, "barn")
	mine := s.Device(t, field.ID, station, "mine", func(d *device.Device) {
		d.SceneID, d.NoteName, d.Longitude, d.Latitude = scene, "Mine", new(32.0), new(39.0)
		d.Serial, d.ElementData = "SXT-1", map[string]string{"airTemperature": "https://mine.example/a.m3u8"}
	})
	theirs := s.Device(t, rival.ID, station, "theirs")
	s.Presence.Seen(testkit.Ref(mine))
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Expire()
	s.Diagnostics.Count(testkit.Ref(mine), s.Clock.Milli(), 3, nil, 0)
	if err := s.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	swap := device.Swap{Time: 1, FormerSerial: "old", Serial: mine.Serial}
	if err := s.Devices.PutSwap(ctx, field.ID, mine, swap, device.HashSecret(testkit.SecretKey, "new"), 1); err != nil {
		t.Fatal(err)
	}
	before := snapshotDevice(t, s, field.ID, mine, scene)
	if gone, err := s.Roster.OfflineSince(ctx, field.ID, 0); err != nil || gone != 1 {
		t.Fatalf("the fixture has no offline device: %d %v", gone, err)
	}
	nothing := func(what string, n int64) {
		t.Helper()
		if n != 0 {
			t.Errorf("%s: %d found", what, n)
		}
	}
	for _, owner := range []tenant.ID{rival.ID, 0, 99} {
		for name, row := range map[string]struct {
			call  func() error
			finds bool // the method must return a NotFound error
		}{
			"Store.Get": {func() error { _, err := s.Devices.Get(ctx, owner, "mine"); return err }, true},
			"Roster.Page": {func() error {
				for _, q := range []device.Query{{Search: "mine"}, {Scene: &scene}, {Names: []string{"mine"}}, {Online: new(false), Search: "mine"}} {
					list, total, err := s.Roster.Page(ctx, owner, q)
					nothing("Page", int64(len(list))+total)
					if err != nil {
						return err
					}
				}
				return nil
			}, false},
			"Roster.Groups": {func() error {
				groups, err := s.Roster.Groups(ctx, owner, device.Query{}, 9, nil)
				nothing("Groups", int64(len(groups)-min(len(groups), 1)))
				if g := groups[scene]; g != nil {
					t.Errorf("Groups: %+v", g)
				}
				return err
			}, false},
			"Roster.Count": {func() error {
				n, unassigned, err := s.Roster.Count(ctx, owner)
				nothing("Count", int64(n-unassigned)) // the rival's own device is in no scene
				return err
			}, false},
			"Roster.Places": {func() error {
				places, _, err := s.Roster.MapPoints(ctx, owner, nil)
				nothing("Places", int64(len(places)))
				return err
			}, false},
			"Store.ByID": {func() error { _, err := s.Devices.ByID(ctx, owner, mine.ID); return err }, true},
			"Store.Count": {func() error {
				n, err := s.Devices.Count(ctx, owner)
				nothing("Count", n-min(n, 1)) // the rival's own
				return err
			}, false},
			"Store.Streams": {func() error {
				streams, err := s.Devices.Streams(ctx, owner, s.Catalog)
				nothing("Streams", int64(len(streams)))
				return err
			}, false},
			"Store.Edit": {func() error {
				return s.Devices.Edit(ctx, owner, "mine", device.Edit{NoteName: "Taken"})
			}, true},
			"Store.Edit into the scene": {func() error {
				return s.Devices.Edit(ctx, owner, "theirs", device.Edit{NoteName: "Taken", SceneID: scene})
			}, true},
			"Store.NewSecret": {func() error {
				_, err := s.Devices.NewSecret(ctx, owner, "mine", device.SecretOptions{DropOthers: true}, s.Catalog, s.Registry)
				return err
			}, true},
			"Store.PutSwap": {func() error {
				d, hash := *mine, device.HashSecret(testkit.SecretKey, "taken")
				return s.Devices.PutSwap(ctx, owner, &d, device.Swap{Serial: "taken"}, hash, 1)
			}, true},
			"Store.Swaps": {func() error {
				list, err := s.Devices.Swaps(ctx, owner, mine.ID, 0, math.MaxInt64, 9)
				nothing("Swaps", int64(len(list)))
				return err
			}, false},
			"Store.HadSerial": {func() error {
				had, err := s.Devices.HadSerial(ctx, owner, mine.ID, []string{"old"})
				if had {
					nothing("HadSerial", 1)
				}
				return err
			}, false},
			"Store.FormerBoxes": {func() error {
				found, err := s.Devices.FormerBoxes(ctx, owner)
				nothing("FormerBoxes", int64(len(found)))
				return err
			}, false},
			"Store.Put": {func() error {
				d := *mine
				d.NoteName, d.SceneID = "Taken", device.DefaultScene
				return s.Devices.Put(ctx, owner, &d)
			}, true},
			"Store.Put into the scene": {func() error {
				d := *theirs
				d.SceneID = scene
				return s.Devices.Put(ctx, owner, &d)
			}, true},
			"Store.Put new into the scene": {func() error {
				return s.Devices.Put(ctx, owner, &device.Device{Name: "new", ProductID: station.ID, SceneID: scene})
			}, true},
			"Store.Delete": {func() error { return s.Devices.Delete(ctx, owner, mine.ID) }, false},
			"Store.PutSecrets": {func() error {
				return s.Devices.PutSecrets(ctx, owner, mine.ID, device.HashSecret(testkit.SecretKey, "taken"))
			}, true},
			"Store.PutAll": {func() error {
				d := *mine
				d.NoteName = "Taken"
				return s.Devices.PutAll(ctx, owner, []device.Provisioned{{Device: &d}})
			}, true},
			"Store.PutAll into the scene": {func() error {
				d := device.Device{Name: "new", ProductID: station.ID, SceneID: scene}
				return s.Devices.PutAll(ctx, owner, []device.Provisioned{{Device: &d}})
			}, true},
			"Store.PutAllSecrets": {func() error {
				taken := []device.SecretHash{device.HashSecret(testkit.SecretKey, "taken")}
				return s.Devices.PutAllSecrets(ctx, owner, []device.SecretsOfDevice{{ID: mine.ID, Hashes: taken}})
			}, true},
			"Store.AddFirstSecrets": {func() error {
				taken := []device.SecretHash{device.HashSecret(testkit.SecretKey, "taken")}
				secrets := []device.SecretsOfDevice{{ID: mine.ID, Hashes: taken}}
				got, err := s.Devices.AddFirstSecrets(ctx, owner, secrets)
				nothing("AddFirstSecrets", int64(len(got)))
				return err
			}, false},
			"Store.Secrets": {func() error {
				hashes, err := s.Devices.Secrets(ctx, owner, mine.ID)
				nothing("Secrets", int64(len(hashes)))
				return err
			}, false},
			"Store.ByNames": {func() error {
				found, err := s.Devices.ByNames(ctx, owner, []string{"mine"})
				nothing("ByNames", int64(len(found)))
				return err
			}, false},
			"Store.SecretsOf": {func() error {
				found, err := s.Devices.SecretsOf(ctx, owner, []device.ID{mine.ID})
				nothing("SecretsOf", int64(len(found)))
				return err
			}, false},
			"SceneStore.Get":    {func() error { _, err := s.Scenes.Get(ctx, owner, scene); return err }, true},
			"SceneStore.ByName": {func() error { _, err := s.Scenes.ByName(ctx, owner, "barn"); return err }, true},
			"SceneStore.List": {func() error {
				list, err := s.Scenes.List(ctx, owner)
				nothing("List", int64(len(list)))
				return err
			}, false},
			"SceneStore.Delete": {func() error { return s.Scenes.Delete(ctx, owner, scene) }, true},
			"SceneStore.Update": {func() error { return s.Scenes.Update(ctx, owner, scene, "taken", device.SceneForbidden) }, true},
			"SceneStore.Page": {func() error {
				list, total, err := s.Scenes.Page(ctx, owner, "bar", 0, 9)
				nothing("Page", int64(len(list))+total)
				return err
			}, false},
			"StatusStore.PresenceHistory": {func() error {
				list, total, err := s.Status.PresenceHistory(ctx, owner, mine.ID, 0, 9)
				nothing("PresenceHistory", int64(len(list))+total)
				return err
			}, false},
			"StatusStore.OfflineSince": {func() error {
				n, err := s.Roster.OfflineSince(ctx, owner, 0)
				nothing("OfflineSince", n)
				return err
			}, false},
			"Registry.Find": {func() error {
				if e := s.Registry.Find(owner, "mine"); e != nil {
					t.Errorf("Find: %+v", e)
				}
				return nil
			}, false},
			"Presence.Status": {func() error {
				if st := s.Presence.Status(owner, mine.ID); st != (device.Status{}) {
					t.Errorf("Status: %+v", st)
				}
				return nil
			}, false},
			"StatusStore.Days": {func() error {
				days, err := s.Status.Days(ctx, owner, mine.ID)
				nothing("Days", int64(len(days)))
				return err
			}, false},
			"Diagnostics.Get": {func() error {
				if in := s.Diagnostics.Get(owner, mine.ID); in != (device.Intake{}) {
					t.Errorf("Get: %+v", in)
				}
				return nil
			}, false},
		} {
			if err := row.call(); row.finds != errs.Is(err, errs.NotFound) || !row.finds && err != nil {
				t.Errorf("%s as tenant %d: %v", name, owner, err)
			}
			if diff := cmp.Diff(before, snapshotDevice(t, s, field.ID, mine, scene)); diff != "" {
				t.Fatalf("%s as tenant %d changed the device (-before +after):\n%s", name, owner, diff)
			}
		}
	}
	if theirs, err := s.Devices.Get(ctx, rival.ID, "theirs"); err != nil || theirs.SceneID != device.DefaultScene {
		t.Errorf("%+v %v", theirs, err)
	}
	if owner, err := s.Devices.OwnerOf(ctx, "mine"); err != nil || owner != field.ID {
		t.Errorf("OwnerOf: %d %v", owner, err)
	}
	if owner, err := s.Devices.OwnerOf(ctx, "new"); err != nil || owner != 0 {
		t.Errorf("OwnerOf an unknown device: %d %v", owner, err)
	}
}

// snapshotDevice reads everything about a tenant's device and scene.
func snapshotDevice(t *testing.T, s *testkit.Stores, owner tenant.ID, d *device.Device, scene int64) []any {
	t.Helper()
	got, err := s.Devices.Get(t.Context(), owner, d.Name)
	if err != nil {
		t.Fatal(err)
	}
	hashes, err := s.Devices.Secrets(t.Context(), owner, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Scenes.Get(t.Context(), owner, scene)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := s.Roster.OfflineSince(t.Context(), owner, 0)
	if err != nil {
		t.Fatal(err)
	}
	days, err := s.Status.Days(t.Context(), owner, d.ID)
	if err != nil || len(days) != 1 {
		t.Fatalf("%v %v", days, err)
	}
	presence, total, err := s.Status.PresenceHistory(t.Context(), owner, d.ID, 0, 9)
	if err != nil || total != 2 {
		t.Fatalf("%v %v", presence, err)
	}
	return []any{
		presence,
		days,
		*got,
		hashes,
		*in,
		gone,
		s.Presence.Status(owner, d.ID),
		s.Diagnostics.Get(owner, d.ID),
	}
}
