package console_test

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// A device's properties match its thing model, each with its newest value.
func TestDeviceProperties(t *testing.T) {
	w := newServer(t)
	tsl := testkit.Ask[wire.Tsl](t, w.Contract, w.get(tslPath+"?deviceName=CAM-1")).Propertie
	never := testkit.Ask[[]wire.TslProperty](t, w.Contract, w.get(propertyPath+"?deviceName=CAM-1"))
	if asJSON(t, never) != asJSON(t, tsl) || len(tsl) != 5 {
		t.Errorf("%s\nthe model is %s", asJSON(t, never), asJSON(t, tsl))
	}
	w.measure(t, w.ws1, w.Clock.Now().Add(time.Second), air(-3.25))
	got := testkit.Ask[[]wire.DeviceProperty](t, w.Contract, w.get(propertyPath+"?deviceName=WS-1"))
	now := w.Clock.Milli()
	values := ""
	for _, p := range got {
		values += p.Identifier + " "
		if p.Value != nil {
			values += fmt.Sprintf("%s at %d; ", p.Value, *p.Time-now)
		}
	}
	if want := "airTemperature -3.25 at 1000; relativeHumidity rain heating true at 0; note note of WS-1 at 0; "; values != want {
		t.Errorf("%q, want %q", values, want)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name: "in Turkish",
			Call: testkit.Call{
				Path:   propertyPath + "?deviceName=WS-1",
				Token:  w.ada,
				Header: map[string]string{"Accept-Language": "tr"},
			},
			Contains: []string{`"yeuName":"Hava sıcaklığı"`},
		},
		{Name: "none", Call: w.get(propertyPath + "?deviceName=none"), Code: 404},
		{Name: "no name", Call: w.get(propertyPath), Code: 601},
	})
}

// The readings for a notice's chart are the same as those of format-sign-array.
func TestSignData(t *testing.T) {
	w := newServer(t)
	for i := range 3 {
		w.measure(t, w.ws1, w.Clock.Now().Add(time.Duration(i)*time.Second), air(float64(i)))
	}
	rows := w.Do(t, w.get(w.pathAroundNow(rowsPath, "WS-1", "airTemperature,heating")))
	sign := w.Do(t, w.get(w.pathAroundNow(signPath, "WS-1", "airTemperature,heating")))
	want := fmt.Sprintf(
		`[{"collect_time":%d,"airTemperature":0,"heating":true},{"collect_time":%d,"airTemperature":1},{"collect_time":%d,"airTemperature":2}]`,
		w.Clock.Milli(),
		w.Clock.Milli()+1000,
		w.Clock.Milli()+2000,
	)
	if string(sign.Body) != string(rows.Body) || string(sign.Data) != want {
		t.Errorf("%s\nformat-sign-array has %s\nwant %s", sign.Body, rows.Body, want)
	}
	now := w.Clock.Now()
	w.Run(t, []testkit.Scenario{
		{
			Name:     "no attribute",
			Call:     w.get(rangePath(signPath, "WS-1", "", now, now)),
			Code:     601,
			Contains: []string{"property cannot be empty"},
		},
		{
			Name:     "no range",
			Call:     w.get(signPath + "?deviceName=WS-1&yeuSignList=rain"),
			Code:     601,
			Contains: []string{"The start time and end time cannot be empty"},
		},
		{
			Name:     "too long",
			Call:     w.get(rangePath(signPath, "WS-1", "rain", now, now.Add(30*24*time.Hour+time.Millisecond))),
			Code:     601,
			Contains: []string{"Time frame is too long"},
		},
		{Name: "unknown", Call: w.get(rangePath(signPath, "WS-1", "wind", now, now)), Code: 601},
	})
}
