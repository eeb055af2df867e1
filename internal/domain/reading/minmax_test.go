package reading

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit/race"
)

// downsampleFromReadings computes the result of Downsample from the readings only.
func downsampleFromReadings(
	t *testing.T,
	s *Store,
	from, to int64,
	props []device.PropertyID,
	points int,
) map[device.PropertyID]Downsampled {
	t.Helper()
	samplers := downsamplers{
		buckets:    bucketsOf(clampTime(from), clampTime(to), points),
		byProperty: map[device.PropertyID]*downsampler{},
	}
	for _, r := range readRange(t, s, 1, 7, from, to, props...) {
		for _, f := range r.Fields {
			samplers.get(f.Property).add(Point{Time: r.Time, Value: f.Value})
		}
	}
	return samplers.finish()
}

// appendRandomDays writes a few days of readings: property 1 drifts, 2 jumps, 3 is often missing, 4
// is sometimes a text, 5 is a boolean, 6 has many decimals, 7 is constant.
func appendRandomDays(t *testing.T, s *Store, rng *rand.Rand, days int) {
	t.Helper()
	level := 0
	for day := range int64(days) {
		step := []int64{10_000, 20_000, minute, 61_234, 10 * minute}[rng.IntN(5)]
		words := rng.IntN(2) == 0
		var batch []Arrival
		for at := rng.Int64N(step); at < msPerDay; at += step {
			level += rng.IntN(11) - 5
			fields := []Field{num(1, float64(level)/10), num(2, float64(rng.IntN(2_000_000)-1_000_000)/100)}
			if rng.IntN(3) == 0 {
				fields = append(fields, num(3, float64(rng.IntN(50))))
			}
			if words && rng.IntN(200) == 0 {
				fields = append(fields, text(4, fmt.Sprint("state ", rng.IntN(2))))
			} else {
				fields = append(fields, num(4, float64(rng.IntN(100))))
			}
			fields = append(fields, boolean(5, at/(7*minute)%2 == 0), num(6, rng.NormFloat64()), num(7, 4))
			batch = append(batch, arrival(1, 7, start+day*msPerDay+at, fields...))
			if len(batch) == 3000 {
				mustAppend(t, s, batch...)
				batch = batch[:0]
			}
		}
		mustAppend(t, s, batch...)
	}
}

// TestDownsampleByMinmaxEqualsByReadings: over any range and with any number of points, with days
// of different intervals, properties that change their kind, late readings and days that are not
// sealed.
func TestDownsampleByMinmaxEqualsByReadings(t *testing.T) {
	props := []device.PropertyID{1, 2, 3, 4, 5, 6, 7, 8}
	for range race.Cases(4) {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			s := openStore(t, Options{})
			const days = 6
			appendRandomDays(t, s, rng, days)
			seal(t, s, time.UnixMilli(start+(days-1)*msPerDay+2*60*minute))
			compare := func(what string) {
				for range 25 {
					from := start + rng.Int64N(days*msPerDay) - msPerDay/2
					to := from + rng.Int64N(days*msPerDay)
					if rng.IntN(4) == 0 {
						from, to = start-rng.Int64N(2)*17, start+days*msPerDay
					}
					// Mostly with buckets of whole half hours.
					points := 2 + 2*rng.IntN(max(1, int(uint64(to-from)/minHalfHoursWidth)))
					got, err := s.Downsample(t.Context(), 1, 7, from, to, props, points)
					if err != nil {
						t.Fatal(err)
					}
					want := downsampleFromReadings(t, s, from, to, props, points)
					for _, p := range props {
						got, want := got[p], want[p]
						if got.Bucket != want.Bucket || !slices.Equal(got.Points(), want.Points()) {
							t.Fatalf("%s, property %d, %d points from %d to %d:\n got %v\nwant %v",
								what, p, points, from-start, to-start, got, want)
						}
						if len(got.Times) > points {
							t.Fatalf("%s, property %d: %d points, want at most %d", what, p, len(got.Times), points)
						}
					}
				}
			}
			compare("sealed")
			for range 30 {
				mustAppend(t, s, arrival(1, 7, start+rng.Int64N(days*msPerDay), num(1, float64(rng.IntN(9999)))))
			}
			compare("with late readings")
			seal(t, s, afterAllDays)
			compare("sealed again")
		})
	}
}

// TestDownsampleReadsMinmaxOnly: Downsample reads no column of days within the range.
func TestDownsampleReadsMinmaxOnly(t *testing.T) {
	s := openStore(t, Options{})
	var batch []Arrival
	for m := range 4 * msPerDay / minute {
		batch = append(batch, arrival(1, 7, start+m*minute, num(1, float64(m%977)), num(2, 1)))
	}
	mustAppend(t, s, batch...)
	seal(t, s, afterAllDays)
	damaged := appendMs(appendSegmentPrefix(nil, 20574+2, device.Ref{Tenant: 1, ID: 7}), 0)
	raw := storedValue(t, s, damaged)
	var h segmentHead
	if err := readHead(&h, raw, start+2*msPerDay); err != nil {
		t.Fatal(err)
	}
	if c := h.columns[0]; c.minmax == 0 || c.minmax > 5*48 {
		t.Errorf("the minmax of half hours of 30 readings takes %d bytes", c.minmax)
	}
	h.body[0] = 77 // an unknown way of packing
	if err := s.db.Set(damaged, raw, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	all, err := s.Downsample(t.Context(), 1, 7, start, start+4*msPerDay-1, []device.PropertyID{1}, 60)
	if o := all[1]; err != nil || len(o.Times) != 56 || o.Bucket != 12_600_000 {
		t.Errorf("%d points by %d ms: %v", len(o.Times), o.Bucket, err)
	}
	// Downsample reads the readings of a segment that extends beyond the range.
	_, err = s.Downsample(t.Context(), 1, 7, start, start+3*msPerDay-minute-1, []device.PropertyID{1}, 60)
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("without the last minute of a day: %v", err)
	}
}

func storedValue(t *testing.T, s *Store, key []byte) []byte {
	t.Helper()
	raw, closer, err := s.db.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	return slices.Clone(raw)
}

func TestBuckets(t *testing.T) {
	const hour = 60 * minute
	for _, c := range []struct {
		from, to      int64
		points        int
		begin, length int64
	}{
		{start, start + 30*24*hour - 1, 1000, start, 90 * minute},
		{start + 7*minute, start + 7*minute + 30*24*hour, 1000, start, 90 * minute},
		{start, start + 30*24*hour - 1, 960, start, 90 * minute},
		{start + 1, start + 30*24*hour, 5000, start + 1, 1_036_800},
		{start, start + 75*minute - 1, 2, start, 90 * minute},
		{start + 9, start + 75*minute - 2, 2, start + 9, 75*minute - 10},
		{-1, 10 * hour, 4, -30 * minute, 5*hour + 30*minute},
		{minTime, maxTime, 100, minTime, 0},
	} {
		b := bucketsOf(c.from, c.to, c.points)
		if b.from != c.begin || c.length != 0 && int64(b.width) != c.length {
			t.Errorf("%+v: from %d, by %d", c, b.from, b.width)
		}
		if count := uint64(c.to-b.from)/b.width + 1; count > uint64(c.points/2) {
			t.Errorf("%+v: %d buckets", c, count)
		}
	}
}

// encodeFormat1 encodes a segment of format 1.
func encodeFormat1(b *block) []byte {
	var w segmentWriter
	count := len(b.times)
	head := binary.AppendUvarint([]byte{1}, uint64(count))
	head = binary.AppendUvarint(head, uint64(b.times[count-1]-b.times[0]))
	step := int64(0)
	for i := 1; i < count; i++ {
		next := b.times[i] - b.times[i-1]
		w.content = binary.AppendVarint(w.content, next-step)
		step = next
	}
	head = binary.AppendUvarint(head, uint64(w.pack()))
	head = binary.AppendUvarint(head, uint64(len(b.columns)))
	before := device.PropertyID(0)
	for i := range b.columns {
		c := &b.columns[i]
		decimals, numbers := w.findDecimals(c.values)
		w.content = w.appendColumn(w.content[:0], c, count, decimals, numbers)
		head = binary.AppendUvarint(head, uint64(c.property-before))
		head = binary.AppendUvarint(head, uint64(w.pack()))
		before = c.property
	}
	return append(head, w.blocks...)
}

// TestSegmentsOfFormat1AreRead: segments without minmax, as the first version wrote them.
func TestSegmentsOfFormat1AreRead(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for n := range 100 {
		b := randomBlock(rng, 1+rng.IntN(1+n*4))
		got, err := decodeSegment(encodeFormat1(b), b.times[0], nil)
		if err != nil {
			t.Fatalf("seed %d, segment %d: %v", seed, n, err)
		}
		same(t, fmt.Sprintf("seed %d, segment %d", seed, n), framesOf(got), framesOf(b))
	}
	// Together with segments of this version in one store.
	b, o := &block{}, Options{Dir: t.TempDir()}
	s := openStore(t, o)
	var batch []Arrival
	for m := range msPerDay / minute {
		b.add(start+m*minute, []Field{num(1, float64(m))})
		batch = append(batch, arrival(1, 7, start+msPerDay+m*minute, num(1, float64(-m))))
	}
	mustAppend(t, s, batch...)
	seal(t, s, afterAllDays)
	key := appendMs(appendSegmentPrefix(nil, 20574, device.Ref{Tenant: 1, ID: 7}), 0)
	if err := s.db.Set(key, encodeFormat1(b), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s)
	got, err := s.Downsample(t.Context(), 1, 7, start, start+2*msPerDay-1, []device.PropertyID{1}, 4)
	want := []Point{
		{start, Number(0)},
		{start + msPerDay - minute, Number(1439)},
		{start + msPerDay, Number(0)},
		{start + 2*msPerDay - minute, Number(-1439)},
	}
	if o := got[1]; err != nil || !slices.Equal(o.Points(), want) {
		t.Errorf("%v, %v", got, err)
	}
	// Sealing a late reading rewrites the segment in this version's format.
	mustAppend(t, s, arrival(1, 7, start+5, num(1, -7)))
	seal(t, s, afterAllDays)
	if raw := storedValue(t, s, key); raw[0] != segmentFormat {
		t.Errorf("the segment still has format %d", raw[0])
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if f := mustExamine(t, o, anyDevice); !f.OK() || f.Sealed != 2881 {
		t.Errorf("%+v", f)
	}
}

// TestExamineChecksMinmax: Examine compares the minmax with the readings.
func TestExamineChecksMinmax(t *testing.T) {
	b := &block{}
	for m := range int64(300) {
		b.add(start+m*minute, []Field{num(1, float64(m)), num(2, float64(m%7)/10)})
	}
	raw := new(segmentWriter).encode(nil, b)
	var h segmentHead
	if err := readHead(&h, raw, start); err != nil || h.columns[1].minmax == 0 {
		t.Fatal(h.columns, err)
	}
	key := appendMs(appendSegmentPrefix(nil, 20574, device.Ref{Tenant: 1, ID: 8}), 0)
	check := func(want string) {
		t.Helper()
		o := closedStore(t, func(s *Store) error {
			// An empty entry: the day counts by its readings.
			entry := appendDayAggregatesKey(nil, device.Ref{Tenant: 1, ID: 8}, 20574)
			return errors.Join(s.db.Set(entry, nil, pebble.Sync), s.db.Set(key, raw, pebble.Sync))
		})
		problems := strings.Join(mustExamine(t, o, anyDevice).Problems, "\n")
		if want == "" && problems != "" || !strings.Contains(problems, want) {
			t.Errorf("%q, want %q", problems, want)
		}
	}
	check("")
	raw[len(raw)-1] ^= 2
	check("property 2: stored reading is damaged: its hour sums differ from those of its readings")
	raw[len(raw)-1] ^= 2
	raw[len(raw)-1-h.columns[1].sums] ^= 2
	check("property 2: stored reading is damaged: its minmax differs from that of its readings")
}

// TestDamagedMinmaxIsError: a damaged minmax causes neither a panic nor an endless loop.
func TestDamagedMinmaxIsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	b := &block{}
	for m := range int64(400) {
		b.add(start+m*minute, []Field{num(1, float64(rng.IntN(100_000))/10)})
	}
	var w segmentWriter
	decimals, _ := w.findDecimals(b.columns[0].values)
	minmax := appendMinmax(nil, b.times, &b.columns[0], decimals, w.digits)
	add := func(minmax []byte) error {
		samplers := downsamplers{
			buckets:    bucketsOf(start, start+30*msPerDay, 100),
			byProperty: map[device.PropertyID]*downsampler{},
		}
		_, err := samplers.takeSummary(1, &rowTimes{count: len(b.times), list: b.times}, minmax, nil)
		return err
	}
	if err := add(minmax); err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for n := range minmax {
		bad := slices.Clone(minmax)
		bad[n] ^= byte(1 + rng.IntN(255))
		for _, minmax := range [][]byte{bad, minmax[:n], append(slices.Clone(minmax), bad[n])} {
			if len(minmax) == 0 {
				continue
			}
			err := add(minmax)
			if err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("byte %d: %v", n, err)
			}
			if err != nil {
				damaged++
			}
		}
	}
	if damaged < len(minmax) {
		t.Errorf("%d of %d damages were detected", damaged, 3*len(minmax))
	}
}

// TestNoMinmaxForFewValues: a column with few values has no minmax, because its readings are as
// quick to read.
func TestNoMinmaxForFewValues(t *testing.T) {
	for step, want := range map[int64]bool{minute: true, 75_000: true, 80_000: false, 10 * minute: false} {
		b := &block{}
		for at := int64(0); at < msPerDay; at += step {
			b.add(start+at, []Field{num(1, 1), text(2, "a word")})
		}
		var h segmentHead
		err := readHead(&h, new(segmentWriter).encode(nil, b), start)
		if err != nil || h.columns[0].minmax > 0 != want || h.columns[1].minmax > 0 {
			t.Errorf("a reading every %d ms: %+v, %v", step, h.columns, err)
		}
	}
}
