package farm

import (
	"encoding/json"
	"testing"
	"time"
)

func TestPayload(t *testing.T) {
	r := Report{Time: time.UnixMilli(1790000000123), Values: []Value{
		{"airTemperature", -3.4}, {"co2", 412.}, {"heating", true}, {"illuminance", 104830.}, {"note", `a "b" ü`},
	}}
	want := `{"ts":1790000000123,"values":{"airTemperature":-3.4,"co2":412,"heating":true,"illuminance":104830,"note":"a \"b\" ü"}}`
	if got := string(r.Payload()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string((Report{Time: time.UnixMilli(5)}).Payload()); got != `{"ts":5,"values":{}}` {
		t.Errorf("an empty report is %s", got)
	}
}

func TestEveryPayloadIsJSON(t *testing.T) {
	t.Parallel()
	for _, d := range testFarm(t).Devices() {
		for r := range d.Reports(demoNow.Add(-6*time.Hour), demoNow, d.HistoryInterval) {
			var m message
			if err := json.Unmarshal(r.Payload(), &m); err != nil {
				t.Fatalf("%s: %s: %v", d.Name, r.Payload(), err)
			}
			if m.Ts != r.Time.UnixMilli() || len(m.Values) != len(r.Values) {
				t.Fatalf("%s: %s is not %v", d.Name, r.Payload(), r)
			}
			for _, v := range r.Values {
				if m.Values[v.Identifier] != v.Value {
					t.Fatalf("%s: %s is not %v", d.Name, r.Payload(), r)
				}
			}
		}
	}
}

func TestPayloadRefusesOtherTypes(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Payload accepts an int as a reading")
		}
	}()
	(Report{Values: []Value{{"x", 7}}}).Payload()
}
