package bench

import (
	"encoding/json"
	"math"
	"testing"
)

// A message that the standard library parses has the values that value returns.
func TestPayload(t *testing.T) {
	s := newMessageSource(7, 1_700_000_000_000, []string{"sensor01", "sensor02", "odd\"name"})
	seen := map[float64]int{}
	for n := range 3000 {
		var m struct {
			TS     int64
			Values map[string]float64
		}
		raw := s.appendPayload([]byte("x"), n)[1:]
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if m.TS != 1_700_000_000_000+int64(n) || len(m.Values) != 3 {
			t.Fatalf("message %d: %s", n, raw)
		}
		for i, name := range []string{"sensor01", "sensor02", "odd\"name"} {
			v := m.Values[name]
			if v != s.value(n, i) || v < -200 || v > 800 || math.Abs(v*100-math.Round(v*100)) > 1e-6 {
				t.Fatalf("message %d, %s: %v in %s, expected %v", n, name, v, raw, s.value(n, i))
			}
			seen[v]++
		}
	}
	if len(seen) < 8000 { // of 9,000 draws from 100,001
		t.Errorf("%d different values in 9,000", len(seen))
	}
	if s.value(0, 0) == s.value(1, 0) || s.value(0, 0) == s.value(0, 1) {
		t.Error("successive values are the same")
	}
	other := newMessageSource(8, 1_700_000_000_000, []string{"a"})
	if other.value(0, 0) == s.value(0, 0) {
		t.Error("two devices send the same values")
	}
}

func TestPayloadOfNegativeFractions(t *testing.T) {
	s := newMessageSource(1, 0, []string{"a"})
	found := 0
	for n := range 2_000_000 {
		if h := s.hundredths(n, 0); h > -100 && h < 0 {
			found++
			var m struct{ Values map[string]float64 }
			if err := json.Unmarshal(s.appendPayload(nil, n), &m); err != nil || m.Values["a"] != float64(h)/100 {
				t.Fatalf("%d hundredths became %v (%v)", h, m.Values, err)
			}
		}
	}
	if found == 0 {
		t.Fatal("no value is between -1 and 0, so that nothing was tested")
	}
}

func TestBitset(t *testing.T) {
	var s bitset
	for _, n := range []int{0, 63, 64, 1000} {
		s.add(n)
	}
	for n, want := range map[int]bool{
		0: true, 1: false, 63: true, 64: true, 65: false, 999: false, 1000: true, 1_000_000: false, -1: false,
	} {
		if s.has(n) != want {
			t.Errorf("has(%d) is %v", n, !want)
		}
	}
}
