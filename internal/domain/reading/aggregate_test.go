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
func aggregatesFromRows(rows []row, by steps) map[device.PropertyID][]Aggregate {
	all := map[device.PropertyID][]Aggregate{}
	for _, r := range rows {
		begin, _ := by.bounds(r.Time)
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
				for name, c := range map[string]struct {
					by     steps
					ranges int
				}{
					"hour": {Hour, 8}, "day": {Day, 8},
					"Istanbul": {zoneDaysOf("Europe/Istanbul"), 1}, "Kolkata": {zoneDaysOf("Asia/Kolkata"), 1},
					"Kathmandu": {zoneDaysOf("Asia/Kathmandu"), 1}, "St John's": {zoneDaysOf("America/St_Johns"), 1},
					"hour in Kathmandu": {&zoneHours{*zoneDaysOf("Asia/Kathmandu")}, 1},
				} {
					by := c.by
					for range c.ranges {
						from := start + rng.Int64N(days*msPerDay) - msPerDay/2
						to := from + rng.Int64N(days*msPerDay)
						got, err := s.aggregates(t.Context(), device.Ref{Tenant: 1, ID: 7}, from, to, props, by)
						if err != nil {
							t.Fatal(err)
						}
						_, end := by.bounds(to)
						from, _ = by.bounds(from)
						want := aggregatesFromRows(readRange(t, s, 1, 7, from, end-1, props...), by)
						sameAggregates(
							t, fmt.Sprintf("%s, by %s, from %d to %d", what, name, from-start, to-start), got, want)
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

func zoneDaysOf(name string) *zoneDays { return &zoneDays{zone: tenant.Zone(name)} }

// Days begin at their zone's midnight, wherever in an hour of UTC it lies, or where the clocks jump over it;
// they have every reading between. The readings of a day are sealed or not, every half hour.
func TestAggregatesOfZones(t *testing.T) {
	for _, c := range []struct {
		zone   string
		begins []string // of three days, and of the next one
	}{
		{"UTC", []string{"2026-03-28T00:00Z", "2026-03-29T00:00Z", "2026-03-30T00:00Z", "2026-03-31T00:00Z"}},
		{"Asia/Shanghai", []string{"2026-03-27T16:00Z", "2026-03-28T16:00Z", "2026-03-29T16:00Z", "2026-03-30T16:00Z"}},
		{"Europe/Berlin", []string{"2026-03-27T23:00Z", "2026-03-28T23:00Z", "2026-03-29T22:00Z", "2026-03-30T22:00Z"}},
		{"Asia/Kolkata", []string{"2026-03-27T18:30Z", "2026-03-28T18:30Z", "2026-03-29T18:30Z", "2026-03-30T18:30Z"}},
		{"Asia/Kathmandu", []string{"2026-03-27T18:15Z", "2026-03-28T18:15Z", "2026-03-29T18:15Z", "2026-03-30T18:15Z"}},
		{"Australia/Adelaide", []string{"2026-04-03T13:30Z", "2026-04-04T13:30Z", "2026-04-05T14:30Z", "2026-04-06T14:30Z"}},
		{"Australia/Lord_Howe", []string{"2026-04-03T13:00Z", "2026-04-04T13:00Z", "2026-04-05T13:30Z", "2026-04-06T13:30Z"}},
		{"America/St_Johns", []string{"2026-03-07T03:30Z", "2026-03-08T03:30Z", "2026-03-09T02:30Z", "2026-03-10T02:30Z"}},
		// The clocks skip midnight of the second day.
		{"America/Santiago", []string{"2026-09-05T04:00Z", "2026-09-06T04:00Z", "2026-09-07T03:00Z", "2026-09-08T03:00Z"}},
		{"America/Havana", []string{"2026-03-07T05:00Z", "2026-03-08T05:00Z", "2026-03-09T04:00Z", "2026-03-10T04:00Z"}},
		{"Atlantic/Azores", []string{"2026-03-28T01:00Z", "2026-03-29T01:00Z", "2026-03-30T00:00Z", "2026-03-31T00:00Z"}},
		{"Africa/Cairo", []string{"2026-04-22T22:00Z", "2026-04-23T22:00Z", "2026-04-24T21:00Z", "2026-04-25T21:00Z"}},
		// They show midnight of the second day twice.
		{"America/Havana", []string{"2026-10-31T04:00Z", "2026-11-01T04:00Z", "2026-11-02T05:00Z", "2026-11-03T05:00Z"}},
	} {
		s := openStore(t, Options{})
		var begins []int64
		for _, text := range c.begins {
			at, err := time.Parse("2006-01-02T15:04Z07:00", text)
			if err != nil {
				t.Fatal(err)
			}
			begins = append(begins, at.UnixMilli())
		}
		var batch []Arrival
		want := map[device.PropertyID][]Aggregate{}
		for day, begin := range begins[:3] {
			a := Aggregate{Time: begin, Lowest: 1e9, Highest: -1e9}
			for at := begin; at < begins[day+1]; at += 5 * minute {
				// The first and the last readings of a day are its extremes.
				v := 500 + float64(day)
				if at == begin {
					v = float64(day)
				} else if at == begins[day+1]-5*minute {
					v = 1000 + float64(day)
				}
				batch = append(batch, arrival(1, 7, at, num(1, v), text(2, "no number")))
				a.Count++
				a.Lowest, a.Highest, a.Sum = min(a.Lowest, v), max(a.Highest, v), a.Sum+v
			}
			want[1] = append(want[1], a)
		}
		mustAppend(t, s, batch...)
		compare := func(what string) {
			t.Helper()
			// Days at the ends count in whole.
			got, err := s.ZoneAggregates(t.Context(), 1, 7, begins[0]+10*minute, begins[3]-10*minute,
				[]device.PropertyID{1, 2}, Day, tenant.Zone(c.zone))
			if err != nil {
				t.Fatal(err)
			}
			sameAggregates(t, c.zone+what, got, want)
			got, err = s.ZoneAggregates(
				t.Context(), 1, 7, begins[1], begins[1], []device.PropertyID{1}, Day, tenant.Zone(c.zone))
			if err != nil {
				t.Fatal(err)
			}
			sameAggregates(t, c.zone+what+", one day", got, map[device.PropertyID][]Aggregate{1: want[1][1:2]})
		}
		compare("")
		seal(t, s, time.UnixMilli(begins[2]))
		compare(", in part sealed")
		seal(t, s, afterAllDays)
		compare(", sealed")
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
		if _, err := s.ZoneAggregates(
			t.Context(), 1, 7, 0, 1, []device.PropertyID{1}, step, tenant.Zone("Asia/Kolkata")); err == nil {
			t.Errorf("a step of %s in a zone was accepted", time.Duration(step))
		}
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
