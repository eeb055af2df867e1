package alarm

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// Predicate is a rule's conditions, prepared for evaluating readings of its device.
type Predicate struct {
	properties  []device.PropertyID // that the conditions use, each once, in ascending order
	comparisons []comparison
	hits        int
	window      int64 // ms
	maxPerHour  int   // how many notices may begin within an hour; 0: any number
}

type comparison struct {
	or        bool
	property  int // index in Predicate.properties
	operator  Operator
	value     reading.Value
	recovery  reading.Value // none: value applies
	precision int           // decimals; negative: values are compared unrounded
}

// NewPredicate prepares a rule on a device of the given product. maxPerHour is how many notices the
// rule may begin within an hour before the next one is unsteady (0: any number). It fails when the
// product no longer has one of the properties, or has it in another type: then the rule cannot be
// evaluated.
func NewPredicate(r Rule, p *device.Product, maxPerHour int) (*Predicate, error) {
	t := &Predicate{hits: r.Hits, window: r.Window.Milliseconds(), maxPerHour: maxPerHour}
	for _, c := range r.Conditions {
		property := p.Property(c.Attribute)
		if property == nil {
			return nil, fmt.Errorf("alarm: rule %d: product %s has no property %s", r.ID, p.Name, c.Attribute)
		}
		if kindOf(property.DataType) != c.Value.Kind() {
			return nil, fmt.Errorf("alarm: rule %d: property %s of product %s is a %s", r.ID, c.Attribute, p.Name,
				property.DataType)
		}
		if !slices.Contains(t.properties, property.ID) {
			t.properties = append(t.properties, property.ID)
		}
	}
	if len(t.properties) > maxConditions {
		return nil, fmt.Errorf("alarm: rule %d looks at %d properties", r.ID, len(t.properties))
	}
	slices.Sort(t.properties)
	for i, c := range r.Conditions {
		property := p.Property(c.Attribute)
		place, _ := slices.BinarySearch(t.properties, property.ID)
		one := comparison{
			or:        i > 0 && c.Join == joinedByOr,
			property:  place,
			operator:  c.Operator,
			value:     c.Value,
			precision: -1,
		}
		if property.Precision != nil {
			one.precision = *property.Precision
		}
		if c.Recovery != nil {
			one.recovery = reading.Number(*c.Recovery)
		}
		t.comparisons = append(t.comparisons, one)
	}
	return t, nil
}

// Properties are those that the conditions use, ascending.
func (t *Predicate) Properties() []device.PropertyID { return t.properties }

// holds folds the conditions over values, one per property. While a notice is open, a recovery
// value stands in for the threshold.
func (t *Predicate) holds(values []reading.Value, open bool) bool {
	result := true
	for _, one := range t.comparisons {
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

// compare tells whether v stands in the relation to the threshold. Without a value the result is
// false. Numbers are rounded to the precision first.
func compare(v reading.Value, op Operator, threshold reading.Value, precision int) bool {
	if v.Kind() == reading.KindNone || v.Kind() != threshold.Kind() {
		return false
	}
	if v.Kind() != reading.KindNumber {
		return op == Equal && v == threshold || op == NotEqual && v != threshold
	}
	order := compareNumbers(v.Float(), threshold.Float(), precision)
	switch op {
	case Above:
		return order > 0
	case AtLeast:
		return order >= 0
	case Below:
		return order < 0
	case AtMost:
		return order <= 0
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	default:
		return false
	}
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// exactUnits bounds the rounding: below it a float64 tells units of the last decimal apart well
// enough. Greater numbers are compared unrounded.
const exactUnits = 1 << 48

// compareNumbers returns -1, 0 or 1, for the numbers rounded to the precision. A negative precision
// leaves them unrounded.
func compareNumbers(a, b float64, precision int) int {
	if precision >= 0 && precision < len(powersOfTen) {
		unit := powersOfTen[precision]
		if math.Abs(a)*unit < exactUnits && math.Abs(b)*unit < exactUnits {
			return cmp.Compare(rounded(a, precision), rounded(b, precision))
		}
	}
	return cmp.Compare(a, b)
}

// rounded is x in units of the last decimal. Its shortest decimal form is rounded half away from
// zero: 1.005 to two decimals is 101.
func rounded(x float64, precision int) float64 {
	size := math.Abs(x) * powersOfTen[precision]
	units, rest := math.Modf(size)
	up := rest > 0.5
	// Near a half the binary number does not tell on which side the decimal one is: it and the
	// product are each off by up to 2^-53 of the size.
	if math.Abs(rest-0.5) <= size*0x1p-51 {
		up = digitAt(math.Abs(x), precision) >= '5'
	}
	if up {
		units++
	}
	return math.Copysign(units, x)
}

// digitAt is the digit of x, which is not negative, after the given number of decimals.
func digitAt(x float64, decimals int) byte {
	var room [32]byte
	digits := strconv.AppendFloat(room[:0], x, 'f', -1, 64)
	point := bytes.IndexByte(digits, '.')
	if at := point + 1 + decimals; point >= 0 && at < len(digits) {
		return digits[at]
	}
	return '0'
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
