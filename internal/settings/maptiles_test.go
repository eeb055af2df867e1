package settings

import (
	"strings"
	"testing"
)

// A preset brings everything that the map needs to know of its tile server; each linked word is in
// its attribution.
func TestMapTilesPresets(t *testing.T) {
	for name, want := range map[string]struct {
		url, credit, page string
		zoom              int
	}{
		"osm": {
			"https://tile.openstreetmap.org/{z}/{x}/{y}.png", "© OpenStreetMap contributors",
			"https://www.openstreetmap.org/copyright", 19,
		},
		"opentopomap": {
			"https://{s}.tile.opentopomap.org/{z}/{x}/{y}.png", "© OpenTopoMap (CC-BY-SA)",
			"https://creativecommons.org/licenses/by-sa/3.0/", 17,
		},
	} {
		s, err := parseArgs(t, "--map-tiles", name)
		if err != nil {
			t.Fatal(err)
		}
		m := s.MapTiles
		if m == nil || m.URL != want.url || !strings.Contains(m.Attribution, want.credit) ||
			m.Datum != "WGS-84" || m.MaxZoom != want.zoom {
			t.Fatalf("%s: %+v", name, m)
		}
		pages := ""
		for _, l := range m.Links {
			pages += l.URL + " "
			if strings.Count(m.Attribution, l.Words) != 1 {
				t.Errorf("%s: %q is not once in %q", name, l.Words, m.Attribution)
			}
		}
		if !strings.Contains(pages, want.page) || !strings.Contains(pages, "https://www.openstreetmap.org/copyright") {
			t.Errorf("%s links to %s", name, pages)
		}
	}
}
