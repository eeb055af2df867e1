package alarm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

func TestNewPredicateRefuses(t *testing.T) {
	wide := &device.Product{Name: "wide"}
	var terms []Condition
	for i := range maxConditions + 1 {
		wide.Properties = append(wide.Properties, device.Property{ID: device.PropertyID(i + 1),
			Identifier: fmt.Sprint("p", i), DataType: device.Number})
		terms = append(
			terms,
			Condition{Attribute: fmt.Sprint("p", i), Operator: comparator.Above, Value: reading.Number(1)},
		)
	}
	for _, c := range []struct {
		p          *device.Product
		conditions []Condition
		says       string
	}{
		{scriptProduct, []Condition{{Attribute: "fog", Operator: comparator.Above, Value: reading.Number(1)}}, "no property fog"},
		{scriptProduct, []Condition{{Attribute: "rain", Operator: comparator.Equal, Value: reading.Number(1)}}, "is a boolean"},
		{scriptProduct, []Condition{{Attribute: "temp", Operator: comparator.Equal, Value: reading.Text("1")}}, "is a number"},
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
