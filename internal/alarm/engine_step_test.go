package alarm

import (
	"testing"
	"time"

	"tilth/internal/device"
	"tilth/internal/reading"
)

// BenchmarkStep is one rule's judging of one frame, at ten frames a second, so
// that the window is as full as it can be.
func BenchmarkStep(b *testing.B) {
	p := &device.Product{Name: "p", Properties: []device.Property{
		{ID: 1, Identifier: "a", DataType: device.Number, Precision: new(1)}, {ID: 2, Identifier: "b", DataType: device.Number}, {ID: 3, Identifier: "c", DataType: device.Number},
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
				r.Conditions = append(r.Conditions, Condition{Join: "and", Attribute: p.Properties[i].Identifier, Operator: Above, Value: reading.Number(50)})
			}
			t, err := NewTest(r, p)
			if err != nil {
				b.Fatal(err)
			}
			s := NewState(t, 0)
			fields := make([]reading.Field, 3)
			step := func(n int) {
				for i := range fields {
					fields[i] = reading.Field{Property: device.PropertyID(i + 1), Value: reading.Number(c.value + float64(n%10)/10)}
				}
				Step(t, s, int64(n+1)*100, fields)
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
