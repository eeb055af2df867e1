package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// An uplink event as ChirpStack's HTTP integration posts it.
const chirpStackUp = `{
  "deduplicationId": "3ac7e3c4-4401-4b8d-9386-a5c902f9202d", "time": "2026-03-01T08:59:29.987654321+00:00",
  "deviceInfo": {"tenantId": "52f14cd4-c6f1-4fbd-8f87-4025e1d49242", "tenantName": "Greenfield", "applicationId": "17c82e96-be03-4f38-aef3-f83d48582d97",
    "applicationName": "orchard", "deviceProfileId": "14855bf7-d10d-4aee-b618-ebfcb64dc7ad", "deviceProfileName": "probe", "deviceName": "PROBE-A",
    "devEui": "a84041ffff1a2b3c", "tags": {"row": "12"}},
  "devAddr": "00189440", "dr": 1, "fCnt": 14, "fPort": 2, "data": "CwEBCw==",
  "object": {%s},
  "rxInfo": [{"gatewayId": "0016c001f153a14c", "uplinkId": 4217106255, "gwTime": "2026-03-01T08:59:29.987654321+00:00", "nsTime": "2026-03-01T08:59:30.234567891+00:00", "rssi": -107, "snr": 3.5},
    {"gatewayId": "0016c001ff10a235", "nsTime": "2026-03-01T08:59:30.123456789+00:00", "rssi": -96, "snr": 7.25}, {"gatewayId": "0016c001ff10a236"}],
  "txInfo": {"frequency": 868500000, "modulation": {"lora": {"bandwidth": 125000, "spreadingFactor": 11, "codeRate": "CR_4_5"}}}
}`

// A message as The Things Stack's webhooks post it.
const thingsStackUp = `{
  "end_device_ids": {"device_id": "probe-b", "application_ids": {"application_id": "orchard"}, "dev_eui": "A84041FFFF1A2B3D", "join_eui": "800000000000000C", "dev_addr": "00BCB929"},
  "correlation_ids": ["as:up:01E0WZGT6Y7657CPFPE5WEYDSQ"], "received_at": "2026-03-01T08:59:41.5Z",
  "uplink_message": {"session_key_id": "AXA50tHUPNwX", "f_port": 1, "f_cnt": 664, "frm_payload": "AgkUAQ==", "decoded_payload": {%s},
    "rx_metadata": [{"gateway_ids": {"gateway_id": "gtw1"}, "rssi": -35, "snr": 5}], "settings": {"data_rate": {"lora": {"bandwidth": 125000, "spreading_factor": 7}}, "frequency": "868300000"},
    "received_at": "2026-03-01T08:59:40.25Z", "consumed_airtime": "0.056576s"}
}`

// lorawanFixture is an edge on real stores: two tenants, each with a credential, and the devices
// that network servers report.
type lorawanFixture struct {
	*testkit.Stores
	t        *testing.T
	journal  *memoryJournal
	pipeline *Pipeline
	url      string
	keys     map[string][2]string // appKey and appSecret by tenant
	base     map[device.ID]string
}

func newLoRaWANFixture(t *testing.T, change ...func(*Options)) *lorawanFixture {
	t.Helper()
	o := &lorawanFixture{
		Stores:  testkit.NewStores(t),
		t:       t,
		journal: newMemoryJournal(),
		keys:    map[string][2]string{},
		base:    map[device.ID]string{},
	}
	o.Clock.Set(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	probe := &device.Product{Name: "probe", OfflineAfter: time.Hour, Properties: []device.Property{
		{
			Identifier:   "soilMoisture",
			FunctionName: "Moisture",
			DataType:     device.Number,
			AccessMode:   "r",
			Min:          new(0.0),
			Max:          new(100.0),
		},
		{Identifier: "battery_voltage", FunctionName: "Battery", DataType: device.Number, AccessMode: "r"},
		{Identifier: "rssi", FunctionName: "Signal", DataType: device.Number, AccessMode: "r"},
	}}
	if err := o.Catalog.PutProduct(t.Context(), probe); err != nil {
		t.Fatal(err)
	}
	green, blue := o.Tenant(t, "green"), o.Tenant(t, "blue")
	for _, owner := range []*testkit.Tenant{green, blue} {
		made, secret, err := o.Credentials.Create(
			t.Context(),
			owner.ID,
			owner.Ada.ID,
			identity.CredentialForm{Name: "network server"},
		)
		if err != nil {
			t.Fatal(err)
		}
		o.keys[owner.Name] = [2]string{made.AppKey, secret}
	}
	add := func(owner tenant.ID, name, serial string, with ...func(*device.Device)) {
		d := o.Device(t, owner, probe, name, append(with, func(d *device.Device) { d.Serial = serial })...)
		o.base[d.ID] = name
	}
	add(green.ID, "A84041FFFF1A2B3C", "1")    // found by its name, the DevEUI
	add(green.ID, "P-B", "A84041FFFF1A2B3D")  // found by its serial
	add(green.ID, "probe-c", "2")             // found by the network server's name
	add(green.ID, "P-D1", "a84041ffff1a2b40") // two devices with one serial
	add(green.ID, "P-D2", "A84041FFFF1A2B40")
	add(green.ID, "probe-off", "3", func(d *device.Device) { d.Disabled = true })
	add(blue.ID, "P-BLUE", "A84041FFFF1A2BFF")
	settings := Options{
		Registry:     o.Registry,
		Diagnostics:  o.Diagnostics,
		Traces:       o.Traces,
		Hints:        o.Hints,
		Presence:     o.Presence,
		Journal:      o.journal,
		Now:          o.Clock.Now,
		Rate:         1e6,
		Burst:        1e6,
		FailureRate:  0.01,
		FailureBurst: 5,
	}
	for _, f := range change {
		f(&settings)
	}
	o.pipeline = NewPipeline(settings)
	s := httptest.NewServer(NewLoRaWAN(o.pipeline, o.Credentials, o.Devices))
	o.url = s.URL + "/api/v1/integrations/"
	t.Cleanup(func() {
		s.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := o.pipeline.Close(ctx); err != nil {
			t.Errorf("closing the edge: %v", err)
		}
	})
	return o
}

// post posts with a tenant's credential, and returns status and body of the answer.
func (o *lorawanFixture) post(as, path, body string) (string, http.Header) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.url+path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	if key, known := o.keys[as]; known {
		r.SetBasicAuth(key[0], key[1])
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return fmt.Sprint(a.StatusCode, " ", string(text)), a.Header
}

// committed lists the committed frames: device, time within the minute, values by property.
func (o *lorawanFixture) committed() (lines []string) {
	for _, f := range o.journal.frames() {
		line := o.base[f.Device] + " " + time.UnixMilli(f.Time).UTC().Format("05.000")
		p := o.Registry.Get(f.Device).Product
		for _, field := range f.Fields {
			for _, property := range p.Properties {
				if property.ID == field.Property {
					line += " " + property.Identifier + "=" + field.Value.String()
				}
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// A network server's credential needs the scope telemetry, and a user who is an operator.
func TestUplinkNeedsRoleAndScope(t *testing.T) {
	o := newLoRaWANFixture(t)
	green, err := o.Tenants.ByName(t.Context(), "green")
	if err != nil {
		t.Fatal(err)
	}
	ada, err := o.Users.ByName(t.Context(), green.ID, "ada")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		scopes []string
		user   identity.Role
		want   string
	}{
		"with the scope":    {[]string{"telemetry"}, identity.Owner, "200 {}"},
		"of an operator":    {[]string{"telemetry"}, identity.Operator, "200 {}"},
		"without the scope": {[]string{"read", "webhooks"}, identity.Owner, `403 {"code":"forbidden"}`},
		"of a viewer's":     {[]string{"telemetry"}, identity.Viewer, `403 {"code":"forbidden"}`},
	} {
		form := identity.CredentialForm{Name: name, Scopes: &c.scopes}
		made, secret, err := o.Credentials.Create(t.Context(), green.ID, ada.ID, form)
		if err != nil {
			t.Fatal(err)
		}
		ada.Role = c.user
		if err := o.Users.Update(t.Context(), green.ID, ada); err != nil {
			t.Fatal(err)
		}
		o.keys["program"] = [2]string{made.AppKey, secret}
		if got, _ := o.post("program", "chirpstack", fmt.Sprintf(chirpStackUp, `"soilMoisture": 31.5`)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		ada.Role = identity.Owner
		if err := o.Users.Update(t.Context(), green.ID, ada); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoRaWANUplinks(t *testing.T) {
	o := newLoRaWANFixture(t)
	chirp := func(from, to, object string) string {
		return strings.ReplaceAll(fmt.Sprintf(chirpStackUp, object), from, to)
	}
	things := func(from, to, decoded string) string {
		return strings.ReplaceAll(fmt.Sprintf(thingsStackUp, decoded), from, to)
	}
	const moist = `"soilMoisture": 31.5`
	for _, c := range []struct{ name, as, path, body, want string }{
		{"DevEUI is the name", "green", "chirpstack?event=up", chirp("", "", moist), "200 {}"},
		{"DevEUI is the serial", "green", "thethingsstack", things("", "", moist), "200 {}"},
		{"the network server's name", "green", "chirpstack", chirp(`"PROBE-A",
    "devEui": "a84041ffff1a2b3c"`, `"probe-c", "devEui": "a84041ffff1a2b50"`, moist), "200 {}"},
		{"objects are flattened", "green", "thethingsstack", things("", "", `"battery": {"voltage": 3.6, "cells": {"count": 1}}`), "200 {}"},
		{"the payload's own rssi", "green", "thethingsstack", things("", "", `"rssi": -1`), "200 {}"},
		{"partly valid", "green", "thethingsstack", things("", "", `"soilMoisture": 7, "soilWarmth": [1, 2]`), "200 {}"},
		{"without a time", "green", "chirpstack", strings.ReplaceAll(chirp(`"nsTime"`, `"x"`, `"soilMoisture": 8`), `"time": "2026-03-01T08:59:29.987654321+00:00",`, ""), "200 {}"},
		{"join", "green", "chirpstack?event=join", `{"deviceInfo": {}}`, "200 {}"},
		{"acknowledgement", "green", "thethingsstack", `{"end_device_ids": {"device_id": "probe-b"}, "downlink_ack": {}}`, "200 {}"},

		{"not decoded", "green", "chirpstack", chirp("", "", ""), `400 {"code":"refused","reason":"unreadable"}`},
		{"out of range", "green", "chirpstack", strings.ReplaceAll(chirp("", "", `"soilMoisture": 101`), "-96", `"-"`), `400 {"code":"refused","reason":"unreadable"}`},
		{"nothing valid", "green", "thethingsstack", strings.ReplaceAll(things("", "", `"soilMoisture": 101`), `"rssi": -35,`, ""), `400 {"code":"refused","reason":"outOfRange","identifier":"soilMoisture"}`},
		{"no JSON", "green", "chirpstack", `devEui=1`, `400 {"code":"refused","reason":"unreadable"}`},
		{"another server's format", "green", "chirpstack", things("", "", moist), `400 {"code":"refused","reason":"unreadable"}`},
		{"another server's format", "green", "thethingsstack", chirp("", "", moist), `400 {"code":"refused","reason":"unreadable"}`},
		{"unknown device", "green", "chirpstack", chirp("1a2b3c", "1a2b99", moist), `404 {"code":"refused","reason":"notYours","identifier":"a84041ffff1a2b99"}`},
		{"two devices with the serial", "green", "chirpstack", chirp("1a2b3c", "1a2b40", moist), `404 {"code":"refused","reason":"notYours","identifier":"a84041ffff1a2b40"}`},
		{"no EUI and no name", "green", "chirpstack", `{"deviceInfo": {"devEui": "%"}, "object": {"soilMoisture": 1}}`, `404 {"code":"refused","reason":"notYours","identifier":"%"}`},
		{"disabled, by serial", "green", "thethingsstack", things("A84041FFFF1A2B3D", "", strings.ReplaceAll(moist, "x", "")), `404 {"code":"refused","reason":"notYours"}`},
		{"disabled, by name", "green", "thethingsstack", strings.ReplaceAll(things("A84041FFFF1A2B3D", "", moist), "probe-b", "probe-off"), `403 {"code":"refused","reason":"disabled","identifier":"probe-off"}`},
		{"another tenant's device", "blue", "chirpstack", chirp("", "", moist), `404 {"code":"refused","reason":"notYours","identifier":"a84041ffff1a2b3c"}`},
		{"another tenant's serial", "green", "chirpstack", chirp("1a2b3c", "1a2bff", moist), `404 {"code":"refused","reason":"notYours","identifier":"a84041ffff1a2bff"}`},
		{"another tenant's name", "green", "chirpstack", `{"deviceInfo": {"deviceName": "P-BLUE"}, "object": {"soilMoisture": 1}}`, `404 {"code":"refused","reason":"notYours"}`},
	} {
		if got, _ := o.post(c.as, c.path, c.body); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	want := []string{
		"A84041FFFF1A2B3C 30.123 soilMoisture=31.5 rssi=-96",
		"P-B 40.250 soilMoisture=31.5 rssi=-35",
		"probe-c 30.123 soilMoisture=31.5 rssi=-96",
		"P-B 40.250 battery_voltage=3.6 rssi=-35",
		"P-B 40.250 rssi=-1",
		"P-B 40.250 soilMoisture=7 rssi=-35",
		"A84041FFFF1A2B3C 00.000 soilMoisture=8 rssi=-96",
	}
	if got := o.committed(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("committed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Refused values of a known device show on its page.
	d := o.Registry.Find(o.Registry.Get(1).Tenant, "P-B")
	if got := o.Diagnostics.Get(d.Tenant, d.ID); got.Refused == 0 {
		t.Errorf("no refusal is counted: %+v", got)
	}
}

func TestLoRaWANSignIn(t *testing.T) {
	o := newLoRaWANFixture(t)
	body := fmt.Sprintf(thingsStackUp, `"soilMoisture": 1`)
	right := o.keys["green"]
	if got, _ := o.post("green", "thethingsstack", body); got != "200 {}" {
		t.Errorf("signed in: %s", got)
	}
	if err := o.Credentials.Toggle(t.Context(), o.Registry.Get(1).Tenant, 1, 1); err != nil {
		t.Fatal(err)
	}
	if got, _ := o.post("green", "thethingsstack", body); got != `401 {"code":"unauthorized"}` {
		t.Errorf("a deleted credential: %s", got)
	}
	if err := o.Credentials.Toggle(t.Context(), o.Registry.Get(1).Tenant, 1, 1); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][2]string{{}, {right[0], "x"}, {right[0], o.keys["blue"][1]}, {"tk_x", right[1]}} {
		o.keys["wrong"] = wrong
		got, header := o.post("wrong", "thethingsstack", body)
		basic := strings.HasPrefix(header.Get("WWW-Authenticate"), "Basic ")
		if got != `401 {"code":"unauthorized"}` || !basic {
			t.Errorf("%v: %s %v", wrong, got, header)
		}
	}
	// Failed sign-ins of an address get 429 after the limit; correct credentials from the address
	// still succeed.
	got, header := o.post("wrong", "thethingsstack", body)
	if got != `429 {"code":"tooMany"}` || header.Get("Retry-After") == "" {
		t.Errorf("after five failures: %s %v", got, header)
	}
	if got, _ := o.post("green", "thethingsstack", body); got != "200 {}" {
		t.Errorf("the right credential from the same address: %s", got)
	}
}

// failingDB is a database that does not answer.
type failingDB struct{}

func (failingDB) Authenticate(context.Context, string, string) (identity.APICaller, error) {
	return identity.APICaller{}, errors.New("no disk")
}

func (failingDB) Find(context.Context, string, string) (identity.APICaller, error) {
	return identity.APICaller{}, errors.New("no disk")
}

func (failingDB) BySerial(context.Context, tenant.ID, []string) ([]device.ID, error) {
	return nil, errors.New("no disk")
}

func (failingDB) HadSerial(context.Context, tenant.ID, device.ID, []string) (bool, error) {
	return false, errors.New("no disk")
}

func TestLoRaWANAnswersRetryWhenStoreFails(t *testing.T) {
	o := newLoRaWANFixture(t)
	body := fmt.Sprintf(thingsStackUp, `"soilMoisture": 1`)
	for name, h := range map[string]http.Handler{
		"credentials": NewLoRaWAN(o.pipeline, failingDB{}, o.Devices), "devices": NewLoRaWAN(o.pipeline, o.Credentials, failingDB{}),
	} {
		r := httptest.NewRequestWithContext(
			t.Context(),
			http.MethodPost,
			"/api/v1/integrations/thethingsstack",
			strings.NewReader(body),
		)
		r.SetBasicAuth(o.keys["green"][0], o.keys["green"][1])
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	o.journal.fail(errors.New("the disk is full"))
	if got, _ := o.post("green", "thethingsstack", body); got != `503 {"code":"unavailable"}` {
		t.Errorf("a failed commit: %s", got)
	}
	if len(o.committed()) != 0 {
		t.Errorf("committed %v", o.committed())
	}
}

// nested is an uplink with the given number of nested objects around inside.
func nested(depth int, name, inside string) string {
	object := strings.Repeat(`{"`+name+`":`, depth) + inside + strings.Repeat("}", depth)
	return `{"deviceInfo": {"devEui": "A84041FFFF1A2B3C"}, "fPort": 2, "data": "AQ==", "object": ` + object + "}"
}

// Nested objects are flattened up to the depth that codecs produce, and never cost more than a few
// times the size of the body.
func TestLoRaWANNesting(t *testing.T) {
	o := newLoRaWANFixture(t)
	const unreadable = `400 {"code":"refused","reason":"unreadable"}`
	for _, c := range []struct{ name, body, want string }{
		{"at the depth limit", nested(16, "k", "1"), `400 {"code":"refused","reason":"unknown","identifier":"k_k_k_k_k_k_k_k"}`},
		{"deeper", nested(17, "k", "1"), unreadable},
		{"lists", nested(1, "soilMoisture", strings.Repeat("[", 16)+strings.Repeat("]", 16)), unreadable},
		{"at the depth limit of JSON", nested(9990, strings.Repeat("k", 20), "1"), unreadable},
		{"no object", strings.ReplaceAll(nested(0, "", "5"), "\n", ""), unreadable},
		{"null", nested(0, "", "null"), unreadable},
		{"empty", nested(0, "", "{}"), unreadable},
		{"brackets in a string", nested(1, "soilMoisture", `"`+strings.Repeat("{", 20)+`"`), `400 {"code":"refused","reason":"wrongType","identifier":"soilMoisture"}`},
		{"a name that the database cannot store", nested(1, `a\u0000`, `{"b": 1}`), `400 {"code":"refused","reason":"unknown","identifier":"a\uFFFD_b"}`},
	} {
		if got, _ := o.post("green", "chirpstack", c.body); got != strings.ReplaceAll(c.want, "\\uFFFD", "\uFFFD") {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	list := strings.Repeat(`{"ts":1767258000,"rssi":-9},`, 9_000)
	for name, body := range map[string]string{
		"deep":           nested(9990, strings.Repeat("k", 20), "1"),
		"long names":     nested(15, strings.Repeat("k", 6000), `{`+strings.Repeat(`"a": 1, `, 15_000)+`"a": 1}`),
		"many names":     nested(7, "k", `{`+strings.Repeat(`"a": 1, `, 30_000)+`"a": 1}`),
		"readings":       nested(1, "history", "["+list+"{}]"),
		"empty elements": nested(1, "history", `[{"ts":1767258000}`+strings.Repeat(",{}", 80_000)+"]"),
		"lists of lists": nested(1, "messages", strings.Repeat("[", 14)+list+"{}"+strings.Repeat("]", 14)),
		"bad times":      nested(1, "history", strings.Repeat(`[{"ts":1}`, 1)+strings.Repeat(`,{"ts":1}`, 25_000)+"]"),
	} {
		u, err := chirpStack("up", []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		e, arrival := o.Registry.Get(1), o.Clock.Now().UnixMilli()
		made := testing.AllocsPerRun(1, func() { o.pipeline.decoder.decodeUplink(&messageContent{}, e, u, arrival) })
		if made > float64(len(body)) {
			t.Errorf("%s: %d bytes took %.0f allocations", name, len(body), made)
		}
	}
}

func FuzzUplink(f *testing.F) {
	for _, object := range []string{
		`"a": {"b": {"c": 1}}`,
		`"history": [{"timestamp": 1700000000, "humidity": 5}, {"ts": "x"}, [{"date": null}]]`,
		`"messages": [[{"measurementId": "4097", "measurementValue": 1, "type": "Humidity"}], []]`,
	} {
		f.Add(fmt.Appendf(nil, chirpStackUp, object))
	}
	f.Add(fmt.Appendf(nil, thingsStackUp, `"a": null`))
	f.Add([]byte(`{"deviceInfo": {}, "data": "AQ==", "object": {"": {}}, "rxInfo": [{"rssi": 1e308}]}`))
	f.Add([]byte(`{"end_device_ids": {}, "received_at": 7, "uplink_message": {"received_at": "0001-01-01T00:00:00Z",
		"frm_payload": "AQ==", "normalized_payload": [{"time": "2023-11-14T22:13:20Z", "soil": {"depth": 10, "moisture": 5}}],
		"decoded_payload": {"humidity": 1}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		chirp := func(b []byte) (*uplink, error) { return chirpStack("up", b) }
		for _, read := range []func([]byte) (*uplink, error){chirp, thingsStack} {
			u, err := read(body)
			if err != nil {
				continue
			}
			d := newDecoder()
			var c messageContent
			d.decodeUplink(&c, d.registry.Get(1), u, now)
			checkFrames(t, c, 1)
		}
	})
}
