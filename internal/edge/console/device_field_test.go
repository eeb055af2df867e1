package console_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// Every plain field that the contract has of a device is answered, and every one that it takes of
// people, here the contract's example, is stored; the audit log tells the change.
func TestPlainFields(t *testing.T) {
	w := newServer(t)
	contract, err := openapi3.NewLoader().LoadFromFile("../../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schemas := contract.Components.Schemas
	want, sent := device.Device{}, map[string]any{"deviceName": "WS-1", "groupId": 0}
	for _, f := range device.Fields {
		property, edited := schemas["DeviceUpdate"].Value.Properties[f.Name]
		if edited != f.People {
			t.Errorf("%s: edited by people: %t in the contract, %t in Fields", f.Name, edited, f.People)
		}
		if !edited {
			continue
		}
		sent[f.Name] = property.Value.Example
		f.Set(&want, sent[f.Name])
	}
	body, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	w.Run(t, []testkit.Scenario{{Name: "all", Call: w.editCall(string(body)), Contains: []string{`"data":true`}}})
	stored, err := w.Devices.Get(t.Context(), w.field.ID, "WS-1")
	if err != nil {
		t.Fatal(err)
	}
	page := testkit.Ask[struct{ List []map[string]any }](t, w.Contract, w.get(pagePath+"?deviceName=WS-1"))
	told := map[string]bool{}
	for _, change := range w.auditLog(t, w.ada, "?kind=device").List[0].Changes {
		told[change.Field] = true
	}
	for _, f := range device.Fields {
		value := f.ValueIn(stored)
		if f.People && (value != f.ValueIn(&want) || !told[f.Name]) {
			t.Errorf("%s is stored as %v, told in the audit log: %t", f.Name, value, told[f.Name])
		}
		if _, answered := schemas["Device"].Value.Properties[f.Name]; !answered {
			continue
		}
		if got := page.List[0][f.Name]; got != value {
			t.Errorf("%s is answered as %v, want %v", f.Name, got, value)
		}
	}
}

// The activity page names every plain field. That each language has the same keys is tested beside
// the texts.
func TestPlainFieldsHaveActivityTexts(t *testing.T) {
	raw, err := os.ReadFile("../../../web/src/locales/en-us.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts struct {
		Activity struct{ Field map[string]string }
	}
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	for _, f := range device.Fields {
		if name := f.Name; texts.Activity.Field[name] == "" {
			t.Errorf("there is no text activity.field.%s", name)
		}
	}
}
