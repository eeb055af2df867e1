package console_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tilth/internal/edge/console"
	"tilth/internal/tools/testkit"
)

// debianNginxConf is the configuration of nginx that Debian installs.
const debianNginxConf = "/etc/nginx/nginx.conf"

// startNginx starts Debian's nginx in front of a server and returns its address. The configuration
// is Debian's, except for what depends on the machine (user, files, sites); location is added to
// the only location.
func startNginx(t *testing.T, upstream, location string) (base string) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil && !strings.Contains(os.Getenv("PATH"), "/usr/sbin") {
		program, err = exec.LookPath("/usr/sbin/nginx")
	}
	delivered, readErr := os.ReadFile(debianNginxConf)
	if err != nil || readErr != nil {
		missing := "Debian's nginx is not installed (scripts/tools.sh does that): streams through nginx are not tested"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, dir := l.Addr().String(), t.TempDir()
	l.Close()
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, nginxConfig(t, delivered, address, upstream, dir, location), 0o600); err != nil {
		t.Fatal(err)
	}
	output := &syncBuffer{}
	cmd := exec.Command(program, "-e", "stderr", "-p", dir, "-c", config, "-g", "daemon off;")
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the caller judges by its output
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // if that fails, the process has ended already
		<-ended
		if t.Failed() {
			t.Logf("nginx: %s", output)
		}
	})
	testkit.Eventually(t, "nginx", func() bool {
		select {
		case <-ended:
			t.Fatalf("nginx does not start: %s", output)
		default:
		}
		nc, err := net.Dial("tcp", address)
		if err == nil {
			nc.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// nginxConfig returns Debian's configuration with one site.
func nginxConfig(t *testing.T, delivered []byte, address, upstream, dir, location string) []byte {
	t.Helper()
	site := fmt.Sprintf(
		"client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;\n"+
			"server { listen %[2]s; location / { proxy_pass %[3]s; include /etc/nginx/proxy_params; %[4]s } }",
		dir,
		address,
		upstream,
		location,
	)
	for _, change := range []struct{ line, to string }{
		{`user .*;`, "# whoever runs the tests"}, {`pid .*;`, "pid " + dir + "/pid;"}, {`error_log .*;`, "error_log stderr;"},
		{`access_log .*;`, "access_log off;"}, {`include /etc/nginx/conf\.d/.*;`, ""}, {`include /etc/nginx/sites-enabled/.*;`, site},
	} {
		line := regexp.MustCompile(`(?m)^\s*` + change.line)
		if !line.Match(delivered) {
			t.Fatalf("%s differs from Debian's: no line %q", debianNginxConf, change.line)
		}
		delivered = line.ReplaceAllLiteral(delivered, []byte(change.to))
	}
	if os.Getuid() == 0 {
		delivered = append([]byte("user root;\n"), delivered...) // its workers need to reach dir
	}
	return delivered
}

// syncBuffer holds the output of a process; other goroutines may read it meanwhile.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *syncBuffer) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *syncBuffer) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// nginx buffers what it is not told to pass on at once. Through it, events arrive as they happen, a
// screen that was cut off gets the missed events, the end of a session is reported, and a refusal
// has the envelope.
func TestLiveThroughNginx(t *testing.T) {
	w := newServer(t)
	base := startNginx(t, w.Serve(t), "")
	nc, _ := (&countingScreen{base: base, token: w.ada}).open(t, &net.Dialer{}) // its beginning is not held back
	nc.Close()
	s := w.Listen(t, base, w.liveCall(w.ada, ""))
	expectEvents(t, s, testkit.Event{ID: "e-0"})
	for i := 1; i <= 3; i++ {
		began := time.Now()
		w.publishReadings(i, i)
		expectEvents(t, s, readingEvent(i))
		// What is held back comes with more, such as a heartbeat, if at all.
		if took := time.Since(began); took > console.Heartbeat/2 {
			t.Errorf("event %d came after %s", i, took)
		}
	}
	s.Leave()
	testkit.Eventually(t, "the screen's end to reach the server", func() bool { return w.hub.Screens() == 0 })
	w.publishReadings(4, 400)
	back := w.Listen(t, base, w.liveCall(w.ada, "e-3"))
	for i := 4; i <= 400; i++ {
		expectEvents(t, back, readingEvent(i))
	}
	if a := w.Do(t, testkit.Call{Method: http.MethodPost, Path: logoutPath, Token: w.ada}); a.Code != 200 {
		t.Fatalf("%s", a.Body)
	}
	expectEvents(t, back, testkit.Event{Name: "expired", Data: "{}"})
	back.End(t)

	r := w.liveCall(w.ada, "e-400").Request(t.Context(), base)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK ||
		!strings.HasPrefix(kind, "application/json") {
		t.Errorf("after the session's end: %s, %s", res.Status, kind)
	}
}

// nginxReadTimeout is Debian's timeout after which nginx gives up on a silent server.
const nginxReadTimeout = 60 * time.Second

// nginx ends a stream that is silent for a while, which the heartbeat prevents. Here both intervals
// are a thirtieth of the real ones, and the stream stays open for several times nginx's timeout.
func TestLiveIdleThroughNginx(t *testing.T) {
	const scale = 30
	patience := fmt.Sprintf("proxy_read_timeout %ds;", nginxReadTimeout/time.Second/scale)
	w := newServer(t)
	c, err := w.Sessions.Caller(t.Context(), w.ada)
	if err != nil {
		t.Fatal(err)
	}
	o := console.Options{Stores: w.Stores.Stores, StorageStopped: w.storage.state}
	quiet := func(beat time.Duration) *bufio.Scanner {
		server := httptest.NewServer(console.StreamWithHeartbeat(o, c, beat))
		t.Cleanup(server.Close)
		p := &countingScreen{base: startNginx(t, server.URL, patience), token: w.ada}
		nc, res := p.open(t, &net.Dialer{})
		if err := nc.SetReadDeadline(time.Now().Add(testkit.WaitTimeout)); err != nil {
			t.Fatal(err)
		}
		return bufio.NewScanner(res.Body)
	}
	silent := quiet(time.Hour)
	for silent.Scan() { // nginx ends the stream
		if text := silent.Text(); text != "id: e-0" && text != "" {
			t.Errorf("%q", text)
		}
	}
	if errors.Is(silent.Err(), os.ErrDeadlineExceeded) {
		t.Error("nginx waits longer than its timeout")
	}
	beating := quiet(console.Heartbeat / scale)
	comments := 0
	for began := time.Now(); time.Since(began) < 3*nginxReadTimeout/scale && beating.Scan(); {
		if beating.Text() == ":" {
			comments++
		}
	}
	w.publishReadings(1, 1)
	for beating.Scan() && beating.Text() != "data: "+readingEvent(1).Data {
	}
	if comments < 6 || beating.Err() != nil || !strings.HasPrefix(beating.Text(), "data: ") {
		t.Errorf("%d comments, then %q, %v", comments, beating.Text(), beating.Err())
	}
}
