package alarm

import (
	"math"
	"testing"
	"time"
)

// A day begins at its first instant, also where midnight is skipped or comes
// twice, and ends where the next begins.
func TestLocalDay(t *testing.T) {
	for _, c := range []struct{ zone, at, begin, end string }{
		{"UTC", "2026-11-21T09:00:00Z", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"},
		{"Europe/Istanbul", "2026-11-20T21:00:00Z", "2026-11-20T21:00:00Z", "2026-11-21T21:00:00Z"},
		{"Europe/Istanbul", "2026-12-31T20:59:59Z", "2026-12-30T21:00:00Z", "2026-12-31T21:00:00Z"},
		{"Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"America/New_York", "2026-11-01T05:30:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"America/Havana", "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"},    // begins at 01:00
		{"America/Havana", "2026-11-01T12:00:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},    // midnight twice
		{"America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"}, // begins at 01:00
		{"America/Sao_Paulo", "2018-02-18T01:30:00Z", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"}, // 23:30, 25 hours
		{"America/Sao_Paulo", "2018-02-18T12:00:00Z", "2018-02-18T03:00:00Z", "2018-02-19T03:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-05T00:00:00Z", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"},
	} {
		at, _ := time.Parse(time.RFC3339, c.at)
		begin, end := localDay(at.UnixMilli(), zoned(t, c.zone))
		if b, e := stamp(begin), stamp(end); b != c.begin || e != c.end {
			t.Errorf("%s in %s: %s to %s, want %s to %s", c.at, c.zone, b, e, c.begin, c.end)
		}
	}
}

func stamp(at int64) string { return time.UnixMilli(at).UTC().Format(time.RFC3339) }

// Sunrise and sunset as the almanac has them, to the minute or two; where the
// sun stays up or down all day it is so.
func TestNight(t *testing.T) {
	var (
		antalya   = &Place{36.90, 30.70}
		greenwich = &Place{51.48, 0}
		shanghai  = &Place{31.23, 121.47}
		sydney    = &Place{-33.87, 151.21}
		tromso    = &Place{69.65, 18.96}
		denver    = &Place{39.74, -104.99}
	)
	for _, c := range []struct {
		name                 string
		place                *Place
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
				t.Errorf("%s: at %s the sun stands at %.2f° and goes to %.2f°", c.name, clock, sunHeight(before, *c.place), sunHeight(after, *c.place))
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
	if height := sunHeight(noon.UnixMilli(), Place{}); math.Abs(height-90) > .3 {
		t.Errorf("%.2f°", height)
	}
}

// Without a place, night is from 20:00 to 06:00 of the zone.
func TestNightWithoutPlace(t *testing.T) {
	zone := zoned(t, "Europe/Berlin")
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

func zoned(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
