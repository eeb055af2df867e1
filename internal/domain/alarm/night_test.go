package alarm

import (
	"math"
	"testing"
	"time"
)

// Sunrise and sunset match the almanac, to the minute or two. Where the sun stays up or down all
// day, there is no night or only night.
func TestNight(t *testing.T) {
	var (
		antalya   = &Coordinates{36.90, 30.70}
		greenwich = &Coordinates{51.48, 0}
		shanghai  = &Coordinates{31.23, 121.47}
		sydney    = &Coordinates{-33.87, 151.21}
		tromso    = &Coordinates{69.65, 18.96}
		denver    = &Coordinates{39.74, -104.99}
	)
	for _, c := range []struct {
		name                 string
		place                *Coordinates
		day, rising, setting string
	}{
		{"Greenwich, summer", greenwich, "2026-06-21", "03:43", "20:21"},
		{"Greenwich, winter", greenwich, "2026-12-21", "08:04", "15:53"},
		{"Antalya, spring", antalya, "2026-03-20", "04:01", "16:09"},
		{"Sydney, winter", sydney, "2026-06-21", "21:00", "06:54"},
		{"Denver, autumn", denver, "2026-09-22", "12:47", "00:58"},
		{"Shanghai, new year", shanghai, "2026-01-01", "22:53", "09:02"},
	} {
		for which, clock := range map[bool]string{true: c.rising, false: c.setting} {
			at, err := time.Parse("2006-01-02 15:04", c.day+" "+clock)
			if err != nil {
				t.Fatal(err)
			}
			before, after := at.Add(-3*time.Minute).UnixMilli(), at.Add(3*time.Minute).UnixMilli()
			if night(before, time.UTC, c.place) != which || night(after, time.UTC, c.place) == which {
				t.Errorf("%s: at %s the sun stands at %.2f° and goes to %.2f°", c.name, clock,
					sunHeight(before, *c.place), sunHeight(after, *c.place))
			}
		}
	}
	for _, clock := range []string{"00:00", "06:00", "12:00", "18:00"} {
		summer, _ := time.Parse("2006-01-02 15:04", "2026-06-21 "+clock)
		winter, _ := time.Parse("2006-01-02 15:04", "2026-12-21 "+clock)
		if night(summer.UnixMilli(), time.UTC, tromso) || !night(winter.UnixMilli(), time.UTC, tromso) {
			t.Errorf("Tromsø at %s", clock)
		}
	}
	// At noon of an equinox the sun stands over the equator.
	noon, _ := time.Parse(time.RFC3339, "2026-03-20T12:07:30Z")
	if height := sunHeight(noon.UnixMilli(), Coordinates{}); math.Abs(height-90) > .3 {
		t.Errorf("%.2f°", height)
	}
}

// Without coordinates, night is from 20:00 to 06:00 of the zone.
func TestNightWithoutCoordinates(t *testing.T) {
	zone := loadZone(t, "Europe/Berlin")
	for at, want := range map[string]bool{
		"2026-07-01T17:59:59Z": false, "2026-07-01T18:00:00Z": true, "2026-07-02T03:59:59Z": true, "2026-07-02T04:00:00Z": false,
		"2026-01-01T18:59:59Z": false, "2026-01-01T19:00:00Z": true,
	} {
		when, _ := time.Parse(time.RFC3339, at)
		if got := night(when.UnixMilli(), zone, nil); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}

func loadZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
