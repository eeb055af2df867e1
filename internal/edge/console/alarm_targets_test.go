package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

// createMultiTargetRule makes a rule for a scene and one more device.
func (w *fixture) createMultiTargetRule(t *testing.T, scene int64) int64 {
	t.Helper()
	return w.createRule(
		t,
		frostForm(
			"",
			body{"executionId": nil, "targets": body{"devices": []string{"WS-2", "WS-2"}, "groups": []int64{scene}}},
		),
	)
}

// A rule shows its targets, how many devices it has, and which.
func TestRuleWithSeveralTargets(t *testing.T) {
	w := newServer(t)
	scene := w.north
	id := w.createMultiTargetRule(t, scene)
	r := w.rule(t, id)
	if r.ExecutionId != "WS-2" || r.DeviceCount != 2 || r.OpenCount != 0 || r.LeftOut != nil {
		t.Errorf("%s", asJSON(t, r))
	}
	got, want := asJSON(t, r.Targets), fmt.Sprintf(`{"devices":["WS-2"],"groups":[%d],"products":[]}`, scene)
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.mustSucceed(t, w.deployCall("publish", id))
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(0.5))
	if r = w.rule(t, id); r.OpenCount != 1 || r.OpenNotice == nil {
		t.Errorf("%s", asJSON(t, r))
	}
	page := testkit.Ask[wire.AlarmRuleDevicePage](t, w.Contract, w.get(fmt.Sprint(rulesPath, "get/devices?id=", id)))
	if len(page.List) != 2 || page.Total != 2 || page.List[0].DeviceName != "WS-1" ||
		page.List[0].GroupName != "North" ||
		page.List[0].OpenNotice == nil ||
		page.List[1].State != "judged" {
		t.Errorf("%s", asJSON(t, page))
	}
	list := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page?executionId=WS-1"))
	if list.Total != 1 {
		t.Errorf("the search by a device of the scene does not find the rule: %s", asJSON(t, list))
	}
}

// A client that does not know targets leaves them unchanged when it sends a rule back.
func TestClientsWithoutTargets(t *testing.T) {
	w := newServer(t)
	scene := w.north
	id := w.createMultiTargetRule(t, scene)
	w.mustSucceed(t, w.updateRuleCall(id, frostForm("WS-2", body{"alarmName": "Cold"})))
	if r := w.rule(t, id); r.AlarmName != "Cold" || r.DeviceCount != 2 || len(*r.Targets.Groups) != 1 {
		t.Errorf("%s", asJSON(t, r))
	}
	w.mustSucceed(t, w.updateRuleCall(id, frostForm("WS-1", nil)))
	if r := w.rule(t, id); r.ExecutionId != "WS-1" || r.DeviceCount != 1 || len(*r.Targets.Groups) != 0 ||
		len(*r.Targets.Devices) != 1 {
		t.Errorf("%s", asJSON(t, r))
	}
}

// Invalid targets are refused, and no rule is made.
func TestInvalidTargets(t *testing.T) {
	w := newServer(t)
	scene, empty := w.north, w.Scene(t, w.field.ID, "Empty")
	bare := &device.Product{Name: "bare", Properties: []device.Property{{Identifier: "rain", DataType: device.Number}}}
	if err := w.Catalog.PutProduct(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	w.Device(t, w.field.ID, bare, "RAIN-1")
	with := func(targets body) testkit.Call {
		return w.adaCall(
			http.MethodPost,
			rulesPath+"create",
			frostForm("", body{"executionId": nil, "targets": targets}),
		)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "no target", Call: with(body{}), Code: 601, Contains: []string{"The device source cannot be empty"}},
		{Name: "an empty name", Call: with(body{"devices": []string{" "}}), Code: 601},
		{Name: "another tenant's device", Call: with(body{"devices": []string{"WS-1", w.rivalDevice.Name}}), Code: 404},
		{Name: "another tenant's scene", Call: with(body{"groups": []int64{scene, w.rivalScene}}), Code: 404},
		{Name: "no such model", Call: with(body{"products": []int64{9999}}), Code: 404},
		{
			Name:     "an empty scene",
			Call:     with(body{"groups": []int64{empty}}),
			Code:     601,
			Contains: []string{"None of the chosen devices"},
		},
		{
			Name:     "a device that does not fit",
			Call:     with(body{"devices": []string{"WS-1", "RAIN-1"}}),
			Code:     601,
			Contains: []string{"RAIN-1"},
		},
		{Name: "devices of another tenant's rule", Call: w.get(rulesPath + "get/devices?id=99999"), Code: 404},
	})
	if page := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page")); page.Total != 0 {
		t.Errorf("%s", asJSON(t, page))
	}
}

// The form learns how many devices its targets are, and which attributes all or some of them have.
func TestAttributesOfTargets(t *testing.T) {
	w := newServer(t)
	coarse := 0
	bare := &device.Product{Name: "bare", Properties: []device.Property{
		{
			Identifier: "snowDepth",
			DataType:   device.Number,
			AccessMode: "r",
		},
		{Identifier: "airTemperature", DataType: device.Number, AccessMode: "r", Precision: &coarse},
		{Identifier: "heating", DataType: device.Number, AccessMode: "r"},
	}}
	if err := w.Catalog.PutProduct(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	of := func(query string) wire.AlarmTargetAttributes {
		return testkit.Ask[wire.AlarmTargetAttributes](t, w.Contract, w.get(rulesPath+"get/attributes?"+query))
	}
	attribute := func(a wire.AlarmTargetAttributes, sign string) wire.AlarmTargetAttribute {
		t.Helper()
		for _, one := range a.Attributes {
			if one.Property.Identifier == sign {
				return one
			}
		}
		t.Fatalf("no %s: %s", sign, asJSON(t, a))
		return wire.AlarmTargetAttribute{}
	}
	if a := of(""); a.DeviceCount != 0 || a.Named != 0 || len(a.Attributes) != 0 {
		t.Errorf("without targets: %s", asJSON(t, a))
	}
	// Of a product without devices.
	model := fmt.Sprint("products=", bare.ID)
	if a := of(model); a.DeviceCount != 0 || len(a.Attributes) != 3 || attribute(a, "snowDepth").DeviceCount != 0 ||
		attribute(a, "snowDepth").Refused {
		t.Errorf("of a product: %s", asJSON(t, a))
	}
	w.Device(t, w.field.ID, bare, "RAIN-1")
	// A device that is in two targets counts once.
	one := of(fmt.Sprintf("devices=WS-1,WS-2&groups=%d", w.north))
	if one.DeviceCount != 2 || one.Named != 2 || one.Attributes[0].DeviceCount != 2 || one.Attributes[0].Refused {
		t.Errorf("%s", asJSON(t, one))
	}
	a := of("devices=WS-1,WS-2&" + model)
	if a.DeviceCount != 3 || a.Named != 2 {
		t.Errorf("%s", asJSON(t, a))
	}
	air := attribute(a, "airTemperature")
	if air.DeviceCount != 3 || air.Refused || air.Property.Precision == nil || *air.Property.Precision != 0 {
		t.Errorf("%s", asJSON(t, air))
	}
	if snow := attribute(a, "snowDepth"); snow.DeviceCount != 1 || !snow.Refused {
		t.Errorf("two named devices lack the attribute: %s", asJSON(t, snow))
	}
	// An attribute of another data type does not count as the same.
	if heating := attribute(a, "heating"); heating.DeviceCount != 2 || heating.Refused ||
		heating.Property.DataType != wire.TslPropertyDataTypeBoolean {
		t.Errorf("%s", asJSON(t, heating))
	}
	// Another tenant's devices and scenes look missing.
	if a := of(fmt.Sprintf("devices=%s&groups=%d", w.rivalDevice.Name, w.rivalScene)); a.DeviceCount != 0 ||
		a.Named != 0 || len(a.Attributes) != 0 {
		t.Errorf("%s", asJSON(t, a))
	}
}

// A scene that rules are for cannot be deleted; the refusal names the rules.
func TestSceneUsedByRulesIsNotDeleted(t *testing.T) {
	w := newServer(t)
	scene := w.north
	id := w.createMultiTargetRule(t, scene)
	remove := testkit.Call{Method: http.MethodDelete, Path: fmt.Sprint(scenePath, "delete?id=", scene), Token: w.ada}
	for language, want := range map[text.Language]string{
		text.English: "Alarm rules are for this scene: “Frost”. Take it out of them first", text.Russian: "Участок указан в правилах тревог",
	} {
		call := remove
		call.Header = map[string]string{"Accept-Language": string(language)}
		w.Run(t, []testkit.Scenario{{Name: string(language), Call: call, Code: 601, Contains: []string{want}}})
	}
	w.mustSucceed(t, w.deleteRuleCall(id))
	w.mustSucceed(t, remove)
}
