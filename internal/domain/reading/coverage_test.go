package reading

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit/race"
)

// coverageZones are zones whose days differ from those of UTC: by half hours, with a midnight that
// occurs twice (Havana) or not at all (Beirut), without one date (Apia), and a day ahead
// (Kiritimati).
var coverageZones = []*time.Location{
	time.UTC, zoneOf("Asia/Kolkata"), zoneOf("America/Havana"), zoneOf("Asia/Beirut"), zoneOf("Pacific/Apia"),
	zoneOf("Europe/Istanbul"), zoneOf("Pacific/Kiritimati"),
}

func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func readCoverage(
	t testing.TB,
	s *Store,
	tid tenant.ID,
	d device.ID,
	from, to int64,
	zone *time.Location,
) []CoveredDay {
	t.Helper()
	days, err := s.Coverage(t.Context(), tid, d, from, to, zone)
	if err != nil {
		t.Fatal(err)
	}
	return days
}

func TestCoverageByDaysOfAZone(t *testing.T) {
	s := openStore(t, Options{})
	evening := start + 20*60*minute // 23:00 in Istanbul
	mustAppend(t, s,
		arrival(1, 7, evening, num(1, 1)),
		arrival(1, 7, evening+59*minute, num(2, 1)),
		arrival(1, 7, evening+60*minute, num(1, 1), text(3, "on")),
		arrival(1, 7, evening+5*msPerDay, num(1, 1)),
		arrival(1, 6, evening, num(1, 1)),
		arrival(2, 7, evening, num(1, 1)))
	want := map[string][]CoveredDay{
		"UTC": {
			{2026, 5, 1, 3, evening, evening + 60*minute},
			{2026, 5, 6, 1, evening + 5*msPerDay, evening + 5*msPerDay},
		},
		"Europe/Istanbul": {
			{2026, 5, 1, 2, evening, evening + 59*minute}, {2026, 5, 2, 1, evening + 60*minute, evening + 60*minute},
			{2026, 5, 6, 1, evening + 5*msPerDay, evening + 5*msPerDay},
		},
	}
	check := func(what string) {
		t.Helper()
		for name, days := range want {
			same(t, what+" "+name, readCoverage(t, s, 1, 7, minTime, maxTime, zoneOf(name)), days)
		}
		same(t, what+" borders", readCoverage(t, s, 1, 7, evening+59*minute, evening+60*minute, time.UTC),
			[]CoveredDay{{2026, 5, 1, 2, evening + 59*minute, evening + 60*minute}})
		same(t, what+" between", readCoverage(t, s, 1, 7, evening+61*minute, evening+5*msPerDay-1, time.UTC), nil)
		same(t, what+" backwards", readCoverage(t, s, 1, 7, evening+1, evening, time.UTC), nil)
	}
	check("hot")
	seal(t, s, time.UnixMilli(start+2*msPerDay))
	check("partly sealed")
	// Repeated and late frames: an instant counts once.
	mustAppend(t, s, arrival(1, 7, evening, num(4, 4)), arrival(1, 7, evening+59*minute, num(2, 1)))
	check("hot over segments")
	seal(t, s, afterAllDays)
	check("sealed")
	if s := want["UTC"][0].String(); s != "2026-05-01" {
		t.Errorf("the day is %s", s)
	}
}

func TestCoverageOfAForeignDeviceIsEmpty(t *testing.T) {
	s, other := storeWithOtherTenant(t)
	same(t, "hot", readCoverage(t, s, other, 7, minTime, maxTime, time.UTC), nil)
	seal(t, s, afterAllDays)
	same(t, "sealed", readCoverage(t, s, other, 7, minTime, maxTime, time.UTC), nil)
	same(t, "own", readCoverage(t, s, 1, 7, minTime, maxTime, time.UTC), []CoveredDay{{2026, 5, 1, 1, start, start}})
}

// TestCoverageEqualsModel: days of many segments, of segments with late frames, and of hot frames
// only, in zones whose days begin at any time of a UTC day.
func TestCoverageEqualsModel(t *testing.T) {
	for range race.Cases(6) {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 3))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s, want := openStore(t, Options{}), model{}
			// Around the clock changes in Havana and Beirut and the day that Apia skipped.
			begin := []int64{1793404800000, 1774569600000, 1325116800000}[rng.IntN(3)]
			step := int64(1000 * (1 + rng.IntN(90)))
			for round := range 3 {
				var batch []Arrival
				for range 2000 + rng.IntN(8000) {
					at := begin + rng.Int64N(3*msPerDay/step)*step
					batch = append(batch, arrival(1, 7, at, num(device.PropertyID(1+rng.IntN(2)), 1)))
				}
				mustAppend(t, s, batch...)
				want.append(batch)
				seal(t, s, time.UnixMilli(begin+int64(round)*msPerDay+60*minute))
			}
			for range 40 {
				from := begin + rng.Int64N(3*msPerDay)
				to := from + rng.Int64N(2*msPerDay)
				if rng.IntN(4) == 0 {
					from, to = minTime, maxTime
				}
				zone := coverageZones[rng.IntN(len(coverageZones))]
				ref := device.Ref{Tenant: 1, ID: 7}
				same(t, fmt.Sprint(zone, from, to), readCoverage(t, s, 1, 7, from, to, zone),
					want.coverage(ref, from, to, zone))
			}
		})
	}
}

// TestCoverageReadsNoValues: Coverage counts a day whose columns are damaged. If the times are
// damaged and it needs them, it returns an error that names the day.
func TestCoverageReadsNoValues(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start, num(1, 5)), arrival(1, 7, start+minute, num(1, 6)))
	seal(t, s, afterAllDays)
	b := &block{}
	b.add(start, []Field{num(1, 5)})
	b.add(start+minute, []Field{num(1, 6)})
	raw := new(segmentWriter).encode(nil, b)
	key := appendMs(appendSegmentPrefix(nil, 20574, device.Ref{Tenant: 1, ID: 7}), 0)
	put := func(raw []byte) {
		t.Helper()
		if err := s.db.Set(key, raw, pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	raw[len(raw)-1] ^= 0xff
	put(raw)
	days := []CoveredDay{{2026, 5, 1, 2, start, start + minute}}
	same(t, "damaged column", readCoverage(t, s, 1, 7, start, start+minute, time.UTC), days)
	ignore := func(int64, []Field) error { return nil }
	err := s.Range(t.Context(), 1, 7, start, start+minute, []device.PropertyID{1}, ignore)
	if !errors.Is(err, ErrCorrupt) {
		t.Fatalf("the column is not damaged: %v", err)
	}
	same(t, "cut range", readCoverage(t, s, 1, 7, start+1, start+minute, time.UTC),
		[]CoveredDay{{2026, 5, 1, 1, start + minute, start + minute}})
	put(raw[:2])
	if _, err := s.Coverage(t.Context(), 1, 7, start, start, time.UTC); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a truncated segment: %v", err)
	}
}

func TestCoverageStopsOnCancelAndClose(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start, num(1, 5)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Coverage(ctx, 1, 7, start, start, time.UTC); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Coverage(t.Context(), 1, 7, start, start, time.UTC); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// BenchmarkCoverage counts 400 sealed days with a reading every minute, or 30 days with one every
// second, in a zone whose days differ from those of UTC.
func BenchmarkCoverage(b *testing.B) {
	for name, step := range map[string]int64{"minute": minute, "second": 1000} {
		b.Run(name, func(b *testing.B) {
			s := openStore(b, Options{})
			days := int64(400)
			if step < minute {
				days = 30
			}
			for day := range days {
				batch := make([]Arrival, 0, msPerDay/step)
				for at := start + day*msPerDay; at < start+(day+1)*msPerDay; at += step {
					batch = append(batch, arrival(1, 7, at, num(1, 20), num(2, 5)))
				}
				mustAppend(b, s, batch...)
				s.Trim(s.Stats().Position)
			}
			seal(b, s, time.UnixMilli(start+500*msPerDay))
			zone := zoneOf("Europe/Istanbul")
			b.ReportAllocs()
			for b.Loop() {
				if got := readCoverage(b, s, 1, 7, minTime, maxTime, zone); int64(len(got)) != days+1 {
					b.Fatal(len(got))
				}
			}
		})
	}
}
