package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

const (
	editPath     = "/admin-api/client/pc/device/update"
	secretPath   = "/admin-api/client/pc/device/new-secret"
	presencePath = "/admin-api/client/pc/device/get/presence"
)

func (w *fixture) editCall(body string) testkit.Call {
	return testkit.Call{Method: http.MethodPut, Path: editPath, Body: body, Token: w.ada}
}

// A user's change of a device shows everywhere at once, and nothing else of the device changes.
func TestUpdateDevice(t *testing.T) {
	w := newServer(t)
	before := w.Presence.Status(w.field.ID, w.ws1.ID)
	entry := w.Registry.Get(w.ws1.ID)
	w.Run(t, []testkit.Scenario{{Name: "all", Contains: []string{`"data":true`}, Call: w.editCall(
		`{"deviceName":" WS-1 ","noteName":" Bahçe İstasyonu ","groupId":0,"longitude":-180,"latitude":90}`)}})
	if w.Presence.Status(w.field.ID, w.ws1.ID) != before || w.Registry.Get(w.ws1.ID) != entry {
		t.Error("the registry entry changed")
	}
	page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?deviceName=bahçe"))
	if d := page.List[0]; page.Total != 1 || d.NoteName != "Bahçe İstasyonu" || d.GroupId != 0 ||
		*d.Longitude != -180 ||
		*d.Latitude != 90 ||
		d.OnlineState != 1 ||
		len(d.LastData) != 1 {
		t.Errorf("%s", asJSON(t, page))
	}
	groups := testkit.Ask[[]wire.Group](t, w.Contract, w.get(groupsPath))
	if deviceNames(groups[0].DeviceList) != "WS-1 CAM-1" || groups[0].OnlineCount != 1 ||
		deviceNames(groups[1].DeviceList) != "WS-2" {
		t.Errorf("%s", asJSON(t, groups))
	}
	m := testkit.Ask[wire.DeviceMap](t, w.Contract, w.get(mapPath+"?west=179&south=80&east=-179&north=90"))
	if len(m.Markers) != 1 || m.Markers[0].NoteName != "Bahçe İstasyonu" {
		t.Errorf("%s", asJSON(t, m))
	}
	// Scene and position are cleared if they are left out.
	w.Run(t, []testkit.Scenario{
		{
			Name: "into a scene",
			Call: w.editCall(
				fmt.Sprintf(
					`{"deviceName":"WS-1","noteName":"Mast","groupId":%d,"longitude":null,"latitude":null}`,
					w.north,
				),
			),
		},
		{Name: "out of the scene", Call: w.editCall(`{"deviceName":"WS-2","noteName":"Two"}`)},
	})
	for _, d := range testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?deviceName=ws")).List {
		if d.Longitude != nil || d.Latitude != nil || (d.GroupId == w.north) != (d.DeviceName == "WS-1") {
			t.Errorf("%s", asJSON(t, d))
		}
	}
}

func TestUpdateDeviceRefusals(t *testing.T) {
	w := newServer(t)
	shut, err := w.Scenes.Create(t.Context(), w.field.ID, "Shut", device.SceneForbidden)
	if err != nil {
		t.Fatal(err)
	}
	of := func(rest string) testkit.Call { return w.editCall(`{"deviceName":"WS-1",` + rest + `}`) }
	w.Run(t, []testkit.Scenario{
		{
			Name:     "no remark name",
			Call:     w.editCall(`{"deviceName":"WS-1"}`),
			Code:     601,
			Contains: []string{`"msg":"Please fill in the remark name"`},
		},
		{
			Name:     "a blank remark name",
			Call:     of(`"noteName":" \t"`),
			Code:     601,
			Contains: []string{`"msg":"Please fill in the remark name"`},
		},
		{Name: "64 characters", Call: of(`"noteName":"` + strings.Repeat("ğ", 64) + `"`)},
		{
			Name:     "65 characters",
			Call:     of(`"noteName":"` + strings.Repeat("ğ", 65) + `"`),
			Code:     601,
			Contains: []string{"Remark name: at most 64 characters"},
		},
		{
			Name:     "NUL",
			Call:     of(`"noteName":"a\u0000"`),
			Code:     601,
			Contains: []string{"Remark name: not in the right form"},
		},
		{
			Name:     "no device name",
			Call:     w.editCall(`{"noteName":"x"}`),
			Code:     601,
			Contains: []string{"Device name: required"},
		},
		{
			Name:     "an empty device name",
			Call:     w.editCall(`{"deviceName":" ","noteName":"x"}`),
			Code:     601,
			Contains: []string{"Device name: required"},
		},
		{
			Name:     "a device name with NUL",
			Call:     w.editCall(`{"deviceName":"a\u0000","noteName":"x"}`),
			Code:     601,
			Contains: []string{"Device name: not in the right form"},
		},
		{Name: "an unknown device", Call: w.editCall(`{"deviceName":"none","noteName":"x"}`), Code: 404},
		{
			Name:     "an unknown scene",
			Call:     of(`"noteName":"x","groupId":99999`),
			Code:     404,
			Contains: []string{"Scene: "},
		},
		{
			Name:     "the other tenant's scene",
			Call:     of(fmt.Sprintf(`"noteName":"x","groupId":%d`, w.rivalScene)),
			Code:     404,
			Contains: []string{`"msg":"Scene: This resource does not exist"`},
		},
		{
			Name:     "a scene below zero",
			Call:     of(`"noteName":"x","groupId":-1`),
			Code:     601,
			Contains: []string{"Scene: at least 0"},
		},
		{
			Name:     "a forbidden scene",
			Call:     of(fmt.Sprintf(`"noteName":"x","groupId":%d`, shut)),
			Code:     601,
			Contains: []string{`"msg":"Scene: The scene “Shut” is forbidden and takes no new devices"`},
		},
		{
			Name:     "a longitude alone",
			Call:     of(`"noteName":"x","longitude":3`),
			Code:     601,
			Contains: []string{"Latitude: required"},
		},
		{
			Name:     "a latitude alone",
			Call:     of(`"noteName":"x","latitude":3,"longitude":null`),
			Code:     601,
			Contains: []string{"Longitude: required"},
		},
		{
			Name:     "too far east",
			Call:     of(`"noteName":"x","latitude":3,"longitude":180.001`),
			Code:     601,
			Contains: []string{"Longitude: at most 180"},
		},
		{
			Name:     "too far south",
			Call:     of(`"noteName":"x","latitude":-90.5,"longitude":1`),
			Code:     601,
			Contains: []string{"Latitude: at least −90"},
		},
		{Name: "a position in words", Call: of(`"noteName":"x","latitude":"3","longitude":"1"`), Code: 400},
		{Name: "no JSON", Call: w.editCall(`{`), Code: 400},
		{Name: "null", Call: w.editCall(`null`), Code: 400},
	})
	for _, l := range pseudo.Languages() {
		call := w.editCall(`{"deviceName":"WS-1","noteName":""}`)
		call.Header = map[string]string{"Accept-Language": string(l)}
		if a := w.Do(t, call); a.Code != 601 || a.Msg != text.Translate(l, "device.noteRequired", nil) {
			t.Errorf("%s: %s", l, a.Body)
		}
	}
	d, err := w.Devices.Get(t.Context(), w.field.ID, "WS-1")
	if err != nil || d.NoteName != strings.Repeat("ğ", 64) {
		t.Errorf("a refused change was stored: %+v %v", d, err)
	}
}

func (w *fixture) newSecret(t *testing.T, drop bool) string {
	t.Helper()
	return testkit.Ask[string](t, w.Contract, testkit.Call{
		Method: http.MethodPost,
		Path:   secretPath,
		Token:  w.ada,
		Body:   fmt.Sprintf(`{"deviceName":"WS-1","dropOthers":%t}`, drop),
	})
}

// A new secret is answered once. The device can sign in with it and with the one before; the call
// can drop the others.
func TestNewDeviceSecret(t *testing.T) {
	w := newServer(t)
	accepts := func(secret string) bool { _, _, ok := w.Registry.Authenticate("WS-1", secret); return ok }
	first := testkit.Secret("WS-1")
	second := w.newSecret(t, false)
	if len(second) < 20 || len(second) > 128 || !accepts(first) || !accepts(second) {
		t.Errorf("%q", second)
	}
	third := w.newSecret(t, false)
	if accepts(first) || !accepts(second) || !accepts(third) {
		t.Error("the newest two secrets must be valid")
	}
	fourth := w.newSecret(t, true)
	if accepts(second) || accepts(third) || !accepts(fourth) {
		t.Error("only the new secret may be valid")
	}
	for _, path := range []string{pagePath, tslPath + "?deviceName=WS-1", connectionPath + "?deviceName=WS-1"} {
		if a := w.Do(t, w.get(path)); strings.Contains(string(a.Body), fourth) {
			t.Errorf("%s answers the secret again", path)
		}
	}
	if strings.Contains(w.Log.Text(), fourth) {
		t.Error("the secret is in the log")
	}
	post := func(body string) testkit.Call {
		return testkit.Call{Method: http.MethodPost, Path: secretPath, Token: w.ada, Body: body}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "no device", Call: post(`{}`), Code: 601, Contains: []string{"Device name: required"}},
		{Name: "an unknown device", Call: post(`{"deviceName":"none"}`), Code: 404},
		{Name: "NUL", Call: post(`{"deviceName":"a\u0000"}`), Code: 601},
		{Name: "dropOthers as text", Call: post(`{"deviceName":"WS-1","dropOthers":"yes"}`), Code: 400},
		{Name: "by GET", Call: w.get(secretPath + "?deviceName=WS-1"), Status: 405, Code: 405},
	})
	if !accepts(fourth) {
		t.Error("a refused call dropped the secret")
	}
}

func TestDevicePresence(t *testing.T) {
	w := newServer(t)
	came := w.Clock.Milli()
	w.Clock.Advance(testkit.OfflineAfter)
	w.Presence.Expire()
	went := w.Clock.Milli()
	w.Clock.Advance(time.Minute)
	w.Presence.Seen(testkit.Ref(w.ws1))
	if err := w.Status.Flush(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"":                     fmt.Sprintf(`{"list":[{"onlineState":1,"time":%d},{"onlineState":0,"time":%d},{"onlineState":1,"time":%d}],"total":3}`, w.Clock.Milli(), went, came),
		"&pageSize=1&pageNo=2": fmt.Sprintf(`{"list":[{"onlineState":0,"time":%d}],"total":3}`, went),
		"&pageNo=2":            `{"list":[],"total":3}`,
	} {
		got := asJSON(t, testkit.Ask[wire.PresencePage](t, w.Contract, w.get(presencePath+"?deviceName=WS-1"+query)))
		if got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "never seen", Call: w.get(presencePath + "?deviceName=WS-2"), Contains: []string{`"list":[],"total":0`}},
		{Name: "unknown", Call: w.get(presencePath + "?deviceName=none"), Code: 404},
		{Name: "no device", Call: w.get(presencePath), Code: 601},
	})
}

// Devices can be sorted in every order that the contract names.
func TestDevicePageSort(t *testing.T) {
	w := newServer(t)
	w.Presence.SeenAt(testkit.Ref(w.ws2), w.Clock.Milli()-time.Hour.Milliseconds()) // long ago
	for by, want := range map[string]string{
		"noteName": "CAM-1 WS-1 WS-2", "deviceName": "CAM-1 WS-1 WS-2", "serial": "WS-1 WS-2 CAM-1", "productName": "WS-1 WS-2 CAM-1",
		"groupName": "CAM-1 WS-1 WS-2", "lastContact": "CAM-1 WS-2 WS-1", "onlineState": "WS-2 CAM-1 WS-1", "createTime": "WS-1 WS-2 CAM-1",
	} {
		names := strings.Fields(want)
		for i, query := range []string{"", "&descending=false", "&descending=true"} {
			page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?sort="+by+query))
			got := deviceNames(page.List)
			if i == 2 {
				want = names[2] + " " + names[1] + " " + names[0]
			}
			if got != want || page.Total != 3 {
				t.Errorf("%s%s: %s, want %s", by, query, got, want)
			}
		}
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "filtered",
			Call:     w.get(pagePath + "?sort=serial&descending=true&deviceName=ws&pageSize=1"),
			Contains: []string{`"deviceName":"WS-2"`, `"total":2`},
		},
		{
			Name:     "an unknown order",
			Call:     w.get(pagePath + "?sort=secret"),
			Code:     601,
			Contains: []string{"Order: not one of the choices"},
		},
		{Name: "an injected order", Call: w.get(pagePath + "?sort=noteName%3BDROP"), Code: 601},
		{Name: "descending as text", Call: w.get(pagePath + "?descending=yes"), Code: 400},
	})
}
