package alarm

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

func TestCompare(t *testing.T) {
	number, text, yes := reading.Number, reading.Text, reading.Boolean(true)
	sum := 0.1
	sum += 0.2 // a little more than 0.3
	all := []Operator{Above, AtLeast, Below, AtMost, Equal, NotEqual}
	for _, c := range []struct {
		v, threshold reading.Value
		precision    int
		held         string // the operators that hold
	}{
		{number(1), number(2), -1, "< <= !="},
		{number(2), number(2), -1, ">= <= ="},
		{number(3), number(2), -1, "> >= !="},
		{number(sum), number(0.3), -1, "> >= !="},
		{number(sum), number(0.3), 9, ">= <= ="},
		{number(math.Copysign(0, -1)), number(0), 0, ">= <= ="},
		{number(math.Copysign(0, -1)), number(0), -1, ">= <= ="},
		{number(1e300), number(1.1e300), 2, "< <= !="},
		{number(1 << 52), number(1<<52 + 1), 2, "< <= !="},
		{number(-1e17), number(0), 9, "< <= !="},
		{text("a"), text("a"), -1, "="},
		{text("b"), text("a"), -1, "!="},
		{yes, yes, -1, "="},
		{reading.Boolean(false), yes, -1, "!="},
		// Without a value, or with one of another kind, no operator holds.
		{reading.Value{}, number(0), -1, ""},
		{reading.Value{}, text(""), -1, ""},
		{yes, number(1), -1, ""},
		{text("1"), number(1), -1, ""},
	} {
		var held []string
		for _, op := range all {
			if compare(c.v, op, c.threshold, c.precision) {
				held = append(held, string(op))
			}
		}
		if got := strings.Join(held, " "); got != c.held {
			t.Errorf("%v and %v to %d: %q, want %q", c.v, c.threshold, c.precision, got, c.held)
		}
		if compare(c.v, "~", c.threshold, c.precision) {
			t.Errorf("an unknown operator holds for %v and %v", c.v, c.threshold)
		}
	}
}

// Rounding applies to the decimal form: it equals arithmetic with as many digits as needed, for
// numbers at halves, slightly beside them, and any others.
func TestRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		precision := r.IntN(10)
		x := float64(r.IntN(2_000_001)-1_000_000)/powersOfTen[precision] + .5/powersOfTen[precision]
		switch r.IntN(4) {
		case 0:
			x = math.Nextafter(x, 0)
		case 1:
			x = math.Nextafter(x, math.Inf(1))
		case 2:
			x = r.NormFloat64() * math.Pow10(r.IntN(7))
		}
		if math.Abs(x)*powersOfTen[precision] >= exactUnits {
			continue
		}
		exact, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
		want, _ := strconv.ParseFloat(strings.ReplaceAll(exact.FloatString(precision), ".", ""), 64)
		if got := rounded(x, precision); got != want {
			t.Fatalf("%v to %d decimals: %v units, want %v", x, precision, got, want)
		}
	}
}

func TestNewPredicateRefuses(t *testing.T) {
	wide := &device.Product{Name: "wide"}
	var terms []Condition
	for i := range maxConditions + 1 {
		wide.Properties = append(wide.Properties, device.Property{ID: device.PropertyID(i + 1),
			Identifier: fmt.Sprint("p", i), DataType: device.Number})
		terms = append(terms, Condition{Attribute: fmt.Sprint("p", i), Operator: Above, Value: reading.Number(1)})
	}
	for _, c := range []struct {
		p          *device.Product
		conditions []Condition
		says       string
	}{
		{scriptProduct, []Condition{{Attribute: "fog", Operator: Above, Value: reading.Number(1)}}, "no property fog"},
		{scriptProduct, []Condition{{Attribute: "rain", Operator: Equal, Value: reading.Number(1)}}, "is a boolean"},
		{scriptProduct, []Condition{{Attribute: "temp", Operator: Equal, Value: reading.Text("1")}}, "is a number"},
		{wide, terms, "17 properties"},
	} {
		if _, err := NewPredicate(Rule{ID: 7, Hits: 1, Window: time.Minute, Conditions: c.conditions}, c.p,
			0); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	if _, err := NewPredicate(Rule{ID: 7, Hits: 1, Window: time.Minute, Conditions: terms[:maxConditions]}, wide,
		0); err != nil {
		t.Errorf("the maximum of conditions: %v", err)
	}
}
