package openapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/program"
)

const examplesDir = "../../../docs/examples/open-api"

// runExample runs one of the examples against a server and returns its output.
func runExample(t *testing.T, base string, k key, command ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Env = append(
		os.Environ(),
		"TILTH_URL="+base,
		"TILTH_APP_KEY="+k.appKey,
		"TILTH_APP_SECRET="+k.secret,
		"no_proxy=*",
	)
	out, err := c.CombinedOutput()
	return string(out), err
}

// The examples of the documentation work against a real server.
func TestExamples(t *testing.T) {
	w := newFixture(t)
	w.Device(t, w.field.ID, w.station, "北 %?:1")
	for i := range 401 { // more than a page
		w.Notice(
			t,
			testkit.Notice{
				Device:     w.ws1,
				Title:      fmt.Sprint("Frost ", i),
				Level:      alarm.LevelSerious,
				Start:      w.Clock.Milli() + int64(i),
				CreateTime: w.Clock.Milli(),
			},
		)
	}
	w.Clock.Advance(time.Second) // the newest readings are in the past then
	base := w.serve(t)
	binary := filepath.Join(t.TempDir(), "notices")
	if err := program.Build(t.Context(), examplesDir+"/main.go", binary); err != nil {
		t.Fatal(err)
	}
	for name, example := range map[string]struct {
		command []string
		lines   int
		holds   string
	}{
		"curl":   {[]string{"bash", examplesDir + "/history.sh", "WS-1", "2026-11-01T00:00:00+03:00"}, 2, "2026-11-21T09:00:00.000Z,21.5,,,true,note of WS-1"},
		"Python": {[]string{"python3", examplesDir + "/latest.py"}, 3, "WS-1\tairTemperature\t21.5\t°C\t2026-11-21T09:00:00.000Z"},
		"Go":     {[]string{binary}, 402, fmt.Sprintf("%d\tserious\tFrost\tWS-1\t2026-11-21T08:59:00Z", w.notice)},
	} {
		out, err := runExample(t, base, w.fieldKey, example.command...)
		if err != nil || strings.Count(out, "\n") != example.lines || !strings.Contains(out, example.holds) {
			t.Errorf("%s: %v, %d lines:\n%s", name, err, strings.Count(out, "\n"), out)
		}
		out, err = runExample(t, base, key{w.fieldKey.appKey, "wrong"}, example.command...)
		if err == nil || !strings.Contains(out, "Sign in with appKey") {
			t.Errorf("%s with a wrong secret: %v %s", name, err, out)
		}
		for missing, holds := range map[string]string{
			"TILTH_URL": "https://console.example", "TILTH_APP_KEY": "appKey", "TILTH_APP_SECRET": "appSecret",
		} {
			out, err = runExample(
				t,
				base,
				w.fieldKey,
				append([]string{"env", "--unset=" + missing}, example.command...)...)
			if err == nil || !strings.Contains(out, missing) || !strings.Contains(out, "is missing: the ") ||
				!strings.Contains(out, holds) ||
				strings.Count(out, "\n") != 1 {
				t.Errorf("%s without %s: %v %s", name, missing, err, out)
			}
		}
	}
}

// The examples cope with unusual device names, a trailing slash, a device that is deleted between
// two calls, and another server that answers.
func TestExamplesHandleUnusualServers(t *testing.T) {
	w := newFixture(t)
	camera, err := w.Devices.Get(t.Context(), w.field.ID, "CAM-1")
	if err != nil {
		t.Fatal(err)
	}
	const odd = "北 [1]%41?#&"
	w.measure(
		t,
		w.Device(t, w.field.ID, w.station, odd),
		w.Clock.Now(),
		map[string]reading.Value{"note": reading.Text("of the odd one")},
	)
	w.Clock.Advance(time.Second)
	history := func(base, name string) (string, error) {
		return runExample(t, base, w.fieldKey, "bash", examplesDir+"/history.sh", name, "2026-11-01T00:00:00Z")
	}
	base := w.serve(t)
	for _, address := range []string{base, base + "/"} {
		if out, err := history(address, odd); err != nil || !strings.Contains(out, "of the odd one") {
			t.Errorf("%s: %v %s", address, err, out)
		}
	}
	moved := httptest.NewServer(http.RedirectHandler(base, http.StatusMovedPermanently))
	t.Cleanup(moved.Close)
	if out, err := history(moved.URL, "WS-1"); err == nil || strings.Contains(out, "<a") {
		t.Errorf("the page of a redirect counts as a table: %s", out)
	}
	latest := func(h http.HandlerFunc) (string, error) {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return runExample(t, s.URL, w.fieldKey, "python3", examplesDir+"/latest.py")
	}
	out, err := latest(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/CAM-1/latest") { // deleted between the list and this call
			if err := w.Devices.Delete(r.Context(), w.field.ID, camera.ID); err != nil {
				t.Error(err)
			}
		}
		w.handler.ServeHTTP(rw, r)
	})
	if err != nil || !strings.Contains(out, "WS-1\tairTemperature\t21.5") {
		t.Errorf("a device that was deleted meanwhile: %v %s", err, out)
	}
	badGateway := func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "<html>", http.StatusBadGateway) }
	if out, err = latest(badGateway); err == nil || out != "502: Bad Gateway\n" {
		t.Errorf("a broken proxy: %v %s", err, out)
	}
	if out, err = latest(http.NotFound); err == nil || out != "404: Not Found\n" {
		t.Errorf("another server: %v %s", err, out)
	}
}
