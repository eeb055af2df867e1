package tenant_test

import (
	"testing"
	"time"

	"tilth/internal/tenant"
)

func TestFirstInstant(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-11-21", "2026-11-21T00:00:00Z"},
		{"Europe/Istanbul", "2026-11-21", "2026-11-20T21:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-06", "2026-04-05T13:30:00Z"},
		// No midnight: the day begins at 01:00.
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"},
		{"America/Santiago", "2026-09-07", "2026-09-07T03:00:00Z"},
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"},
		{"Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00Z"},
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"},
		// Midnight twice, or 23:00 of the day before.
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},
		{"Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00Z"},
		{"America/Santiago", "2026-04-05", "2026-04-05T04:00:00Z"},
		{"America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"},
		// A day that was left out begins with the next one.
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
		first := tenant.FirstInstant(day.Year(), day.Month(), day.Day(), zone)
		if got := first.UTC().Format(time.RFC3339); got != c.want || first.Location() != zone {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}
