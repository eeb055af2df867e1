package reading

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/device"
)

// sameBits compares fields and every bit of their numbers: -0 is not 0.
func sameBits(a, b []Field) bool {
	return slices.EqualFunc(a, b, func(x, y Field) bool {
		return x == y && math.Float64bits(x.Value.num) == math.Float64bits(y.Value.num)
	})
}

func decodeFrame(t testing.TB, frame []byte) []Field {
	t.Helper()
	fields, err := appendFields(nil, frame)
	if err != nil {
		t.Fatalf("decode %x: %v", frame, err)
	}
	return fields
}

func TestNumberRoundTrip(t *testing.T) {
	numbers := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.1, 0.1 + 0.2, -273.15, 1e-6, 1e-7, 1e15, 1e16, 1e300, maxExact,
		maxExact + 2, -maxExact, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.MaxInt64, math.MinInt64, math.Pi,
	}
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for range 100_000 {
		if f := math.Float64frombits(rng.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			numbers = append(numbers, f)
		}
		numbers = append(numbers, float64(rng.IntN(2_000_000)-1_000_000)/pow10[rng.IntN(7)])
	}
	for _, f := range numbers {
		b := appendNumber(nil, f)
		v, n, err := cutValue(b)
		if err != nil || n != len(b) || v.kind != KindNumber || math.Float64bits(v.num) != math.Float64bits(f) {
			t.Fatalf("%v (%x) is read back as %v, %d of %d bytes, %v", f, math.Float64bits(f), v, n, len(b), err)
		}
	}
}

func TestTypicalValuesTakeFewBytes(t *testing.T) {
	for f, limit := range map[float64]int{0: 1, 7: 1, -3: 1, 23.4: 2, 1013.2: 3, -0.05: 1, 54.123456: 5, math.Pi: 9} {
		if n := len(appendNumber(nil, f)); n > limit {
			t.Errorf("%v takes %d bytes, want at limit %d", f, n, limit)
		}
	}
	var station []Field
	for p := range device.PropertyID(9) {
		station = append(station, num(40+p, 23.4))
	}
	if n := len(appendFrame(nil, station)); n != 2+9*2 {
		t.Errorf("nine neighbouring properties take %d bytes, want 20", n)
	}
}

// randomFields returns sorted, unique fields of every kind, with near and distant properties.
func randomFields(rng *rand.Rand) []Field {
	var fields []Field
	p := rng.Uint32N(20)
	for range 1 + rng.IntN(12) {
		var v Value
		switch rng.IntN(5) {
		case 0:
			v = Boolean(rng.IntN(2) == 0)
		case 1:
			v = Text(strings.Repeat("水", rng.IntN(60)))
		case 2:
			v = Number(rng.NormFloat64())
		default:
			v = Number(float64(rng.IntN(4000)-1000) / 10)
		}
		fields = append(fields, Field{device.PropertyID(p), v})
		step := 1 + rng.Uint32N(3)
		if rng.IntN(4) == 0 {
			step = 1 + rng.Uint32N(math.MaxUint32/16)
		}
		p += step
	}
	return fields
}

func TestFrameRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for range 20_000 {
		want := randomFields(rng)
		if got := decodeFrame(t, appendFrame(nil, want)); !sameBits(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	}
	edge := []Field{num(0, 1), num(8, 2), num(9, 3), num(math.MaxUint32-1, 4), num(math.MaxUint32, 5)}
	if got := decodeFrame(t, appendFrame(nil, edge)); !sameBits(got, edge) {
		t.Errorf("got %v\nwant %v", got, edge)
	}
}

func TestAppendWanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for range 5_000 {
		all := randomFields(rng)
		var want []Field
		props := []device.PropertyID{device.PropertyID(rng.Uint32()), device.PropertyID(rng.Uint32N(20))}
		for _, f := range all {
			if rng.IntN(3) == 0 {
				props = append(props, f.Property)
			}
		}
		props = sortedProperties(props)
		for _, f := range all {
			if slices.Contains(props, f.Property) {
				want = append(want, f)
			}
		}
		got, err := appendWanted(nil, appendFrame(nil, all), props)
		if err != nil || !sameBits(got, want) {
			t.Fatalf("of %v wanted %v: got %v, %v", all, props, got, err)
		}
	}
}

func TestMergeFramesNewerWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for range 5_000 {
		older, newer := randomFields(rng), randomFields(rng)
		union := map[device.PropertyID]Field{}
		for _, f := range append(slices.Clone(older), newer...) {
			union[f.Property] = f
		}
		merged, err := mergeFrames(nil, appendFrame(nil, older), appendFrame(nil, newer))
		if err != nil {
			t.Fatal(err)
		}
		var want []Field
		for _, f := range union {
			want = append(want, f)
		}
		slices.SortFunc(want, func(a, b Field) int { return int(int64(a.Property) - int64(b.Property)) })
		if got := decodeFrame(t, merged); !sameBits(got, want) {
			t.Fatalf("merge of %v and %v:\n got %v\nwant %v", older, newer, got, want)
		}
	}
}

func TestTruncatedFrameIsError(t *testing.T) {
	whole := appendFrame(nil, []Field{num(1, 23.4), num(2, math.Pi), text(3, "abc"), boolean(40, true)})
	good := decodeFrame(t, whole)
	for n := range whole {
		fields, err := appendFields(nil, whole[:n])
		if err == nil && len(fields) >= len(good) {
			t.Errorf("cut to %d bytes: read as %v", n, fields)
		}
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d bytes: %v, want ErrCorrupt", n, err)
		}
	}
	for name, b := range map[string][]byte{
		"nothing":            {},
		"no presence":        {1},
		"no value":           {1, 0},
		"property too large": {0xff, 0xff, 0xff, 0xff, 0x0f, 0x01, 2, 2},
		"group too far":      {1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 2},
		"endless number":     {0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
		"unknown special":    {1, 0, 5<<3 | special},
		"text too long":      {1, 0, headText, 5, 'a'},
		"not a number":       append([]byte{1, 0, headRaw}, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f),
		"infinite":           append([]byte{1, 0, headRaw}, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f),
	} {
		if fields, err := appendFields(nil, b); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, %v, want ErrCorrupt", name, fields, err)
		}
	}
}

func TestEncodingAFrameAllocatesNothing(t *testing.T) {
	frame := stationFrame(1, 1, 0, rand.New(rand.NewPCG(1, 2))).Fields
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() { buf = appendFrame(buf[:0], frame) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestEntryRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	var w entryWriter
	for range 60 {
		batch := make([]Arrival, rng.IntN(12))
		w.begin(len(batch))
		for i := range batch {
			batch[i] = arrival(
				1+7,
				device.ID(rng.Uint64()>>rng.IntN(63)),
				rng.Int64()-rng.Int64(),
				randomFields(rng)...)
			batch[i].At = rng.Int64() - rng.Int64()
			if got := w.add(&batch[i]); !bytes.Equal(got, appendFrame(nil, batch[i].Fields)) {
				t.Fatalf("frame %x differs from the one stored under its own key", got)
			}
		}
		got, err := decodeEntry(w.buf)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "entry", got, batch)
		for n := range w.buf {
			if _, err := decodeEntry(w.buf[:n]); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("entry cut to %d of %d bytes: %v, want ErrCorrupt", n, len(w.buf), err)
			}
		}
		if _, err := decodeEntry(append(w.buf, 0)); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("entry with an extra byte: %v, want ErrCorrupt", err)
		}
	}
}

func TestLatestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for range 2_000 {
		var want []latestValue
		for _, f := range randomFields(rng) {
			at := rng.Int64() - rng.Int64()
			want = append(want, latestValue{Newest{Last{f.Property, at, f.Value}, at}, at})
		}
		plain := len(appendLatest(nil, want, nil))
		var wantAhead []AheadReading
		if rng.IntN(2) == 0 {
			for i := range want {
				want[i].Order -= int64(rng.IntN(3))
				want[i].newestTime += int64(rng.IntN(3))
			}
			for range rng.IntN(4) {
				wantAhead = append(wantAhead, AheadReading{rng.Int64() - rng.Int64(), rng.Uint64N(1000)})
			}
		}
		b := appendLatest(nil, want, wantAhead)
		got, ahead, err := decodeLatest(b)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "latest", got, want)
		same(t, "ahead", ahead, wantAhead)
		for n := range b {
			// Cut here, it is a valid value of an earlier version, without readings stamped ahead.
			if _, _, err := decodeLatest(b[:n]); n != plain && !errors.Is(err, ErrCorrupt) {
				t.Fatalf("cut to %d of %d bytes: %v, want ErrCorrupt", n, len(b), err)
			}
		}
	}
}

// FuzzFrame: bytes from a disk never cause a panic. A frame that can be read is written and read
// back unchanged, alone and merged.
func FuzzFrame(f *testing.F) {
	f.Add(
		appendFrame(nil, []Field{num(1, 23.4), boolean(3, true), text(9, "x")}),
		appendFrame(nil, []Field{num(2, math.Pi)}),
	)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		fields, err := appendFields(nil, a)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("error %v does not wrap ErrCorrupt", err)
			}
			return
		}
		if !inOrder(fields) || len(fields) == 0 {
			t.Fatalf("fields %v are not sorted and unique", fields)
		}
		if again := decodeFrame(t, appendFrame(nil, fields)); !sameBits(again, fields) {
			t.Fatalf("%v is read back as %v", fields, again)
		}
		merged, err := mergeFrames(nil, a, b)
		if err != nil {
			return
		}
		newer, err := appendFields(nil, b)
		if err != nil {
			return // merging checks only the lengths of the values
		}
		want, err := normalise([]Arrival{arrival(1, 1, 0, append(slices.Clone(fields), newer...)...)})
		if err != nil {
			t.Fatal(err)
		}
		if got := decodeFrame(t, merged); !sameBits(got, want[0].Fields) {
			t.Fatalf("merge of %v and %v:\n got %v\nwant %v", fields, newer, got, want[0].Fields)
		}
	})
}

// FuzzEntry: the same for journal entries and latest values of checkpoints.
func FuzzEntry(f *testing.F) {
	var w entryWriter
	a := arrival(1, 2, start, num(1, 1), text(2, "y"))
	w.begin(1)
	w.add(&a)
	f.Add(w.buf)
	values := []latestValue{
		{Newest{Last{1, start, Number(1)}, start}, start},
		{Newest{Last{5, start + 9, Text("z")}, start}, start + 10},
	}
	f.Add(appendLatest(nil, values[:1], nil))
	f.Add(appendLatest(nil, values, []AheadReading{{start + 9, 0}, {start + 10, 7}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if batch, err := decodeEntry(b); err == nil {
			var w entryWriter
			w.begin(len(batch))
			for i := range batch {
				w.add(&batch[i])
			}
			again, err := decodeEntry(w.buf)
			if err != nil || !reflect.DeepEqual(again, batch) {
				t.Fatalf("%v is read back as %v, %v", batch, again, err)
			}
		}
		if values, ahead, err := decodeLatest(b); err == nil {
			again, aheadAgain, err := decodeLatest(appendLatest(nil, values, ahead))
			if err != nil || !reflect.DeepEqual(again, values) || !reflect.DeepEqual(aheadAgain, ahead) {
				t.Fatalf("%v %v is read back as %v %v, %v", values, ahead, again, aheadAgain, err)
			}
		}
	})
}
