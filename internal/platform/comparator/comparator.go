// Package comparator holds the comparators of alarm conditions: how each compares a reading with a
// limit, and how people see it. Its counterpart in the console is web/src/lib/alarm/comparator.ts;
// the tests of both read testdata/cases.json.
package comparator

import "math"

// Operator is a comparator's sign in requests, answers and stores.
type Operator string

// The operators.
const (
	Above    Operator = ">"
	AtLeast  Operator = ">="
	Below    Operator = "<"
	AtMost   Operator = "<="
	Equal    Operator = "="
	NotEqual Operator = "!="
)

// Side is the side of the limit on which a comparator holds.
type Side int

// The sides. Only a comparator with a side has a distance to its limit and a recovery value.
const (
	NoSide  Side = 0
	Over    Side = 1
	Beneath Side = -1
)

// Comparator compares readings with a limit.
type Comparator struct {
	Operator Operator
	Symbol   string // in texts: ≥
	// Key ends the key of the sentence that says it in words, letter.KEY. Empty: texts write the
	// symbol.
	Key  string
	Side Side

	number func(value, limit float64) bool
	other  func(same bool) bool // of booleans and texts; nil: it compares only numbers
}

// All are the comparators, in the order in which people choose from them.
var All = []Comparator{
	{
		Operator: Above,
		Symbol:   ">",
		Key:      "above",
		Side:     Over,
		number:   func(value, limit float64) bool { return value > limit },
	},
	{
		Operator: AtLeast,
		Symbol:   "≥",
		Key:      "atLeast",
		Side:     Over,
		number:   func(value, limit float64) bool { return value >= limit },
	},
	{
		Operator: Below,
		Symbol:   "<",
		Key:      "below",
		Side:     Beneath,
		number:   func(value, limit float64) bool { return value < limit },
	},
	{
		Operator: AtMost,
		Symbol:   "≤",
		Key:      "atMost",
		Side:     Beneath,
		number:   func(value, limit float64) bool { return value <= limit },
	},
	{
		Operator: Equal,
		Symbol:   "=",
		Key:      "equals",
		number:   func(value, limit float64) bool { return value == limit },
		other:    func(same bool) bool { return same },
	},
	{
		Operator: NotEqual,
		Symbol:   "≠",
		Key:      "notEqual",
		number:   func(value, limit float64) bool { return value != limit },
		other:    func(same bool) bool { return !same },
	},
}

// Of gives an operator's comparator. Of an unknown operator it is one that never holds and has the
// operator as its symbol; Known tells.
func Of(o Operator) *Comparator {
	for i := range All {
		if All[i].Operator == o {
			return &All[i]
		}
	}
	return &Comparator{Operator: o, Symbol: string(o)}
}

// Known tells whether there is such a comparator.
func (c *Comparator) Known() bool { return c.number != nil }

// NumbersOnly tells whether it compares neither booleans nor texts.
func (c *Comparator) NumbersOnly() bool { return c.other == nil }

// HoldsNumber tells whether it holds for a number. Value and limit are rounded to the decimals
// first; nil leaves them unrounded.
func (c *Comparator) HoldsNumber(value, limit float64, decimals *int) bool {
	if c.number == nil {
		return false
	}
	if decimals != nil && *decimals >= 0 && *decimals <= MaxDecimals {
		unit := powersOfTen[*decimals]
		if math.Abs(value)*unit < exactUnits && math.Abs(limit)*unit < exactUnits {
			return c.number(rounded(value, *decimals), rounded(limit, *decimals))
		}
	}
	return c.number(value, limit)
}

// HoldsOther tells whether it holds for a boolean or a text that is the same as the limit, or not.
func (c *Comparator) HoldsOther(same bool) bool { return c.other != nil && c.other(same) }

// TakesRecovery tells whether a recovery value fits the limit: it is the limit or on the side of it
// where the comparator does not hold.
func (c *Comparator) TakesRecovery(recovery, limit float64) bool {
	switch c.Side {
	case Over:
		return recovery <= limit
	case Beneath:
		return recovery >= limit
	default:
		return false
	}
}
