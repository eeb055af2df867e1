package derivation

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/tools/testkit/heap"
	"tilth/internal/tools/testkit/race"
)

// changeProduct gives the device's product other properties, as a running server does.
func (w *fixture) changeProduct(p *device.Product) {
	p.OfflineAfter = w.entry.Product.OfflineAfter
	w.entry = device.NewEntry(w.entry.Ref, w.entry.Name, p, false, false)
	w.engine = w.newEngine()
}

// recompute recomputes the day of a time and returns how many values it wrote.
func (w *fixture) recompute(at time.Time) (values int) {
	w.Helper()
	w.engine.maxRecomputed = []int{1, 5, 100, maxRecomputed}[rand.IntN(4)] // any of them gives the same result
	before := int64(math.MinInt64)
	for part := (Recomputed{More: true, Next: before}); part.More; {
		var err error
		part, err = w.engine.Recompute(w.Context(), w.entry, at.UnixMilli(), part.Next, at.UnixMilli()+7)
		if err != nil {
			w.Fatal(err)
		}
		for i, f := range part.Frames {
			if f.At != at.UnixMilli()+7 || i > 0 && f.Time <= part.Frames[i-1].Time ||
				part.More && (f.Time <= before || f.Time >= part.Next) {
				w.Fatalf("frame %d of %d: %+v", i, len(part.Frames), f)
			}
			values += len(f.Fields)
		}
		if n := len(part.Frames); part.More && n > 0 {
			before = part.Frames[n-1].Time
		}
		if err := w.store.Append(w.Context(), part.Frames); err != nil {
			w.Fatal(err)
		}
	}
	return values
}

// earlierProduct is the mast without its formulas, or with other ones.
func earlierProduct(rng *rand.Rand) *device.Product {
	p := mastProduct()
	switch rng.IntN(3) {
	case 0: // no formulas
		p.Properties = slices.DeleteFunc(p.Properties, func(q device.Property) bool { return q.Derived() })
	case 1: // some of the formulas
		p.Properties = slices.DeleteFunc(p.Properties, func(q device.Property) bool {
			return q.ID == moist || q.ID == light || q.ID == gdd
		})
	default: // other formulas
		for i := range p.Properties {
			switch q := &p.Properties[i]; q.ID {
			case dew:
				q.Precision, q.Min = decimals(0), number(5)
			case gdd:
				q.Parameters = map[string]float64{"base": 4, startMonth: 10, startDay: 24}
			case flux:
				q.Max = number(300)
			}
		}
	}
	return p
}

// A product gets formulas, or other ones, while its devices keep sending readings, some of them
// late. Once all days are recomputed, the values are as if the product had always had these
// formulas. Recomputing again changes nothing.
func TestRecompute(t *testing.T) {
	wrote := 0
	for round := range 8 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			w := newFixture(t, mastProduct())
			w.entry.Product.OfflineAfter = time.Duration(5+rng.IntN(40)) * time.Minute
			now := mastProduct()
			w.changeProduct(earlierProduct(rng))
			sent := weather(rng, 5, round%2 == 1)
			want := tableOf(sent)
			change := len(sent) / 2
			shuffled := slices.Clone(sent[:change])
			rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			shuffled = shuffled[:len(shuffled)/10]
			kept := map[int64]bool{}
			for _, f := range shuffled {
				kept[f.Time] = true
			}
			// All frames of a time are late together, so that none of them counts as an earlier
			// value.
			var late, first []reading.Frame
			for _, f := range sent[:change] {
				if kept[f.Time] {
					late = append(late, f)
				} else {
					first = append(first, f)
				}
			}
			w.send(first...)
			if rng.IntN(2) == 0 {
				if err := w.store.Seal(t.Context(), time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)); err != nil {
					t.Fatal(err)
				}
			}
			w.changeProduct(now)
			rest := slices.Clone(sent[change:])
			begin := time.UnixMilli(sent[0].Time).In(berlin.Zone)
			for day := range 5 {
				n := len(rest) / 4
				w.send(rest[:n]...)
				rest = rest[n:]
				if len(late) > 0 {
					n := 1 + rng.IntN(len(late))
					w.send(late[:n]...)
					late = late[n:]
				}
				wrote += w.recompute(begin.AddDate(0, 0, day))
			}
			w.send(append(late, rest...)...)
			w.checkDerived("at the end", want)
			for day := range 6 {
				if n := w.recompute(begin.AddDate(0, 0, day)); n > 0 {
					t.Errorf("day %d recomputed again: %d values", day, n)
				}
			}
			w.restart()
			w.checkDerived("after a restart", want)
		})
	}
	if wrote < 100 {
		t.Errorf("only %d values written in all: this tests too little", wrote)
	}
}

// A value that an earlier version of a formula stored is replaced, and no other; versions need not be recorded.
func TestRecomputeReplacesValueOfEarlierFormula(t *testing.T) {
	w := newFixture(t, mastProduct())
	begin := time.Date(2026, 10, 23, 0, 0, 0, 0, w.site.Zone)
	var sent []reading.Frame
	for i := range 49 { // a dark day, and the reading that ends it
		at := begin.Add(time.Duration(i) * 30 * time.Minute)
		sent = append(sent, frame(at, airT, 12+i%24/4, airRH, 70, wind, 2, sun, 15))
	}
	w.send(sent...)
	at := begin.AddDate(0, 0, 1).UnixMilli() - 1
	value, ok := w.read(et)[at][et]
	if !ok {
		t.Fatal("the day has no evapotranspiration")
	}
	earlier := reading.Frame{Tenant: 1, Device: 7, Time: at,
		Fields: []reading.Field{{Property: et, Value: reading.Number(value + .2)}}}
	if err := w.store.Append(t.Context(), []reading.Arrival{{Frame: earlier, At: at + 1}}); err != nil {
		t.Fatal(err)
	}
	w.restart() // the upgrade
	if got := w.read(et)[at][et]; got != value+.2 {
		t.Errorf("before: %v", got)
	}
	if n := w.recompute(begin); n != 1 {
		t.Errorf("%d values were written", n)
	}
	w.checkDerived("afterwards", tableOf(sent))
}

// Recompute derives nothing for a device, or a day, without readings.
func TestRecomputeWithoutReadings(t *testing.T) {
	w := newFixture(t, mastProduct())
	at := time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)
	if n := w.recompute(at); n > 0 {
		t.Errorf("%d values", n)
	}
	w.send(frame(at, airT, 20, airRH, 50))
	for day := range 3 {
		if n := w.recompute(at.AddDate(0, 0, day-1)); n > 0 {
			t.Errorf("day %d: %d values", day, n)
		}
	}
	want := map[device.PropertyID]float64{dew: 9.26, moist: 0}
	if got := w.read(derivedIDs...); !maps.Equal(got[at.UnixMilli()], want) {
		t.Errorf("%v", got)
	}
}

// Recomputing a day of a device that measures every second takes no more than 1 MiB of memory,
// because it is done in parts.
func TestRecomputeMemoryIsBounded(t *testing.T) {
	bare := mastProduct()
	bare.Properties = slices.DeleteFunc(bare.Properties, func(q device.Property) bool { return q.Derived() })
	w := newFixture(t, bare)
	begin := time.Date(2026, 10, 25, 0, 0, 0, 0, w.site.Zone)
	var batch []reading.Arrival
	for i := range 80_000 {
		at := begin.Add(time.Duration(i) * time.Second).UnixMilli()
		f := reading.Frame{Tenant: 1, Device: 7, Time: at, Fields: []reading.Field{
			{Property: airT, Value: reading.Number(float64(i%300) / 10)},
			{Property: airRH, Value: reading.Number(float64(40 + i%50))},
		}}
		batch = append(batch, reading.Arrival{At: at, Frame: f})
		if len(batch) == 5_000 {
			if err := w.store.Append(w.Context(), batch); err != nil {
				t.Fatal(err)
			}
			batch = batch[:0:0]
		}
	}
	w.changeProduct(mastProduct())
	watched := &heap.Probe{Context: w.Context()}
	before := heap.Held()
	parts, heldBytes := 0, int64(0)
	for part := (Recomputed{More: true, Next: math.MinInt64}); part.More; parts++ {
		var err error
		part, err = w.engine.Recompute(watched, w.entry, begin.UnixMilli(), part.Next, begin.UnixMilli()+7)
		if err != nil {
			t.Fatal(err)
		}
		watched.Sample()
		heldBytes = int64(watched.Peak()) - int64(before)
		if err := w.store.Append(w.Context(), part.Frames); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d parts, %d bytes of memory", parts, heldBytes)
	if parts < 20 || heldBytes > 1<<20 && !race.Enabled {
		t.Errorf("%d parts, %d bytes of memory", parts, heldBytes)
	}
}
