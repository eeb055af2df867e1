package console_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

func deviceNames(list []wire.Device) string {
	var all []string
	for _, d := range list {
		all = append(all, d.DeviceName)
	}
	return strings.Join(all, " ")
}

// A page has everything that a list, a card or a marker needs.
func TestDevicePage(t *testing.T) {
	w := newServer(t)
	page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath))
	if page.Total != 3 || deviceNames(page.List) != "CAM-1 WS-1 WS-2" { // by remark name, else by device name
		t.Fatalf("%d: %s", page.Total, deviceNames(page.List))
	}
	now := w.Clock.Milli()
	reading := func(value string, name, unit, precision string) string {
		return fmt.Sprintf(`{"name":%q%s,"time":%d,"unit":%q,"value":%s}`, name, precision, now, unit, value)
	}
	want := fmt.Sprintf(
		`{"alarmLevel":2,"createTime":%d,"deviceName":"WS-1","groupId":%d,"groupName":"North","id":%d,"lastContact":%d,`+
			`"lastData":[{"airTemperature":%s,"heating":%s,"note":%s}],`+
			`"latitude":39.92,"longitude":32.85,"mainSign":"airTemperature","noteName":"Mast","offlineAfter":900000,"onlineState":1,`+
			`"onlineTime":%d,"openAlarms":1,"product":"weather-station","productId":%d,"productName":"weather-station","serial":"SN-WS-1","state":0,"type":1}`,
		now,
		w.north,
		w.ws1.ID,
		now,
		reading("21.5", "Air temperature", "°C", `,"precision":1`),
		reading("true", "Heating", "", ""),
		reading(`"note of WS-1"`, "note", "", ""),
		now,
		w.station.ID,
	)
	if got := asJSON(t, page.List[1]); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	camera := page.List[0]
	if camera.Type != 2 || camera.OnlineState != 0 || camera.State != 1 || camera.Longitude != nil ||
		camera.LastContact != nil ||
		camera.AlarmLevel != nil ||
		camera.GroupId != 0 ||
		camera.GroupName != "" ||
		camera.LastData == nil ||
		len(camera.LastData) != 0 {
		t.Errorf("%s", asJSON(t, camera))
	}
}

// A disabled device counts as offline, however recent its last contact is.
func TestDisabledDevice(t *testing.T) {
	w := newServer(t)
	w.ws1.Disabled = true
	if err := w.Devices.Put(t.Context(), w.field.ID, w.ws1); err != nil {
		t.Fatal(err)
	}
	page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?deviceName=WS-1"))
	if d := page.List[0]; d.OnlineState != 1 || d.State != 1 {
		t.Errorf("%s", asJSON(t, d))
	}
}

func TestDevicePageFilters(t *testing.T) {
	w := newServer(t)
	north := fmt.Sprint(w.north)
	for query, want := range map[string]string{
		"?deviceName=":                           "CAM-1 WS-1 WS-2",
		"?deviceName=%20ws%20":                   "WS-1 WS-2",
		"?deviceName=MAST":                       "WS-1",
		"?deviceName=sxt":                        "CAM-1",
		"?deviceName=%25":                        "",
		"?deviceName=" + marker:                  "",
		"?groupId=0":                             "CAM-1",
		"?groupId=" + north:                      "WS-1 WS-2",
		"?groupId=" + fmt.Sprint(w.rivalScene):   "",
		"?groupId=99999":                         "",
		"?executionId=WS-2":                      "WS-2",
		"?executionId=WS-2,CAM-1,none":           "CAM-1 WS-2",
		"?executionId=" + marker + "-1":          "",
		"?onlineState=1":                         "WS-1",
		"?onlineState=0":                         "CAM-1 WS-2",
		"?productId=" + fmt.Sprint(w.station.ID): "CAM-1 WS-1 WS-2",
		"?productId=99":                          "",
		"?onlineState=0&groupId=" + north:        "WS-2",
		"?unknown=1":                             "CAM-1 WS-1 WS-2",
	} {
		page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+query))
		if got := deviceNames(page.List); got != want || page.Total != len(page.List) {
			t.Errorf("%s: %s, total %d, want %s", query, got, page.Total, want)
		}
	}
}

func TestDevicePagePaging(t *testing.T) {
	w := newServer(t)
	for query, want := range map[string]string{
		"?pageSize=2":                            "CAM-1 WS-1",
		"?pageSize=2&pageNo=2":                   "WS-2",
		"?pageSize=2&pageNo=3":                   "",
		"?pageNo=1":                              "CAM-1 WS-1 WS-2",
		"?pageSize=400":                          "CAM-1 WS-1 WS-2",
		"?pageSize=400&pageNo=2147483648":        "",
		"?pageSize=400&pageNo=46116860184273880": "", // times 400 it overflows 64 bits and is negative
		"?pageSize=3&pageNo=9223372036854775807": "",
	} {
		page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+query))
		if got := deviceNames(page.List); got != want || page.Total != 3 {
			t.Errorf("%s: %s, total %d, want %s", query, got, page.Total, want)
		}
	}
	// The default page size is ten.
	devices := make([]*device.Device, 12)
	for i := range devices {
		devices[i] = &device.Device{Name: fmt.Sprintf("x%02d", i), ProductID: w.station.ID}
	}
	w.PutDevices(t, w.field.ID, devices...)
	if page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath)); len(page.List) != 10 || page.Total != 15 {
		t.Errorf("%d of %d", len(page.List), page.Total)
	}
}

func TestDevicesByNames(t *testing.T) {
	w := newServer(t)
	for query, want := range map[string]string{
		"":                       "CAM-1 WS-1 WS-2",
		"?deviceNames=WS-2,WS-1": "WS-1 WS-2",
		"?deviceNames=none":      "",
		"?deviceNames=WS-2,WS-1&pageSize=1&pageNo=2": "WS-2",
		"?deviceNames=" + marker + "-1,WS-1":         "WS-1",
	} {
		page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(namesPath+query))
		if got := deviceNames(page.List); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// The groups are the default one first, then the scenes by name, each with counts of all its
// devices and the first hundred of them.
func TestGroups(t *testing.T) {
	w := newServer(t)
	forbidden, err := w.Scenes.Create(t.Context(), w.field.ID, "apple row", device.SceneForbidden)
	if err != nil {
		t.Fatal(err)
	}
	many := make([]*device.Device, 103)
	for i := range many {
		many[i] = &device.Device{Name: fmt.Sprintf("a%03d", i), ProductID: w.station.ID, SceneID: forbidden}
	}
	w.PutDevices(t, w.field.ID, many...)
	groups := testkit.Ask[[]wire.Group](t, w.Contract, w.get(groupsPath))
	var shown []string
	for _, g := range groups {
		shown = append(
			shown,
			fmt.Sprintf(
				"%q %d: %d, %d online, %d listed",
				g.GroupName,
				g.GroupStatus,
				g.DeviceCount,
				g.OnlineCount,
				len(g.DeviceList),
			),
		)
	}
	want := []string{
		`"" 1: 1, 0 online, 1 listed`,
		`"apple row" 2: 103, 0 online, 100 listed`,
		`"North" 1: 2, 1 online, 2 listed`,
	}
	if strings.Join(shown, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(shown, "\n"), strings.Join(want, "\n"))
	}
	if groups[0].Id != 0 || deviceNames(groups[0].DeviceList) != "CAM-1" ||
		deviceNames(groups[2].DeviceList) != "WS-1 WS-2" {
		t.Errorf("%s", asJSON(t, groups[2]))
	}
	for query, want := range map[string]int{
		fmt.Sprint("?groupId=", w.north): 1, "?groupId=0": 1,
	} {
		if got := testkit.Ask[[]wire.Group](t, w.Contract, w.get(groupsPath+query)); len(got) != want {
			t.Errorf("%s: %d groups, want %d", query, len(got), want)
		}
	}
	for _, query := range []string{"?groupId=99999", fmt.Sprint("?groupId=", w.rivalScene)} {
		if a := w.Do(t, w.get(groupsPath+query)); a.Code != 404 {
			t.Errorf("%s: %s", query, a.Body)
		}
	}
}

// A card has a camera's picture, never the snippet itself, or a sensor's readings with the names
// and icons of their elements.
func TestDeviceCards(t *testing.T) {
	w := newServer(t)
	w.createCamera(t, "HLS", "https://a.example/gate.m3u8")
	w.createCamera(t, "EMBED", hostileSnippet)
	call := w.get(namesPath + "?deviceNames=WS-1,WS-2,CAM-1,HLS,EMBED")
	call.Header = map[string]string{"Accept-Language": "tr-tr"}
	a := w.Do(t, call)
	if strings.Contains(string(a.Body), "script") {
		t.Errorf("%s", a.Body)
	}
	cards := map[string]wire.Device{}
	for _, d := range testkit.Ask[wire.DevicePage](t, w.Contract, call).List {
		cards[d.DeviceName] = d
	}
	now := w.Clock.Milli()
	for name, want := range map[string][2]string{
		"WS-1": {"null", fmt.Sprintf(`{"airTemperature":{"name":"Hava sıcaklığı","precision":1,"time":%d,"unit":"°C","value":21.5,"yeuName":"Hava sıcaklığı","yeuUrl":"/icons/air.svg"},`, now)},
		"WS-2": {"null", "null"}, "CAM-1": {`{"kind":"none","url":""}`, "null"},
		"HLS": {`{"kind":"hls","url":"https://a.example/gate.m3u8"}`, "null"}, "EMBED": {`{"kind":"embed","url":"/embed/`, "null"},
	} {
		video, data := asJSON(t, cards[name].VideoObj), asJSON(t, cards[name].SignDataObj)
		if !strings.HasPrefix(video, want[0]) || !strings.HasPrefix(data, want[1]) {
			t.Errorf("%s: %s %s", name, video, data)
		}
	}
	if got := w.getWithoutToken(t, "GET", cards["EMBED"].VideoObj.Url); got.Body.String() != hostileSnippet {
		t.Errorf("the snippet: %d %s", got.Code, got.Body)
	}
	kinds := map[string]string{}
	for _, d := range testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath)).List {
		if d.VideoKind != nil {
			kinds[d.DeviceName] = *d.VideoKind
		}
	}
	if want := map[string]string{"CAM-1": "none", "HLS": "hls", "EMBED": "embed"}; !maps.Equal(kinds, want) {
		t.Errorf("the list has the cameras' kinds %v, want %v", kinds, want)
	}
	if a := w.Do(t, w.get(pagePath)); strings.Contains(string(a.Body), "videoObj") ||
		strings.Contains(string(a.Body), "signDataObj") {
		t.Errorf("a page: %s", a.Body)
	}
}

func TestProducts(t *testing.T) {
	w := newServer(t)
	if err := w.Catalog.PutProduct(t.Context(), &device.Product{Name: "a-camera", OfflineAfter: 1}); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	got := testkit.Ask[[]wire.ProductName](t, w.Contract, w.get(productsPath))
	if len(got) != 2 || got[0].ProductName != "a-camera" || got[0].DeviceCount != 0 ||
		got[1] != (wire.ProductName{
			Id: w.station.ID, MainSign: "airTemperature", ProductName: "weather-station", DeviceCount: 3,
		}) {
		t.Errorf("%+v", got)
	}
	// A product with display names is shown under the one in the reader's language, everywhere; the
	// identifier is answered as well.
	w.station.Names = map[text.Language]string{
		text.English: "Weather station",
		text.Chinese: "气象站",
		text.Turkish: "1 istasyon",
		text.Russian: "Метеостанция",
	}
	if err := w.Catalog.PutProduct(t.Context(), w.station); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	for _, c := range []struct{ language, first, station string }{
		{"en-us", "a-camera", "Weather station"}, {"zh-cn", "a-camera", "气象站"}, {"tr-tr", "1 istasyon", "1 istasyon"}, {"ru-ru", "a-camera", "Метеостанция"},
	} {
		in := func(path string) testkit.Call {
			call := w.get(path)
			call.Header = map[string]string{"Accept-Language": c.language}
			return call
		}
		if got := testkit.Ask[[]wire.ProductName](t, w.Contract, in(productsPath)); len(got) != 2 ||
			got[0].ProductName != c.first {
			t.Errorf("%s: %+v", c.language, got)
		}
		page := testkit.Ask[wire.DevicePage](t, w.Contract, in(pagePath+"?executionId=WS-1"))
		if d := page.List[0]; d.ProductName != c.station || d.Product != "weather-station" {
			t.Errorf("%s: %s, %s", c.language, d.ProductName, d.Product)
		}
		f := openSpreadsheet(t, w, in(w.pathAroundNow(exportPath, "WS-1", "airTemperature")))
		if about := sheetLines(t, f, f.GetSheetList()[1]); !strings.HasSuffix(about[3], "|"+c.station) {
			t.Errorf("%s: a spreadsheet has %q", c.language, about)
		}
	}
}

func TestElements(t *testing.T) {
	w := newServer(t)
	call := w.get(elementsPath + "?yeuSigns=airTemperature,none," + url.QueryEscape(" relativeHumidity "))
	call.Header = map[string]string{"Accept-Language": "zh-cn"}
	got := testkit.Ask[map[string]wire.Element](t, w.Contract, call)
	if len(got) != 2 ||
		got["airTemperature"] != (wire.Element{YeuSign: "airTemperature", YeuName: "空气温度", YeuUrl: "/icons/air.svg", Unit: "°C"}) ||
		got["relativeHumidity"].YeuName != "相对湿度" {
		t.Errorf("%+v", got)
	}
}

// A list shows the highest level of a device's open notices.
func TestAlarmLevelOfDevice(t *testing.T) {
	w := newServer(t)
	w.Notice(t, testkit.Notice{Device: w.ws2, Level: alarm.LevelGeneral})
	w.Notice(t, testkit.Notice{Device: w.cam1, Level: alarm.LevelSerious, Status: alarm.ResolvedAutomatically})
	for _, d := range testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath)).List {
		want := map[string]string{"WS-1": "2", "WS-2": "0", "CAM-1": "null"}[d.DeviceName]
		if got := asJSON(t, d.AlarmLevel); got != want {
			t.Errorf("%s: level %s, want %s", d.DeviceName, got, want)
		}
	}
}
