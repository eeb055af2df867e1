package comparator

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// comparison is a row of testdata/cases.json: the operators that hold for a value, with what else
// they are given.
type comparison struct {
	Value, Limit any // a number, a boolean, a text; no value is nil
	Decimals     *int
	Holds        []Operator
}

// recovery is a row on a recovery value: the operators that hold for a value while a notice is open,
// of those that take the recovery value.
type recovery struct {
	Value, Limit, Recovery float64
	Decimals               *int
	Open, Takes            []Operator
}

func readCases(t *testing.T) (cases struct {
	Comparisons []comparison
	Recoveries  []recovery
}) {
	t.Helper()
	raw, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func (c comparison) holds(by *Comparator) bool {
	value, isNumber := c.Value.(float64)
	limit, numeric := c.Limit.(float64)
	if isNumber && numeric {
		return by.HoldsNumber(value, limit, c.Decimals)
	}
	_, isText := c.Value.(string)
	_, text := c.Limit.(string)
	_, isBoolean := c.Value.(bool)
	_, boolean := c.Limit.(bool)
	return (isText && text || isBoolean && boolean) && by.HoldsOther(c.Value == c.Limit)
}

func TestCases(t *testing.T) {
	cases, unproven := readCases(t), map[Operator]bool{}
	if len(cases.Comparisons) == 0 || len(cases.Recoveries) == 0 {
		t.Fatal("no cases")
	}
	for i := range All {
		unproven[All[i].Operator] = true
	}
	for _, c := range cases.Comparisons {
		var held []Operator
		for i := range All {
			if c.holds(&All[i]) {
				held = append(held, All[i].Operator)
				delete(unproven, All[i].Operator)
			}
		}
		if !slices.Equal(held, c.Holds) {
			t.Errorf("%v and %v: %v, want %v", c.Value, c.Limit, held, c.Holds)
		}
		if c.holds(Of("~")) {
			t.Errorf("an unknown operator holds for %v and %v", c.Value, c.Limit)
		}
	}
	for o := range unproven {
		t.Errorf("%s holds in no case", o)
	}
	for _, r := range cases.Recoveries {
		var takes, open []Operator
		for i := range All {
			if c := &All[i]; c.TakesRecovery(r.Recovery, r.Limit) {
				takes = append(takes, c.Operator)
				if c.HoldsNumber(r.Value, r.Recovery, r.Decimals) {
					open = append(open, c.Operator)
				}
			}
		}
		if !slices.Equal(takes, r.Takes) || !slices.Equal(open, r.Open) {
			t.Errorf("%v: taken by %v, open by %v", r, takes, open)
		}
	}
}

// The contract names the same operators in the same order.
func TestContract(t *testing.T) {
	contract, err := openapi3.NewLoader().LoadFromFile("../../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var named, known []Operator
	for _, each := range contract.Components.Schemas["Operator"].Value.Enum {
		named = append(named, Operator(each.(string)))
	}
	for _, c := range All {
		known = append(known, c.Operator)
	}
	if !slices.Equal(named, known) {
		t.Errorf("the contract has %v, this package %v", named, known)
	}
	if Of("~").Known() || !Of(Equal).Known() {
		t.Error("an unknown operator is known, or a known one not")
	}
}
