package ingest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"tilth/internal/domain/device"
)

// packed is what gzip makes of a text.
func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// postEncoded posts a body with a Content-Encoding and returns status, answer and header; sign may set
// more of the request.
func postEncoded(t *testing.T, url, coding, body string, sign ...func(*http.Request)) (string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Encoding", coding)
	for _, f := range sign {
		f(r)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(a.StatusCode, " ", string(answer)), a.Header
}

// Every door over HTTP takes gzip; the limit is that of the unpacked message.
func TestHTTPGzip(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.MaxMessage = 2000 })
	own := e.serveHTTP().URL + "/api/v1/" + secretOf("WS-1")
	const (
		tooLarge   = `413 {"code":"tooLarge"}`
		unreadable = `400 {"code":"refused","reason":"unreadable"}`
		unknown    = `415 {"code":"unknownEncoding"}`
	)
	fill := strings.Repeat(" ", 2000-14)
	for _, c := range []struct{ name, path, coding, body, want string }{
		{"readings", "/telemetry", "gzip", packed(t, `{"humidity":1}`), "200 {}"},
		{"older name, in capitals", "/telemetry", "X-GZIP", packed(t, `{"humidity":2}`), "200 {}"},
		{"at the limit", "/telemetry", "gzip", packed(t, `{"humidity":3}`+fill), "200 {}"},
		{"over the limit", "/telemetry", "gzip", packed(t, `{"humidity":4}`+fill+" "), tooLarge},
		{"a bomb", "/telemetry", "gzip", packed(t, strings.Repeat(" ", 1<<20)), tooLarge},
		{"two members", "/telemetry", "gzip", packed(t, `{"humidity"`) + packed(t, `:5}`), "200 {}"},
		{"cut short", "/telemetry", "gzip", packed(t, `{"humidity":6}`)[:25], unreadable},
		{"followed by other bytes", "/telemetry", "gzip", packed(t, `{"humidity":6}`) + "x", unreadable},
		{"not packed", "/telemetry", "gzip", `{"humidity":6}`, unreadable},
		{"packed, and not said", "/telemetry", "", packed(t, `{"humidity":6}`), unreadable},
		{"another encoding", "/telemetry", "br", `{"humidity":6}`, unknown},
		{"packed twice", "/telemetry", "gzip, gzip", packed(t, packed(t, `{"humidity":6}`)), unknown},
		{"attributes", "/attributes", "gzip", packed(t, `{"firmware":"1"}`), "200 {}"},
		{"attributes, damaged", "/attributes", "gzip", "x", unreadable},
		{"a weather station", "/ecowitt", "gzip", packed(t, "tempf=50"), "200 OK"},
		{"a weather station, another encoding", "/ecowitt", "deflate", "tempf=50", unknown},
	} {
		got, header := postEncoded(t, own+c.path, c.coding, c.body)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if accepts := header.Get("Accept-Encoding"); (accepts == "gzip") != (c.want == unknown) {
			t.Errorf("%s: accepts %q", c.name, accepts)
		}
	}
	want := "1@0 hum=1; 1@1 hum=2; 1@2 hum=3; 1@3 hum=5; 1@4 air=10"
	if got := describe(e.journal.frames()); got != want {
		t.Errorf("committed %s, want %s", got, want)
	}
	if in := e.diagnostics.Get(green, 1); in.Messages != 16 || in.Refused != 10 {
		t.Errorf("not every refusal is counted: %+v", in)
	}
}

// The form of a weather station that holds its own secret is read before its sender is known.
func TestWeatherStationGzip(t *testing.T) {
	e := newStations(t)
	url := e.serveHTTP().URL + weatherStationPath
	form := "ID=WS-1&PASSWORD=" + secretOf("WS-1") + "&humidity=70"
	for _, c := range []struct{ path, coding, body, want string }{
		{"", "gzip", packed(t, form), "200 success"},
		{"?" + form, "gzip", packed(t, "tempf=50"), "200 success"},
		{"", "gzip", packed(t, form+strings.Repeat("&", maxUnsignedForm)), `413 {"code":"tooLarge"}`},
		{"", "gzip", form, `400 {"code":"refused","reason":"unreadable"}`},
		{"", "br", form, `415 {"code":"unknownEncoding"}`},
	} {
		if got, _ := postEncoded(t, url+c.path, c.coding, c.body); got != c.want {
			t.Errorf("%s of %d bytes: %s, want %s", c.coding, len(c.body), got, c.want)
		}
	}
	if got := e.stationFrames(); got != "airHumidity=70; airHumidity=70 airTemperature=10" {
		t.Errorf("stored %s", got)
	}
}

func TestLoRaWANEncodings(t *testing.T) {
	o := newLoRaWANFixture(t)
	sign := func(r *http.Request) { r.SetBasicAuth(o.keys["green"][0], o.keys["green"][1]) }
	body := fmt.Sprintf(thingsStackUp, `"soilMoisture": 1`)
	url := o.url + "thethingsstack"
	const unreadable = `400 {"code":"refused","reason":"unreadable"}`
	for _, c := range []struct{ name, coding, body, want string }{
		{"gzip", "gzip", packed(t, body), "200 {}"},
		{"byte order mark", "", "\ufeff" + body, "200 {}"},
		{"damaged", "gzip", body, unreadable},
		{"another", "zstd", body, `415 {"code":"unknownEncoding"}`},
		{"not UTF-8", "", strings.Replace(body, `"soilMoisture"`, "\"note\": \"\xff\", \"soilMoisture\"", 1), unreadable},
		{"half of a pair", "", strings.Replace(body, `"soilMoisture"`, `"note": "\ud800", "soilMoisture"`, 1), unreadable},
	} {
		if got, _ := postEncoded(t, url, c.coding, c.body, sign); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A field of a station that is not UTF-8 is refused; the others are kept.
func TestStationTextIsUTF8(t *testing.T) {
	e := newStations(t)
	status, answer, _ := post(t, e.serveHTTP().URL+ecowittPath("WS-1"), "tempf=50&stationtype=gr%FCn")
	if status != 200 || e.stationFrames() != "airTemperature=10" {
		t.Errorf("%d %s, stored %s", status, answer, e.stationFrames())
	}
	refused := e.diagnostics.Get(green, 1).LastRefusal
	if refused.Identifier != "firmware" || refused.Reason != device.ReasonUnreadable {
		t.Errorf("refused %+v", refused)
	}
}

// What a gateway reports of its devices' presence is JSON, too.
func TestGatewayPresenceIsUTF8(t *testing.T) {
	e := newEdge(t)
	for payload, refused := range map[string]string{
		"\ufeff{\"device\":\"WS-1\"}":  "",
		"{\"device\":\"WS-1\xff\"}":    "3::unreadable",
		`{"device":"WS-1\ud800"}`:      "3::unreadable",
		"\xff\xfe{\x00\"\x00d\x00":     "3::unreadable",
		`{"device":"WS-1","note":"ü"}`: "",
	} {
		var c messageContent
		m := Message{Entry: e.registry.Get(3), Kind: GatewayConnect, Payload: []byte(payload), At: now}
		e.pipeline.gatewayPresence(&c, m)
		if got := refusalsOf(c); got != refused {
			t.Errorf("%q: refused %q, want %q", payload, got, refused)
		}
	}
}
