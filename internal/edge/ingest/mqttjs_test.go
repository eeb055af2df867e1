package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mqttJS runs testdata/mqttjs.cjs, a device with MQTT.js, and returns its output and its errors.
// The package is the console's.
func mqttJS(t *testing.T, args ...string) (out, complaint string) {
	t.Helper()
	node, err := exec.LookPath("node")
	needed(t, "node", err)
	modules, err := filepath.Abs("../../../web/node_modules")
	if err == nil {
		_, err = os.Stat(filepath.Join(modules, "mqtt"))
	}
	needed(t, "MQTT.js (npm ci in web)", err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr strings.Builder
	c := exec.CommandContext(ctx, node, append([]string{"testdata/mqttjs.cjs"}, args...)...)
	c.Env = append(os.Environ(), "NODE_PATH="+modules)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); (err != nil) != (stderr.Len() > 0) {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// MQTT.js works over a WebSocket, as for browsers and devices behind HTTP proxies, and over TLS.
func TestMQTTJS(t *testing.T) {
	for way, serve := range map[string]func(t *testing.T, e *edge) (url string, root []string){
		"a WebSocket": func(_ *testing.T, e *edge) (string, []string) {
			e.serveWebSocket()
			return "ws://" + e.address + "/mqtt", nil
		},
		"TLS": func(t *testing.T, e *edge) (string, []string) {
			dir := t.TempDir()
			e.serveTLS(dir)
			return "mqtts://" + e.address, []string{filepath.Join(dir, "cert.pem")}
		},
	} {
		t.Run(way, func(t *testing.T) {
			e := newEdge(t)
			url, root := serve(t, e)
			for version, refused := range map[int]int{4: 0, 5: reasonBadPayload} {
				e.journal.forget()
				out, complaint := mqttJS(t, append([]string{url, fmt.Sprint(version), secretOf("WS-1")}, root...)...)
				var outcome struct{ Granted, Refused int }
				if err := json.Unmarshal([]byte(out), &outcome); err != nil {
					t.Fatalf("version %d: %v %s", version, err, complaint)
				}
				if outcome.Granted != 1 || outcome.Refused != refused {
					t.Errorf("version %d: output %s", version, out)
				}
				values := func() (n int) {
					for _, f := range e.journal.frames() {
						n += len(f.Fields)
					}
					return n
				}
				eventually(t, "30 pairs of values and one committed", func() bool { return values() == 61 })
			}
			_, complaint := mqttJS(t, append([]string{url, "5", "not-the-secret-of-anything"}, root...)...)
			if !strings.Contains(complaint, "Bad User Name or Password") {
				t.Errorf("error for a wrong secret: %q", complaint)
			}
			if root == nil {
				return
			}
			if _, complaint := mqttJS(t, url, "5", secretOf("WS-1")); !strings.Contains(complaint, "self-signed") {
				t.Errorf("error without the root certificate: %q", complaint)
			}
		})
	}
}
