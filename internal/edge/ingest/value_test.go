package ingest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// shortDecimal returns what ParseFloat returns, to the last bit.
func TestShortDecimal(t *testing.T) {
	check := func(text string) (short bool) {
		t.Helper()
		got, ok := shortDecimal([]byte(text))
		if !ok {
			return false
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Float64bits(got) != math.Float64bits(want+0) {
			t.Errorf("%q: %v, want %v (%v)", text, got, want, err)
		}
		return true
	}
	for _, text := range []string{"0", "-0", "-0.0", "0.1", "-273.15", "101325", "007", "9007199254740993", "9999999999999999", "0.00000000000001", "1700000000000"} {
		if !check(text) {
			t.Errorf("shortDecimal refused %q", text)
		}
	}
	for _, text := range []string{"", "-", ".", "1.", ".5", "+1", "1e3", "1.2.3", "--1", "1-", "0x1", "12345678901234567", "NaN", " 1"} {
		if check(text) {
			t.Errorf("shortDecimal accepted %q", text)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		f := float64(random.Int64N(1e15)) / math.Pow10(random.IntN(16))
		check(strconv.FormatFloat(f, 'f', random.IntN(14), 64))
		check(strconv.FormatFloat(-f, 'f', -1, 64))
	}
}
