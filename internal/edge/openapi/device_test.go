package openapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi/wire"
)

func deviceNames(list wire.DeviceList) string {
	var all []string
	for _, d := range list.Items {
		all = append(all, d.DeviceName)
	}
	return strings.Join(all, " ")
}

func TestDevices(t *testing.T) {
	w := newFixture(t)
	for path, want := range map[string]string{
		"/devices":                       "CAM-1 WS-1 WS-2",
		"/devices?search=ws":             "WS-1 WS-2",
		"/devices?search=MAST":           "WS-1",
		"/devices?search=sxt":            "CAM-1",
		"/devices?search=zzrival":        "",
		"/devices?scene=north":           "WS-1",
		"/devices?online=true":           "WS-1",
		"/devices?online=false":          "CAM-1 WS-2",
		"/devices?online=true&search=ca": "",
	} {
		list := ask[wire.DeviceList](t, w, call{path: path})
		if deviceNames(list) != want || list.NextCursor != nil {
			t.Errorf("%s: %s, want %s", path, deviceNames(list), want)
		}
	}
	list := ask[wire.DeviceList](t, w, call{path: "/devices?scene=North"})
	d := list.Items[0]
	if d.NoteName != "Mast" || d.Serial != "SN-WS-1" || d.Product != "weather-station" || *d.Scene != "North" ||
		!d.Online ||
		int64(*d.LastContact) != w.Clock.Milli() ||
		*d.Latitude != 39.92 ||
		*d.Longitude != 32.85 {
		t.Errorf("%+v", d)
	}
	a := w.do(t, call{path: "/devices?search=WS-2"})
	want := `{"items":[{"deviceName":"WS-2","noteName":"","online":false,"product":"weather-station",` +
		`"serial":"SN-WS-2"}]}`
	if got := strings.TrimSpace(string(a.body)); got != want {
		t.Errorf("%s", got)
	}
	if p := w.mustRefuse(t, call{path: "/devices?scene=South"}, http.StatusBadRequest); p.Parameter != "scene" ||
		p.Code != "invalid" {
		t.Errorf("%+v", p)
	}
}

// Paging meets each device once, even if devices are made and deleted meanwhile.
func TestDevicesPageByPage(t *testing.T) {
	w := newFixture(t)
	for i := range 25 {
		w.Device(t, w.field.ID, w.station, fmt.Sprintf("row-%02d", i), func(d *device.Device) { d.NoteName = "zz" })
	}
	var seen []string
	path := "/devices?limit=10&search=row"
	for page := 0; ; page++ {
		list := ask[wire.DeviceList](t, w, call{path: path})
		seen = append(seen, strings.Fields(deviceNames(list))...)
		switch page {
		case 0: // before and after the start of the next page
			w.Device(t, w.field.ID, w.station, "row-00b")
			w.Device(t, w.field.ID, w.station, "row-15b")
			gone, err := w.Devices.Get(t.Context(), w.field.ID, "row-09") // the last one of the page before
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Devices.Delete(t.Context(), w.field.ID, gone.ID); err != nil {
				t.Fatal(err)
			}
		case 1:
			if len(list.Items) != 10 {
				t.Errorf("page of %d", len(list.Items))
			}
		}
		if list.NextCursor == nil {
			break
		}
		path = query("/devices", "limit", "10", "search", "row", "cursor", *list.NextCursor)
	}
	if len(seen) != 26 || seen[0] != "row-00" || seen[16] != "row-15b" || seen[25] != "row-24" {
		t.Errorf("%v", seen)
	}
}

func TestDevice(t *testing.T) {
	w := newFixture(t)
	a := w.do(t, call{path: "/devices/WS-1", header: map[string]string{"Accept-Language": "zh-CN,zh;q=0.9"}})
	for _, part := range []string{
		`"deviceName":"WS-1"`, `{"dataType":"number","identifier":"airTemperature","name":"空气温度","unit":"°C"}`,
		`{"dataType":"boolean","identifier":"heating","name":"Heating"}`, `{"dataType":"text","identifier":"note","name":"note"}`,
		`"lastContact":"2026-11-21T09:00:00.000Z"`,
	} {
		if !strings.Contains(string(a.body), part) {
			t.Errorf("%s is missing: %s", part, a.body)
		}
	}
	if p := w.mustRefuse(t, call{path: "/devices/WS-9"}, http.StatusNotFound); p.Code != "notFound" ||
		p.Detail != "This resource does not exist" {
		t.Errorf("%+v", p)
	}
}

// A device name in a URL may have any characters, however a program escapes them.
func TestDeviceNamesInURLs(t *testing.T) {
	w := newFixture(t)
	for name, paths := range map[string][]string{
		"北田:1":     {"/devices/%E5%8C%97%E7%94%B0%3A1", "/devices/%E5%8C%97%E7%94%B0:1"},
		"50%?":     {"/devices/50%25%3F"},
		"a%2Fb":    {"/devices/a%252Fb"},
		"WS-1":     {"/devices/WS-1", "/devices/%57%53%2D1"},
		"a..b;c=d": {"/devices/a..b;c=d", "/devices/a..b%3Bc%3Dd"},
	} {
		if name != "WS-1" {
			w.Device(t, w.field.ID, w.station, name)
		}
		for _, path := range paths {
			if d := ask[wire.Device](t, w, call{path: path}); d.DeviceName != name {
				t.Errorf("%s: %q", path, d.DeviceName)
			}
		}
	}
}

func TestLatest(t *testing.T) {
	w := newFixture(t)
	w.measure(t, w.ws1, w.Clock.Now().Add(-1), map[string]reading.Value{"rain": reading.Number(0.2)})
	a := w.do(t, call{path: "/devices/WS-1/latest", header: map[string]string{"Accept-Language": "tr"}})
	want := `{"deviceName":"WS-1","values":[` +
		`{"identifier":"airTemperature","name":"Hava sıcaklığı","time":"2026-11-21T09:00:00.000Z","unit":"°C","value":21.5},` +
		`{"identifier":"rain","name":"Rain","time":"2026-11-21T08:59:59.999Z","unit":"mm","value":0.2},` +
		`{"identifier":"heating","name":"Heating","time":"2026-11-21T09:00:00.000Z","value":true},` +
		`{"identifier":"note","name":"note","time":"2026-11-21T09:00:00.000Z","value":"note of WS-1"}]}`
	if got := strings.TrimSpace(string(a.body)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := ask[wire.Latest](t, w, call{path: "/devices/WS-2/latest"}); got.Values == nil || len(got.Values) != 0 {
		t.Errorf("%+v", got)
	}
}
