package alarm

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"tilth/internal/device"
	"tilth/internal/reading"
)

// Test is a rule's conditions made ready for judging readings of its device.
type Test struct {
	properties []device.PropertyID // that it looks at, each once, in ascending order
	terms      []term
	hits       int
	window     int64 // ms
}

type term struct {
	or        bool
	property  int // place in Test.properties
	operator  Operator
	value     reading.Value
	recovery  reading.Value // none: the same as value
	precision int           // decimals; negative: compared as it comes
}

// NewTest prepares a rule on a device of the given product. It fails when the
// product has no such property any more, or another type of it: then the rule
// cannot be judged.
func NewTest(r Rule, p *device.Product) (*Test, error) {
	t := &Test{hits: r.Hits, window: r.Window.Milliseconds()}
	for _, c := range r.Conditions {
		property := p.Property(c.Attribute)
		if property == nil {
			return nil, fmt.Errorf("alarm: rule %d: product %s has no property %s", r.ID, p.Name, c.Attribute)
		}
		if kindOf(property.DataType) != c.Value.Kind() {
			return nil, fmt.Errorf("alarm: rule %d: property %s of product %s is a %s", r.ID, c.Attribute, p.Name, property.DataType)
		}
		if !slices.Contains(t.properties, property.ID) {
			t.properties = append(t.properties, property.ID)
		}
	}
	slices.Sort(t.properties)
	for i, c := range r.Conditions {
		property := p.Property(c.Attribute)
		place, _ := slices.BinarySearch(t.properties, property.ID)
		one := term{or: i > 0 && c.Join == joinedByOr, property: place, operator: c.Operator, value: c.Value, precision: -1}
		if property.Precision != nil {
			one.precision = *property.Precision
		}
		if c.Recovery != nil {
			one.recovery = reading.Number(*c.Recovery)
		}
		t.terms = append(t.terms, one)
	}
	return t, nil
}

// Properties are those that the rule looks at, ascending.
func (t *Test) Properties() []device.PropertyID { return t.properties }

// holds folds the conditions over values, one a property. While a notice is
// open, a recovery value stands in for the threshold.
func (t *Test) holds(values []reading.Value, open bool) bool {
	result := true
	for _, one := range t.terms {
		against := one.value
		if open && one.recovery.Kind() != reading.KindNone {
			against = one.recovery
		}
		held := compare(values[one.property], one.operator, against, one.precision)
		if one.or {
			result = result || held
		} else {
			result = result && held
		}
	}
	return result
}

// compare tells whether v stands in the relation to the threshold. Without a
// value nothing is true. Numbers are rounded to the precision first.
func compare(v reading.Value, op Operator, threshold reading.Value, precision int) bool {
	if v.Kind() == reading.KindNone || v.Kind() != threshold.Kind() {
		return false
	}
	if v.Kind() != reading.KindNumber {
		return (v == threshold) == (op == Equal)
	}
	a, b := rounded(v.Float(), precision), rounded(threshold.Float(), precision)
	switch op {
	case Above:
		return a > b
	case AtLeast:
		return a >= b
	case Below:
		return a < b
	case AtMost:
		return a <= b
	case Equal:
		return a == b
	case NotEqual:
		return a != b
	default:
		return false
	}
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// rounded is x in units of the last decimal, rounded half away from zero as
// its shortest decimal writing is: 1.005 to two decimals is 101. A negative
// precision leaves x as it is.
func rounded(x float64, precision int) float64 {
	if precision < 0 || precision >= len(powersOfTen) || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	scaled := x * powersOfTen[precision]
	whole, rest := math.Modf(math.Abs(scaled))
	// Near a half the binary number does not tell which side the decimal one is.
	if math.Abs(rest-0.5) < 1e-6 && whole < 1<<40 {
		return roundedExactly(x, precision)
	}
	return math.Round(scaled)
}

func roundedExactly(x float64, precision int) float64 {
	exact, ok := new(big.Rat).SetString(strconv.FormatFloat(math.Abs(x), 'f', -1, 64))
	if !ok {
		return x
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil))
	exact.Mul(exact, scale).Add(exact, big.NewRat(1, 2))
	whole, _ := new(big.Float).SetInt(new(big.Int).Div(exact.Num(), exact.Denom())).Float64()
	return math.Copysign(whole, x)
}

func kindOf(t device.DataType) reading.Kind {
	switch t {
	case device.Number:
		return reading.KindNumber
	case device.Boolean:
		return reading.KindBoolean
	default:
		return reading.KindText
	}
}
