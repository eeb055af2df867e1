package alertmsg

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // every machine has the same zones
)

func loadZone(t *testing.T, name string) *time.Location {
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
		wholeDay = Period{End: MinutesPerDay}
		late     = Period{Start: 23*60 + 45, End: MinutesPerDay}
		night    = Period{Slots: []int{0, 1, 2, 3, 44, 45, 46, 47}} // 22:00 to 02:00
		second   = Period{Start: 2 * 60, End: 3 * 60}               // the hour that Berlin skips and repeats
		half     = Period{Slots: []int{5}}                          // 02:30 to 03:00

		workdays     = Period{Weekdays: []int{1, 2, 3, 4, 5}}
		sunday       = Period{Weekdays: []int{7}}
		workMornings = Period{Start: 6 * 60, End: 12 * 60, Weekdays: []int{1, 2, 3, 4, 5}}
		workNights   = Period{Slots: []int{0, 1, 2, 3, 44, 45, 46, 47}, Weekdays: []int{1, 2, 3, 4, 5}}
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

		// Berlin in winter and summer: by the wall clock.
		{"Europe/Berlin", "2026-01-15T05:00:00Z", morning, true},
		{"Europe/Berlin", "2026-01-15T04:59:00Z", morning, false},
		{"Europe/Berlin", "2026-07-15T04:00:00Z", morning, true},
		{"Europe/Berlin", "2026-07-15T10:00:00Z", morning, false},
		// Spring: 03:00 follows 01:59:59; the hour never comes.
		{"Europe/Berlin", "2026-03-29T00:59:59Z", second, false},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", second, false},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", half, false},
		// Autumn: the hour comes twice and counts both times.
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
		// Offsets that are not whole hours.
		{"Asia/Kathmandu", "2026-11-21T00:15:00Z", morning, true},
		{"Asia/Kathmandu", "2026-11-21T00:14:59Z", morning, false},
		{"Australia/Lord_Howe", "2026-10-03T15:30:00Z", half, true}, // half an hour is skipped: 02:30 follows 01:59:59

		// On days of the week. 2026-11-21 is a Saturday.
		{"Europe/Istanbul", "2026-11-20T20:59:59Z", workdays, true}, // the last second of Friday
		{"Europe/Istanbul", "2026-11-20T21:00:00Z", workdays, false},
		{"Europe/Istanbul", "2026-11-22T20:59:59Z", workdays, false},
		{"Europe/Istanbul", "2026-11-22T21:00:00Z", workdays, true}, // Monday from midnight
		{"Europe/Istanbul", "2026-11-22T12:00:00Z", sunday, true},
		{"Europe/Istanbul", "2026-11-22T20:59:59Z", sunday, true},
		{"Europe/Istanbul", "2026-11-22T21:00:00Z", sunday, false},
		{"Europe/Istanbul", "2026-11-20T03:00:00Z", workMornings, true},
		{"Europe/Istanbul", "2026-11-20T09:00:00Z", workMornings, false},
		{"Europe/Istanbul", "2026-11-21T03:00:00Z", workMornings, false},
		// The day is that of the clock: the part of Friday's night after midnight is Saturday's.
		{"Europe/Istanbul", "2026-11-20T20:30:00Z", workNights, true},
		{"Europe/Istanbul", "2026-11-20T21:30:00Z", workNights, false},
		{"Europe/Istanbul", "2026-11-21T20:30:00Z", workNights, false},
		{"Europe/Istanbul", "2026-11-22T20:30:00Z", workNights, false},
		{"Europe/Istanbul", "2026-11-22T21:30:00Z", workNights, true}, // 00:30 of Monday
		// The zone's day, not UTC's.
		{"Pacific/Auckland", "2026-11-22T11:00:00Z", workdays, true}, // midnight to Monday
		{"America/New_York", "2026-11-23T04:59:59Z", workdays, false},
		{"America/New_York", "2026-11-23T05:00:00Z", workdays, true},
		{"America/Havana", "2026-03-08T05:00:00Z", sunday, true}, // its midnight is skipped
		{"America/Havana", "2026-03-08T04:59:59Z", sunday, false},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.p.Contains(at, loadZone(t, c.zone)); got != c.want {
			t.Errorf("%+v at %s (%s): %v", c.p, c.at, at.In(loadZone(t, c.zone)).Format(time.DateTime), got)
		}
	}
}

// On days of any length, a period contains as many minutes as the clock shows.
func TestPeriodContainsAcrossDSTChanges(t *testing.T) {
	zone := loadZone(t, "Europe/Berlin")
	for date, minutes := range map[string][2]int{"2026-03-29": {23 * 60, 0}, "2026-06-15": {24 * 60, 60}, "2026-10-25": {25 * 60, 120}} {
		begin, err := time.ParseInLocation(time.DateOnly, date, zone)
		if err != nil {
			t.Fatal(err)
		}
		length, held := 0, 0
		for at := begin; at.Before(begin.AddDate(0, 0, 1)); at = at.Add(time.Minute) {
			length++
			if (Period{Slots: []int{4, 5}}).Contains(at, zone) {
				held++
			}
		}
		if length != minutes[0] || held != minutes[1] {
			t.Errorf("%s: %d of %d minutes, want %v", date, held, length, minutes)
		}
	}
}

func TestPeriodJSON(t *testing.T) {
	for want, p := range map[string]Period{
		`{}`:                       {},
		`{"start":360,"end":1440}`: {Start: 360, End: 1440},
		`{"slots":[0,47]}`:         {Slots: []int{0, 47}},
		`{"weekdays":[1,7]}`:       {Weekdays: []int{1, 7}},

		`{"start":360,"end":1440,"weekdays":[6]}`: {Start: 360, End: 1440, Weekdays: []int{6}},
	} {
		b, err := json.Marshal(p)
		if err != nil || string(b) != want {
			t.Errorf("%s, want %s (%v)", b, want, err)
		}
		if got := p.Always(); got != (want == "{}") {
			t.Errorf("%s: always %v", want, got)
		}
	}
	for minute, want := range map[int]string{0: "00:00", 375: "06:15", MinutesPerDay: "24:00"} {
		if got := FormatClock(minute); got != want {
			t.Errorf("%d: %s, want %s", minute, got, want)
		}
	}
}

func TestPeriodNext(t *testing.T) {
	var (
		morning = Period{Start: 6 * 60, End: 12 * 60}
		night   = Period{Slots: []int{0, 1, 2, 3, 44, 45, 46, 47}}
		half    = Period{Slots: []int{5}} // 02:30 to 03:00: skipped in spring
		weekend = Period{Slots: []int{5}, Weekdays: []int{7}}
		friday  = Period{Weekdays: []int{5}}
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

		{"Europe/Istanbul", "2026-11-21T12:00:00Z", friday, "2026-11-26T21:00:00Z"},
		{"Europe/Istanbul", "2026-11-27T20:59:59Z", friday, "2026-11-27T20:59:59Z"},
		{"Europe/Istanbul", "2026-11-27T21:00:00Z", friday, "2026-12-03T21:00:00Z"},
		{"Europe/Berlin", "2026-03-15T01:30:00Z", weekend, "2026-03-15T01:30:00Z"},
		{"Europe/Berlin", "2026-03-15T02:00:00Z", weekend, "2026-03-22T01:30:00Z"},
		{"Europe/Berlin", "2026-03-22T02:00:00Z", weekend, "2026-04-05T00:30:00Z"}, // the 29th has no 02:30
		{"Europe/Berlin", "2026-10-25T01:00:00Z", weekend, "2026-10-25T01:30:00Z"},
		{"Pacific/Apia", "2011-12-24T10:00:00Z", friday, "2012-01-05T10:00:00Z"}, // the 30th, a Friday, did not exist
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.p.Next(at, loadZone(t, c.zone)).UTC().Format(time.RFC3339Nano); got != c.want {
			t.Errorf("%v in %s at %s: %s, want %s", c.p, c.zone, c.at, got, c.want)
		}
	}
}

// For any period, zone and instant, Contains matches the wall clock, minute by minute, and Next is
// the first minute that the period contains.
func TestPeriodMatchesMinuteTable(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 1))
	zones := []string{"Europe/Istanbul", "Europe/Berlin", "America/New_York", "America/Havana", "Asia/Kathmandu",
		"Australia/Lord_Howe", "Pacific/Apia", "UTC"}
	// Around changes of clocks and, for Apia, of the date line.
	around := []string{"2026-03-08T00:00:00Z", "2026-03-29T00:00:00Z", "2026-04-05T00:00:00Z",
		"2026-10-04T00:00:00Z", "2026-10-25T00:00:00Z",
		"2026-11-01T00:00:00Z", "2011-12-30T00:00:00Z", "2026-07-01T00:00:00Z"}
	for i := range 400 {
		zone := loadZone(t, zones[random.IntN(len(zones))])
		day, err := time.Parse(time.RFC3339, around[random.IntN(len(around))])
		if err != nil {
			t.Fatal(err)
		}
		at := day.Add(time.Duration(random.Int64N(int64(20*24*time.Hour))) - 15*24*time.Hour).Truncate(time.Second)
		p, week := somePeriod(random)
		told := func(at time.Time) bool {
			local := at.In(zone)
			return week[local.Weekday()][local.Hour()*60+local.Minute()]
		}
		if got := p.Contains(at, zone); got != told(at) {
			t.Errorf("%d: %+v at %s: %v", i, p, at.In(zone), got)
		}
		want := at
		for !told(want) {
			want = want.Truncate(time.Minute).Add(time.Minute)
		}
		if got := p.Next(at, zone); !got.Equal(want) || !p.Contains(got, zone) {
			t.Errorf("%d: %+v after %s: %s, want %s", i, p, at.In(zone), got.In(zone), want.In(zone))
		}
		// A week and a day, except where clocks or the calendar skip something that exists once a
		// week.
		if wait := want.Sub(at); wait > 8*24*time.Hour && (len(p.Weekdays) != 1 || wait > maxWait) {
			t.Errorf("%d: %+v waits %s after %s", i, p, wait, at.In(zone))
		}
	}
}

// somePeriod is a random period, and its minutes on each day of a week.
func somePeriod(random *rand.Rand) (p Period, week [DaysPerWeek][MinutesPerDay]bool) {
	some := func(from, to int) (chosen []int) {
		odds := 1 + random.IntN(6)
		for n := from; n <= to; n++ {
			if random.IntN(odds) == 0 {
				chosen = append(chosen, n)
			}
		}
		return chosen
	}
	switch random.IntN(3) {
	case 0:
		p.Slots = some(0, SlotsPerDay-1)
	case 1:
		p.Start = PeriodStepMinutes * random.IntN(MinutesPerDay/PeriodStepMinutes)
		p.End = p.Start + PeriodStepMinutes*(1+random.IntN((MinutesPerDay-p.Start)/PeriodStepMinutes))
	}
	p.Weekdays = some(1, DaysPerWeek)
	for day := range week {
		if len(p.Weekdays) > 0 && !slices.Contains(p.Weekdays, day) &&
			(day != int(time.Sunday) || !slices.Contains(p.Weekdays, 7)) {
			continue
		}
		for minute := range week[day] {
			if len(p.Slots) > 0 {
				week[day][minute] = slices.Contains(p.Slots, minute/30)
			} else {
				week[day][minute] = p.End == 0 || minute >= p.Start && minute < p.End
			}
		}
	}
	return p, week
}
