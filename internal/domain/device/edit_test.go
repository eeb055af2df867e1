package device_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/device"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// wantRefused fails the test unless err is a refusal with the key about the field.
func wantRefused(t *testing.T, what string, err error, key, field string) {
	t.Helper()
	if e := errs.As(err); err == nil || e.Kind != errs.Refused || e.Key != key || e.Field != field {
		t.Errorf("%s: %v, want %s about %q", what, err, key, field)
	}
}

func TestEdit(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station, barn := s.Station(t), s.Scene(t, field.ID, "barn")
	made := s.Device(t, field.ID, station, "WS-1", func(d *device.Device) {
		d.Gateway, d.Disabled, d.ElementData = true, true, map[string]string{"note": "x"}
		d.Longitude, d.Latitude = new(1.0), new(2.0)
	})
	edit := func(e device.Edit) *device.Device {
		t.Helper()
		if err := s.Devices.Edit(t.Context(), field.ID, "WS-1", e); err != nil {
			t.Fatal(err)
		}
		d, err := s.Devices.Get(t.Context(), field.ID, "WS-1")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	// Fields that an Edit does not have stay unchanged.
	want := *made
	want.NoteName, want.SceneID, want.Longitude, want.Latitude = "Kuzey Direği", barn, new(-180.0), new(90.0)
	got := edit(device.Edit{NoteName: " \tKuzey Direği\n", SceneID: barn, Longitude: new(-180.0), Latitude: new(90.0)})
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("device (-want +got):\n%s", diff)
	}
	// The search finds the device by its new name, and no longer by the old one.
	for search, n := range map[string]int64{"DİREĞİ": 1, "ws-1": 1} {
		if _, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Search: search,
			Limit: 1}); err != nil || total != n {
			t.Errorf("%s: %d %v", search, total, err)
		}
	}
	want.NoteName, want.SceneID, want.Longitude, want.Latitude = strings.Repeat("ş", 64), device.DefaultScene, nil, nil
	if diff := cmp.Diff(want, *edit(device.Edit{NoteName: want.NoteName})); diff != "" {
		t.Errorf("device (-want +got):\n%s", diff)
	}
	for what, c := range map[string]struct {
		e          device.Edit
		key, field string
	}{
		"no name":             {device.Edit{}, "device.noteRequired", ""},
		"a blank name":        {device.Edit{NoteName: " \t"}, "device.noteRequired", ""},
		"a long name":         {device.Edit{NoteName: strings.Repeat("ş", 65)}, "invalid.long", "noteName"},
		"a line break":        {device.Edit{NoteName: "a\nb"}, "invalid.format", "noteName"},
		"invisible":           {device.Edit{NoteName: "\u200b"}, "device.noteRequired", ""},
		"a changed direction": {device.Edit{NoteName: "a\u202eb"}, "invalid.format", "noteName"},
		"a longitude alone":   {device.Edit{NoteName: "x", Longitude: new(1.0)}, "invalid.required", "latitude"},
		"a latitude alone":    {device.Edit{NoteName: "x", Latitude: new(1.0)}, "invalid.required", "longitude"},
	} {
		wantRefused(t, what, s.Devices.Edit(t.Context(), field.ID, "WS-1", c.e), c.key, c.field)
	}
	if err := s.Devices.Edit(t.Context(), field.ID, "WS-1", device.Edit{NoteName: "x",
		SceneID: 99}); !errs.Is(err, errs.NotFound) || errs.As(err).Field != "groupId" {
		t.Errorf("an unknown scene: %v", err)
	}
	if err := s.Devices.Edit(t.Context(), field.ID, "ws-1", device.Edit{NoteName: "x"}); !errs.Is(err, errs.NotFound) {
		t.Errorf("an unknown device: %v", err)
	}
	if diff := cmp.Diff(want, *edit(device.Edit{NoteName: want.NoteName})); diff != "" {
		t.Errorf("a refused edit changed the device (-want +got):\n%s", diff)
	}
}

func TestForbiddenScene(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station, barn := s.Station(t), s.Scene(t, field.ID, "Barn")
	s.Device(t, field.ID, station, "in", func(d *device.Device) { d.SceneID = barn })
	s.Device(t, field.ID, station, "out")
	if err := s.Scenes.Update(t.Context(), field.ID, barn, "Barn", device.SceneForbidden); err != nil {
		t.Fatal(err)
	}
	edit := func(name string, scene int64) error {
		return s.Devices.Edit(t.Context(), field.ID, name, device.Edit{NoteName: "x", SceneID: scene})
	}
	if err := edit("in", barn); err != nil {
		t.Errorf("an edit of a device in the scene: %v", err)
	}
	err := edit("out", barn)
	wantRefused(t, "a new device", err, "scene.forbidden", "groupId")
	if errs.As(err).Args["scene"] != "Barn" {
		t.Errorf("%v", errs.As(err).Args)
	}
	if err := edit("in", device.DefaultScene); err != nil {
		t.Errorf("moved out: %v", err)
	}
	wantRefused(t, "moved back in", edit("in", barn), "scene.forbidden", "groupId")
	if err := s.Scenes.Update(t.Context(), field.ID, barn, "Barn", device.SceneUsable); err != nil {
		t.Fatal(err)
	}
	if err := edit("in", barn); err != nil {
		t.Errorf("moved back in after the scene was opened: %v", err)
	}
}
