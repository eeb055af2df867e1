package command

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The test follows a reading to a program through a real process: a device sends it over HTTP, and
// a program reads it with a credential that the console made and that counts the call.
func TestOpenAPIReadsDeviceHistory(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start("--open-api-rate", "3", "--trusted-proxies", "127.0.0.1")
	p.apply(smallFarm)
	ada := p.signIn("north", "bora", "correct horse")
	var made struct{ AppKey, AppSecret string }
	p.call(http.MethodPost, "/admin-api/client/pc/apicredentials/create", ada, `{"name":"Test"}`, &made)
	at := time.Now().Add(-time.Minute).UnixMilli()
	res, err := http.Post("http://"+p.http+"/api/v1/secret-of-the-device-n-2/telemetry", "application/json",
		strings.NewReader(fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":3.4}}`, at)))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	get := func(path string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, "http://"+p.http+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(made.AppKey, made.AppSecret)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(body)
	}
	minute := fmt.Sprintf("?from=%d&to=%d&format=csv", at, at+1)
	for i, want := range []string{
		"200 time,airTemperature\r\n" + time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05.000Z") + ",3.4\r\n", "404", "200", "429",
	} {
		path := []string{"/open-api/v1/devices/N-2/history" + minute, "/open-api/v1/devices/N-3", "/open-api/v1/devices", "/open-api/v1/devices"}[i]
		res, body := get(path)
		if !strings.HasPrefix(fmt.Sprint(res.StatusCode, " ", body), want) || res.Header.Get("RateLimit-Limit") != "3" {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, res.Header, body)
		}
	}
	for path, want := range map[string]int{
		"/open-api/": 200, "/open-api": 308, "/open-api/v1/openapi.yaml": 200, "/open-api//v1": 404, "/open-api/v1/nothing": 404, "/open-apix": 200,
	} {
		res, body := get(path)
		if res.StatusCode != want || want == 404 && res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, res.Header, body)
		}
	}
	var listed struct {
		List []struct{ Requests24h, Requests30d int }
	}
	p.call(http.MethodGet, "/admin-api/client/pc/apicredentials/page", ada, "", &listed)
	if len(listed.List) != 1 || listed.List[0].Requests24h != 4 || listed.List[0].Requests30d != 4 {
		t.Errorf("%+v", listed)
	}
	p.stop()
	if log := p.stderr.String(); strings.Contains(log, made.AppSecret) || strings.Contains(log, "format=csv") {
		t.Errorf("the log holds too much: %s", log)
	}
}
