package device_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
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
	if sc, err := s.Scenes.Get(t.Context(), field.ID, shut); err != nil ||
		*sc != (device.Scene{ID: shut, Name: "closed", Status: device.SceneForbidden, CreateTime: s.Clock.Milli()}) {
		t.Errorf("%+v %v", sc, err)
	}
	if _, err := s.Scenes.ByName(t.Context(), field.ID, "bar%"); !errs.Is(err, errs.NotFound) {
		t.Errorf("part of a name: %v", err)
	}
	// Names are unique in a tenant, in any case; another tenant may have the same.
	if _, err := s.Scenes.Create(t.Context(), field.ID, "BARN", device.SceneUsable); !db.IsDuplicate(err) {
		t.Errorf("the same name twice: %v", err)
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
	if err := s.Scenes.Delete(t.Context(), field.ID, barn); !errs.Is(err, errs.NotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	wantRefused(t, "the default group", s.Scenes.Delete(t.Context(), field.ID, device.DefaultScene),
		"scene.defaultStays", "")
}

// Create and Update validate the names that people give to scenes.
func TestSceneNameValidation(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	s.Scene(t, field.ID, "Ёлка")
	s.Scene(t, rival.ID, "theirs")
	mine := s.Scene(t, field.ID, "mine")
	type form struct {
		name   string
		status device.SceneStatus
	}
	for f, want := range map[form][2]string{
		{"", device.SceneUsable}:    {"scene.nameRequired", ""},
		{" \t", device.SceneUsable}: {"scene.nameRequired", ""},
		{"", 0}:                     {"scene.nameRequired", ""},
		{"new", 0}:                  {"scene.statusRequired", ""},
		{"new", 3}:                  {"invalid.choice", "groupStatus"},
		{"new", -1}:                 {"invalid.choice", "groupStatus"},
		{strings.Repeat("ş", 65), device.SceneUsable}: {"invalid.long", "groupName"},
		{"a\nb", device.SceneUsable}:                  {"invalid.format", "groupName"},
		{"a\x00", device.SceneUsable}:                 {"invalid.format", "groupName"},
		{"a\u202eb", device.SceneUsable}:              {"invalid.format", "groupName"},
		{"\u200b", device.SceneUsable}:                {"scene.nameRequired", ""},
		{"\u3164", device.SceneUsable}:                {"scene.nameRequired", ""},
		{"ЕЛКА", device.SceneForbidden}:               {"scene.nameTaken", "groupName"},
		{"  ёлка ", device.SceneUsable}:               {"scene.nameTaken", "groupName"},
	} {
		_, err := s.Scenes.CreateValidated(t.Context(), field.ID, f.name, f.status)
		wantRefused(t, fmt.Sprintf("add %q", f.name), err, want[0], want[1])
		wantRefused(t, fmt.Sprintf("change to %q", f.name), s.Scenes.Update(t.Context(), field.ID, mine, f.name,
			f.status), want[0], want[1])
	}
	if sc, err := s.Scenes.Get(t.Context(), field.ID, mine); err != nil || sc.Name != "mine" {
		t.Errorf("the scene after refused changes: %+v %v", sc, err)
	}
	long := strings.Repeat("ş", 64)
	id, err := s.Scenes.CreateValidated(t.Context(), field.ID, " theirs\n", device.SceneForbidden)
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Hour)
	if err := s.Scenes.Update(t.Context(), field.ID, mine, long, device.SceneForbidden); err != nil {
		t.Fatal(err)
	}
	if err := s.Scenes.Update(t.Context(), field.ID, id, "THEIRS", device.SceneUsable); err != nil {
		t.Errorf("the scene's own name in another case: %v", err)
	}
	made := testkit.Start.UnixMilli()
	for _, want := range []device.Scene{{ID: id, Name: "THEIRS", Status: device.SceneUsable, CreateTime: made}, {ID: mine, Name: long, Status: device.SceneForbidden, CreateTime: made}} {
		if sc, err := s.Scenes.Get(t.Context(), field.ID, want.ID); err != nil || *sc != want {
			t.Errorf("%+v %v, want %+v", sc, err, want)
		}
	}
	if sc, err := s.Scenes.ByName(t.Context(), field.ID, "theirs"); err != nil || sc.ID != id {
		t.Errorf("%+v %v", sc, err)
	}
	if err := s.Scenes.Update(t.Context(), field.ID, 999, "x", device.SceneUsable); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
}

func TestScenePage(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	for _, name := range []string{"Участок Ёлка", "İnek Çayırı", "barn", "Apple Row", "100%"} {
		s.Scene(t, field.ID, name)
	}
	for _, c := range []struct {
		search        string
		offset, limit int64
		want          string
		total         int64
	}{
		{"", 0, 9, "100% Apple Row barn İnek Çayırı Участок Ёлка", 5}, {"", 1, 2, "Apple Row barn", 5}, {"", 5, 2, "", 5},
		{"A", 0, 9, "Apple Row barn İnek Çayırı", 3}, {"ЕЛК", 0, 9, "Участок Ёлка", 1}, {"ÇAYIRI", 0, 9, "İnek Çayırı", 1},
		{"%", 0, 9, "100%", 1}, {"_", 0, 9, "", 0}, {"a", 1, 1, "barn", 3},
	} {
		list, total, err := s.Scenes.Page(t.Context(), field.ID, c.search, c.offset, c.limit)
		var got []string
		for _, sc := range list {
			got = append(got, sc.Name)
		}
		if err != nil || strings.Join(got, " ") != c.want || total != c.total {
			t.Errorf("%+v: %v of %d (%v)", c, got, total, err)
		}
	}
}

// A tenant has a bounded number of scenes.
func TestTooManyScenes(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	err := s.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		for i := range device.MaxScenesPerTenant {
			if _, err := s.Scenes.Create(ctx, field.ID, fmt.Sprint("scene ", i), device.SceneUsable); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Scenes.CreateValidated(t.Context(), field.ID, "one more", device.SceneUsable)
	wantRefused(t, "one scene more", err, "scene.tooMany", "")
	if _, err := s.Scenes.CreateValidated(t.Context(), rival.ID, "another tenant's", device.SceneUsable); err != nil {
		t.Error(err)
	}
}

// Each committed change is told, and no others.
func TestSceneChangesAreTold(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	var notified []string
	s.Scenes.Changed.Then(func(c device.SceneRef) { notified = append(notified, fmt.Sprint(c.Tenant, " ", c.ID)) })
	id, err := s.Scenes.CreateValidated(t.Context(), field.ID, "North", device.SceneUsable)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Scenes.CreateValidated(t.Context(), field.ID, "north", device.SceneUsable); err == nil {
		t.Error("the same name twice was accepted")
	}
	if err := s.Scenes.Update(t.Context(), field.ID, id+1, "South", device.SceneUsable); err == nil {
		t.Error("an update of an unknown scene was accepted")
	}
	if err := s.Scenes.Update(t.Context(), field.ID, id, "South", device.SceneUsable); err != nil {
		t.Error(err)
	}
	if err := s.Scenes.Delete(t.Context(), field.ID, id); err != nil {
		t.Error(err)
	}
	if one := fmt.Sprint(field.ID, " ", id); !slices.Equal(notified, []string{one, one, one}) {
		t.Errorf("%v", notified)
	}
}
