package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tilth/workshop/bench"
)

// The smallest run, against a real server, with another one beside it.
func TestIngest(t *testing.T) {
	t.Parallel()
	out := workshop(t, "ingest", "--binary", tilth(t), "--dir", t.TempDir(), "--connections", "2",
		"--duration", "200ms", "--window", "4,1", "--protocol", "5", "--peer-mqtt", startAckServer(t))
	for part, times := range map[string]int{
		"--mqtt-per-address": 2, "0 lost, 0 wrong, 0 extra": 2, "each made durable": 2, "KiB each": 2, "live stream": 2,
		"not yet judged": 2, "tilth: 2 connections, window 4, 8 values": 1, "peer: 2 connections, window 1,": 1, "ratio": 1,
	} {
		if n := strings.Count(out, part); n != times {
			t.Errorf("the output has %q %d times, want %d:\n%s", part, n, times, out)
		}
	}
}

// The smallest run with alarm rules, against a real server: every notice that the readings lead to is on
// the screen and in the list.
func TestAlarm(t *testing.T) {
	t.Parallel()
	wantParts(t, workshop(t, "alarm", "--binary", tilth(t), "--dir", t.TempDir(), "--devices", "3", "--values", "2",
		"--rules", "6", "--rate", "100", "--turns", "6", "--duration", "2500ms", "--flat-out", "100ms"),
		"tilth: 6 rules on 3 devices, 2 values in a message, 100 messages/s offered",
		"as much as is taken, with",
		"on an open screen",
		"0 missing;",
	)
}

// The smallest run of histories, against a real server. The command fails if an answer is not what was
// written.
func TestHistory(t *testing.T) {
	t.Parallel()
	wantParts(
		t,
		workshop(t, "history", "--binary", tilth(t), "--dir", t.TempDir(), "--days", "5", "--devices", "2",
			"--asks", "1", "--year-devices", "0"),
		"Not compared with influxdb: it is Debian's package influxdb",
		"72,000 values",
		" bytes a value ",
		"while sealing,",
		"5 days, every reading\n",
		"5 days in 480 buckets (points=960)\n",
		"one day, every reading\n",
		"(7201 rows, ",
	)
}

// The command loads a running server, with several connections for each device.
func TestIngestOfNamedServer(t *testing.T) {
	t.Parallel()
	server, err := bench.Start(t.Context(), bench.ServerOptions{
		Binary: tilth(t), Dir: t.TempDir(), Tenant: bench.NewTenant(3, 3), Apply: applyTenant,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}()
	yaml, err := server.Tenant.File()
	if err != nil {
		t.Fatal(err)
	}
	run := []string{
		"ingest",
		"--server",
		server.Console,
		"--mqtt",
		server.MQTT,
		"--file",
		writeFile(t, string(yaml)),
		"--duration",
		"200ms",
	}
	wantParts(t, workshop(t, append(run, "--connections", "4", "--devices", "3", "--values", "2")...),
		"0 lost, 0 wrong, 0 extra", "4 connections, window 32, 2 values", "those of the server at "+server.MQTT)
	for flags, says := range map[string]string{
		"--connections 4 --values 2": "has 3 devices with 3 properties, 4 with 2 are needed",
		"--connections 3":            "3 with 8 are needed",
	} {
		if out, err := try(
			t,
			append(run, strings.Fields(flags)...)...); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}

// A server that acknowledges messages and stores none fails the run.
func TestIngestFindsLoss(t *testing.T) {
	t.Parallel()
	file := writeFile(t, workshop(t, "file", "--devices", "1", "--values", "8"))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/live") {
			fmt.Fprint(w, "id: e-1\n\n")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `{"code":200,"msg":"","data":{}}`)
	}))
	defer web.Close()
	out, err := try(t, "ingest", "--server", web.URL, "--mqtt", startAckServer(t), "--file", file,
		"--connections", "1", "--duration", "100ms")
	const want = "values lost, 0 wrong, 0 extra; the first: sensor01 of BENCH-00001 at "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\n%s", err, out)
	}
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bench.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
