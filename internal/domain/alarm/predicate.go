package alarm

import (
	"fmt"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
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
	or         bool
	property   int // index in Predicate.properties
	comparator *comparator.Comparator
	value      reading.Value
	recovery   reading.Value // none: value applies
	decimals   *int          // nil: values are compared unrounded
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
			or:         i > 0 && c.Join == joinedByOr,
			property:   place,
			comparator: comparator.Of(c.Operator),
			value:      c.Value,
			decimals:   property.Precision,
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
	for i := range t.comparisons {
		one := &t.comparisons[i]
		against := one.value
		if open && one.recovery.Kind() != reading.KindNone {
			against = one.recovery
		}
		held := one.holds(values[one.property], against)
		if one.or {
			result = result || held
		} else {
			result = result && held
		}
	}
	return result
}

// holds tells whether the condition holds for v against a threshold. Without a value, or with one of
// another type, it does not.
func (c *comparison) holds(v, threshold reading.Value) bool {
	switch {
	case v.Kind() == reading.KindNone || v.Kind() != threshold.Kind():
		return false
	case v.Kind() == reading.KindNumber:
		return c.comparator.HoldsNumber(v.Float(), threshold.Float(), c.decimals)
	default:
		return c.comparator.HoldsOther(v == threshold)
	}
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
