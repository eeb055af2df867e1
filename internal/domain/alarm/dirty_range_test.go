package alarm

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// In whatever order readings come, evaluating a window when it is read has the same results as
// evaluating it after each reading.
func TestLazyEvaluationMatchesEager(t *testing.T) {
	p := &device.Product{Name: "p", Properties: []device.Property{
		{
			ID:         1,
			Identifier: "a",
			DataType:   device.Number,
		},
		{ID: 2, Identifier: "b", DataType: device.Number},
		{ID: 3, Identifier: "c", DataType: device.Number},
	}}
	above := func(name string) Condition {
		return Condition{Join: "and", Attribute: name, Operator: comparator.Above, Value: reading.Number(3)}
	}
	predicate, err := NewPredicate(Rule{Hits: 3, Window: time.Minute,
		Conditions: []Condition{above("a"), above("b"), above("c")}}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		lazy, eager := NewState(predicate, 0), NewState(predicate, 0)
		opened := 0
		now := int64(0)
		for n := range 600 {
			now += r.Int64N(600)
			at := now
			if r.IntN(3) > 0 {
				at = max(1, now-r.Int64N(80_000))
			}
			var fields []reading.Field
			for property := range device.PropertyID(3) {
				switch r.IntN(8) {
				case 0, 1, 2, 3:
					fields = append(fields, reading.Field{Property: property + 1,
						Value: reading.Number(float64(r.IntN(10)))})
				case 4:
					fields = append(fields, reading.Field{Property: property + 1}) // removed
				}
			}
			got, some := Step(predicate, lazy, at, now, fields)
			want, wanted := Step(predicate, eager, at, now, fields)
			eager.reevaluate(predicate)
			if some != wanted || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, reading %d: %+v %v, want %+v %v", seed, n, got, some, want, wanted)
			}
			if some && got.Kind == Opened {
				opened++
			}
		}
		lazy.reevaluate(predicate)
		if got, want := fmt.Sprint(lazy.samples, lazy.prunedHits),
			fmt.Sprint(eager.samples, eager.prunedHits); got != want {
			t.Fatalf("seed %d: the window is\n%s\nwant\n%s", seed, got, want)
		}
		if opened == 0 {
			t.Errorf("seed %d: nothing opened", seed)
		}
	}
}
