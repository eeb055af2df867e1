package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
)

// fieldProbe is a product as a person would make it for a probe of their own.
func fieldProbe() *device.Product {
	p := &device.Product{}
	for i, x := range []struct{ identifier, unit, upload string }{
		{"airTemperature", "°C", ""},
		{"airHumidity", "%", ""},
		{"airPressure", "kPa", ""},
		{"windDirection", "°", "4104"},
		{"soilMoisture", "", ""},
		{"soilMoisture30", "%", ""},
		{"battery", "%", ""},
		{"batteryVoltage", "V", "BatV"},
		{"rssi", "dBm", ""},
	} {
		p.Properties = append(p.Properties, device.Property{
			ID: device.PropertyID(100 + i), Identifier: x.identifier, ElementUnit: x.unit, Upload: x.upload,
			DataType: device.Number,
		})
	}
	return p
}

// decodedUplink decodes an uplink of the field probe that arrived at a time. It returns the frames,
// as seconds from the arrival and values, and the refusals.
func decodedUplink(t *testing.T, u *uplink, at int64) (frames, refused string) {
	t.Helper()
	d, product := newDecoder(), fieldProbe()
	e := &device.Entry{Ref: device.Ref{Tenant: green, ID: 1}, Product: product}
	var c messageContent
	d.decodeUplink(&c, e, u, at)
	checkOrder(t, c)
	var lines []string
	for _, a := range c.arrivals {
		line := fmt.Sprint(time.Duration(a.Time-at) * time.Millisecond)
		for _, f := range a.Fields {
			line += " " + product.Properties[f.Property-100].Identifier + "=" + f.Value.String()
		}
		lines = append(lines, line)
	}
	var reasons []string
	for _, r := range c.parts[0].refusals {
		reasons = append(reasons, r.Identifier+":"+string(r.Reason))
	}
	return strings.Join(lines, "; "), strings.Join(reasons, " ")
}

func checkOrder(t *testing.T, c messageContent) {
	t.Helper()
	for i, a := range c.arrivals {
		if i > 0 && c.arrivals[i-1].Time > a.Time {
			t.Errorf("frames are not sorted by time")
		}
	}
}

// The network server's clock tells when it received a message; without it, the gateway's. A clock
// that cannot be right loses nothing: the arrival counts, and the device's page says so.
func TestUplinkTime(t *testing.T) {
	arrival := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	times := func(eventTime string, nsTimes ...string) *uplink {
		t.Helper()
		body := `{"time": ` + eventTime + `, "deviceInfo": {}, "fPort": 1, "data": "AQ==", "object": {"battery": 5}, "rxInfo": [{"gatewayId": "1"}`
		for _, ns := range nsTimes {
			body += `, {"gwTime": "1980-01-21T23:17:20Z", "nsTime": ` + ns + `}`
		}
		u, err := chirpStack("up", []byte(body+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	things := func(networkServer, applicationServer string) *uplink {
		t.Helper()
		u, err := thingsStack([]byte(`{"end_device_ids": {}, "received_at": ` + applicationServer + `,
			"uplink_message": {"f_port": 1, "frm_payload": "AQ==", "decoded_payload": {"battery": 5}, "received_at": ` + networkServer + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	const gps, right, later, ahead = `"1980-01-21T23:17:20.234+00:00"`, `"2026-03-01T08:59:57.5+00:00"`, `"2026-03-01T08:59:58Z"`, `"2026-03-01T09:30:00Z"`
	for _, c := range []struct {
		name          string
		u             *uplink
		time, refused string
	}{
		{"the network server's, not the gateway's", times(gps, right), "-2.5s", ""},
		{"the gateway half an hour ahead", times(ahead, right), "-2.5s", ""},
		{"the earliest of the network server's", times(right, later, right, `null`), "-2.5s", ""},
		{"one of the network server's is readable", times(gps, `"x"`, right, `"0001-01-01T00:00:00Z"`), "-2.5s", ""},
		{"hours in a queue", times(gps, `"2026-02-28T12:00:00+01:00"`), "-22h0m0s", ""},
		{"the gateway's, without the network server's", times(right), "-2.5s", ""},
		{"the gateway's cannot be right", times(gps), "0s", "time:networkClock"},
		{"the gateway's is ahead", times(ahead), "0s", "time:networkClock"},
		{"the gateway's is ten minutes ahead", times(`"2026-03-01T09:10:00Z"`), "10m0s", ""},
		{"the gateway's is older than what is kept", times(`"2024-03-01T09:00:00Z"`), "0s", "time:networkClock"},
		{"the network server's cannot be right", times(right, ahead), "0s", "nsTime:networkClock"},
		{"no time", times(`null`, `""`), "0s", ""},
		{"a number", times(`1772355600`), "0s", "time:networkClock"},
		{"no date", times(`"yesterday"`), "0s", "time:networkClock"},
		{"an object", times(`{"seconds": 1}`), "0s", "time:networkClock"},

		{"The Things Stack's network server", things(right, later), "-2.5s", ""},
		{"its application server", things(`null`, right), "-2.5s", ""},
		{"never set", things(`"0001-01-01T00:00:00Z"`, right), "0s", "uplink_message.received_at:networkClock"},
		{"neither", things(`""`, `""`), "0s", ""},
		{"the application server is ahead", things(`null`, ahead), "0s", "received_at:networkClock"},
	} {
		frames, refused := decodedUplink(t, c.u, arrival.UnixMilli())
		if frames != c.time+" battery=5" || refused != c.refused {
			t.Errorf("%s: %q, refused %q, want %q, %q", c.name, frames, refused, c.time+" battery=5", c.refused)
		}
	}
}

// What a foreign clock costs is told on the device's page, counts as no refusal, and is answered with 200.
func TestUplinkOfAWrongClockIsKept(t *testing.T) {
	o := newLoRaWANFixture(t)
	green, err := o.Tenants.ByName(t.Context(), "green")
	if err != nil {
		t.Fatal(err)
	}
	d := o.Registry.Find(green.ID, "A84041FFFF1A2B3C")
	wrong := strings.NewReplacer(`"nsTime"`, `"x"`, "2026-03-01T08:59:29.9", "1980-01-21T23:17:20.2")
	body := wrong.Replace(fmt.Sprintf(chirpStackUp, `"soilMoisture": 20.5`))
	if got, _ := o.post("green", "chirpstack?event=up", body); got != "200 {}" {
		t.Errorf("answered %s", got)
	}
	if got := o.committed(); len(got) != 1 || got[0] != "A84041FFFF1A2B3C 00.000 soilMoisture=20.5 rssi=-96" {
		t.Errorf("committed %q", got)
	}
	in := o.Diagnostics.Get(d.Tenant, d.ID)
	if in.Refused != 0 || in.LastRefusal.Reason != device.ReasonNetworkClock || in.LastRefusal.Identifier != "time" {
		t.Errorf("diagnostics %+v", in)
	}
	if hints := o.Hints.Get(d.Tenant, d.ID); len(hints) != 0 {
		t.Errorf("hints %+v", hints)
	}
	// The answer names what was refused, not the clock.
	body = wrong.Replace(strings.ReplaceAll(fmt.Sprintf(chirpStackUp, `"soilMoisture": 101`), `"rssi"`, `"x"`))
	got, _ := o.post("green", "chirpstack?event=up", body)
	if got != `400 {"code":"refused","reason":"outOfRange","identifier":"soilMoisture"}` {
		t.Errorf("a refused value: %s", got)
	}
	if in := o.Diagnostics.Get(d.Tenant, d.ID); in.Refused != 1 || in.LastRefusal.Reason != device.ReasonOutOfRange {
		t.Errorf("diagnostics %+v", in)
	}
}

// Codecs make values of a message without bytes, too: none of them was measured.
func TestUplinkWithoutPayload(t *testing.T) {
	o := newLoRaWANFixture(t)
	chirp := func(from, to string) string {
		return strings.Replace(fmt.Sprintf(chirpStackUp, `"soilMoisture": 0`), from, to, 1)
	}
	things := func(to string) string {
		body := strings.Replace(fmt.Sprintf(thingsStackUp, `"soilMoisture": 0`), `"frm_payload": "AgkUAQ==",`, to, 1)
		const normalized = `"normalized_payload": [{"soil": {"moisture": 0}}], `
		return strings.Replace(body, `"decoded_payload"`, normalized+`"decoded_payload"`, 1)
	}
	for _, c := range []struct{ name, path, body string }{
		{"ChirpStack", "chirpstack", chirp(`"data": "CwEBCw=="`, `"data": ""`)},
		{"ChirpStack, port 0", "chirpstack", chirp(`"fPort": 2, "data": "CwEBCw=="`, `"fPort": 0`)},
		{"ChirpStack, no port", "chirpstack", chirp(`"fPort": 2, "data": "CwEBCw==",`, ``)},
		{"ChirpStack, null", "chirpstack", chirp(`"fPort": 2, "data": "CwEBCw=="`, `"fPort": null, "data": null`)},
		{"The Things Stack", "thethingsstack", things("")},
		{"The Things Stack, empty", "thethingsstack", things(`"frm_payload": "",`)},
		{"not decoded", "thethingsstack", strings.Replace(things(""), `"soilMoisture": 0`, "", 1)},
	} {
		before := len(o.committed())
		if got, _ := o.post("green", c.path, c.body); got != "200 {}" {
			t.Errorf("%s: %s", c.name, got)
		}
		got := o.committed()[before:]
		if len(got) != 1 || strings.Contains(got[0], "soilMoisture") || !strings.Contains(got[0], " rssi=") {
			t.Errorf("%s: %q, want the reception alone", c.name, got)
		}
	}
	// Without reception there is nothing to keep, but the device is there.
	green, err := o.Tenants.ByName(t.Context(), "green")
	if err != nil {
		t.Fatal(err)
	}
	d := o.Registry.Find(green.ID, "probe-c")
	const bare = `{"deviceInfo": {"deviceName": "probe-c"}, "fPort": 9, "data": "", "object": {"soilMoisture": 0}}`
	got, _ := o.post("green", "chirpstack", bare)
	contact := o.Presence.Status(d.Tenant, d.ID).LastContact
	if got != "200 {}" || contact != o.Clock.Now().UnixMilli() {
		t.Errorf("answered %s, last contact %d", got, contact)
	}
	// A message of a port, posted by somebody who leaves the bytes out.
	got, _ = o.post("green", "chirpstack", chirp(`"data": "CwEBCw==",`, ``))
	if kept := o.committed(); got != "200 {}" || !strings.Contains(kept[len(kept)-1], "soilMoisture=0") {
		t.Errorf("%s %q", got, kept)
	}
}

func TestDecodedPayload(t *testing.T) {
	arrival := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, object, frames, refused string }{
		{"null is no value", `{"battery": null, "rssi": null}`, "", ""},
		{"upload is another name", `{"BatV": 3.6}`, "0s batteryVoltage=3.6", ""},

		// Milesight's retransmission: EM320-TH.
		{"history", `{"battery": 98, "history": [{"timestamp": 1772355000, "airTemperature": 21.5, "airHumidity": 40}, {"timestamp": 1772354400, "airTemperature": 21}]}`,
			"-20m0s airTemperature=21; -10m0s airTemperature=21.5 airHumidity=40; 0s battery=98", ""},
		{"only history", `{"history": [{"timestamp": 1772355000, "battery": 1}]}`, "-10m0s battery=1", ""},
		{"milliseconds, dates", `{"log": [{"ts": 1772355000500, "battery": 1}, {"Date": "2026-03-01T08:51:00Z", "battery": 2}, {"time": "2026-03-01 08:52:00", "battery": 3}, {"dateTime": "1772355180", "battery": 4}]}`,
			"-9m59.5s battery=1; -9m0s battery=2; -8m0s battery=3; -7m0s battery=4", ""},
		{"objects in an element", `{"history": [{"timestamp": 1772355000, "air": {"x": 1}, "battery": 1}]}`, "-10m0s battery=1", "air_x:unknown"},
		{"an element of now", `{"history": [{"timestamp": 1772355000, "battery": 1}, {"timestamp": null, "battery": 2}, {}]}`, "-10m0s battery=1; 0s battery=2", ""},
		{"a time that is none", `{"battery": 9, "history": [{"timestamp": 0, "battery": 1}, {"timestamp": "?", "battery": 1}, {"timestamp": {}, "battery": 1}, {"timestamp": 1772355000, "battery": 2}]}`,
			"-10m0s battery=2; 0s battery=9", "history_timestamp:badTime history_timestamp:badTime history_timestamp:badTime"},
		{"ahead, too old", `{"battery": 9, "history": [{"ts": 1772357400, "battery": 1}, {"ts": 1672355600, "battery": 1}]}`,
			"0s battery=9", "history_ts:future history_ts:tooOld"},
		{"a list in an object", `{"data": {"history": [{"timestamp": 1772355000, "battery": 1}]}}`, "-10m0s battery=1", ""},
		{"something else in the list", `{"history": [{"timestamp": 1772355000, "battery": 1}, 5]}`, "-10m0s battery=1", "history:wrongType"},
		{"a time outside lists is a value", `{"timestamp": 1772355000, "battery": 1}`, "0s battery=1", "timestamp:unknown"},
		{"lists of other things", `{"battery": [{"a": 1}], "channels": [1, 2], "empty": []}`, "", "battery:wrongType channels:unknown empty:unknown"},

		// SenseCAP's S2120 and S210x.
		{"lists of lists", `{"err": 0, "payload": "01", "valid": true, "messages": [[{"measurementValue": 21.4, "measurementId": "4097", "type": "Air Temperature"},
			{"measurementValue": "31", "measurementId": "4098", "type": "Air Humidity"}, {"measurementValue": 7, "measurementId": "4190", "type": "UV Index"}],
			[{"measurementValue": 350, "measurementId": "4104", "type": "Wind Direction Sensor"}], [{"battery": 98}]]}`,
			"0s airTemperature=21.4 airHumidity=31 windDirection=350 battery=98", "err:unused payload:unused valid:unused 4190:unused"},
		{"a flat list", `{"messages": [{"type": "report_telemetry", "measurementId": 4104, "measurementValue": 10}]}`, "0s windDirection=10", ""},
		{"measurements with times", `{"messages": [[{"type": "Air Temperature", "measurementId": "4097", "timestamp": 1772355000000, "measurementValue": -1}, {"type": "Battery", "measurementId": "3000", "timestamp": 0, "measurementValue": 5}]]}`,
			"-10m0s airTemperature=-1", "messages_timestamp:badTime"},
		{"measurements that nothing takes", `{"messages": [[{"type": "Light", "measurementId": "4099", "measurementValue": 5}, {"measurementId": "4104", "measurementValue": null}]]}`,
			"", "4099:unknown"},
		{"a measurement that is wrong", `{"messages": [[{"measurementId": "4104", "measurementValue": [1]}, {"measurementId": "4104", "errCode": "01"}]]}`,
			"", "windDirection:wrongType measurementId:unused errCode:unused"},
	} {
		u := &uplink{values: []byte(c.object)}
		if frames, refused := decodedUplink(t, u, arrival.UnixMilli()); frames != c.frames || refused != c.refused {
			t.Errorf("%s:\n%q, refused %q, want\n%q, %q", c.name, frames, refused, c.frames, c.refused)
		}
	}
}

// The Things Stack's common form needs no codec of one's own. The decoded payload's values count
// before it; what a property would show in another unit is left out.
func TestNormalizedPayload(t *testing.T) {
	arrival := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, decoded, normalized, frames, refused string }{
		{"alone", ``, `[{"air": {"temperature": 21.5, "relativeHumidity": 40}, "battery": 3.6}]`, "0s airTemperature=21.5 airHumidity=40 batteryVoltage=3.6", ""},
		{"beside the decoded payload", `{"temp": 21.5, "err": 0}`, `[{"air": {"temperature": 21.5}}]`, "0s airTemperature=21.5", "temp:unused err:unused"},
		{"the decoded payload's counts", `{"airTemperature": 1}`, `[{"air": {"temperature": 2, "relativeHumidity": 3}}]`, "0s airTemperature=1 airHumidity=3", ""},
		{"a refused one leaves it", `{"airTemperature": "?"}`, `[{"air": {"temperature": 2}}]`, "0s airTemperature=2", "airTemperature:wrongType"},
		{"times", `{}`, `[{"time": "2026-03-01T08:00:00Z", "soil": {"moisture": 5}}, {"soil": {"moisture": 6}}, {"time": "?", "soil": {"moisture": 7}}]`,
			"-1h0m0s soilMoisture=5; 0s soilMoisture=6", "normalized_payload_time:badTime"},
		{"depths", `null`, `[{"soil": {"depth": 10, "moisture": 5}}, {"soil": {"depth": 30.0, "moisture": 6}}, {"soil": {"depth": 60, "moisture": 7}}]`,
			"0s soilMoisture=5 soilMoisture30=6", ""},
		{"other units", ``, `[{"air": {"pressure": 1013}, "battery": 3.6}]`, "0s batteryVoltage=3.6", "air_pressure:unused"},
		{"nothing that is taken", ``, `[{"wind": {"speed": 2}}]`, "", "wind_speed:unknown"},
		{"nothing that is taken, decoded too", `{"battery": 4}`, `[{"wind": {"speed": 2}}, 7]`, "0s battery=4", ""},
		{"not a list", `{"battery": 4}`, `{"air": {"temperature": 2}}`, "0s battery=4", ""},
		{"empty", `{}`, `[]`, "", ":unreadable"},
		{"too deep", `{"battery": 4}`, strings.Repeat("[", 17) + strings.Repeat("]", 17), "", ":unreadable"},
	} {
		u := &uplink{values: []byte(c.decoded), normalized: []byte(c.normalized)}
		if frames, refused := decodedUplink(t, u, arrival.UnixMilli()); frames != c.frames || refused != c.refused {
			t.Errorf("%s:\n%q, refused %q, want\n%q, %q", c.name, frames, refused, c.frames, c.refused)
		}
	}
}
