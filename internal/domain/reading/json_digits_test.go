package reading

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestAppendDigits compares with strconv, for any number of digits.
func TestAppendDigits(t *testing.T) {
	check := func(digits int64, decimals int) {
		t.Helper()
		text := strconv.FormatUint(uint64(max(digits, -digits)), 10)
		for len(text) <= decimals {
			text = "0" + text
		}
		whole, rest := text[:len(text)-decimals], strings.TrimRight(text[len(text)-decimals:], "0")
		want := whole
		if rest != "" {
			want += "." + rest
		}
		if digits < 0 {
			want = "-" + want
		}
		if got := string(appendDigits([]byte("x"), digits, decimals)); got != "x"+want {
			t.Fatalf("%d with %d decimals: %s, want %s", digits, decimals, got, want)
		}
	}
	for decimals := range maxDecimals + 1 {
		for digits := range int64(12_000) {
			check(digits, decimals)
			check(-digits, decimals)
		}
		for _, around := range []int64{1e5, 1e6, 1e7, 1e8, 1e9, 1e15, maxExact} {
			for d := int64(-11); d <= 11; d++ {
				check(around+d, decimals)
			}
		}
		for range 20_000 {
			check(int64(rand.Uint64N(1<<rand.IntN(53))), decimals)
		}
	}
}

// TestAppendJSONNumbers: each number is written as appendJSONNumber writes it.
func TestAppendJSONNumbers(t *testing.T) {
	numbers := []float64{
		0, math.Copysign(0, -1), 1, 1.5, 0.25, 2, math.NaN(), 1e15, 1e16, 1e300, -7.125, 1e-7, 0.1 + 0.2,
		math.Inf(1), maxExact, 100,
	}
	for range 2000 {
		numbers = append(numbers, math.Round(rand.NormFloat64()*1e4)/pow10[rand.IntN(4)], rand.NormFloat64())
	}
	var want []string
	for _, f := range numbers {
		want = append(want, string(appendJSONNumber(nil, f)))
	}
	if got := string(appendJSONNumbers(nil, numbers)); got != strings.Join(want, ",") {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAppendTimes: the first time, then the difference of each other time from the previous one.
func TestAppendTimes(t *testing.T) {
	for _, c := range []struct {
		times []int64
		want  string
	}{
		{nil, ""},
		{[]int64{7}, "7"},
		{[]int64{0, 60_000, 120_000, 180_001}, "0,60000,60000,60001"},
		{
			[]int64{1_790_000_000_000, 1_790_009_999_999, 1_790_020_000_000, 1_790_030_000_001, 1_790_040_000_002},
			"1790000000000,9999999,10000001,10000001,10000001",
		},
		{[]int64{-5, -4}, "-5,1"},
	} {
		if got := string(AppendTimes(nil, c.times)); got != c.want {
			t.Errorf("%v: %s, want %s", c.times, got, c.want)
		}
	}
	for range 50_000 {
		step := int64(rand.Uint64N(1<<(1+rand.IntN(40)))) - 3
		if got, want := string(AppendTimes(nil, []int64{1, 1 + step})), "1,"+strconv.FormatInt(step, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}
