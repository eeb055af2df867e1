package command

import (
	"bufio"
	encoding "encoding/binary" // in these tests, binary is a flag of tilth
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The test makes the smallest run, against the real binary, which the bench starts itself, with
// another server beside it.
func TestBenchIngest(t *testing.T) {
	t.Parallel()
	peer := startAckServer(t)
	out, err := (&process{t: t}).tilth(
		"bench",
		"ingest",
		"--connections", "2",
		"--duration", "200ms",
		"--window", "4,1",
		"--protocol", "5",
		"--peer-mqtt", peer,
		"--dir", t.TempDir(),
	)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for part, times := range map[string]int{
		"--mqtt-per-address": 2, "0 lost, 0 wrong, 0 extra": 2, "each made durable": 2, "KiB each": 2, "live stream": 2, "not yet judged": 2,
		"tilth: 2 connections, window 4, 8 values": 1, "peer: 2 connections, window 1,": 1, "ratio": 1,
	} {
		if n := strings.Count(out, part); n != times {
			t.Errorf("the output has %q %d times, want %d:\n%s", part, n, times, out)
		}
	}
}

// The test makes the smallest run with alarm rules, against the real binary: every notice that the
// readings lead to is on the screen and in the list.
func TestBenchAlarm(t *testing.T) {
	t.Parallel()
	run := []string{"bench", "alarm", "--devices", "3", "--values", "2", "--dir", t.TempDir()}
	out, err := (&process{t: t}).tilth(
		append(run, "--rules", "6", "--rate", "100", "--turns", "6", "--duration", "2500ms", "--flat-out", "100ms")...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{
		"tilth: 6 rules on 3 devices, 2 values in a message, 100 messages/s offered", "as much as is taken, with", "on an open screen", "0 missing;",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
	for flags, says := range map[string]string{
		"--rules 7": "--rules:", "--rules 9": "--rules:", "--rules 6 --rate 0": "--rate, --turns:", "--rules 6 --duration 0s": "--duration:",
		"--rules 6 --window 0": "--window:", "--devices 0": "--devices:", "--values 99": "--values:",
	} {
		out, err := (&process{t: t}).tilth(append(run, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}

// The test makes the smallest run of histories, against the real binary. The bench fails if an
// answer is not what was written.
func TestBenchHistory(t *testing.T) {
	t.Parallel()
	run := []string{
		"bench", "history", "--days", "5", "--devices", "2", "--asks", "1", "--year-devices", "1", "--year-asks", "1",
		"--dir", t.TempDir(),
	}
	out, err := (&process{t: t}).tilth(run...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{
		"Not compared with influxdb: it is Debian's package influxdb", "72,000 values", " bytes a value ", "while sealing,",
		"5 days, every reading\n", "5 days in 480 buckets (points=960)\n", "one day, every reading\n", "(7201 rows, ",
		"a year by hour, properties: 5 ", "ten years by day, properties: 1 ",
		"1 devices, 365 days, a reading every 1m0s, properties: 5; 2,628,000 values.\n",
		"a year of 5 properties by hour\n", "a year of 5 properties by day\n", "ten years of a property by day\n",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
	for flags, says := range map[string]string{
		"--days 7": "--days:", "--days 35": "--days:", "--devices 0": "--devices:", "--asks 0": "--asks:", "--peers sqlite=x": "--peers:",
		"--year-devices -1": "--year-devices:", "--year-asks 0": "--year-asks:",
		"--peers influxdb": "--peers: influxdb: its address is missing",
	} {
		out, err := (&process{t: t}).tilth(append(run, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}

func TestBenchIngestIdle(t *testing.T) {
	t.Parallel()
	out, err := (&process{t: t}).tilth("bench", "ingest", "--idle", "20", "--dir", t.TempDir())
	if err != nil || !strings.Contains(out, "tilth: 20 idle connections, opened in ") ||
		!strings.Contains(out, "KiB each\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The bench loads a running server, with several connections for each device.
func TestBenchIngestOfNamedServer(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	yaml, err := p.tilth("bench", "file", "--devices", "3", "--values", "3")
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	p.apply(yaml)
	file := filepath.Join(t.TempDir(), "bench.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	run := []string{
		"bench",
		"ingest",
		"--server", "http://" + p.http,
		"--mqtt", p.mqtt,
		"--file", file,
		"--duration", "200ms",
	}
	out, err := p.tilth(append(run, "--connections", "4", "--devices", "3", "--values", "2")...)
	if err != nil || !strings.Contains(out, "0 lost, 0 wrong, 0 extra") ||
		!strings.Contains(out, "4 connections, window 32, 2 values") ||
		!strings.Contains(out, "those of the server at "+p.mqtt) {
		t.Errorf("%v\n%s", err, out)
	}
	for flags, says := range map[string]string{
		"--connections 4 --values 2": "has 3 devices with 3 properties, 4 with 2 are needed",
		"--connections 3":            "3 with 8 are needed",
	} {
		if out, err := p.tilth(append(run, strings.Fields(flags)...)...); err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
	p.stop()
}

// A server that acknowledges messages and stores none fails the run.
func TestBenchIngestFindsLoss(t *testing.T) {
	t.Parallel()
	p := &process{t: t}
	yaml, err := p.tilth("bench", "file", "--devices", "1", "--values", "8")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bench.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
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
	out, err := p.tilth("bench", "ingest", "--server", web.URL, "--mqtt", startAckServer(t), "--file", file,
		"--connections", "1", "--duration", "100ms")
	if err == nil || !strings.Contains(out, "values lost, 0 wrong, 0 extra; the first: sensor01 of BENCH-00001 at ") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestBenchFlags(t *testing.T) {
	t.Parallel()
	p := &process{t: t}
	for flags, says := range map[string]string{
		"ingest --connections 0":                     "--connections: 1 or more",
		"ingest --values 65":                         "--values: 1 to 64",
		"ingest --connections 5 --devices 6":         "--devices: from 1",
		"ingest --connections 33 --devices 2":        "16 connections, so 2 are too few",
		"ingest --duration 0s":                       "--duration",
		"ingest --idle -1":                           "--idle: 1 or more",
		"ingest --idle 5 --peer-mqtt 127.0.0.1:1":    "--idle: 1 or more",
		"ingest --protocol 3":                        "--protocol: 4 or 5",
		"ingest --window 1,0":                        "--window: 1 to 65535",
		"ingest --mqtt 127.0.0.1:1883":               "all of them, or none",
		"ingest --server x --mqtt y:1 --file z":      `--server: "x" is not`,
		"ingest --server http://x --mqtt y --file z": "--file: open z",
		"ingest --connections 2000000000":            "open files",
		"ingest --binary none --connections 1":       "none",
		"ingest --dir none --connections 1":          "none",
		"file --devices 0":                           "--devices: 1 or more",
	} {
		out, err := p.tilth(append([]string{"bench"}, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v, %s", flags, err, out)
		}
	}
}

// startAckServer is an MQTT server that accepts every client, acknowledges everything and stores
// nothing.
func startAckServer(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer nc.Close()
				serveAcks(bufio.NewReader(nc), nc)
			})
		}
	})
	return l.Addr().String()
}

func serveAcks(r *bufio.Reader, w io.Writer) {
	for {
		first, err := r.ReadByte()
		if err != nil {
			return
		}
		length, err := encoding.ReadUvarint(r)
		if err != nil {
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		answer := []byte{0x20, 2, 0, 0}
		switch {
		case first == 0x32: // PUBLISH, QoS 1
			id := body[2+int(encoding.BigEndian.Uint16(body)):]
			answer = []byte{0x40, 2, id[0], id[1]}
		case first != 0x10:
			return
		default:
			if body[6] == 5 { // the protocol version
				answer = []byte{0x20, 3, 0, 0, 0}
			}
		}
		if _, err := w.Write(answer); err != nil {
			return
		}
	}
}
