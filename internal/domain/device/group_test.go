package device_test

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// Groups counts all devices in a scene and lists the first by title.
func TestGroups(t *testing.T) {
	s, field, ids := newSearchFixture(t)
	d1, err := s.Devices.Get(t.Context(), field.ID, "d1")
	if err != nil {
		t.Fatal(err)
	}
	s.Presence.Seen(testkit.Ref(d1)) // counted at once, even before it is on disk
	barn, row, none := ids["barn"], ids["row"], device.DefaultScene
	format := func(scene *int64, first int) string {
		t.Helper()
		groups, err := s.Roster.Groups(t.Context(), field.ID, device.Query{Scene: scene}, first, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, id := range []int64{none, barn, row} {
			if g := groups[id]; g != nil {
				all = append(all, fmt.Sprintf("%d/%d %s", g.Online, g.Devices, deviceNames(g.First)))
			}
		}
		if len(all) != len(groups) {
			t.Errorf("%d groups", len(groups))
		}
		return strings.Join(all, ", ")
	}
	for _, c := range []struct {
		scene *int64
		first int
		want  string
	}{
		{nil, 2, "0/3 d3 d2, 1/2 d5 d1, 0/1 D4"},
		{nil, 0, "0/3 , 1/2 , 0/1 "},
		{nil, 9, "0/3 d3 d2 d6, 1/2 d5 d1, 0/1 D4"},
		{&barn, 1, "1/2 d5"},
		{&none, 1, "0/3 d3"},
		{new(int64(99)), 1, ""},
	} {
		if got := format(c.scene, c.first); got != c.want {
			t.Errorf("first %d: %q, want %q", c.first, got, c.want)
		}
	}
	if n, unassigned, err := s.Roster.Count(t.Context(), field.ID); err != nil || n != 6 || unassigned != 3 {
		t.Errorf("%d, %d in no scene, %v", n, unassigned, err)
	}
	if none, err := s.Roster.Groups(t.Context(), 99, device.Query{}, 1, nil); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
}

func TestMapPoints(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station, scene := s.Station(t), s.Scene(t, field.ID, "barn")
	at := func(name string, longitude, latitude float64) *device.Device {
		return &device.Device{Name: name, ProductID: station.ID, Longitude: &longitude, Latitude: &latitude}
	}
	ankara := at("ankara", 32.85, 39.92)
	ankara.NoteName, ankara.SceneID = "Ankara", scene
	s.PutDevices(t, field.ID, ankara, at("suva", 178.44, -18.14), at("apia", -171.77, -13.83), at("zero", 0, 0),
		&device.Device{Name: "lost", ProductID: station.ID})
	s.PutDevices(t, rival.ID, at("theirs", 32.85, 39.92), &device.Device{Name: "lost too", ProductID: station.ID})

	for _, c := range []struct {
		name string
		box  *device.Box
		want string
	}{
		{"anywhere", nil, "ankara apia suva zero"},
		{"the world", &device.Box{West: -180, South: -90, East: 180, North: 90}, "ankara apia suva zero"},
		{"Anatolia", &device.Box{West: 26, South: 36, East: 45, North: 42}, "ankara"},
		{"its corner", &device.Box{West: 32.85, South: 39.92, East: 32.85, North: 39.92}, "ankara"},
		{"over the date line", &device.Box{West: 170, South: -30, East: -160, North: 0}, "apia suva"},
		{"the same, too far north", &device.Box{West: 170, South: 1, East: -160, North: 30}, ""},
		{"the other way round", &device.Box{West: -160, South: -30, East: 170, North: 0}, "zero"},
		{"upside down", &device.Box{West: 26, South: 42, East: 45, North: 36}, ""},
	} {
		places, unplaced, err := s.Roster.MapPoints(t.Context(), field.ID, c.box)
		var got []string
		for _, p := range places {
			got = append(got, p.Name)
		}
		if err != nil || strings.Join(got, " ") != c.want || unplaced != 1 {
			t.Errorf("%s: %v, %d without a position (%v), want %s", c.name, got, unplaced, err, c.want)
		}
		if len(places) > 0 && places[0].Name == "ankara" {
			want := device.MapPoint{
				ID:        ankara.ID,
				Name:      "ankara",
				NoteName:  "Ankara",
				SceneID:   scene,
				ProductID: station.ID,
				Longitude: 32.85,
				Latitude:  39.92,
			}
			if *places[0] != want {
				t.Errorf("%+v, want %+v", *places[0], want)
			}
		}
	}
}
