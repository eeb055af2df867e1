package openapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi"
	"tilth/internal/tools/testkit"
)

// marker is in all texts of the rival, so that a test can detect data of another tenant in an
// answer.
const marker = "zzrival"

// key is a program's credential.
type key struct{ appKey, secret string }

// fixture is the open API on real stores with two tenants. The tenant field has WS-1 (in the scene
// North, with readings and a notice), WS-2 and CAM-1. The tenant rival has one of each, all with
// the marker.
type fixture struct {
	*testkit.Stores
	readings *reading.Store
	handler  http.Handler
	contract *contract

	station            *device.Product
	field, rival       *testkit.Tenant
	ws1, rivalDevice   *device.Device
	notice             int64
	rivalNotice        int64
	fieldKey, rivalKey key
	credential         identity.Credential
	rivalCredential    identity.Credential
}

// newFixture makes the fixture; with changes the server's options.
func newFixture(t testing.TB, with ...func(*openapi.Options)) *fixture {
	t.Helper()
	w := &fixture{Stores: testkit.NewStores(t)}
	w.readings = w.Readings
	w.field, w.rival = w.Tenant(t, "field"), w.Tenant(t, marker)
	w.station = w.Station(t)
	north, theirScene := w.Scene(t, w.field.ID, "North"), w.Scene(t, w.rival.ID, marker+" scene")
	w.ws1 = w.Device(t, w.field.ID, w.station, "WS-1", func(d *device.Device) {
		d.NoteName, d.SceneID, d.Longitude, d.Latitude = "Mast", north, new(32.85), new(39.92)
	})
	w.Device(t, w.field.ID, w.station, "WS-2")
	w.Device(t, w.field.ID, w.station, "CAM-1", func(d *device.Device) { d.Serial = "x-SXT-1" })
	w.rivalDevice = w.Device(t, w.rival.ID, w.station, marker+"-1", func(d *device.Device) {
		d.NoteName, d.SceneID = marker+" mast", theirScene
	})
	for _, d := range []*device.Device{w.ws1, w.rivalDevice} {
		w.measure(t, d, w.Clock.Now(), map[string]reading.Value{
			"airTemperature": reading.Number(21.5),
			"heating":        reading.Boolean(true),
			"note":           reading.Text("note of " + d.Name),
		})
		w.Presence.Seen(testkit.Ref(d))
	}
	w.notice = w.Notice(
		t,
		testkit.Notice{
			Device:     w.ws1,
			Level:      alarm.LevelSerious,
			Start:      w.Clock.Milli() - 60_000,
			CreateTime: w.Clock.Milli(),
		},
	)
	w.rivalNotice = w.Notice(
		t,
		testkit.Notice{
			Device:     w.rivalDevice,
			Title:      marker + " frost",
			Start:      w.Clock.Milli() - 60_000,
			CreateTime: w.Clock.Milli(),
		},
	)
	w.credential, w.fieldKey = w.newKey(t, w.field.Ada)
	w.rivalCredential, w.rivalKey = w.newKey(t, w.rival.Ada)
	o := openapi.Options{
		Stores: w.Stores.Stores,
		Rate:   1_000_000,
		Address: func(r *http.Request) netip.Addr {
			return netip.MustParseAddrPort(r.RemoteAddr).Addr()
		},
	}
	for _, f := range with {
		f(&o)
	}
	var err error
	if w.handler, err = openapi.New(o); err != nil {
		t.Fatal(err)
	}
	w.contract = newContract(t)
	return w
}

func (w *fixture) newKey(t testing.TB, u *identity.User) (identity.Credential, key) {
	t.Helper()
	c, secret, err := w.Credentials.Create(t.Context(), u.Tenant, u.ID, identity.CredentialForm{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return c, key{c.AppKey, secret}
}

// measure appends one frame of a device.
func (w *fixture) measure(t testing.TB, d *device.Device, at time.Time, values map[string]reading.Value) {
	t.Helper()
	if err := w.readings.Append(t.Context(), []reading.Arrival{w.arrival(d, at.UnixMilli(), values)}); err != nil {
		t.Fatal(err)
	}
}

func (w *fixture) arrival(d *device.Device, at int64, values map[string]reading.Value) reading.Arrival {
	f := reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: at}
	for _, p := range w.station.Properties {
		if v, ok := values[p.Identifier]; ok {
			f.Fields = append(f.Fields, reading.Field{Property: p.ID, Value: v})
		}
	}
	return reading.Arrival{Frame: f, At: w.Clock.Milli()}
}

// measureMany appends n frames of WS-1, one second apart.
func (w *fixture) measureMany(t testing.TB, from time.Time, n int) {
	t.Helper()
	const batch = 5_000
	for done := 0; done < n; done += batch {
		list := make([]reading.Arrival, 0, batch)
		for i := done; i < min(n, done+batch); i++ {
			list = append(list, w.arrival(w.ws1, from.UnixMilli()+int64(i)*1000, map[string]reading.Value{
				"airTemperature": reading.Number(float64(i%400) / 10), "note": reading.Text(fmt.Sprint("row ", i)),
			}))
		}
		if err := w.readings.Append(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
}

// call is one request: a GET of the field's program unless its fields say otherwise.
type call struct {
	method string
	path   string // below /open-api/v1, or absolute
	as     *key   // nil: the field's key; the zero key: not signed in
	header map[string]string
	from   string // address of the client
	body   string // JSON; empty: none
}

func (c call) request(t testing.TB, w *fixture, base string) *http.Request {
	path := c.path
	if !strings.HasPrefix(path, "/open-api") {
		path = "/open-api/v1" + path
	}
	r := httptest.NewRequestWithContext(
		t.Context(),
		cmp.Or(c.method, http.MethodGet),
		base+path,
		strings.NewReader(c.body),
	)
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.RequestURI = "" // httptest sets it, and only a server may
	r.RemoteAddr = net.JoinHostPort(cmp.Or(c.from, "192.0.2.1"), "40000")
	as := w.fieldKey
	if c.as != nil {
		as = *c.as
	}
	if as != (key{}) {
		r.SetBasicAuth(as.appKey, as.secret)
	}
	for name, value := range c.header {
		r.Header.Set(name, value)
	}
	return r
}

// answer is the answer to a call.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do makes a call and checks its answer against the contract.
func (w *fixture) do(t testing.TB, c call) *answer {
	t.Helper()
	rec := httptest.NewRecorder()
	r := c.request(t, w, "http://tilth.test")
	w.handler.ServeHTTP(rec, r)
	a := &answer{status: rec.Code, header: rec.Result().Header, body: rec.Body.Bytes()}
	if err := w.contract.check(r, a); err != nil {
		t.Fatalf("%s %s answered %d %s\nagainst the contract: %v", r.Method, c.path, a.status, a.body, err)
	}
	return a
}

// ask makes a call, which must succeed, and reads its answer.
func ask[T any](t testing.TB, w *fixture, c call) T {
	t.Helper()
	a := w.do(t, c)
	var v T
	if err := json.Unmarshal(a.body, &v); err != nil || a.status != http.StatusOK {
		t.Fatalf("%s: %d %s (%v)", c.path, a.status, a.body, err)
	}
	return v
}

// problem is a refusal.
type problem struct {
	Type, Title, Detail, Code, Parameter string
	Status                               int
}

// mustRefuse makes a call, which must be refused with a status.
func (w *fixture) mustRefuse(t testing.TB, c call, status int) problem {
	t.Helper()
	a := w.do(t, c)
	var p problem
	if err := json.Unmarshal(a.body, &p); err != nil || a.status != status || p.Status != status {
		t.Fatalf("%s: %d %s (%v), want %d", c.path, a.status, a.body, err, status)
	}
	return p
}

// serve serves the open API on a real socket.
func (w *fixture) serve(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(w.handler)
	t.Cleanup(s.Close)
	return s.URL
}

// query returns a path with parameters; pairs holds names and values in turn.
func query(path string, pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + v.Encode()
}

func rfc3339(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
