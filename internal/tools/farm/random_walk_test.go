package farm

import (
	"math"
	"reflect"
	"testing"
	"time"
)

var customProperties = []Property{
	{Identifier: "ph", DataType: "number", Precision: pointer(2), Min: pointer(3.), Max: pointer(10.)},
	{Identifier: "count", Precision: pointer(0), Min: pointer(0.)},
	{Identifier: "depth", DataType: "number", Precision: pointer(1), Max: pointer(-20.)},
	{Identifier: "free", DataType: "number"},
	{Identifier: "open", DataType: "boolean"},
	{Identifier: "note", DataType: "text"},
}

func TestWalkStaysWithinBounds(t *testing.T) {
	w := newWalk(1, "X-1", customProperties)
	bounds := map[string][2]float64{"ph": {3, 10}, "count": {0, 100}, "depth": {-120, -20}, "free": {0, 100}}
	lowest, highest := map[string]float64{}, map[string]float64{}
	open := 0
	const days = 20
	for i := range days * 144 {
		values, ok := w.measure(demoNow.Add(time.Duration(i)*10*time.Minute), 0)
		if !ok || len(values) != 5 {
			t.Fatalf("%v, %v", values, ok)
		}
		for _, v := range values {
			switch x := v.Value.(type) {
			case bool:
				if x {
					open++
				}
			case float64:
				b := bounds[v.Identifier]
				if x < b[0] || x > b[1] {
					t.Fatalf("%s is %v", v.Identifier, x)
				}
				share := (x - b[0]) / (b[1] - b[0])
				if _, seen := lowest[v.Identifier]; !seen {
					lowest[v.Identifier], highest[v.Identifier] = share, share
				}
				lowest[v.Identifier] = min(lowest[v.Identifier], share)
				highest[v.Identifier] = max(highest[v.Identifier], share)
			default:
				t.Fatalf("%s is %v", v.Identifier, v.Value)
			}
		}
	}
	for identifier := range bounds {
		assertBetween(t, identifier+" lowest", lowest[identifier], 0, .15)
		assertBetween(t, identifier+" highest", highest[identifier], .85, 1)
	}
	assertBetween(t, "share of time open", float64(open)/(days*144), .15, .5)
}

func TestWalkRoundsAndWalksSlowly(t *testing.T) {
	w := newWalk(1, "X-1", customProperties[:1])
	last := math.NaN()
	for i := range 5000 {
		values, _ := w.measure(demoNow.Add(time.Duration(i)*10*time.Second), 0)
		x := values[0].Value.(float64)
		if math.Abs(x-last) > .4 {
			t.Fatalf("from %v to %v in ten seconds", last, x)
		}
		if x != math.Round(x*100)/100 {
			t.Fatalf("%v has more than two decimals", x)
		}
		last = x
	}
}

func TestWalksDiffer(t *testing.T) {
	at := func(seed uint64, name string) []Value {
		values, _ := newWalk(seed, name, customProperties).measure(demoNow, 0)
		return values
	}
	if reflect.DeepEqual(at(1, "X-1"), at(1, "X-2")) || reflect.DeepEqual(at(1, "X-1"), at(2, "X-1")) {
		t.Error("two devices have the same values")
	}
	if !reflect.DeepEqual(at(1, "X-1"), at(1, "X-1")) {
		t.Error("a second call gives other values")
	}
}
