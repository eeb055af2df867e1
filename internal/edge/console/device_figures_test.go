package console_test

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// A group's figures are those of the main property of its devices that are online, model by model:
// what the provider chooses as the main property, but never a device's own state; a search narrows
// them.
func TestFiguresOfGroups(t *testing.T) {
	w := newServer(t)
	gauge := &device.Product{Name: "gauge", OfflineAfter: time.Hour, MainSign: "rain", Properties: []device.Property{
		{Identifier: "airTemperature", DataType: device.Number, AccessMode: "r"},
		{Identifier: "rain", FunctionName: "Rain", ElementUnit: "mm", DataType: device.Number, AccessMode: "r"},
	}}
	house := &device.Product{Name: "house", OfflineAfter: time.Hour, Properties: []device.Property{
		{Identifier: "airTemperature", DataType: device.Number, AccessMode: "r"},
	}}
	box := &device.Product{
		Name: "box", OfflineAfter: time.Hour, MainSign: "boxTemperature", Properties: []device.Property{
			{Identifier: "boxTemperature", ElementUnit: "°C", DataType: device.Number, AccessMode: "r"},
		},
	}
	for _, p := range []*device.Product{gauge, house, box} {
		if err := w.Catalog.PutProduct(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	w.Reload(t)
	third := &device.Device{Name: "WS-3", ProductID: w.station.ID, SceneID: w.north}
	rain := &device.Device{Name: "RG-1", ProductID: gauge.ID, SceneID: w.north}
	inside := &device.Device{Name: "GC-1", ProductID: house.ID, SceneID: w.north}
	boxed := &device.Device{Name: "BX-1", ProductID: box.ID, SceneID: w.north}
	w.PutDevices(t, w.field.ID, third, rain, inside, boxed)
	now := w.Clock.Now()
	w.measure(t, third, now, map[string]reading.Value{"airTemperature": reading.Number(-3.5)})
	w.measure(t, rain, now, map[string]reading.Value{"airTemperature": reading.Number(70), "rain": reading.Number(2)})
	w.measure(t, inside, now, air(24))
	warm := reading.Frame{Tenant: boxed.Tenant, Device: boxed.ID, Time: now.UnixMilli(), Fields: []reading.Field{
		{Property: w.Catalog.ProductByName("box").Properties[0].ID, Value: reading.Number(31)},
	}}
	if err := w.readings.Append(t.Context(), []reading.Arrival{{Frame: warm, At: w.Clock.Milli()}}); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*device.Device{third, rain, inside, boxed} {
		w.Presence.Seen(testkit.Ref(d))
	}
	// WS-2 is offline, so its value does not count.
	ask := func(query string) map[int64]wire.Group {
		t.Helper()
		groups := map[int64]wire.Group{}
		for _, g := range testkit.Ask[[]wire.Group](t, w.Contract, w.get(groupsPath+query)) {
			groups[g.Id] = g
		}
		return groups
	}
	groups := ask("")
	want := fmt.Sprintf(
		`[{"devices":2,"high":21.5,"low":-3.5,"mean":9,"name":"Air temperature","precision":1,"productId":%d,"productName":"weather-station","sign":"airTemperature","unit":"°C"},`+
			`{"devices":1,"high":24,"low":24,"mean":24,"name":"Air temperature","productId":%d,"productName":"house","sign":"airTemperature","unit":"°C"},`+
			`{"devices":1,"high":2,"low":2,"mean":2,"name":"Rain","productId":%d,"productName":"gauge","sign":"rain","unit":"mm"}]`,
		w.station.ID,
		house.ID,
		gauge.ID,
	)
	if got := asJSON(t, groups[w.north].Figures); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := asJSON(t, groups[0].Figures); got != "[]" {
		t.Errorf("the default group: %s", got)
	}
	for _, d := range groups[w.north].DeviceList {
		if own := d.MainHousekeeping != nil; own != (d.DeviceName == "BX-1") {
			t.Errorf("%s: main property is housekeeping: %v", d.DeviceName, own)
		}
	}
	found := ask("?deviceName=ws-3")
	if g := found[w.north]; g.DeviceCount != 1 || deviceNames(g.DeviceList) != "WS-3" || len(g.Figures) != 1 ||
		g.Figures[0].Mean != -3.5 {
		t.Errorf("%s", asJSON(t, g))
	}
	if other := ask("?deviceName=" + marker); other[w.north].DeviceCount != 0 {
		t.Errorf("another tenant's devices: %s", asJSON(t, other))
	}
	list := testkit.Ask[[]wire.ProductName](t, w.Contract, w.get("/admin-api/client/pc/product/get/simple-list"))
	if got, want := asJSON(t, list), fmt.Sprintf(
		`[{"deviceCount":1,"id":%d,"mainSign":"boxTemperature","productName":"box"},{"deviceCount":1,"id":%d,"mainSign":"rain","productName":"gauge"},`+
			`{"deviceCount":1,"id":%d,"mainSign":"airTemperature","productName":"house"},{"deviceCount":4,"id":%d,"mainSign":"airTemperature","productName":"weather-station"}]`,
		box.ID,
		gauge.ID,
		house.ID,
		w.station.ID,
	); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Devices in the order of a property's latest value; those without one come last.
func TestDevicePageByReading(t *testing.T) {
	w := newServer(t)
	var devices []*device.Device
	for i, v := range []float64{-2.5, 0, -11, 3} {
		d := &device.Device{Name: fmt.Sprint("x", i), ProductID: w.station.ID}
		w.PutDevices(t, w.field.ID, d)
		devices = append(devices, d)
		w.measure(t, d, w.Clock.Now(), map[string]reading.Value{"rain": reading.Number(v)})
	}
	w.measure(t, devices[0], w.Clock.Now(), map[string]reading.Value{"heating": reading.Boolean(false)})
	for query, want := range map[string]string{
		"?sortSign=rain&pageSize=4":                               "x2 x0 x1 x3",
		"?sortSign=rain&descending=true&pageSize=4":               "x3 x1 x0 x2",
		"?sortSign=rain&descending=true&pageSize=4&pageNo=2":      "CAM-1 WS-2 WS-1",
		"?sortSign=rain&sort=serial&pageSize=2&pageNo=1":          "x2 x0",
		"?sortSign=heating&pageSize=2":                            "x0 WS-1",
		"?sortSign=heating&pageSize=2&descending=true":            "WS-1 x0",
		"?sortSign=unknown&pageSize=3&deviceName=x":               "CAM-1 x0 x1",
		"?sortSign=airTemperature&groupId=" + fmt.Sprint(w.north): "WS-1 WS-2",
	} {
		page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+query))
		if got := deviceNames(page.List); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
