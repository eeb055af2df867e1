package reading

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit/race"
)

func readAggregates(
	t testing.TB, s *Store, tid tenant.ID, d device.ID, from, to int64, step Step, props ...device.PropertyID,
) map[device.PropertyID][]Aggregate {
	t.Helper()
	got, err := s.Aggregates(t.Context(), tid, d, from, to, props, step)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// aggregatesFromRows computes the aggregates from the readings only.
func aggregatesFromRows(rows []row, step Step) map[device.PropertyID][]Aggregate {
	all := map[device.PropertyID][]Aggregate{}
	for _, r := range rows {
		begin := r.Time - floorMod(r.Time, step.ms())
		for _, f := range r.Fields {
			v := f.Value.num
			list := all[f.Property]
			switch n := len(list) - 1; {
			case f.Value.kind != KindNumber:
			case n < 0 || list[n].Time != begin:
				all[f.Property] = append(list, Aggregate{Time: begin, Count: 1, Lowest: v, Highest: v, Sum: v})
			default:
				a := &list[n]
				a.Count++
				a.Lowest, a.Highest, a.Sum = min(a.Lowest, v), max(a.Highest, v), a.Sum+v
			}
		}
	}
	return all
}

// sameAggregates compares aggregates; sums may differ by what adding floats in another order costs.
func sameAggregates(t testing.TB, what string, got, want map[device.PropertyID][]Aggregate) {
	t.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Fatalf("%s: properties %v, want %v", what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for p := range want {
		if len(got[p]) != len(want[p]) {
			t.Fatalf(
				"%s: property %d: %d aggregates, want %d:\n%v\n%v",
				what,
				p,
				len(got[p]),
				len(want[p]),
				got[p],
				want[p],
			)
		}
		for i, w := range want[p] {
			g := got[p][i]
			most := float64(w.Count) * max(math.Abs(w.Lowest), math.Abs(w.Highest))
			if g.Time != w.Time || g.Count != w.Count || g.Lowest != w.Lowest || g.Highest != w.Highest ||
				math.Abs(g.Sum-w.Sum) > 1e-12*most {
				t.Fatalf("%s: property %d, aggregate %d: %+v, want %+v", what, p, i, g, w)
			}
		}
	}
}

// TestAggregatesEqualReadings: over any range, with days of different intervals, properties that
// change their kind, late readings, days that are not sealed, and after a restart.
func TestAggregatesEqualReadings(t *testing.T) {
	props := []device.PropertyID{1, 2, 3, 4, 5, 6, 7, 8}
	for range race.Cases(4) {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
			const days = 6
			appendRandomDays(t, s, rng, days)
			seal(t, s, time.UnixMilli(start+(days-1)*msPerDay+2*60*minute))
			compare := func(what string) {
				t.Helper()
				for _, step := range []Step{Hour, Day} {
					for range 8 {
						from := start + rng.Int64N(days*msPerDay) - msPerDay/2
						to := from + rng.Int64N(days*msPerDay)
						got := readAggregates(t, s, 1, 7, from, to, step, props...)
						from -= floorMod(from, step.ms())
						to += step.ms() - 1 - floorMod(to, step.ms())
						want := aggregatesFromRows(readRange(t, s, 1, 7, from, to, props...), step)
						sameAggregates(
							t,
							fmt.Sprintf("%s, by %v, from %d to %d", what, time.Duration(step), from-start, to-start),
							got,
							want,
						)
					}
				}
			}
			compare("sealed")
			for range 30 {
				mustAppend(t, s, arrival(1, 7, start+rng.Int64N(days*msPerDay), num(1, float64(rng.IntN(9999)))))
			}
			mustAppend(t, s, arrival(1, 7, start+1, Field{2, Value{}}))
			compare("with late readings")
			seal(t, s, afterAllDays)
			compare("sealed again")
			s = crash(t, s)
			compare("after a crash")
		})
	}
}

// TestAggregatesReadNoReadings: those of sealed days come from the daily aggregates, and hours
// from the hour sums.
func TestAggregatesReadNoReadings(t *testing.T) {
	s := openStore(t, Options{})
	var batch []Arrival
	for m := range 3 * msPerDay / minute {
		batch = append(batch, arrival(1, 7, start+m*minute, num(1, float64(m%977)), num(2, 1)))
	}
	mustAppend(t, s, batch...)
	seal(t, s, afterAllDays)
	hours := readAggregates(t, s, 1, 7, start, start+3*msPerDay-1, Hour, 1, 2)
	days := readAggregates(t, s, 1, 7, start, start+3*msPerDay-1, Day, 1, 2)
	key := appendMs(appendSegmentPrefix(nil, 20574+1, device.Ref{Tenant: 1, ID: 7}), 0)
	raw := storedValue(t, s, key)
	var h segmentHead
	if err := readHead(&h, raw, start+msPerDay); err != nil {
		t.Fatal(err)
	}
	body := len(raw) - len(h.body)
	for _, c := range h.columns {
		clear(raw[body+1 : body+c.size]) // the column
		body += c.size + c.minmax + c.sums
	}
	if err := s.db.Set(key, raw, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	none := func(*Columns) error { return nil }
	if err := s.Columns(t.Context(), 1, 7, start, start+3*msPerDay, []device.PropertyID{1, 2}, none); err == nil {
		t.Fatal("the columns are not damaged")
	}
	sameAggregates(t, "by hour", readAggregates(t, s, 1, 7, start, start+3*msPerDay-1, Hour, 1, 2), hours)
	if err := s.db.Set(key, []byte{0}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	sameAggregates(t, "by day", readAggregates(t, s, 1, 7, start, start+3*msPerDay-1, Day, 1, 2), days)
}

// TestDailyAggregatesOfZones: by the days of zones before and after UTC, with changes of the clock and
// an offset of half an hour.
func TestDailyAggregatesOfZones(t *testing.T) {
	s := openStore(t, Options{})
	begin := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC).UnixMilli()
	var batch []Arrival
	for h := range int64(24 * 14) {
		batch = append(batch, arrival(1, 7, begin+h*60*minute, num(1, float64(h%31)), text(2, "no number")))
	}
	mustAppend(t, s, batch...)
	seal(t, s, afterAllDays)
	for _, name := range []string{"UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kolkata"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		from, to := begin+2*msPerDay+5*60*minute, begin+12*msPerDay
		got, err := s.DailyAggregates(t.Context(), 1, 7, from, to, []device.PropertyID{1, 2}, zone)
		if err != nil {
			t.Fatal(err)
		}
		midnight := func(at int64) int64 {
			y, m, d := time.UnixMilli(at).In(zone).Date()
			return time.Date(y, m, d, 0, 0, 0, 0, zone).UnixMilli()
		}
		want := map[device.PropertyID][]Aggregate{}
		for _, a := range batch {
			day := midnight(a.Time)
			if day < midnight(from) || day > midnight(to) {
				continue
			}
			v, list := a.Fields[0].Value.num, want[1]
			if n := len(list) - 1; n >= 0 && list[n].Time == day {
				list[n].merge(&Aggregate{Count: 1, Lowest: v, Highest: v, Sum: v})
			} else {
				want[1] = append(list, Aggregate{Time: day, Count: 1, Lowest: v, Highest: v, Sum: v})
			}
		}
		sameAggregates(t, name, got, want)
	}
}

func TestSpan(t *testing.T) {
	s := openStore(t, Options{})
	if _, _, ok := s.Span(); ok {
		t.Error("an empty store has a span")
	}
	mustAppend(t, s, arrival(1, 7, start+5, num(1, 1)), arrival(1, 7, start+3*msPerDay, num(1, 1)))
	if from, to, ok := s.Span(); !ok || from != start || to != start+4*msPerDay-1 {
		t.Errorf("%d to %d, %t", from-start, to-start, ok)
	}
}

func TestAggregatesRefuseOtherSteps(t *testing.T) {
	s := openStore(t, Options{})
	for _, step := range []Step{0, Step(time.Minute), Step(48 * time.Hour)} {
		if _, err := s.Aggregates(t.Context(), 1, 7, 0, 1, []device.PropertyID{1}, step); err == nil {
			t.Errorf("a step of %s was accepted", time.Duration(step))
		}
	}
}

// TestAggregatesOfLargeNumbers: sums that no int64 holds.
func TestAggregatesOfLargeNumbers(t *testing.T) {
	s := openStore(t, Options{})
	var batch []Arrival
	for n := range int64(4000) {
		batch = append(batch, arrival(1, 7, start+n*20_000, num(1, float64(maxExact-1)), num(2, 1e300), num(3, -1e-9)))
	}
	mustAppend(t, s, batch...)
	seal(t, s, afterAllDays)
	for _, step := range []Step{Hour, Day} {
		sameAggregates(
			t,
			time.Duration(step).String(),
			readAggregates(t, s, 1, 7, start, start+msPerDay-1, step, 1, 2, 3),
			aggregatesFromRows(readRange(t, s, 1, 7, start, start+msPerDay-1, 1, 2, 3), step),
		)
	}
}

// TestEraseAndExpireDeleteAggregates: Erase leaves no aggregates of the device; those of expired days
// are not read, and are deleted 64 days at a time.
func TestEraseAndExpireDeleteAggregates(t *testing.T) {
	o := Options{Dir: t.TempDir(), Retention: 10 * 24 * time.Hour}
	s := openStore(t, o)
	for day := range int64(200) {
		mustAppend(t, s, arrival(1, 7, start+day*msPerDay, num(1, 1)), arrival(1, 8, start+day*msPerDay, num(1, 1)))
	}
	seal(t, s, time.UnixMilli(start+300*msPerDay))
	if n := keysUnder(t, s, tagDay); n != 400 {
		t.Fatalf("%d daily aggregates", n)
	}
	if err := s.Erase(t.Context(), 1, 7); err != nil {
		t.Fatal(err)
	}
	if n := keysUnder(t, s, tagDay); n != 200 {
		t.Errorf("%d daily aggregates after Erase", n)
	}
	if err := s.Expire(t.Context(), time.UnixMilli(start+200*msPerDay)); err != nil {
		t.Fatal(err)
	}
	if n := keysUnder(t, s, tagDay); n < 10 || n > 10+daysOfSpan {
		t.Errorf("%d daily aggregates after Expire", n)
	}
	got := readAggregates(t, s, 1, 8, minTime, maxTime, Day, 1)[1]
	if len(got) != 10 || got[0].Time != start+190*msPerDay {
		t.Errorf("%d daily aggregates are read after Expire: %v", len(got), got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if f := mustExamine(t, o, anyDevice); !f.OK() {
		t.Errorf("%+v", f)
	}
}

// encodeFormat2 encodes a segment of format 2, which had no hour sums.
func encodeFormat2(raw []byte, first int64) []byte {
	var h segmentHead
	if err := readHead(&h, raw, first); err != nil {
		panic(err)
	}
	w := segmentWriter{}
	w.head = append(w.head, 2)
	for _, x := range []int64{int64(h.count), h.last - h.first, int64(len(h.times)), int64(len(h.columns))} {
		w.head = binary.AppendUvarint(w.head, uint64(x))
	}
	before, body := device.PropertyID(0), h.body
	w.blocks = append(w.blocks, h.times...)
	for _, c := range h.columns {
		packed, minmax, _, rest := c.cut(body)
		for _, x := range []int64{int64(c.property - before), int64(c.size), int64(c.minmax)} {
			w.head = binary.AppendUvarint(w.head, uint64(x))
		}
		w.blocks = append(append(w.blocks, packed...), minmax...)
		before, body = c.property, rest
	}
	return append(w.head, w.blocks...)
}

// makeFormat5 turns a store into one of the version before aggregates, and reopens it.
func makeFormat5(t *testing.T, s *Store) *Store {
	t.Helper()
	b := s.db.NewBatch()
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{tagSegment}, UpperBound: []byte{tagSegment + 1}})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		_, first, err := parseFrameKey(it.Key())
		if err == nil {
			err = b.Set(it.Key(), encodeFormat2(it.Value(), first), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		b.DeleteRange([]byte{tagDay}, []byte{tagDay + 1}, nil),
		b.Delete(keyAggregatedFrom, nil),
		b.Set(keyFormat, []byte{5}, nil),
		b.Commit(pebble.Sync),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return reopen(t, s)
}

// TestFillAggregates: a folder of the version before gets aggregates, day by day and across restarts;
// readers get the same at every step.
func TestFillAggregates(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	o := Options{Dir: t.TempDir()}
	s := openStore(t, o)
	const days = 5
	appendRandomDays(t, s, rng, days)
	mustAppend(t, s, arrival(1, 8, start, text(1, "no number")), arrival(1, 9, start+msPerDay, num(1, 3)))
	seal(t, s, afterAllDays)
	s = makeFormat5(t, s)
	props := []device.PropertyID{1, 2, 3, 4, 5, 6, 7, 8}
	check := func(what string) {
		t.Helper()
		for _, step := range []Step{Hour, Day} {
			got := readAggregates(t, s, 1, 7, start, start+days*msPerDay, step, props...)
			sameAggregates(t, fmt.Sprintf("seed %d, %s, %v", seed, what, time.Duration(step)), got,
				aggregatesFromRows(readRange(t, s, 1, 7, start, start+(days+1)*msPerDay-1, props...), step))
		}
	}
	check("before")
	if n := s.Stats().DaysWithoutAggregates; n != days {
		t.Errorf("%d days without aggregates, want %d", n, days)
	}
	// A late reading is sealed with aggregates, and a day is sealed anew.
	mustAppend(t, s, arrival(1, 7, start+msPerDay+7, num(1, 55)), arrival(1, 7, start+days*msPerDay, num(1, 56)))
	seal(t, s, afterAllDays)
	check("after a late reading")
	if err := s.fillDay(t.Context(), s.daysWithoutAggregates()[days-1].day); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s)
	check("after one day")
	if err := s.fillAggregates(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("after all days")
	if n := s.Stats().DaysWithoutAggregates; n != 0 {
		t.Errorf("%d days without aggregates afterwards", n)
	}
	s = reopen(t, s)
	check("after a restart")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if f := mustExamine(t, o, anyDevice); !f.OK() {
		t.Errorf("%+v", f)
	}
}

// TestFillAggregatesPassesDamagedDay: the damaged device-day stays without, and its readings give the
// error; all others have aggregates.
func TestFillAggregatesPassesDamagedDay(t *testing.T) {
	s := openStore(t, Options{})
	for day := range int64(3) {
		for d := range device.ID(3) {
			mustAppend(t, s, arrival(1, 7+d, start+day*msPerDay, num(1, float64(day))))
		}
	}
	seal(t, s, afterAllDays)
	s = makeFormat5(t, s)
	key := appendMs(appendSegmentPrefix(nil, 20574+1, device.Ref{Tenant: 1, ID: 8}), 0)
	if err := s.db.Set(key, []byte{9}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := s.fillAggregates(t.Context()); err != nil {
		t.Fatal(err)
	}
	for d := range device.ID(3) {
		got, err := s.Aggregates(t.Context(), 1, 7+d, start, start+3*msPerDay, []device.PropertyID{1}, Day)
		if d == 1 && (err == nil || !strings.Contains(err.Error(), "damaged")) ||
			d != 1 && (err != nil || len(got[1]) != 3) {
			t.Errorf("device %d: %v, %v", 7+d, got, err)
		}
	}
	if n := s.Stats().DaysWithoutAggregates; n != 0 {
		t.Errorf("%d days without aggregates", n)
	}
}

// TestExamineChecksAggregates: Examine compares daily aggregates and hour sums with the readings.
func TestExamineChecksAggregates(t *testing.T) {
	entry := appendDayAggregatesKey(nil, device.Ref{Tenant: 1, ID: 7}, 20574)
	for want, damage := range map[string]func(s *Store) error{
		"tenant 1 device 7 on 2026-05-01: it has no daily aggregates": func(s *Store) error {
			return s.db.Delete(entry, pebble.Sync)
		},
		"its daily aggregates differ from those of its readings": func(s *Store) error {
			raw := storedValue(t, s, entry)
			raw[1]++ // the count
			return s.db.Set(entry, raw, pebble.Sync)
		},
		"aggregates of tenant 3 device 7 on 2026-05-02: they belong to no segment": func(s *Store) error {
			return s.db.Set(appendDayAggregatesKey(nil, device.Ref{Tenant: 3, ID: 7}, 20575),
				storedValue(t, s, entry), pebble.Sync)
		},
		"aggregates of tenant 1 device 7 on 2026-05-01: stored reading is damaged": func(s *Store) error {
			return s.db.Set(entry, []byte{1, 0}, pebble.Sync)
		},
	} {
		problems := strings.Join(mustExamine(t, closedStore(t, damage), anyDevice).Problems, "\n")
		if !strings.Contains(problems, want) {
			t.Errorf("%q, want %q", problems, want)
		}
	}
}

// FuzzDayAggregates: a damaged entry causes neither a panic nor an endless loop.
func FuzzDayAggregates(f *testing.F) {
	f.Add(encodeDayAggregates([]propertyTotal{{1, aggregateOf(0, 2.5)}, {400, aggregateOf(0, math.Pi)}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		last := int64(-1)
		_ = decodeDayAggregates(raw, nil, func(p device.PropertyID, a Aggregate) {
			if int64(p) <= last || a.Count < 1 {
				t.Errorf("property %d after %d, count %d", p, last, a.Count)
			}
			last = int64(p)
		})
	})
}

// FuzzHourSums: damaged hour sums cause neither a panic nor an endless loop.
func FuzzHourSums(f *testing.F) {
	b := &block{}
	for m := range int64(300) {
		b.add(start+m*minute, []Field{num(1, float64(m*m%97)/10)})
	}
	var w segmentWriter
	decimals, _ := w.findDecimals(b.columns[0].values)
	minmax := appendMinmax(nil, b.times, &b.columns[0], decimals, w.digits)
	f.Add(w.appendHourSums(nil, b.times, b.columns[0].rows, w.digits))
	f.Fuzz(func(t *testing.T, sums []byte) {
		count := 0
		err := forEachHour(&rowTimes{count: len(b.times), list: b.times}, minmax, sums,
			func(_ int64, h *hourTotal, _ float64) { count += h.count })
		if err == nil && count != len(b.times) {
			t.Errorf("%d values, want %d", count, len(b.times))
		}
	})
}
