package reading

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit/race"
)

// randomValue returns a value of any kind, including extreme ones.
func randomValue(rng *rand.Rand, kind int) Value {
	switch kind {
	case 0:
		return Number(math.Round(rng.NormFloat64()*200) / 10)
	case 1:
		return Boolean(rng.IntN(2) == 0)
	case 2:
		return Text(fmt.Sprint("state ", rng.IntN(3), "ş"))
	case 3:
		odd := []float64{
			0, math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1.0 / 3, maxExact,
			maxExact - 1, -maxExact, 1e-6, 1e-7, 123456789.123456,
		}
		return Number(odd[rng.IntN(len(odd))])
	case 4:
		return Number(float64(rng.Int64N(maxExact)) - float64(rng.Int64N(maxExact)))
	default:
		return randomValue(rng, rng.IntN(5))
	}
}

// randomBlock returns a block like those of sealing.
func randomBlock(rng *rand.Rand, frames int) *block {
	b := &block{}
	kinds := make([]int, 1+rng.IntN(9))
	for i := range kinds {
		kinds[i] = rng.IntN(6)
	}
	at, regular := start+rng.Int64N(1000), rng.IntN(2) == 0
	for range frames {
		var fields []Field
		for i, k := range kinds {
			if k%2 == 0 || rng.IntN(3) > 0 {
				fields = append(fields, Field{device.PropertyID(i * i * 7), randomValue(rng, k)})
			}
		}
		if len(fields) == 0 {
			fields = []Field{num(0, 1)}
		}
		b.add(at, fields)
		if at++; regular {
			at += 9_999
		} else {
			at += rng.Int64N(10_000)
		}
	}
	return b
}

func framesOf(b *block) (rows []row) {
	var c rowCursor
	c.begin(b)
	for c.advance() {
		if fields := c.fields(nil); len(fields) > 0 {
			rows = append(rows, row{b.times[c.row], fields})
		}
	}
	return rows
}

func decodeSegment(raw []byte, first int64, wanted []device.PropertyID) (*block, error) {
	var h segmentHead
	if err := readHead(&h, raw, first); err != nil {
		return nil, err
	}
	b := &block{}
	_, err := new(segmentReader).decode(b, &h, wanted)
	return b, err
}

// TestSegmentRoundTrip: every value is read back bit for bit, from all or some of the columns, with
// reused buffers.
func TestSegmentRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	var w segmentWriter
	for n := range race.Cases(300) {
		b := randomBlock(rng, 1+rng.IntN(1+n*4))
		raw := w.encode(nil, b)
		got, err := decodeSegment(raw, b.times[0], nil)
		if err != nil {
			t.Fatalf("seed %d, segment %d: %v", seed, n, err)
		}
		same(t, fmt.Sprintf("seed %d, segment %d", seed, n), framesOf(got), framesOf(b))
		for i, c := range b.columns {
			for j, v := range c.values {
				if g := got.columns[i].value(j); math.Float64bits(g.num) != math.Float64bits(v.num) {
					t.Fatalf("seed %d, segment %d: %v is read as %v", seed, n, v, g)
				}
			}
		}
		wanted := b.columns[rng.IntN(len(b.columns))].property
		one, err := decodeSegment(raw, b.times[0], []device.PropertyID{wanted, math.MaxUint32})
		if err != nil || len(one.columns) != 1 || one.columns[0].property != wanted {
			t.Fatalf("seed %d, segment %d: property %d alone: %d columns, %v", seed, n, wanted, len(one.columns), err)
		}
	}
}

func TestSegmentWithoutWantedColumnsIsNotUnpacked(t *testing.T) {
	b := &block{}
	b.add(start, []Field{num(3, 1)})
	raw := new(segmentWriter).encode(nil, b)
	raw[len(raw)-1] ^= 0xff
	raw[len(raw)-3] ^= 0xff
	if got, err := decodeSegment(raw, start, []device.PropertyID{1, 4}); err != nil || len(got.times) != 0 {
		t.Errorf("%d frames, %v", len(got.times), err)
	}
}

// TestDamagedSegmentIsError: a truncated or altered segment gives an error or something readable,
// but neither a panic nor an endless loop.
func TestDamagedSegmentIsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	raw := new(segmentWriter).encode(nil, randomBlock(rng, 60))
	for n := range raw {
		if _, err := decodeSegment(raw[:n], start, nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d of %d bytes: %v", n, len(raw), err)
		}
		bad := slices.Clone(raw)
		bad[n] ^= byte(1 + rng.IntN(255))
		if _, err := decodeSegment(bad, start, nil); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d altered: %v", n, err)
		}
	}
	if _, err := decodeSegment(append(raw, 0), start, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("an extra byte: %v", err)
	}
}

func FuzzSegment(f *testing.F) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 8 {
		f.Add(new(segmentWriter).encode(nil, randomBlock(rng, 1+rng.IntN(40))))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := decodeSegment(raw, start, nil)
		if err != nil || len(b.columns) == 0 {
			return
		}
		written := &block{}
		for _, r := range framesOf(b) {
			written.add(r.Time, r.Fields)
		}
		again, err := decodeSegment(new(segmentWriter).encode(nil, written), written.times[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "written again", framesOf(again), framesOf(b))
	})
}
