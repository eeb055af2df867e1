package comparator

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Rounding applies to the decimal form: it equals arithmetic with as many digits as needed, for
// numbers at halves, slightly beside them, and any others.
func TestRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		decimals := r.IntN(10)
		x := float64(r.IntN(2_000_001)-1_000_000)/powersOfTen[decimals] + .5/powersOfTen[decimals]
		switch r.IntN(4) {
		case 0:
			x = math.Nextafter(x, 0)
		case 1:
			x = math.Nextafter(x, math.Inf(1))
		case 2:
			x = r.NormFloat64() * math.Pow10(r.IntN(7))
		}
		if math.Abs(x)*powersOfTen[decimals] >= exactUnits {
			continue
		}
		exact, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
		want, _ := strconv.ParseFloat(strings.ReplaceAll(exact.FloatString(decimals), ".", ""), 64)
		if got := rounded(x, decimals); got != want {
			t.Fatalf("%v to %d decimals: %v units, want %v", x, decimals, got, want)
		}
	}
}
