package settings

import (
	"fmt"
	"strings"

	"github.com/knadh/koanf/v2"

	"tilth/internal/edge/console"
)

// defaultDatum is the datum of most map tiles.
const defaultDatum = "WGS-84"

// mapTilesPresets are the tile servers that --map-tiles knows by name. Attributions are their owners'
// words, the same in every language.
var mapTilesPresets = map[string]console.MapTiles{
	"osm": {
		URL:         "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
		Attribution: "© OpenStreetMap contributors",
		Links: []console.MapTilesLink{
			{Words: "OpenStreetMap", URL: "https://www.openstreetmap.org/copyright"},
		},
		Datum:   defaultDatum,
		MaxZoom: 19,
	},
	"opentopomap": {
		URL:         "https://{s}.tile.opentopomap.org/{z}/{x}/{y}.png",
		Attribution: "© OpenStreetMap contributors, SRTM | © OpenTopoMap (CC-BY-SA)",
		Links: []console.MapTilesLink{
			{Words: "OpenStreetMap", URL: "https://www.openstreetmap.org/copyright"},
			{Words: "OpenTopoMap", URL: "https://opentopomap.org/about"},
			{Words: "CC-BY-SA", URL: "https://creativecommons.org/licenses/by-sa/3.0/"},
		},
		Datum:   defaultDatum,
		MaxZoom: 17,
	},
}

func (s *Server) readMapTiles(k *koanf.Koanf) error {
	named := k.String("map-tiles")
	tiles := console.MapTiles{
		URL:         named,
		Attribution: k.String("map-tiles-attribution"),
		Datum:       k.String("map-tiles-datum"),
	}
	preset, isPreset := mapTilesPresets[named]
	switch {
	case tiles.Datum != defaultDatum && tiles.Datum != "GCJ-02":
		return fmt.Errorf("--map-tiles-datum: %q is not WGS-84 or GCJ-02", tiles.Datum)
	case named == "" && tiles.Attribution != "":
		return fmt.Errorf("--map-tiles-attribution: nothing uses it without --map-tiles")
	case named == "" && tiles.Datum != defaultDatum:
		return fmt.Errorf("--map-tiles-datum: nothing uses it without --map-tiles")
	case named == "":
		return nil
	case isPreset && tiles.Attribution != "":
		return fmt.Errorf("--map-tiles-attribution: --map-tiles %s brings its own", named)
	case isPreset && tiles.Datum != defaultDatum:
		return fmt.Errorf("--map-tiles-datum: the tiles of --map-tiles %s are in %s", named, preset.Datum)
	case isPreset:
		s.MapTiles = &preset
		return nil
	}
	if !isWebAddress(named) {
		return fmt.Errorf("--map-tiles: %q is not osm, opentopomap, or an http or https address", named)
	}
	for _, part := range []string{"{z}", "{x}", "{y}"} {
		if !strings.Contains(named, part) {
			return fmt.Errorf("--map-tiles: the address lacks %s", part)
		}
	}
	if tiles.Attribution == "" {
		return fmt.Errorf("--map-tiles-attribution: say whom the map names as the source of the tiles")
	}
	s.MapTiles = &tiles
	return nil
}
