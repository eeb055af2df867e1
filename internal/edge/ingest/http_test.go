package ingest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/edge/httpbase"
)

// serveHTTP opens an HTTP server on the edge.
func (e *edge) serveHTTP() *httptest.Server {
	s := httptest.NewServer(NewHTTP(e.pipeline))
	e.t.Cleanup(s.Close)
	return s
}

// post posts a body and returns status, body and headers of the answer.
func post(t testing.TB, url, body string) (int, string, http.Header) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return answerOf(t, r)
}

// answerOf returns status, body and headers of an answer.
func answerOf(t testing.TB, r *http.Response) (int, string, http.Header) {
	t.Helper()
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b), r.Header
}

const noSuchPathAnswer = `{"code":"noSuchPath","msg":"Nothing is taken at this path. Readings as JSON go to ` +
	`/api/v1/SECRET/telemetry, an Ecowitt station's to /api/v1/SECRET/ecowitt, those in Weather Underground's protocol ` +
	`to /weatherstation/updateweatherstation.php."}`

func TestHTTPTelemetry(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.MaxMessage = 2000 })
	base := e.serveHTTP().URL + "/api/v1/"
	own := base + secretOf("WS-1")
	for _, test := range []struct {
		name, url, body string
		status          int
		answer          string
	}{
		{"plain", own + "/telemetry", `{"humidity":1}`, 200, `{}`},
		{"timed", own + "/telemetry", fmt.Sprintf(`{"ts":%d,"values":{"humidity":2}}`, now-1), 200, `{}`},
		{"list", own + "/telemetry", fmt.Sprintf(`[{"ts":%d,"values":{"humidity":3}},{"ts":%d,"values":{"humidity":4}}]`, now-2, now-3), 200, `{}`},
		{"partly valid", own + "/telemetry", `{"humidity":5,"wind":1}`, 200, `{}`},
		{"heartbeat", own + "/telemetry", `{}`, 200, `{}`},
		{"nothing valid", own + "/telemetry", `{"humidity":101,"wind":1}`, 400, `{"code":"refused","reason":"outOfRange","identifier":"humidity"}`},
		{"unreadable", own + "/telemetry", `humidity=5`, 400, `{"code":"refused","reason":"unreadable"}`},
		{"empty", own + "/telemetry", ``, 400, `{"code":"refused","reason":"unreadable"}`},
		{"gateway's form", base + secretOf("GW-1") + "/telemetry", `{"WS-2":[{"humidity":6}]}`, 400, `{"code":"refused","reason":"unknown","identifier":"WS-2"}`},
		{"attributes", own + "/attributes", `{"firmware":"1.2"}`, 200, `{}`},
		{"at the size limit", own + "/telemetry", `{"humidity":7}` + strings.Repeat(" ", 2000-14), 200, `{}`},
		{"too large", own + "/telemetry", `{"humidity":8}` + strings.Repeat(" ", 2000-13), 413, `{"code":"tooLarge"}`},
		{"wrong secret", base + "wrong-secret-0123456789/telemetry", `{"humidity":9}`, 401, `{"code":"unauthorized"}`},
		{"name instead of secret", base + "WS-1/telemetry", `{"humidity":9}`, 401, `{"code":"unauthorized"}`},
		{"disabled", base + secretOf("WS-OFF") + "/telemetry", `{"humidity":9}`, 401, `{"code":"unauthorized"}`},
		{"unknown path", own + "/gateway/telemetry", `{}`, 404, noSuchPathAnswer},
	} {
		status, answer, header := post(t, test.url, test.body)
		if status != test.status || answer != test.answer {
			t.Errorf("%s: %d %s, want %d %s", test.name, status, answer, test.status, test.answer)
		}
		if header.Get("Content-Type") != "application/json" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", test.name, header)
		}
	}
	want := "1@0 hum=1; 1@-1 hum=2; 1@-3 hum=4; 1@-2 hum=3; 1@1 hum=5; 1@2 hum=7"
	if got := describe(e.journal.frames()); got != want {
		t.Errorf("committed %s\nwant %s", got, want)
	}
	if !e.presence.Status(green, 1).Online || e.presence.Status(green, 4).Online {
		t.Error("a message over HTTP must count as contact, a rejected sign-in must not")
	}
	if in := e.diagnostics.Get(green, 1); in.Messages != 11 || in.Refused != 6 {
		t.Errorf("diagnostics %+v", in)
	}
	if s := e.pipeline.Stats(); s.SignInFailures != 3 || s.Acks != 11 {
		t.Errorf("stats %+v", s)
	}
}

// The limit applies to a body without a length, too.
func TestHTTPStreamedBody(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.MaxMessage = 2000 })
	url := e.serveHTTP().URL + "/api/v1/" + secretOf("WS-1") + "/telemetry"
	for size, want := range map[int]int{1000: 200, 100_000: 413} {
		body := io.MultiReader(strings.NewReader(`{"humidity":1}`), strings.NewReader(strings.Repeat(" ", size)))
		r, err := http.Post(url, "application/json", io.NopCloser(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%d bytes: status %d", size, r.StatusCode)
		}
	}
	wantOversizedCounted(t, e, 2)
}

// wantOversizedCounted checks that WS-1 sent the given number of messages, and that one of them was
// over the limit and counted so.
func wantOversizedCounted(t *testing.T, e *edge, messages int64) {
	t.Helper()
	in := e.diagnostics.Get(green, 1)
	if in.Messages != messages || in.Refused != 1 ||
		in.LastRefusal != (device.Refusal{Time: now, Reason: device.ReasonTooLarge}) {
		t.Errorf("diagnostics %+v", in)
	}
	if s := e.pipeline.Stats(); s.Messages != uint64(messages) || s.Refused[device.ReasonTooLarge] != 1 {
		t.Errorf("stats %+v", s)
	}
	if !e.presence.Status(green, 1).Online {
		t.Error("an oversized message must count as contact")
	}
}

// A body whose announced length is over the limit is not read, but counted.
func TestHTTPTooLargeIsCounted(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.MaxMessage = 2000 })
	status, _, _ := post(t, e.serveHTTP().URL+"/api/v1/"+secretOf("WS-1")+"/telemetry", strings.Repeat(" ", 2001))
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", status)
	}
	wantOversizedCounted(t, e, 1)
}

func TestHTTPAnswersAfterTheCommit(t *testing.T) {
	e := newEdge(t)
	url := e.serveHTTP().URL + "/api/v1/" + secretOf("WS-1") + "/telemetry"
	e.journal.hold()
	statuses := make(chan int, 1)
	go func() {
		status, _, _ := post(t, url, `{"humidity":1}`)
		statuses <- status
	}()
	receive(t, e.journal.entered)
	select {
	case status := <-statuses:
		t.Fatalf("status %d before the commit", status)
	default:
	}
	e.journal.release()
	if status := receive(t, statuses); status != 200 {
		t.Errorf("status %d", status)
	}
}

func TestHTTPFailedCommit(t *testing.T) {
	e := newEdge(t)
	url := e.serveHTTP().URL + "/api/v1/" + secretOf("WS-1") + "/telemetry"
	e.journal.fail(errDisk)
	status, body, header := post(t, url, `{"humidity":1}`)
	if status != 503 || body != `{"code":"unavailable"}` || header.Get("Retry-After") != "5" {
		t.Errorf("%d %s %v", status, body, header)
	}
	e.journal.fail(nil)
	if status, _, _ := post(t, url, `{"humidity":1}`); status != 200 {
		t.Errorf("sent again: %d", status)
	}
	if err := e.pipeline.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, _, header := post(t, url, `{"humidity":1}`); status != 503 || header.Get("Retry-After") == "" {
		t.Errorf("while shutting down: %d %v", status, header)
	}
}

func TestHTTPRate(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.Rate, o.Burst = 0.1, 2 }).serve()
	base := e.serveHTTP().URL + "/api/v1/"
	url := base + secretOf("WS-1") + "/telemetry"
	// A device has one limit for MQTT and HTTP.
	c := e.dialSignedIn(4, "WS-1")
	c.send(c.telemetry(1, 1, 1))
	c.wantAck(4, 1, 0)
	if status, _, _ := post(t, url, `{"humidity":1}`); status != 200 {
		t.Errorf("the second of a burst of 2: %d", status)
	}
	status, body, header := post(t, url, `{"humidity":2}`)
	after, err := strconv.Atoi(header.Get("Retry-After"))
	if status != 429 || body != `{"code":"tooMany"}` || err != nil || after < 8 || after > 10 {
		t.Errorf("beyond the rate: %d %s, retry after %q", status, body, header.Get("Retry-After"))
	}
	if status, _, _ := post(t, base+secretOf("WS-2")+"/telemetry", `{"humidity":1}`); status != 200 {
		t.Errorf("another device: %d", status)
	}
	if got := describe(e.journal.frames()); got != "1@0 air=1; 1@1 hum=1; 2@0 hum=1" {
		t.Errorf("committed %s", got)
	}
}

func TestHTTPFailedSignInsAreLimited(t *testing.T) {
	address := "192.0.2.1:1000"
	e := newEdge(t, func(o *Options) {
		o.FailureRate, o.FailureBurst = 0.01, 2
		o.ClientAddr = func(*http.Request) string { return address }
	})
	base := e.serveHTTP().URL + "/api/v1/"
	for i, want := range []int{401, 401, 429, 429} {
		status, _, header := post(t, base+"wrong/telemetry", `{}`)
		if status != want || (status == 429) != (header.Get("Retry-After") != "") {
			t.Errorf("failure %d: status %d %v", i, status, header)
		}
	}
	if status, _, _ := post(t, base+secretOf("WS-1")+"/telemetry", `{}`); status != 200 {
		t.Errorf("the right secret from that address: %d", status)
	}
	address = "192.0.2.2:1000"
	if status, _, _ := post(t, base+"wrong/telemetry", `{}`); status != 401 {
		t.Errorf("a failure from another address: %d", status)
	}
}

// A client that disconnects in the middle of its body leaves nothing behind.
func TestHTTPBodyCutShort(t *testing.T) {
	e := newEdge(t)
	s := e.serveHTTP()
	nc, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(
		nc,
		"POST /api/v1/%s/telemetry HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"humidity\":1}",
		secretOf("WS-1"),
	)
	if err := nc.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil || r.StatusCode != http.StatusBadRequest {
		t.Errorf("%v %v", r, err)
	}
	nc.Close()
	if n := len(e.journal.frames()); n > 0 {
		t.Errorf("%d frames written", n)
	}
}

// pipeListener is a listener with one connection over a pipe.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case nc := <-l.conns:
		return nc, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// A body that does not arrive in time is answered with 408, so that the client may send it again;
// of the other 4xx answers only 429 allows that.
func TestHTTPBodyTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		ours, theirs := net.Pipe()
		l := &pipeListener{conns: make(chan net.Conn, 1), done: make(chan struct{})}
		l.conns <- theirs
		s := &http.Server{Handler: NewHTTP(e.pipeline), ReadHeaderTimeout: time.Second}
		go s.Serve(l)
		defer s.Close()
		began := time.Now() // the bubble's time
		fmt.Fprintf(
			ours,
			"POST /api/v1/%s/telemetry HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"humidity\":1",
			secretOf("WS-1"),
		)
		r, err := http.ReadResponse(bufio.NewReader(ours), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if r.StatusCode != http.StatusRequestTimeout || string(body) != `{"code":"tooSlow"}` || err != nil || !r.Close {
			t.Errorf("%d %s %v, closing %t", r.StatusCode, body, err, r.Close)
		}
		if waited := time.Since(began); waited != httpbase.BodyTimeout {
			t.Errorf("answered after %s", waited)
		}
		if in := e.diagnostics.Get(green, 1); in.Refused != 0 {
			t.Errorf("the timeout was counted as a refusal: %+v", in)
		}
	})
}

// A device's secret never reaches the log, whatever goes wrong.
func TestSecretsAreNotLogged(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(b)
	}), &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := newEdge(t, func(o *Options) { o.Logger = logger }).serve()
	base := e.serveHTTP().URL + "/api/v1/"
	e.journal.fail(errDisk)
	for _, secret := range []string{secretOf("WS-1"), "wrong-" + secretOf("WS-1")} {
		post(t, base+secret+"/telemetry", `{"humidity":1}`)
		post(t, base+secret+"/ecowitt", "humidity=1")
		get(t, strings.TrimSuffix(base, "/api/v1/")+weatherStationPath+"?ID=WS-1&humidity=1&PASSWORD="+secret)
		for _, version := range []byte{4, 5} {
			c := e.dial(version)
			c.send(c.connect(secret, "", "a"), []byte{0, 0})
			c.readToEnd()
			c = e.dial(version)
			c.send(append(c.connect("WS-1", secret, "a"), c.telemetry(1, 1, 1)...))
			c.readToEnd()
		}
	}
	c := e.dialSignedIn(4, "WS-1")
	e.fault.Store(true)
	c.send(c.telemetry(1, 1, 1))
	c.wantEnd(0)
	eventually(t, "the fault in the log", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(log.String(), "panic")
	})
	e.pipeline.stats.panics.Store(0)
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(log.String(), secretOf("WS-1")) {
		t.Errorf("a secret in the log:\n%s", log.String())
	}
	if !strings.Contains(log.String(), "cannot be written") || !strings.Contains(log.String(), "device=WS-1") {
		t.Errorf("the log lacks expected lines:\n%s", log.String())
	}
	if n := e.pipeline.Stats().Refused[device.ReasonUnreadable]; n != 0 {
		t.Errorf("%d unreadable", n)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
