package alarm

import (
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// BenchmarkStep is one rule's evaluation of one frame, at ten frames a second, so that the window
// is as full as possible.
func BenchmarkStep(b *testing.B) {
	p := &device.Product{Name: "p", Properties: []device.Property{
		{
			ID:         1,
			Identifier: "a",
			DataType:   device.Number,
			Precision:  new(1),
		},
		{ID: 2, Identifier: "b", DataType: device.Number},
		{ID: 3, Identifier: "c", DataType: device.Number},
	}}
	for _, c := range []struct {
		name  string
		hits  int
		terms int
		value float64
	}{{"one hit, as it should be", 1, 1, 10}, {"three hits of three terms, as it should be", 3, 3, 10}, {"open", 3, 3, 100}} {
		b.Run(c.name, func(b *testing.B) {
			r := Rule{Hits: c.hits, Window: 10 * time.Minute}
			for i := range c.terms {
				r.Conditions = append(r.Conditions, Condition{Join: "and", Attribute: p.Properties[i].Identifier,
					Operator: comparator.Above, Value: reading.Number(50)})
			}
			t, err := NewPredicate(r, p, 0)
			if err != nil {
				b.Fatal(err)
			}
			s := NewState(t, 0)
			fields := make([]reading.Field, 3)
			step := func(n int) {
				for i := range fields {
					fields[i] = reading.Field{
						Property: device.PropertyID(i + 1),
						Value:    reading.Number(c.value + float64(n%10)/10),
					}
				}
				Step(t, s, int64(n+1)*100, int64(n+1)*100, fields)
			}
			const before = 200
			for n := range before {
				step(n)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N {
				step(before + n)
			}
			if (c.value > 50) != s.Open {
				b.Errorf("open: %v", s.Open)
			}
		})
	}
}

// A reading that comes late, or again, is evaluated at its place. Samples after it that hold all of
// its properties themselves are not evaluated again.
func TestLateReadingReevaluatesOnlyChangedSamples(t *testing.T) {
	p := &device.Product{Name: "p", Properties: []device.Property{
		{ID: 1, Identifier: "a", DataType: device.Number}, {ID: 2, Identifier: "b", DataType: device.Number},
	}}
	predicate, err := NewPredicate(Rule{Hits: 3, Window: time.Hour, Conditions: []Condition{
		{
			Join:      "and",
			Attribute: "a",
			Operator:  comparator.Above,
			Value:     reading.Number(50),
		},
		{Join: "or", Attribute: "b", Operator: comparator.Above, Value: reading.Number(50)},
	}}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	frame := func(a, b float64) []reading.Field {
		return []reading.Field{{Property: 1, Value: reading.Number(a)}, {Property: 2, Value: reading.Number(b)}}
	}
	for _, c := range []struct {
		name   string
		at     int64
		fields []reading.Field
		upTo   int // index of the last sample that is evaluated again
	}{
		{"between two that measured all", 10_500, frame(99, 99), 10},
		{"the same again", 10_000, frame(1, 1), 9},
		{"another value at its time", 10_000, frame(99, 1), 9},
		{"of one property alone", 10_500, frame(99, 0)[:1], 10},
	} {
		s := NewState(predicate, 0)
		for n := int64(1); n <= 60; n++ {
			Step(predicate, s, n*1000, n*1000, frame(1, 1))
		}
		for i := range s.samples {
			s.samples[i].holds = true // wrong for every sample: an evaluation corrects it
		}
		Step(predicate, s, c.at, c.at, c.fields)
		s.reevaluate(predicate)
		for i := c.upTo + 1; i < len(s.samples); i++ {
			if !s.samples[i].holds {
				t.Fatalf("%s: sample %d was evaluated again", c.name, i)
			}
		}
		if want := predicate.holds(s.samples[c.upTo].values, false); s.samples[c.upTo].holds != want {
			t.Errorf("%s: sample %d is not evaluated", c.name, c.upTo)
		}
	}
	// A sample inherits the newest earlier value of a property that it does not hold.
	s := NewState(predicate, 0)
	for n := int64(1); n <= 9; n++ {
		fields := frame(1, 1)
		if n != 1 && n != 6 {
			fields = fields[:1]
		}
		Step(predicate, s, n*1000, n*1000, fields)
	}
	Step(predicate, s, 2500, 2500, frame(0, 99)[1:])
	s.reevaluate(predicate)
	var holds []bool
	for _, one := range s.samples {
		holds = append(holds, one.holds)
	}
	if want := []bool{false, false, true, true, true, true, false, false, false, false}; !slices.Equal(holds, want) {
		t.Errorf("holds %v, want %v", holds, want)
	}
}

// With ten hits of five conditions over a full window, a repeated reading costs about as much as a
// new one.
func BenchmarkStepLate(b *testing.B) {
	p := &device.Product{Name: "p"}
	r := Rule{Hits: 10, Window: time.Hour}
	for i := range 5 {
		id := string(rune('a' + i))
		p.Properties = append(p.Properties, device.Property{ID: device.PropertyID(i + 1), Identifier: id,
			DataType: device.Number})
		r.Conditions = append(r.Conditions, Condition{Join: "and", Attribute: id, Operator: comparator.Above,
			Value: reading.Number(50)})
	}
	predicate, err := NewPredicate(r, p, 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		at   func(n int64) int64
	}{{"new", func(n int64) int64 { return n * 100 }}, {"again", func(n int64) int64 { return 100_000_000 - 100*(n%100) }}} {
		b.Run(c.name, func(b *testing.B) {
			s := NewState(predicate, 0)
			fields := make([]reading.Field, 5)
			step := func(at int64) {
				for i := range fields {
					fields[i] = reading.Field{
						Property: device.PropertyID(i + 1),
						Value:    reading.Number(float64(at % 100)),
					}
				}
				Step(predicate, s, at, at, fields)
			}
			for n := range int64(200) {
				step(100_000_000 - 20_000 + n*100)
			}
			n := int64(1_000_001)
			for b.Loop() {
				n++
				step(c.at(n))
			}
		})
	}
}
