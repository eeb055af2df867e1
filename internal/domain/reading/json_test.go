package reading

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// sameJSON compares AppendJSON, after existing text, with MarshalJSON.
func sameJSON(t *testing.T, v Value) {
	t.Helper()
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.AppendJSON([]byte("before")); string(got) != "before"+string(want) {
		t.Errorf("%#v: %s, want %s", v, got[len("before"):], want)
	}
}

func TestAppendJSONIsMarshalJSON(t *testing.T) {
	for _, f := range []float64{
		0, math.Copysign(0, -1), 1, -1, 10, 1200, 0.1, -0.1, 0.5, 23.4, -273.15, 1e-6, -1e-6, 9.99e-7, 1e-7,
		1.5e-9, 1e-10, 123456.789012, 0.000123, 1e14, 1e15, 999999999999999, 1e15 + 0.5, 1e20, 1e21, 1.5e21,
		-1e22, 1e300, 5e-324, math.MaxFloat64, math.Pi, 1.0 / 3, 0.1 + 0.2, 9007199254740993, 123456789.123456,
	} {
		sameJSON(t, Number(f))
	}
	for _, s := range []string{"", "dry", `say "x"`, `a\b`, "a\nb", "\x00", "\x7f", "水", "a\xffb", "<b>&amp;", "\u2028", "İı", "🌾", "=1+1"} {
		sameJSON(t, Text(s))
	}
	for _, v := range []Value{Boolean(true), Boolean(false), {}} {
		sameJSON(t, v)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := Number(f).AppendJSON(nil); string(got) != "null" {
			t.Errorf("%v: %s", f, got)
		}
	}
}

func TestAppendJSONOfAnyNumber(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300_000 {
		f := math.Float64frombits(rng.Uint64())
		switch rng.IntN(3) {
		case 0: // few decimals
			f = math.Round(rng.NormFloat64()*math.Pow10(rng.IntN(12))) / math.Pow10(rng.IntN(9))
		case 1: // next to a number of few decimals
			f = math.Nextafter(math.Round(rng.Float64()*1e6)/math.Pow10(rng.IntN(7)), math.Inf(rng.IntN(2)*2-1))
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		sameJSON(t, Number(f))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzAppendJSONText(f *testing.F) {
	f.Add("=1+1 <水>\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 1000 || utf8.ValidString(s) {
			sameJSON(t, Text(s))
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	for _, f := range []float64{21, 23.4, 1013.25, math.Pi} {
		b.Run(fmt.Sprint(f), func(b *testing.B) {
			v, buf := Number(f), make([]byte, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				buf = v.AppendJSON(buf[:0])
			}
		})
	}
}
