package device_test

import (
	"testing"

	"tilth/internal/db"
	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/testkit"
)

func TestScenes(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	ids := map[string]int64{}
	for _, name := range []string{"Участок Ёлка", "İnek Çayırı", "barn", "Apple Row"} {
		ids[name] = s.Scene(t, field.ID, name)
	}
	shut, err := s.Scenes.Create(t.Context(), field.ID, "closed", device.SceneForbidden)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Scenes.List(t.Context(), field.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Apple Row", "barn", "closed", "İnek Çayırı", "Участок Ёлка"}
	for i, sc := range list {
		if len(list) != len(want) || sc.Name != want[i] {
			t.Fatalf("order %v, want %v", list, want)
		}
	}
	for query, id := range map[string]int64{"BARN": ids["barn"], "inek çayırı": ids["İnek Çayırı"], "участок елка": ids["Участок Ёлка"], "Closed": shut} {
		if sc, err := s.Scenes.ByName(t.Context(), field.ID, query); err != nil || sc.ID != id {
			t.Errorf("ByName(%q): %+v %v", query, sc, err)
		}
	}
	if sc, err := s.Scenes.Get(t.Context(), field.ID, shut); err != nil || *sc != (device.Scene{ID: shut, Name: "closed", Status: device.SceneForbidden}) {
		t.Errorf("%+v %v", sc, err)
	}
	if _, err := s.Scenes.ByName(t.Context(), field.ID, "bar%"); !errs.Is(err, errs.NotFound) {
		t.Errorf("a part of a name: %v", err)
	}
	// Names are unique in a tenant, in any case; another tenant may have the same.
	if _, err := s.Scenes.Create(t.Context(), field.ID, "BARN", device.SceneUsable); !db.IsDuplicate(err) {
		t.Errorf("twice: %v", err)
	}
	s.Scene(t, rival.ID, "barn")
}

// Deleting a scene moves its devices to the default group.
func TestDeleteScene(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	barn, row := s.Scene(t, field.ID, "barn"), s.Scene(t, field.ID, "row")
	in := func(scene int64) func(*device.Device) { return func(d *device.Device) { d.SceneID = scene } }
	s.Device(t, field.ID, station, "a", in(barn))
	s.Device(t, field.ID, station, "b", in(row))
	if err := s.Scenes.Delete(t.Context(), field.ID, barn); err != nil {
		t.Fatal(err)
	}
	for name, scene := range map[string]int64{"a": device.DefaultScene, "b": row} {
		if d, err := s.Devices.Get(t.Context(), field.ID, name); err != nil || d.SceneID != scene {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
	if _, err := s.Scenes.Get(t.Context(), field.ID, barn); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}
