package console_test

import (
	"fmt"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func TestDeviceMap(t *testing.T) {
	w := newServer(t)
	got := testkit.Ask[wire.DeviceMap](t, w.Contract, w.get(mapPath))
	want := fmt.Sprintf(`{"clusters":[],"markers":[`+
		`{"alarmLevel":2,"deviceName":"WS-1","groupId":%d,"latitude":39.92,"longitude":32.85,"noteName":"Mast","onlineState":1},`+
		`{"deviceName":"WS-2","groupId":%d,"latitude":40,"longitude":33,"noteName":"","onlineState":0}],"quantities":[`+
		`{"deviceCount":3,"identifier":"airTemperature","leastSpan":5,"name":"Air temperature","precision":1,"unit":"°C"},`+
		`{"deviceCount":3,"identifier":"rain","name":"Rain","unit":"mm"},`+
		`{"deviceCount":3,"identifier":"relativeHumidity","name":"Relative humidity","unit":"%%RH"}],"total":2,"unplaced":1}`,
		w.north, w.north)
	if g := asJSON(t, got); g != want {
		t.Errorf("%s\nwant %s", g, want)
	}
	for query, want := range map[string]string{
		"?west=32.9&south=39&east=34&north=41":  "WS-2 ",
		"?west=32&south=39&east=34&north=41":    "WS-1 WS-2 ",
		"?west=170&south=-90&east=33&north=90":  "WS-1 WS-2 ", // across the date line
		"?west=34&south=-90&east=32&north=90":   "",
		"?west=0&south=0&east=0&north=0&zoom=9": "",
	} {
		m := testkit.Ask[wire.DeviceMap](t, w.Contract, w.get(mapPath+query))
		names := ""
		for _, marker := range m.Markers {
			names += marker.DeviceName + " "
		}
		if names != want || m.Total != len(m.Markers) || m.Unplaced != 1 {
			t.Errorf("%s: %s, total %d, %d without a position", query, names, m.Total, m.Unplaced)
		}
	}
}

// With a quantity, markers have the newest number of their own device. A property that is no number,
// and one that nobody has, give none.
func TestDeviceMapQuantity(t *testing.T) {
	w := newServer(t)
	for sign, want := range map[string]string{
		"airTemperature": fmt.Sprintf(`{"time":%d,"value":21.5}`, w.Clock.Milli()),
		"rain":           "null", "heating": "null", "note": "null", "unheardOf": "null",
	} {
		m := testkit.Ask[wire.DeviceMap](t, w.Contract, w.get(mapPath+"?yeuSign="+sign))
		if got := asJSON(t, m.Markers[0].Reading); got != want || m.Markers[1].Reading != nil {
			t.Errorf("%s: %s, want %s", sign, got, want)
		}
	}
	if err := w.readings.Erase(t.Context(), w.field.ID, w.ws1.ID); err != nil {
		t.Fatal(err)
	}
	m := testkit.Ask[wire.DeviceMap](t, w.Contract, w.get(mapPath+"?yeuSign=airTemperature"))
	if m.Markers[0].Reading != nil {
		t.Errorf("without readings: %s", asJSON(t, m.Markers[0].Reading))
	}
	if m := testkit.Ask[wire.DeviceMap](
		t,
		w.Contract,
		testkit.Call{Path: mapPath + "?yeuSign=airTemperature", Token: w.rivalToken},
	); len(m.Markers) != 1 ||
		m.Markers[0].DeviceName != w.rivalDevice.Name ||
		(*m.Quantities)[0].DeviceCount != 1 {
		t.Errorf("the rival's: %s", asJSON(t, m))
	}
}

// Up to 2,000 devices have a marker each. More are grouped into clusters, which together hold every
// device once and get smaller as the zoom grows.
func TestDeviceMapClusters(t *testing.T) {
	w := newServer(t)
	devices := make([]*device.Device, 0, 1999)
	for i := range 1998 { // WS-1 and WS-2 have positions already
		devices = append(devices, &device.Device{Name: fmt.Sprintf("m%04d", i), ProductID: w.station.ID,
			Longitude: new(-179.9 + float64(i%54)*6.6), Latitude: new(-80 + float64(i/54)*4.4)})
	}
	w.PutDevices(t, w.field.ID, devices...)
	ask := func(query string) wire.DeviceMap {
		t.Helper()
		return testkit.Ask[wire.DeviceMap](t, w.Contract, w.get(mapPath+query))
	}
	if m := ask(""); len(m.Markers) != 2000 || len(m.Clusters) != 0 || m.Total != 2000 {
		t.Fatalf("%d markers, %d clusters of %d", len(m.Markers), len(m.Clusters), m.Total)
	}
	pole := &device.Device{
		Name:      "pole",
		ProductID: w.station.ID,
		Longitude: new(180.0),
		Latitude:  new(90.0),
	} // exactly in the corner
	w.PutDevices(t, w.field.ID, pole)
	w.Notice(t, testkit.Notice{Device: pole, Level: alarm.LevelGeneral})
	before := 0
	for _, zoom := range []int{0, 2, 5, 12, 22} {
		m := ask(fmt.Sprint("?zoom=", zoom))
		if len(m.Markers) != 0 || m.Total != 2001 {
			t.Fatalf("zoom %d: %d markers, total %d", zoom, len(m.Markers), m.Total)
		}
		devices, online, alarms := 0, 0, 0
		for i, c := range m.Clusters {
			devices, online, alarms = devices+c.Count, online+c.OnlineCount, alarms+c.AlarmCount
			if c.Longitude < c.West-1e-9 || c.Longitude > c.East+1e-9 || c.Latitude < c.South-1e-9 ||
				c.Latitude > c.North+1e-9 {
				t.Errorf("zoom %d: a cluster outside its devices: %+v", zoom, c)
			}
			if i > 0 && c.Count > m.Clusters[i-1].Count {
				t.Errorf("zoom %d: the largest cluster is not the first", zoom)
			}
		}
		if devices != 2001 || online != 1 || alarms != 2 {
			t.Errorf("zoom %d: %d devices, %d online, %d with an alarm", zoom, devices, online, alarms)
		}
		if len(m.Clusters) < before || len(m.Clusters) > 2001 {
			t.Errorf("zoom %d: %d clusters after %d", zoom, len(m.Clusters), before)
		}
		before = len(m.Clusters)
	}
	if asJSON(t, ask("")) != asJSON(t, ask("?zoom=5")) {
		t.Error("the default zoom is not 5, or the same call has another answer")
	}
	// A box with fewer devices has markers again.
	if m := ask("?west=30&south=35&east=40&north=45"); len(m.Markers) == 0 || len(m.Clusters) != 0 {
		t.Errorf("%d markers, %d clusters", len(m.Markers), len(m.Clusters))
	}
}
