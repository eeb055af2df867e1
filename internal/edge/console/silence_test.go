package console_test

import (
	"fmt"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const silencePath = "/admin-api/client/pc/device/get/silence"

func TestSilence(t *testing.T) {
	w := newServer(t)
	told := func(name string) string {
		t.Helper()
		return asJSON(t, testkit.Ask[*wire.SilenceCause](t, w.Contract, w.get(silencePath+"?deviceName="+name)))
	}
	if got := told("WS-1"); got != "null" {
		t.Errorf("an online device is silent: %s", got)
	}
	now := w.Clock.Milli()
	if got, want := told("WS-2"), fmt.Sprintf(`{"kind":"neverConnected","since":%d}`, w.ws2.CreateTime); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	w.Traces.NoteRefusedSignIn(testkit.Ref(w.ws2), now, now-1000)
	want := fmt.Sprintf(`{"attempts":1,"kind":"secretRefused","lastAttempt":%d,"secretChanged":%d,"since":%d}`,
		now, now-1000, w.ws2.CreateTime)
	if got := told("WS-2"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "another tenant's device", Call: w.get(silencePath + "?deviceName=" + rivalDeviceName), Code: 404},
		{Name: "no such device", Call: w.get(silencePath + "?deviceName=NONE"), Code: 404},
		{Name: "no name", Call: w.get(silencePath), Code: 601, Contains: []string{"Device name"}},
	})
}

// A device with a battery says which of its readings is the battery's, and the table can be sorted by
// it, whatever its unit.
func TestDevicesByBattery(t *testing.T) {
	w := newServer(t)
	battery := func(unit, signal string) *device.Product {
		p := &device.Product{Name: "with battery in " + unit, Properties: []device.Property{
			{Identifier: "airTemperature", ElementUnit: "°C", DataType: device.Number},
			{Identifier: "batteryLevel", ElementUnit: unit, DataType: device.Number},
			{Identifier: "signalStrength", ElementUnit: signal, DataType: device.Number},
		}}
		if err := w.Catalog.PutProduct(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		w.Reload(t)
		return p
	}
	volts, percent := battery("V", "dBm"), battery("%", "%")
	for _, x := range []struct {
		name            string
		p               *device.Product
		battery, signal float64
	}{{"FULL", volts, 4.1, -60}, {"LOW", volts, 3.3, -110}, {"HALF", percent, 22, 50}} {
		d := w.Device(t, w.field.ID, x.p, x.name)
		err := w.readings.Append(t.Context(), []reading.Arrival{{
			At: w.Clock.Milli(),
			Frame: reading.Frame{
				Tenant: d.Tenant, Device: d.ID, Time: w.Clock.Milli(), Fields: []reading.Field{
					{Property: x.p.Property("batteryLevel").ID, Value: reading.Number(x.battery)},
					{Property: x.p.Property("signalStrength").ID, Value: reading.Number(x.signal)},
				},
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := func(query string) (list string) {
		page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?pageNo=1&pageSize=10&"+query))
		for _, d := range page.List {
			list += d.DeviceName + " "
			if hasBattery := d.ProductId == volts.ID ||
				d.ProductId == percent.ID; hasBattery != (d.BatterySign != nil) ||
				hasBattery && (*d.BatterySign != "batteryLevel" || *d.SignalSign != "signalStrength") {
				t.Errorf("%s: battery %v, signal %v", d.DeviceName, d.BatterySign, d.SignalSign)
			}
		}
		return list
	}
	for query, want := range map[string]string{
		"sort=battery":                 "LOW HALF FULL WS-1 WS-2 CAM-1 ",
		"sort=battery&descending=true": "FULL HALF LOW CAM-1 WS-2 WS-1 ",
		"sort=signal":                  "LOW FULL HALF WS-1 WS-2 CAM-1 ",
	} {
		if got := names(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
