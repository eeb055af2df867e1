package tenant_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/tenant"
)

func TestStartOfDay(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-11-21", "2026-11-21T00:00:00Z"},
		{"Europe/Istanbul", "2026-11-21", "2026-11-20T21:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-06", "2026-04-05T13:30:00Z"},
		// The clocks skip midnight: the day begins at 01:00.
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"},
		{"America/Santiago", "2026-09-07", "2026-09-07T03:00:00Z"},
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"},
		{"Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00Z"},
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"},
		// The clocks show midnight twice, or 23:00 of the day before.
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},
		{"Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00Z"},
		{"America/Santiago", "2026-04-05", "2026-04-05T04:00:00Z"},
		{"America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"},
		// A day that the zone skipped begins with the next one.
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"},
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"},
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		zone := tenant.Zone(c.zone)
		if zone == nil {
			t.Fatalf("no zone %s", c.zone)
		}
		first := tenant.StartOfDay(day.Year(), day.Month(), day.Day(), zone)
		if got := first.UTC().Format(time.RFC3339); got != c.want || first.Location() != zone {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}

// A day begins at its first instant, even if the clocks skip midnight or show it twice, and ends
// where the next begins.
func TestDayBounds(t *testing.T) {
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
		begin, end := tenant.DayBounds(at.UnixMilli(), tenant.Zone(c.zone))
		stamp := func(at int64) string { return time.UnixMilli(at).UTC().Format(time.RFC3339) }
		if b, e := stamp(begin), stamp(end); b != c.begin || e != c.end {
			t.Errorf("%s in %s: %s to %s, want %s to %s", c.at, c.zone, b, e, c.begin, c.end)
		}
	}
}

// The days of every zone follow one another, and each begins at the first instant at which clocks
// show its date: around all changes of the clocks in 40 years.
func TestDaysOfEveryZone(t *testing.T) {
	from, to := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	dateOf := func(at int64, zone *time.Location) string { return time.UnixMilli(at).In(zone).Format(time.DateOnly) }
	changes := 0
	names, err := os.ReadFile("zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(names)) {
		zone := tenant.Zone(name)
		for _, at := from.In(zone).ZoneBounds(); !at.IsZero() && at.Before(to); _, at = at.ZoneBounds() {
			changes++
			previous := int64(0)
			for step := -30 * time.Hour; step <= 30*time.Hour; step += time.Hour {
				at := at.Add(step).UnixMilli()
				begin, end := tenant.DayBounds(at, zone)
				if begin > at || at >= end || begin < previous {
					t.Fatalf("%s: %s lies in %s to %s", name, time.UnixMilli(at).In(zone),
						time.UnixMilli(begin).In(zone), time.UnixMilli(end).In(zone))
				}
				if dateOf(begin-1, zone) >= dateOf(begin, zone) {
					t.Fatalf("%s: a day begins at %s", name, time.UnixMilli(begin).In(zone))
				}
				previous = begin
			}
		}
	}
	if changes < 1000 {
		t.Errorf("only %d changes of clocks", changes)
	}
}
