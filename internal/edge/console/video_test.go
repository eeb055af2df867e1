package console_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const (
	videoPath = "/admin-api/client/pc/device/get/video"
	// hostileSnippet tries everything that a snippet must not do.
	hostileSnippet = `<script>parent.localStorage.clear();top.location="https://evil.example"</script><p>gate</p>`
)

// createCamera makes a camera of the field that shows source.
func (w *fixture) createCamera(t *testing.T, name, source string) *device.Device {
	t.Helper()
	return w.Device(t, w.field.ID, w.station, name, func(d *device.Device) {
		d.Serial, d.ElementData = "x-SXT-"+name, map[string]string{
			"airTemperature": source,
		} // value of its product's first property
	})
}

func (w *fixture) getVideo(t *testing.T, name string) wire.Video {
	t.Helper()
	return testkit.Ask[wire.Video](t, w.Contract, w.get(videoPath+"?deviceName="+name))
}

// getWithoutToken requests an address without a token, as a browser's frame does.
func (w *fixture) getWithoutToken(t *testing.T, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, httptest.NewRequest(method, path, nil))
	return rec
}

func TestDeviceVideo(t *testing.T) {
	w := newServer(t)
	for name, c := range map[string]struct{ source, kind, url string }{
		"HLS":  {"https://a.example/gate.m3u8", "hls", "https://a.example/gate.m3u8"},
		"MP4":  {"https://a.example/gate.mp4", "file", "https://a.example/gate.mp4"},
		"JS":   {"javascript:alert(1)//.mp4", "none", ""},
		"DATA": {"data:text/html,<script>alert(1)</script>", "none", ""},
		"NONE": {"", "none", ""},
	} {
		w.createCamera(t, name, c.source)
		if got := w.getVideo(t, name); got != (wire.Video{Kind: c.kind, Url: c.url}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	w.createCamera(t, "EMBED", hostileSnippet)
	a := w.Do(t, w.get(videoPath+"?deviceName=EMBED"))
	if strings.Contains(string(a.Body), "script") ||
		!strings.Contains(string(a.Body), `"kind":"embed","url":"/embed/`) {
		t.Errorf("%s", a.Body)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "a sensor", Call: w.get(videoPath + "?deviceName=WS-1"), Contains: []string{`{"kind":"none","url":""}`}},
		{Name: "unknown", Call: w.get(videoPath + "?deviceName=none"), Code: 404},
		{Name: "no device", Call: w.get(videoPath), Code: 601},
	})
}

// A snippet is served alone: the page has nothing of this server, and its origin is isolated from
// everything else.
func TestEmbed(t *testing.T) {
	w := newServer(t)
	w.createCamera(t, "EMBED", hostileSnippet)
	address := w.getVideo(t, "EMBED").Url
	res := w.getWithoutToken(t, http.MethodGet, address)
	if res.Code != 200 || res.Body.String() != hostileSnippet {
		t.Fatalf("%d %s", res.Code, res.Body)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "sandbox allow-scripts", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		"Content-Type": "text/html; charset=utf-8", "Referrer-Policy": "no-referrer",
		"Set-Cookie": "", "Access-Control-Allow-Origin": "", "X-Frame-Options": "",
	} {
		if got := strings.Join(res.Header().Values(name), "|"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if res := w.getWithoutToken(t, http.MethodHead, address); res.Code != 200 || res.Body.Len() != 0 {
		t.Errorf("HEAD: %d %s", res.Code, res.Body)
	}
	if res := w.getWithoutToken(t, http.MethodPost, address); res.Code == 200 {
		t.Errorf("POST: %d", res.Code)
	}
	if strings.Contains(w.Log.Text(), strings.TrimPrefix(address, "/embed/")) {
		t.Error("the address is in the log")
	}
}

// An address is valid for a minute, for its device, and only unchanged.
func TestEmbedAddresses(t *testing.T) {
	w := newServer(t)
	w.createCamera(t, "EMBED", hostileSnippet)
	w.createCamera(t, "OTHER", "<p>other</p>")
	address := w.getVideo(t, "EMBED").Url
	signed := strings.TrimPrefix(address, "/embed/")
	raw, err := base64.RawURLEncoding.DecodeString(signed)
	if err != nil || len(raw) != 56 {
		t.Fatalf("%q %v", signed, err)
	}
	expectNotFound := func(what, path string) {
		t.Helper()
		res := w.getWithoutToken(t, http.MethodGet, path)
		if res.Code != 404 || res.Body.String() != "not found\n" || res.Header().Get("Cache-Control") != "no-store" ||
			res.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d %s", what, res.Code, res.Body)
		}
	}
	for i := range raw { // tenant, device, end and signature
		forged := append([]byte(nil), raw...)
		forged[i] ^= 1
		expectNotFound("forged", "/embed/"+base64.RawURLEncoding.EncodeToString(forged))
	}
	for what, path := range map[string]string{
		"cut": "/embed/" + signed[:len(signed)-1], "longer": address + "A", "padded": address + "==", "empty facts": "/embed/AAAA", "no base64": "/embed/%00",
		"another alphabet": "/embed/" + strings.Repeat("+", 75), "without signature": "/embed/" + base64.RawURLEncoding.EncodeToString(raw[:24]),
		"a device's name": "/embed/EMBED",
	} {
		expectNotFound(what, path)
	}
	// The last character of a name has unused bits; they must be unchanged, too.
	expectNotFound("another spelling", address[:len(address)-1]+string(address[len(address)-1]+1))

	other := newServer(t, func(o *console.Options) { o.EmbedKey = []byte("another installation's") })
	other.createCamera(t, "EMBED", hostileSnippet)
	w, other = other, w
	expectNotFound("of another installation", address)
	w = other

	w.Clock.Advance(time.Minute - time.Millisecond)
	if res := w.getWithoutToken(t, http.MethodGet, address); res.Code != 200 {
		t.Errorf("within the minute: %d", res.Code)
	}
	w.Clock.Advance(time.Millisecond)
	expectNotFound("expired", address)

	// A source that is no longer a snippet is not served, nor is that of a deleted device.
	address = w.getVideo(t, "EMBED").Url
	d, err := w.Devices.Get(t.Context(), w.field.ID, "EMBED")
	if err != nil {
		t.Fatal(err)
	}
	d.ElementData["airTemperature"] = "https://a.example/x.mp4"
	if err := w.Devices.Put(t.Context(), w.field.ID, d); err != nil {
		t.Fatal(err)
	}
	expectNotFound("no longer a snippet", address)
	address = w.getVideo(t, "OTHER").Url
	d, err = w.Devices.Get(t.Context(), w.field.ID, "OTHER")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Devices.Delete(t.Context(), w.field.ID, d.ID); err != nil {
		t.Fatal(err)
	}
	expectNotFound("deleted", address)
	if res := w.getWithoutToken(t, http.MethodGet, "/embed/"); res.Code == 200 {
		t.Errorf("no address: %d", res.Code)
	}
}

// A fault of the server reveals nothing.
func TestEmbedFault(t *testing.T) {
	w := newServer(t)
	w.createCamera(t, "EMBED", hostileSnippet)
	address := w.getVideo(t, "EMBED").Url
	if err := w.DB.Close(); err != nil {
		t.Fatal(err)
	}
	if res := w.getWithoutToken(t, http.MethodGet, address); res.Code != 500 ||
		strings.Contains(res.Body.String(), "sql") {
		t.Errorf("%d %s", res.Code, res.Body)
	}
	if !strings.Contains(w.Log.Text(), "video not read") {
		t.Error("the log has no error")
	}
}
