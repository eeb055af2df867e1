package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

const (
	rulesPath    = "/admin-api/client/pc/alarm-rules/"
	noticesPath  = "/admin-api/client/pc/alarm-notice/"
	signPath     = "/admin-api/client/pc/device/get/sign-data"
	propertyPath = "/admin-api/client/pc/device/get/property"
)

// body is a JSON object; a nil value removes its key.
type body map[string]any

// frostForm returns a valid form of a rule on a device: airTemperature below 2, manual resolution
// allowed. with changes the form.
func frostForm(deviceName string, with body) body {
	b := body{
		"alarmName":     "Frost",
		"dataSource":    1,
		"executionId":   deviceName,
		"triggerType":   0,
		"alarmLevel":    2,
		"manualRelease": 1,
		"conditions":    []body{{"andor": "and", "tslAttribute": "airTemperature", "subconditions": "<", "value": 2}},
	}
	maps.Copy(b, with)
	for key, value := range b {
		if value == nil {
			delete(b, key)
		}
	}
	return b
}

// adaCall returns a call of the field's ada with a body.
func (w *fixture) adaCall(method, path string, b body) testkit.Call {
	raw, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return testkit.Call{Method: method, Path: path, Body: string(raw), Token: w.ada}
}

func (w *fixture) createRuleCall(b body) testkit.Call {
	return w.adaCall(http.MethodPost, rulesPath+"create", b)
}

func (w *fixture) updateRuleCall(id int64, b body) testkit.Call {
	b["id"] = id
	return w.adaCall(http.MethodPut, rulesPath+"update", b)
}

func (w *fixture) deleteRuleCall(id int64) testkit.Call {
	return testkit.Call{Method: http.MethodDelete, Path: fmt.Sprint(rulesPath, "delete?id=", id), Token: w.ada}
}

func (w *fixture) deployCall(action string, id int64) testkit.Call {
	return w.get(fmt.Sprint(rulesPath, action, "?alarmRulesId=", id))
}

// createRule makes a rule of the field and returns its id.
func (w *fixture) createRule(t *testing.T, b body) int64 {
	t.Helper()
	return testkit.Ask[int64](t, w.Contract, w.createRuleCall(b))
}

func (w *fixture) rule(t *testing.T, id int64) wire.AlarmRule {
	t.Helper()
	return testkit.Ask[wire.AlarmRule](t, w.Contract, w.get(fmt.Sprint(rulesPath, "get?id=", id)))
}

func (w *fixture) notice(t *testing.T, id int64) wire.AlarmDetail {
	t.Helper()
	return testkit.Ask[wire.AlarmDetail](t, w.Contract, w.get(fmt.Sprint(noticesPath, "get?id=", id)))
}

func (w *fixture) resolve(id int64, remark string) testkit.Call {
	return w.adaCall(http.MethodPut, noticesPath+"resolve", body{"id": id, "remark": remark})
}

func (w *fixture) acknowledge(id int64, more body) testkit.Call {
	b := body{"id": id}
	maps.Copy(b, more)
	return w.adaCall(http.MethodPut, noticesPath+"acknowledge", b)
}

func (w *fixture) unacknowledge(id int64) testkit.Call {
	return w.adaCall(http.MethodPut, noticesPath+"unacknowledge", body{"id": id})
}

// evaluate sends a frame of a device, and has it evaluated now.
func (w *fixture) evaluate(t testing.TB, d *device.Device, values map[string]reading.Value) {
	t.Helper()
	if err := w.appendAndEvaluate(t.Context(), d, values); err != nil {
		t.Fatal(err)
	}
}

func (w *fixture) appendAndEvaluate(ctx context.Context, d *device.Device, values map[string]reading.Value) error {
	batch := []reading.Arrival{w.arrival(d, w.Clock.Now(), values)}
	if err := w.readings.Append(ctx, batch); err != nil {
		return err
	}
	w.position++
	return w.engine.Evaluate(ctx, w.position, batch)
}

// air returns an air temperature.
func air(degrees float64) map[string]reading.Value {
	return map[string]reading.Value{"airTemperature": reading.Number(degrees)}
}

// createRivalRule makes a running rule of the rival, with the marker in its texts, and returns its
// id.
func (w *fixture) createRivalRule() int64 { return w.frostRule(w.rival.ID, w.rivalDevice) }

// frostRule makes a running rule of an owner, with the rival's marker in its texts, and returns its
// id.
func (w *fixture) frostRule(owner tenant.ID, d *device.Device) int64 {
	rule := alarm.Rule{
		Name:          marker + " frost",
		Device:        d.ID,
		Hits:          1,
		Window:        alarm.Windows[0],
		ManualRelease: true,
		Description:   marker,
		Conditions: []alarm.Condition{
			{Join: "and", Attribute: "airTemperature", Operator: comparator.Below, Value: reading.Number(2)},
		},
	}
	ctx := context.Background()
	id, err := w.Rules.Create(ctx, owner, &rule)
	if err == nil {
		err = w.engine.Change(ctx, owner, []alarm.RuleID{id}, alarm.Changed, func(ctx context.Context) error {
			return w.Rules.Publish(ctx, owner, id, marker)
		})
	}
	if err != nil {
		panic(err)
	}
	return int64(id)
}
