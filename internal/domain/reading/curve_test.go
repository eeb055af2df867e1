package reading

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

func offsetFrom(from int64, offset float64) Fact { return Fact{From: from, True: offset, Gain: 1} }

func curve(decimals int, facts ...Fact) *Curve {
	return &Curve{Facts: facts, Decimals: decimals, Min: math.Inf(-1), Max: math.Inf(1)}
}

// clamped is a curve of a property whose higher numbers count as clamp.
func clamped(decimals int, clamp float64, facts ...Fact) *Curve {
	c := curve(decimals, facts...)
	c.Max, c.Clamped = clamp, true
	return c
}

func TestCorrect(t *testing.T) {
	twoPoint := Fact{From: 10, Raw: 4.10, True: 4, Gain: (7.0 - 4) / (7.20 - 4.10)}
	bounded := curve(0, offsetFrom(10, 5))
	bounded.Min, bounded.Max = 0, 100
	for _, c := range []struct {
		curve *Curve
		at    int64
		raw   Value
		want  Value
	}{
		{curve(1, offsetFrom(10, -0.5)), 10, Number(21.4), Number(20.9)},
		{curve(1, offsetFrom(10, -0.5)), 9, Number(21.4), Number(21.4)},
		{curve(2, twoPoint), 11, Number(5.65), Number(5.5)},
		{curve(2, twoPoint), 11, Number(7.20), Number(7)},
		{curve(1, offsetFrom(10, 1), offsetFrom(20, 2)), 19, Number(1), Number(2)},
		{curve(1, offsetFrom(10, 1), offsetFrom(20, 2)), 20, Number(1), Number(3)},
		{curve(1, offsetFrom(10, 1), Fact{From: 20, None: true}), 25, Number(1.234), Number(1.234)},
		{curve(2, offsetFrom(0, 0.005)), 0, Number(1.01), Number(1.02)}, // 1.015 is a little less in binary
		{curve(-1, offsetFrom(0, 0.125)), 0, Number(1), Number(1.125)},
		{bounded, 10, Number(97), Number(100)},
		{bounded, 10, Number(-9), Number(0)},
		{clamped(1, 100), 5, Number(100), Number(100)},
		{clamped(1, 100), 5, Number(102.75), Number(100)},
		{clamped(1, 100), 5, Number(99.99), Number(99.99)}, // as it arrived
		{clamped(1, 100, offsetFrom(10, -2)), 9, Number(101), Number(100)},
		{clamped(1, 100, offsetFrom(10, -2)), 10, Number(101), Number(99)}, // calibrated first
		{clamped(1, 100, offsetFrom(10, 3)), 10, Number(98.5), Number(100)},
		{clamped(1, 100, Fact{From: 10, None: true}), 10, Number(101), Number(100)},
		{clamped(1, 100), 5, Text("wet"), Text("wet")},
		{curve(1, offsetFrom(0, 1)), 5, Text("wet"), Text("wet")},
		{curve(1, offsetFrom(0, 1)), 5, Boolean(true), Boolean(true)},
		{curve(1, offsetFrom(0, 1)), 5, Value{}, Value{}},
	} {
		if got, _ := c.curve.Correct(c.at, c.raw); got != c.want {
			t.Errorf("%v at %d by %+v: %v, want %v", c.raw, c.at, c.curve, got, c.want)
		}
	}
}

func TestCurveAppliesIn(t *testing.T) {
	c := curve(1, offsetFrom(10, 1), Fact{From: 20, None: true}, offsetFrom(30, 1))
	for _, one := range []struct {
		from, to int64
		want     bool
	}{{0, 9, false}, {0, 10, true}, {19, 19, true}, {20, 29, false}, {20, 30, true}, {40, 50, true}} {
		if got := c.AppliesIn(one.from, one.to); got != one.want {
			t.Errorf("%d..%d: %v", one.from, one.to, got)
		}
	}
}

// correctedBatch returns a batch as it would be if its devices had measured right.
func correctedBatch(batch []Arrival, curves map[device.Ref]Curves) []Arrival {
	batch = slices.Clone(batch)
	for i := range batch {
		a := &batch[i]
		a.Fields = curves[device.Ref{Tenant: a.Tenant, ID: a.Device}].Correct(a.Time, a.Fields)
	}
	return batch
}

// TestCorrectedReadings: whatever reads a store with curves gets what a store holds to which corrected
// numbers were appended: readings, latest values, aggregates. Curves change and end meanwhile, and in the
// end nothing is left of them.
func TestCorrectedReadings(t *testing.T) {
	for range 12 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem(), memTableBytes: 64 << 10})
			var sent []Arrival
			curves := map[device.Ref]Curves{}
			check := func() {
				t.Helper()
				want := model{}
				want.append(correctedBatch(sent, curves))
				want.check(t, s, rng)
			}
			for range 40 {
				batch := []Arrival{randomReading(rng), randomReading(rng), randomReading(rng)}
				mustAppend(t, s, batch...)
				sent = append(sent, batch...)
				ref := device.Ref{Tenant: 1, ID: device.ID(1 + rng.IntN(modelDevices))}
				switch rng.IntN(6) {
				case 0, 1:
					c := Curves{}
					for _, p := range modelProps[:1+rng.IntN(len(modelProps))] {
						c[p] = randomCurve(rng)
					}
					curves[ref] = c
					s.SetCurves(ref, c)
				case 2:
					delete(curves, ref)
					s.SetCurves(ref, nil)
				case 3, 4:
					seal(t, s, time.UnixMilli(modelTimes[rng.IntN(len(modelTimes))]+2*msPerDay))
				}
				check()
			}
			for ref := range curves {
				s.SetCurves(ref, nil)
			}
			curves = nil
			check()
			if s.curves.byDevice == nil || len(s.curves.byDevice) > 0 {
				t.Errorf("curves left: %v", s.curves.byDevice)
			}
		})
	}
}

// randomCurve has one to three facts, of which some end the correction.
func randomCurve(rng *rand.Rand) *Curve {
	c := curve(rng.IntN(3))
	times := slices.Clone(modelTimes)
	rng.Shuffle(len(times), func(i, j int) { times[i], times[j] = times[j], times[i] })
	for _, from := range times[:1+rng.IntN(3)] {
		c.Facts = append(c.Facts, Fact{
			From: from + int64(rng.IntN(2)), None: rng.IntN(4) == 0,
			Raw: float64(rng.IntN(10)), True: float64(rng.IntN(10)), Gain: 0.5 + rng.Float64(),
		})
	}
	slices.SortFunc(c.Facts, func(a, b Fact) int { return int(a.From - b.From) })
	// Of a time there is one fact at most.
	c.Facts = slices.CompactFunc(c.Facts, func(a, b Fact) bool { return a.From == b.From })
	if rng.IntN(2) == 0 {
		c.Min, c.Max = 1.25, 7.75 // more digits than a corrected number may have
	}
	if rng.IntN(3) == 0 {
		c.Clamped = true
	}
	if c.Clamped && rng.IntN(2) == 0 {
		c.Facts = nil
	}
	return c
}

// denseDays are readings every ten seconds of two numbers and a text.
func denseDays(days int) (batch []Arrival) {
	for at := int64(0); at < int64(days)*msPerDay; at += 10_000 {
		n := float64(at / 10_000 % 977)
		a := arrival(1, 1, start+at, num(1, n/10), num(2, 50+n/100), Field{3, Text("dry")})
		if at%3_600_000 == 0 {
			a.Fields[2].Value = Text("wet")
		}
		batch = append(batch, a)
	}
	return batch
}

// Dense sealed days, which readers take from summaries where they can, are corrected in every way of
// reading, for longer and shorter ranges.
func TestCorrectedDenseDays(t *testing.T) {
	some := curve(1, offsetFrom(start+2*msPerDay+12_345, -0.4), Fact{From: start + 4*msPerDay, None: true})
	for name, curves := range map[string]Curves{
		"calibrated":             {1: some},
		"clamped":                {1: clamped(1, 96), 2: clamped(-1, 59.005)},
		"clamped above all":      {1: clamped(1, 97.7), 2: clamped(2, 1e9)},
		"clamped and calibrated": {1: clamped(1, 90, some.Facts...), 2: clamped(2, 55)},
	} {
		t.Run(name, func(t *testing.T) { checkDenseDays(t, curves) })
	}
}

func checkDenseDays(t *testing.T, curves Curves) {
	ref := device.Ref{Tenant: 1, ID: 1}
	raw := denseDays(5)
	got, want := openStore(t, Options{}), openStore(t, Options{})
	got.SetCurves(ref, curves)
	for some := range slices.Chunk(raw, 5000) {
		mustAppend(t, got, some...)
		mustAppend(t, want, correctedBatch(some, map[device.Ref]Curves{ref: curves})...)
	}
	sealed := time.UnixMilli(start + 4*msPerDay + 2*msPerDay)
	seal(t, got, sealed)
	seal(t, want, sealed)
	props := []device.PropertyID{1, 2, 3}
	zone := time.FixedZone("east", 3*3600)
	for _, r := range [][2]int64{
		{start, start + 5*msPerDay}, {start + msPerDay, start + 3*msPerDay - 1}, {start, start + 2*msPerDay - 1},
		{start + 2*msPerDay + 12_000, start + 2*msPerDay + 60_000}, {start + 4*msPerDay, start + 5*msPerDay},
	} {
		same(t, "range", readRange(t, got, 1, 1, r[0], r[1], props...), readRange(t, want, 1, 1, r[0], r[1], props...))
		for _, points := range []int{0, 50, 1000} {
			a, err := got.Series(t.Context(), 1, 1, r[0], r[1], props, points)
			if err != nil {
				t.Fatal(err)
			}
			b, err := want.Series(t.Context(), 1, 1, r[0], r[1], props, points)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprint(points, " points")
			same(t, what, []map[device.PropertyID][]Point{a}, []map[device.PropertyID][]Point{b})
		}
		for _, step := range []Step{Hour, Day} {
			sameAggregates(t, "aggregates", readAggregates(t, got, 1, 1, r[0], r[1], step, props...),
				readAggregates(t, want, 1, 1, r[0], r[1], step, props...))
		}
		a, err := got.ZoneAggregates(t.Context(), 1, 1, r[0], r[1], props, Day, zone)
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.ZoneAggregates(t.Context(), 1, 1, r[0], r[1], props, Day, zone)
		if err != nil {
			t.Fatal(err)
		}
		sameAggregates(t, "daily aggregates", a, b)
		same(t, "columns", columnsOf(t, got, r[0], r[1], props), columnsOf(t, want, r[0], r[1], props))
		same(t, "as of", readAsOf(t, got, 1, 1, r[1], props...), readAsOf(t, want, 1, 1, r[1], props...))
	}
}

// columnsOf reads the numbers and texts of Columns.
func columnsOf(t *testing.T, s *Store, from, to int64, props []device.PropertyID) (values []string) {
	t.Helper()
	err := s.Columns(t.Context(), 1, 1, from, to, props, func(c *Columns) error {
		for i := range c.Columns {
			c.Columns[i].Values(func(n int, v Value) bool {
				values = append(values, fmt.Sprint(c.Times[n], c.Columns[i].Property, v))
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(values)
	return values
}

// WithRaw gives numbers as they arrived, and what is written stays so.
func TestWithRaw(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	ref := device.Ref{Tenant: 1, ID: 1}
	mustAppend(t, s, arrival(1, 1, start, num(1, 21.4)))
	s.SetCurves(ref, Curves{1: curve(1, offsetFrom(start, -0.5))})
	seal(t, s, time.UnixMilli(start+3*msPerDay))
	checkpoint(t, s)
	raw := WithRaw(t.Context())
	if got := s.Latest(raw, 1, 1); got[0].Value != Number(21.4) {
		t.Errorf("latest %v", got)
	}
	if got := s.Latest(t.Context(), 1, 1); got[0].Value != Number(20.9) {
		t.Errorf("corrected latest %v", got)
	}
	if n, _ := s.NewestOf(t.Context(), 1, 1, 1); n.Value != Number(20.9) {
		t.Errorf("corrected newest %v", n)
	}
	err := s.Range(raw, 1, 1, start, start, []device.PropertyID{1}, func(_ int64, f []Field) error {
		if f[0].Value != Number(21.4) {
			t.Errorf("range %v", f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s) // without curves
	same(t, "stored", readRange(t, s, 1, 1, start, start, 1), []row{{start, []Field{num(1, 21.4)}}})
}
