package bench

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/eclipse/paho.golang/packets"
)

// fakeServer is a server for the generator: it speaks MQTT with another implementation, keeps what
// it acknowledges and answers the console's calls. Tests set its faults.
type fakeServer struct {
	t     *testing.T
	world Tenant

	faulty   func(n int) (ack, keep bool) // for the n'th message; nil: acknowledge and keep all
	refuse   byte                         // reason code of PUBACKs, MQTT 5
	receive  uint16                       // receive maximum, MQTT 5
	hangUpAt int                          // closes the connection at that message; 0: never

	mu      sync.Mutex
	taken   int
	kept    map[string]map[int64]map[string]float64
	doubled bool // returns every point twice
	live    int  // number of streams that were opened
	open    int  // number of signed-in connections
	cut     bool // ends the first stream at once
	resumed string
}

func newFakeServer(t *testing.T, devices, properties int) *fakeServer {
	return &fakeServer{t: t, world: NewTenant(devices, properties), kept: map[string]map[int64]map[string]float64{}}
}

// target starts the server's MQTT and HTTP sides.
func (f *fakeServer) target() Target {
	f.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { f.serve(nc) })
		}
	})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /app-api/member/auth/login-username", f.signIn)
	mux.HandleFunc("GET /admin-api/client/pc/device/get/format-map/time-interval-data", f.history)
	mux.HandleFunc("GET /admin-api/client/pc/live", f.stream)
	mux.HandleFunc("GET /metrics", f.metrics)
	web := httptest.NewServer(mux)
	f.t.Cleanup(func() {
		l.Close()
		web.Close()
		serving.Wait()
	})
	return Target{Name: "fake", MQTT: l.Addr().String(), Tenant: f.world, Console: web.URL}
}

func (f *fakeServer) serve(nc net.Conn) {
	defer nc.Close()
	r := bufio.NewReader(nc)
	first, body, err := readRaw(r)
	if err != nil {
		return // the generator closed the connection before it sent anything
	}
	hello, err := packets.ReadPacket(connectAs5(first, body))
	if err != nil {
		f.t.Errorf("CONNECT: %v", err)
		return
	}
	c, ok := hello.Content.(*packets.Connect)
	if !ok || f.deviceOf(c.Username, string(c.Password)) == "" {
		nc.Write([]byte{connackPacket, 2, 0, 5})
		return
	}
	f.mu.Lock()
	f.open++
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.open--
	}()
	version := c.ProtocolVersion
	welcome := []byte{connackPacket, 2, 0, 0}
	if version == 5 {
		welcome = []byte{connackPacket, 3, 0, 0, 0}
		if f.receive > 0 {
			welcome = []byte{
				connackPacket,
				6 + 5,
				0,
				0,
				8,
				0x1F,
				0,
				2,
				'h',
				'i',
				0x21,
				byte(f.receive >> 8),
				byte(f.receive),
			}
		}
	}
	if _, err := nc.Write(welcome); err != nil {
		return
	}
	for {
		first, body, err := readRaw(r)
		if err != nil || first == disconnectPacket {
			return
		}
		if first != publishQoS1 {
			f.t.Errorf("packet %#x instead of a PUBLISH", first)
			return
		}
		id, payload := f.publication(body, version)
		f.mu.Lock()
		f.taken++
		n := f.taken
		f.mu.Unlock()
		if n == f.hangUpAt {
			return
		}
		ack, keep := true, true
		if f.faulty != nil {
			ack, keep = f.faulty(n)
		}
		if keep && f.refuse == 0 {
			f.keep(c.Username, payload)
		}
		answer := []byte{pubackPacket, 2, byte(id >> 8), byte(id)}
		if f.refuse > 0 {
			answer = []byte{pubackPacket, 3, byte(id >> 8), byte(id), f.refuse}
		}
		if ack {
			if _, err := nc.Write(answer); err != nil {
				return
			}
		}
	}
}

// connectAs5 lets the codec of MQTT 5 read a CONNECT of either version: it adds empty properties to
// one of 3.1.1.
func connectAs5(first byte, body []byte) io.Reader {
	if len(body) < 10 || body[6] == 5 {
		return rawPacket(first, body)
	}
	return rawPacket(first, append(append(append([]byte{}, body[:10]...), 0), body[10:]...))
}

func rawPacket(first byte, body []byte) io.Reader {
	return strings.NewReader(string(appendHeader(nil, first, len(body))) + string(body))
}

func readRaw(r *bufio.Reader) (first byte, body []byte, err error) {
	if first, err = r.ReadByte(); err != nil {
		return 0, nil, err
	}
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, nil, err
	}
	body = make([]byte, n)
	_, err = io.ReadFull(r, body)
	return first, body, err
}

func (f *fakeServer) deviceOf(name, secret string) string {
	for _, d := range f.world.Devices {
		if d.Name == name && d.Secret == secret {
			return name
		}
	}
	return ""
}

func (f *fakeServer) publication(body []byte, version byte) (id uint16, payload []byte) {
	if version != 5 { // the codec is for MQTT 5: add empty properties
		at := 2 + len(telemetryTopic) + 2
		body = append(append(append([]byte{}, body[:at]...), 0), body[at:]...)
	}
	cp, err := packets.ReadPacket(rawPacket(publishQoS1, body))
	if err != nil {
		f.t.Errorf("PUBLISH: %v", err)
		return 0, nil
	}
	p := cp.Content.(*packets.Publish)
	if p.Topic != "v1/devices/me/telemetry" || p.QoS != 1 || p.Retain || p.Duplicate {
		f.t.Errorf("PUBLISH to %q, QoS %d", p.Topic, p.QoS)
	}
	return p.PacketID, p.Payload
}

func (f *fakeServer) keep(device string, payload []byte) {
	var m struct {
		TS     int64
		Values map[string]float64
	}
	if err := json.Unmarshal(payload, &m); err != nil || len(m.Values) != len(f.world.Properties) {
		f.t.Errorf("payload %s: %v", payload, err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept[device] == nil {
		f.kept[device] = map[int64]map[string]float64{}
	}
	if f.kept[device][m.TS] != nil {
		f.t.Errorf("two messages of %s with time %d", device, m.TS)
	}
	f.kept[device][m.TS] = m.Values
}

func (f *fakeServer) signIn(w http.ResponseWriter, r *http.Request) {
	var who map[string]string
	if err := json.NewDecoder(r.Body).Decode(&who); err != nil || who["userName"] != f.world.User ||
		who["password"] != f.world.Password || who["tenantName"] != f.world.Name {
		fmt.Fprint(w, `{"code":400,"msg":"wrong","data":null}`)
		return
	}
	fmt.Fprint(w, `{"code":200,"msg":"","data":{"accessToken":"let-me-in"}}`)
}

func (f *fakeServer) history(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer let-me-in" {
		fmt.Fprint(w, `{"code":401,"msg":"sign in"}`)
		return
	}
	q := r.URL.Query()
	from, _ := strconv.ParseInt(q.Get("startTime"), 10, 64)
	to, _ := strconv.ParseInt(q.Get("endTime"), 10, 64)
	f.mu.Lock()
	defer f.mu.Unlock()
	series := map[string][]point{}
	for at, values := range f.kept[q.Get("deviceName")] {
		if at < from || at > to {
			continue
		}
		for _, p := range strings.Split(q.Get("yeuSignList"), ",") {
			if v, ok := values[p]; ok {
				series[p] = append(series[p], point{at, v})
				if f.doubled {
					series[p] = append(series[p], point{at, v})
				}
			}
		}
	}
	json.NewEncoder(w).Encode(map[string]any{"code": 200, "msg": "", "data": series})
}

// metrics reports a commit for every message, which waited a millisecond.
func (f *fakeServer) metrics(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 1000 + f.taken
	fmt.Fprintf(
		w,
		"tilth_edge_commits_total %d\ntilth_readings_fsync_seconds_total %g\ntilth_readings_journal_lag 3\n",
		n,
		float64(n)/1000,
	)
	fmt.Fprintf(w, "tilth_mqtt_connections %d\n", f.open)
}

func (f *fakeServer) stream(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.live++
	first := f.live == 1
	f.resumed = r.Header.Get("Last-Event-ID")
	f.mu.Unlock()
	fmt.Fprint(w, "id: e-1\n\n")
	if !first {
		fmt.Fprint(w, "id: e-9\nevent: reset\ndata: {}\n\n")
	}
	fmt.Fprint(w, "id: e-2\nevent: reading\ndata: {\"x\":\"event: reading\"}\n\n:\n\nevent: presence\ndata: {}\n\n")
	http.NewResponseController(w).Flush()
	if first && f.cut {
		return
	}
	<-r.Context().Done()
}
