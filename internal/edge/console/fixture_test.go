package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console"
	"tilth/internal/platform/live"
	"tilth/internal/tools/testkit"
)

// marker is in all texts of the rival, so that a test can detect data of another tenant in an
// answer.
const marker = "zzrival"

// fixture is a server on real stores with two tenants.
//
//	The tenant field has the scene North with WS-1 (with a position and readings) and WS-2 (with a
//	position), and the camera CAM-1 without a scene or position. The tenant rival has one of each,
//	all with the marker.
type fixture struct {
	*testkit.Stores
	*testkit.Contract
	readings *reading.Store
	hub      *live.Hub
	engine   *alarm.Engine
	position uint64 // of the last batch that was evaluated
	readyErr error  // what the server's Ready returns
	storage  *storageState

	station                     *device.Product
	field, rival                *testkit.Tenant
	north, rivalScene           int64
	ws1, ws2, cam1, rivalDevice *device.Device
	ada, bora, rivalToken       string // access tokens of the field's two users and of the rival's ada
}

// newServer makes the fixture; with changes the server's options.
func newServer(t testing.TB, with ...func(*console.Options)) *fixture {
	t.Helper()
	w := &fixture{Stores: testkit.NewStores(t), storage: newStorageState()}
	w.hub, w.readings, w.engine = w.Live, w.Readings, w.Alarms
	w.populate(t)
	o := console.Options{
		Stores:         w.Stores.Stores,
		StorageStopped: w.storage.state,
		EmbedKey:       []byte("the key of every test's snippets"),
		DefaultTenant:  "field",
		Ready:          func(context.Context) error { return w.readyErr },
		Telemetry:      http.NotFoundHandler(),
		LoRaWAN:        http.NotFoundHandler(),
		MQTT:           http.NotFoundHandler(),
		OpenAPI:        http.NotFoundHandler(),
		Web:            http.NotFoundHandler(),
	}
	for _, f := range with {
		f(&o)
	}
	h, err := console.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Contract = testkit.NewContract(t, h)
	return w
}

func (w *fixture) populate(t testing.TB) {
	t.Helper()
	w.field, w.rival = w.Tenant(t, "field"), w.Tenant(t, marker)
	w.station = w.Station(t)
	w.north, w.rivalScene = w.Scene(t, w.field.ID, "North"), w.Scene(t, w.rival.ID, marker+" scene")
	w.ws1 = w.Device(t, w.field.ID, w.station, "WS-1", func(d *device.Device) {
		d.NoteName, d.SceneID, d.Longitude, d.Latitude = "Mast", w.north, new(32.85), new(39.92)
	})
	w.ws2 = w.Device(t, w.field.ID, w.station, "WS-2", func(d *device.Device) {
		d.SceneID, d.Longitude, d.Latitude = w.north, new(33.0), new(40.0)
	})
	w.cam1 = w.Device(t, w.field.ID, w.station, "CAM-1", func(d *device.Device) {
		d.Serial, d.ElementData = "x-SXT-1", map[string]string{"note": "https://example.org/gate.m3u8"}
	})
	w.rivalDevice = w.Device(t, w.rival.ID, w.station, marker+"-1", func(d *device.Device) {
		d.NoteName, d.SceneID, d.Longitude, d.Latitude = marker+" mast", w.rivalScene, new(32.85), new(39.92)
	})
	w.ada, w.bora = w.Session(t, w.field.Ada).Access, w.Session(t, w.field.Bora).Access
	w.rivalToken = w.Session(t, w.rival.Ada).Access
	for _, d := range []*device.Device{w.ws1, w.rivalDevice} {
		w.measure(t, d, w.Clock.Now(), map[string]reading.Value{
			"airTemperature": reading.Number(21.5),
			"heating":        reading.Boolean(true),
			"note":           reading.Text("note of " + d.Name),
		})
		w.Presence.Seen(testkit.Ref(d))
		w.Diagnostics.Count(
			testkit.Ref(d),
			w.Clock.Milli(),
			3,
			[]device.Refusal{{Time: w.Clock.Milli(), Identifier: "id of " + d.Name, Reason: device.ReasonUnknown}},
			time.Second,
		)
		w.Notice(
			t,
			testkit.Notice{
				Device:     d,
				Level:      alarm.LevelSerious,
				Start:      w.Clock.Milli() - 60_000,
				CreateTime: w.Clock.Milli(),
			},
		)
		w.Message(t, d.Tenant)
	}
	if err := w.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
}

// measure appends one frame of a device.
func (w *fixture) measure(t testing.TB, d *device.Device, at time.Time, values map[string]reading.Value) {
	t.Helper()
	if err := w.readings.Append(t.Context(), []reading.Arrival{w.arrival(d, at, values)}); err != nil {
		t.Fatal(err)
	}
}

// arrival returns one frame of a device that arrives now.
func (w *fixture) arrival(d *device.Device, at time.Time, values map[string]reading.Value) reading.Arrival {
	f := reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: at.UnixMilli()}
	for _, p := range w.station.Properties {
		if v, ok := values[p.Identifier]; ok {
			f.Fields = append(f.Fields, reading.Field{Property: p.ID, Value: v})
		}
	}
	return reading.Arrival{Frame: f, At: w.Clock.Milli()}
}

// get returns a signed-in GET of the field's ada.
func (w *fixture) get(path string) testkit.Call { return testkit.Call{Path: path, Token: w.ada} }

const (
	captchaPath  = "/admin-api/system/captcha/get"
	checkPath    = "/admin-api/system/captcha/check"
	loginPath    = "/app-api/member/auth/login-username"
	logoutPath   = "/app-api/member/auth/logout"
	refreshPath  = "/admin-api/system/auth/refresh-token"
	byNamePath   = "/admin-api/system/tenant/get-id-by-name"
	byHostPath   = "/admin-api/system/tenant/get-by-website"
	settingsPath = "/admin-api/system/console/settings"
	userPath     = "/app-api/member/user/get"
	overviewPath = "/admin-api/client/pc/home/overview-statistics"
	productsPath = "/admin-api/client/pc/product/get/simple-list"
	pagePath     = "/admin-api/client/pc/device/page"
	groupsPath   = "/admin-api/client/pc/device/get-group-device-list"
	namesPath    = "/admin-api/client/pc/device/deviceNames/get"
	mapPath      = "/admin-api/client/pc/device/map"
	lastPath     = "/admin-api/device/data/all/data-last"
	tslPath      = "/admin-api/client/pc/device/get/tsl"
	seriesPath   = "/admin-api/client/pc/device/get/format-map/time-interval-data"
	rowsPath     = "/admin-api/client/pc/device/get/format-sign-array/time-interval-data"
	exportPath   = "/admin-api/client/pc/device/export-device-data-excel"
	coveragePath = "/admin-api/client/pc/device/get/coverage"
	countsPath   = "/admin-api/client/pc/device/get/diagnostics"
	scenePath    = "/admin-api/client/pc/group/"
	elementsPath = "/admin-api/client/pc/element/get-map/yeu-sign"
	unreadPath   = "/admin-api/client/pc/notify-message/get-unread-count"
	livePath     = "/admin-api/client/pc/live"
)

// series returns the path of a device's series over the hour around now.
func (w *fixture) series(deviceName, signs string) string {
	return w.pathAroundNow(seriesPath, deviceName, signs)
}

// pathAroundNow returns the path of a call for a device's readings over the hour around now.
func (w *fixture) pathAroundNow(path, deviceName, signs string) string {
	return rangePath(path, deviceName, signs, w.Clock.Now().Add(-30*time.Minute), w.Clock.Now().Add(30*time.Minute))
}

// rangePath returns the path of a call for a device's readings over a range.
func rangePath(path, deviceName, signs string, from, to time.Time) string {
	return path + "?" + url.Values{
		"deviceName": {deviceName}, "yeuSignList": {signs},
		"startTime": {strconv.FormatInt(from.UnixMilli(), 10)}, "endTime": {strconv.FormatInt(to.UnixMilli(), 10)},
	}.Encode()
}

func loginCall(tenantName, userName, password string) testkit.Call {
	return testkit.Call{
		Method: http.MethodPost,
		Path:   loginPath,
		Body:   `{"tenantName":"` + tenantName + `","userName":"` + userName + `","password":"` + password + `"}`,
	}
}

// Every call without a session has the same answer: HTTP 200, and 401 in the envelope.
func TestUnauthenticated(t *testing.T) {
	w := newServer(t)
	expired := w.Session(t, w.field.Ada).Access
	pair := w.Session(t, w.field.Ada)
	w.Clock.Advance(31 * time.Minute)
	seen := 0
	for _, op := range w.Operations(w.ConsoleTags()...) {
		if op.Public {
			continue
		}
		seen++
		for name, header := range map[string]string{
			"none": "", "empty": "Bearer ", "made up": "Bearer abc", "expired": "Bearer " + expired, "refresh token": "Bearer " + pair.Refresh,
			"basic": "Basic YWRhOmFkYQ==", "bare": expired,
		} {
			call := testkit.Call{Method: op.Method, Path: op.Path, Header: map[string]string{}}
			if header != "" {
				call.Header["Authorization"] = header
			}
			if a := w.Do(t, call); a.Status != http.StatusOK || a.Code != 401 ||
				a.Msg != "authentication failed, cannot access system resources" {
				t.Errorf("%s, token %s: %d %s", op.ID, name, a.Status, a.Body)
			}
		}
	}
	if seen < 12 {
		t.Errorf("only %d calls need a session", seen)
	}
}

// An unknown path or method is answered with the envelope and an HTTP status, signed in or not; and
// every answer has its own id.
func TestUnknownPathsAndMethods(t *testing.T) {
	w := newServer(t)
	ids := map[string]bool{}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/admin-api/none", 404},
		{"GET", "/app-api/", 404},
		{"POST", "/app-api/member/user/none", 404},
		{"GET", pagePath + "/", 404},
		{"GET", pagePath + "x", 404},
		{"GET", "/admin-api//client/pc/device/page", 404},
		{"GET", "/admin-api/client/../client/pc/device/page", 404},
		{"GET", "/admin-api/client%2Fpc/device/page", 404},
		{"GET", "/admin-api/system/console/settings/", 404},
		{"POST", pagePath, 405},
		{"DELETE", userPath, 405},
		{"HEAD", userPath, 405},
		{"OPTIONS", userPath, 405},
		{"GET", loginPath, 405},
		{"GET", refreshPath, 405},
	} {
		for _, token := range []string{"", w.ada} {
			a := w.Do(t, testkit.Call{Method: c.method, Path: c.path, Token: token})
			if a.Status != c.status || a.Code != c.status || string(a.Data) != "null" {
				t.Errorf("%s %s: %d %s", c.method, c.path, a.Status, a.Body)
			}
			ids[a.Header.Get("X-Request-Id")] = true
		}
	}
	if len(ids) != 2*15 {
		t.Errorf("%d ids of 30 answers", len(ids))
	}
	a := w.Do(t, testkit.Call{Path: "/admin-api/none", Header: map[string]string{"Accept-Language": "ru-RU,ru;q=0.9"}})
	if a.Msg != "Запись не найдена" {
		t.Errorf("message %q", a.Msg)
	}
}

func TestTooLargeBodies(t *testing.T) {
	w := newServer(t)
	large := `{"tenantName":"field","userName":"ada","password":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, call := range map[string]testkit.Call{
		"login":                    {Method: "POST", Path: loginPath, Body: large},
		"of a call without a body": {Method: "POST", Path: logoutPath, Body: large, Token: w.ada},
		"of a GET":                 {Path: userPath, Body: large, Token: w.ada},
		"of a public POST":         {Method: "POST", Path: refreshPath + "?refreshToken=x", Body: large},
	} {
		if a := w.Do(t, call); a.Status != 413 || a.Msg != "The request is too large" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	// A refused call did not end the session.
	if a := w.Do(t, w.get(userPath)); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}

func TestHealth(t *testing.T) {
	w := newServer(t)
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		if a := w.Do(t, testkit.Call{Path: path}); a.Status != 200 || string(a.Body) != want {
			t.Errorf("%s: %d %q", path, a.Status, a.Body)
		}
	}
	w.readyErr = errors.New("readings are being read into memory")
	if a := w.Do(t, testkit.Call{Path: "/readyz"}); a.Status != 503 || string(a.Body) != w.readyErr.Error()+"\n" {
		t.Errorf("%d %q", a.Status, a.Body)
	}
	if a := w.Do(t, testkit.Call{Path: "/healthz"}); a.Status != 200 {
		t.Errorf("alive but not ready: %d", a.Status)
	}
}

// Paths outside the console's API go to the devices' edge and to the web console.
func TestNonCallPaths(t *testing.T) {
	handlerOf := func(who string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(who)) })
	}
	w := newServer(
		t,
		func(o *console.Options) {
			o.Telemetry, o.MQTT, o.Web = handlerOf("edge"), handlerOf("mqtt"), handlerOf("console")
		},
	)
	for path, want := range map[string]string{"/": "console", "/device": "console", "/assets/a.js": "console", "/api/v1/x/attributes": "edge", "/weatherstation/x": "edge", "/api/v2": "console", "/mqtt": "mqtt", "/mqtt/": "console", "/admin": "console"} {
		if a := w.Do(t, testkit.Call{Path: path}); string(a.Body) != want {
			t.Errorf("%s: %d %q", path, a.Status, a.Body)
		}
	}
	// Where a station reports whose path was never set.
	if a := w.Do(t, testkit.Call{Method: http.MethodPost, Path: "/data/report/"}); string(a.Body) != "edge" {
		t.Errorf("a station's report: %d %q", a.Status, a.Body)
	}
}

// A handler that takes over the connection, as for a WebSocket, gets it.
func TestConnectionHijack(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		o.MQTT = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			if _, err := conn.Write([]byte("HTTP/1.1 418 Mine\r\nContent-Length: 0\r\n\r\n")); err != nil {
				t.Error(err)
			}
		})
	})
	server := httptest.NewServer(w.Handler)
	defer server.Close()
	resp, err := http.Get(server.URL + "/mqtt")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Request-Id") != "" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
}
