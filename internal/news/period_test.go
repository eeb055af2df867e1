package news

import (
	"encoding/json"
	"testing"
	"time"
	_ "time/tzdata" // the zones are the same on every machine
)

func zoned(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestPeriod(t *testing.T) {
	var (
		always   = Period{}
		morning  = Period{Start: 6 * 60, End: 12 * 60}
		wholeDay = Period{End: MinutesADay}
		late     = Period{Start: 23*60 + 45, End: MinutesADay}
		night    = Period{Slots: []int{0, 1, 2, 3, 44, 45, 46, 47}} // 22:00 to 02:00
		second   = Period{Start: 2 * 60, End: 3 * 60}               // the hour that Berlin skips and repeats
		half     = Period{Slots: []int{5}}                          // 02:30 to 03:00
	)
	for _, c := range []struct {
		zone, at string // RFC 3339
		p        Period
		want     bool
	}{
		{"Europe/Istanbul", "2026-11-21T03:00:00Z", always, true},
		{"Europe/Istanbul", "2026-11-21T02:59:59Z", morning, false},
		{"Europe/Istanbul", "2026-11-21T03:00:00Z", morning, true},
		{"Europe/Istanbul", "2026-11-21T08:59:59Z", morning, true},
		{"Europe/Istanbul", "2026-11-21T09:00:00Z", morning, false}, // the end is exclusive
		{"Europe/Istanbul", "2026-07-21T03:00:00Z", morning, true},  // no daylight saving: the same in summer
		{"Europe/Istanbul", "2026-07-21T02:59:00Z", morning, false},
		{"Europe/Istanbul", "2026-11-21T21:00:00Z", wholeDay, true}, // midnight
		{"Europe/Istanbul", "2026-11-21T20:59:59Z", wholeDay, true},
		{"Europe/Istanbul", "2026-11-21T20:59:59Z", late, true},
		{"Europe/Istanbul", "2026-11-21T21:00:00Z", late, false},
		{"Europe/Istanbul", "2026-11-21T18:59:59Z", night, false},
		{"Europe/Istanbul", "2026-11-21T19:00:00Z", night, true},
		{"Europe/Istanbul", "2026-11-21T21:00:00Z", night, true}, // over midnight
		{"Europe/Istanbul", "2026-11-21T22:59:59Z", night, true},
		{"Europe/Istanbul", "2026-11-21T23:00:00Z", night, false},

		// Berlin in winter and summer: by the clock on the wall.
		{"Europe/Berlin", "2026-01-15T05:00:00Z", morning, true},
		{"Europe/Berlin", "2026-01-15T04:59:00Z", morning, false},
		{"Europe/Berlin", "2026-07-15T04:00:00Z", morning, true},
		{"Europe/Berlin", "2026-07-15T10:00:00Z", morning, false},
		// Spring: 01:59:59 is followed by 03:00; the hour never comes.
		{"Europe/Berlin", "2026-03-29T00:59:59Z", second, false},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", second, false},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", half, false},
		// Autumn: it comes twice and counts both times.
		{"Europe/Berlin", "2026-10-24T23:59:59Z", second, false},
		{"Europe/Berlin", "2026-10-25T00:00:00Z", second, true},
		{"Europe/Berlin", "2026-10-25T00:30:00Z", half, true},
		{"Europe/Berlin", "2026-10-25T01:00:00Z", half, false}, // 02:00 again
		{"Europe/Berlin", "2026-10-25T01:30:00Z", half, true},
		{"Europe/Berlin", "2026-10-25T01:59:59Z", second, true},
		{"Europe/Berlin", "2026-10-25T02:00:00Z", second, false},
		{"Europe/Berlin", "2026-10-25T02:00:00Z", night, false},
		{"Europe/Berlin", "2026-10-24T20:00:00Z", night, true},

		{"America/New_York", "2026-03-08T06:59:59Z", second, false},                    // 01:59:59
		{"America/New_York", "2026-03-08T07:00:00Z", second, false},                    // 03:00
		{"America/New_York", "2026-11-01T06:30:00Z", Period{Slots: []int{2, 3}}, true}, // 01:30 the second time
		{"America/New_York", "2026-11-01T05:00:00Z", Period{Slots: []int{2, 3}}, true},
		{"America/New_York", "2026-11-01T07:00:00Z", Period{Slots: []int{2, 3}}, false},
		{"America/Havana", "2026-03-08T05:00:00Z", night, true},  // midnight is skipped: 01:00
		{"America/Havana", "2026-03-08T06:00:00Z", night, false}, // 02:00
		// Offsets that are no whole hours.
		{"Asia/Kathmandu", "2026-11-21T00:15:00Z", morning, true},
		{"Asia/Kathmandu", "2026-11-21T00:14:59Z", morning, false},
		{"Australia/Lord_Howe", "2026-10-03T15:30:00Z", half, true}, // half an hour is skipped: 02:30 follows 01:59:59
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.p.Holds(at, zoned(t, c.zone)); got != c.want {
			t.Errorf("%+v at %s (%s): %v", c.p, c.at, at.In(zoned(t, c.zone)).Format(time.DateTime), got)
		}
	}
}

// Over a day, whatever its length, each minute is asked: a period holds as
// many as its clock shows.
func TestPeriodByTheMinute(t *testing.T) {
	zone := zoned(t, "Europe/Berlin")
	for date, minutes := range map[string][2]int{"2026-03-29": {23 * 60, 0}, "2026-06-15": {24 * 60, 60}, "2026-10-25": {25 * 60, 120}} {
		begin, err := time.ParseInLocation(time.DateOnly, date, zone)
		if err != nil {
			t.Fatal(err)
		}
		length, held := 0, 0
		for at := begin; at.Before(begin.AddDate(0, 0, 1)); at = at.Add(time.Minute) {
			length++
			if (Period{Slots: []int{4, 5}}).Holds(at, zone) {
				held++
			}
		}
		if length != minutes[0] || held != minutes[1] {
			t.Errorf("%s: %d of %d minutes, want %v", date, held, length, minutes)
		}
	}
}

func TestPeriodIsStored(t *testing.T) {
	for want, p := range map[string]Period{
		`{}`:                       {},
		`{"start":360,"end":1440}`: {Start: 360, End: 1440},
		`{"slots":[0,47]}`:         {Slots: []int{0, 47}},
	} {
		b, err := json.Marshal(p)
		if err != nil || string(b) != want {
			t.Errorf("%s, want %s (%v)", b, want, err)
		}
		if got := p.Always(); got != (want == "{}") {
			t.Errorf("%s: always %v", want, got)
		}
	}
	for minute, want := range map[int]string{0: "00:00", 375: "06:15", MinutesADay: "24:00"} {
		if got := Clock(minute); got != want {
			t.Errorf("%d: %s, want %s", minute, got, want)
		}
	}
}

func TestPeriodNext(t *testing.T) {
	var (
		morning = Period{Start: 6 * 60, End: 12 * 60}
		night   = Period{Slots: []int{0, 1, 2, 3, 44, 45, 46, 47}}
		half    = Period{Slots: []int{5}} // 02:30 to 03:00: skipped in spring
	)
	for _, c := range []struct {
		zone, at string
		p        Period
		want     string
	}{
		{"Europe/Istanbul", "2026-11-21T03:00:00.5Z", Period{}, "2026-11-21T03:00:00.5Z"},
		{"Europe/Istanbul", "2026-11-21T08:59:59Z", morning, "2026-11-21T08:59:59Z"},
		{"Europe/Istanbul", "2026-11-21T09:00:00Z", morning, "2026-11-22T03:00:00Z"},
		{"Europe/Istanbul", "2026-11-21T02:07:31.25Z", morning, "2026-11-21T03:00:00Z"},
		{"Europe/Istanbul", "2026-11-20T23:00:00Z", night, "2026-11-21T19:00:00Z"},
		{"Asia/Kathmandu", "2026-11-21T00:00:00Z", morning, "2026-11-21T00:15:00Z"}, // UTC+5:45
		{"Europe/Berlin", "2026-03-28T02:00:00Z", half, "2026-03-30T00:30:00Z"},     // not on the 29th
		{"Europe/Berlin", "2026-10-24T22:00:00Z", half, "2026-10-25T00:30:00Z"},
		{"Europe/Berlin", "2026-10-25T01:00:00Z", half, "2026-10-25T01:30:00Z"}, // the hour comes twice
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.p.Next(at, zoned(t, c.zone)).UTC().Format(time.RFC3339Nano); got != c.want {
			t.Errorf("%v in %s at %s: %s, want %s", c.p, c.zone, c.at, got, c.want)
		}
	}
}
