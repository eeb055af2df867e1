package farm

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func pointer[T any](v T) *T { return &v }

func TestSensorRoundsToItsProperty(t *testing.T) {
	for _, c := range []struct {
		name  string
		p     Property
		a     accuracy
		truth float64
		want  float64
	}{
		{"one decimal", Property{Precision: pointer(1)}, accuracy{}, 12.3456, 12.3},
		{"no decimals", Property{Precision: pointer(0)}, accuracy{}, 12.6, 13},
		{"no precision given", Property{}, accuracy{}, 1. / 3, .333333},
		{"tens", Property{Precision: pointer(0)}, accuracy{step: 10}, 48731, 48730},
		{"tips", Property{Precision: pointer(1)}, accuracy{step: .2}, .6000001, .6},
		{"too high", Property{Precision: pointer(1), Max: pointer(100.)}, accuracy{}, 101.5, 100},
		{"too low", Property{Precision: pointer(1), Min: pointer(0.)}, accuracy{}, -.4, 0},
		{"almost zero from below", Property{Precision: pointer(1)}, accuracy{}, -.01, 0},
	} {
		got := c.p.sensor(1, "device", c.a).read(c.truth, 7)
		if got != c.want || math.Signbit(got) && got == 0 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestReadingsAreRounded(t *testing.T) {
	for _, decimals := range []int{0, 1, 2} {
		s := Property{Precision: &decimals}.sensor(1, "device", accuracy{sigma: 1})
		tips := Property{Precision: pointer(1)}.sensor(1, "device", accuracy{step: .2})
		for i := int64(0); i < 2000; i++ {
			for _, v := range []float64{s.read(20, i), tips.read(float64(i)*.2, i)} {
				text := strconv.FormatFloat(v, 'f', -1, 64)
				if _, after, _ := strings.Cut(text, "."); len(after) > max(decimals, 1) {
					t.Fatalf("a reading of %s", text)
				}
			}
		}
	}
}

func TestSensorNoise(t *testing.T) {
	plain := Property{}.sensor(1, "device", accuracy{sigma: .5})
	share := Property{}.sensor(1, "device", accuracy{sigma: .02, share: true})
	const count = 20000
	spread := func(s *sensor, truth float64) float64 {
		squares := 0.
		for i := int64(0); i < count; i++ {
			d := s.read(truth, i) - truth
			squares += d * d
		}
		return math.Sqrt(squares / count)
	}
	assertNear(t, "the spread", spread(plain, 20), .5, .02)
	assertNear(t, "the spread of a share", spread(share, 900), 18, .6)
	assertNear(t, "the spread of a share of nothing", spread(share, 0), 0, 0)
	if plain.read(20, 1) != plain.read(20, 1) || plain.read(20, 1) == plain.read(20, 2) {
		t.Error("two readings with the same index differ")
	}
}

func TestSensorsHaveTheirOwnNoise(t *testing.T) {
	a := Property{Identifier: "x"}.sensor(1, "one", accuracy{sigma: 1})
	b := Property{Identifier: "x"}.sensor(1, "two", accuracy{sigma: 1})
	c := Property{Identifier: "y"}.sensor(1, "one", accuracy{sigma: 1})
	if x := a.read(0, 5); x == b.read(0, 5) || x == c.read(0, 5) {
		t.Error("two sensors have the same noise")
	}
}

func TestFrameHoldsOnlyWhatTheThingModelLists(t *testing.T) {
	d := &Device{sensors: map[string]*sensor{
		"windDirection": Property{Precision: pointer(0)}.sensor(1, "d", accuracy{}),
		"heating":       Property{DataType: "boolean"}.sensor(1, "d", accuracy{}),
	}}
	f := frame{device: d}
	assertNear(t, "what is not listed", f.number("airTemperature", 3.14), 3.14, 0)
	assertNear(t, "north", f.number("windDirection", 359.7), 0, 0)
	f.boolean("pumpRunning", true)
	f.boolean("heating", true)
	if len(f.values) != 2 || f.values[0] != (Value{"windDirection", 0.}) || f.values[1] != (Value{"heating", true}) {
		t.Errorf("%v", f.values)
	}
}
