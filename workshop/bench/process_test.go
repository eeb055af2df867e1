package bench

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/announced"
)

func TestMeter(t *testing.T) {
	m := meter{pid: os.Getpid()}
	m.begin()
	// The kernel counts hundredths of a second of processor time; on a busy machine they take longer.
	_, own := m.read()
	for sum := [32]byte{}; own-m.own < 200*time.Millisecond && m.err == nil; _, own = m.read() {
		for range 1000 {
			sum = sha256.Sum256(sum[:])
		}
	}
	m.end()
	if m.err != nil || m.cores <= 0 || m.ownCPU <= 0 || m.cores > 1000 || m.cores/m.ownCPU > 3 || m.ownCPU/m.cores > 3 {
		t.Errorf("the same process was measured as %v and %v, %v", m.cores, m.ownCPU, m.err)
	}
	m = meter{pid: 1 << 30}
	if m.begin(); m.err == nil {
		t.Error("a process that does not exist was measured")
	}
}

func TestMemory(t *testing.T) {
	big := make([]byte, 64<<20)
	for i := 0; i < len(big); i += 4096 {
		big[i] = 1
	}
	with, err := residentMemory(os.Getpid())
	if err != nil || with < 64<<20 || big[0] == 0 {
		t.Fatalf("with 64 MiB in use: %d, %v", with, err)
	}
	// Nothing uses it any more. What other tests left may go, too: that only makes the difference larger.
	debug.FreeOSMemory()
	without, err := residentMemory(os.Getpid())
	if freed := with - without; err != nil || without < 1<<20 || freed < 48<<20 {
		t.Errorf("64 MiB less were measured as %d bytes, %v", freed, err)
	}
	if _, err := residentMemory(1 << 30); err == nil {
		t.Error("a process that does not exist has memory")
	}
}

func TestMeasureDisk(t *testing.T) {
	dir := t.TempDir()
	n, err := measureDisk(dir, 10_000, 50*time.Millisecond)
	if err != nil || n <= 0 {
		t.Errorf("%v, %v", n, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := measureDisk(filepath.Join(dir, "none"), 1, time.Second); err == nil {
		t.Error("a folder that does not exist was measured")
	}
}

// The test binary is also the fake server, if it is started with the arguments of serve.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(fakeServe(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// fakeServe logs its addresses and answers /readyz until it is stopped.
func fakeServe(args []string) int {
	set := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		set[args[i]] = args[i+1]
	}
	if len(os.Getenv("TILTH_PROVIDER_TOKEN")) < 32 || os.Getenv("TILTH_LOG_LEVEL") != "" || set["--fail"] != "" {
		os.Stderr.WriteString("something is wrong\n")
		return 3
	}
	starts, err := os.OpenFile(filepath.Join(set["--data-dir"], "starts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 4
	}
	starts.WriteString(set["--mark"] + "\n")
	starts.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	l, err := net.Listen("tcp", set["--admin-addr"])
	if err != nil {
		return 5
	}
	fmt.Fprintf(
		os.Stderr,
		"level=INFO msg=\"tilth is ready\" http=127.0.0.1:3 mqtt=127.0.0.1:2 admin=%s data=x\n",
		l.Addr(),
	)
	if err := http.Serve(l, mux); err != nil {
		return 6
	}
	return 0
}

func TestServer(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TILTH_LOG_LEVEL", "debug") // the server must not get it
	own := ServerOptions{Binary: binary, Dir: t.TempDir(), Args: []string{"--mark", "here"}, Tenant: NewTenant(2, 1)}
	refusal := errors.New("no")
	own.Apply = func(_ context.Context, admin, token string, file []byte) error {
		if !strings.HasPrefix(admin, "http://127.0.0.1:") || admin == "http://127.0.0.1:3" || len(token) < 32 ||
			!strings.Contains(string(file), "BENCH-00002") {
			t.Errorf("apply: %s, %s, %s", admin, token, file)
		}
		return refusal
	}
	// The fake server does not handle SIGTERM, so that Start returns the error of its end together
	// with that of Apply.
	_, err = Start(t.Context(), own)
	if !errors.Is(err, refusal) || !strings.Contains(err.Error(), "ended badly") {
		t.Errorf("%v", err)
	}
	if starts, err := os.ReadFile(filepath.Join(own.Dir, "starts")); err != nil || string(starts) != "here\n" {
		t.Errorf("started: %q, %v", starts, err)
	}
	own.Args = []string{"--fail", "yes"}
	_, err = Start(t.Context(), own)
	if !errors.Is(err, errEnded) || !strings.Contains(err.Error(), "something is wrong") {
		t.Errorf("a server that ends at once: %v", err)
	}
	own.Binary = filepath.Join(own.Dir, "none")
	var notThere *os.PathError
	if _, err := Start(t.Context(), own); !errors.As(err, &notThere) && !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a binary that does not exist: %v", err)
	}
}

func TestServerNotReadyInTime(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	for name, says := range map[string]string{
		"no address": "",
		"not ready":  fmt.Sprintf("msg=\"tilth is ready\" http=a:1 mqtt=a:2 admin=%s data=x\n", web.Listener.Addr()),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		s := &Server{ended: make(chan struct{}), announced: announced.NewReader()}
		if _, err := io.WriteString(s.announced, says); err != nil {
			t.Fatal(err)
		}
		if err := s.ready(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errEnded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// UpdateAddresses takes the new addresses of a server that restarted itself.
func TestAddressesFollowRestart(t *testing.T) {
	s := &Server{announced: announced.NewReader()}
	for i := range 2 {
		const line = "msg=\"tilth is ready\" http=a:%d mqtt=b:%d admin=c:%d data=x\n"
		if _, err := fmt.Fprintf(s.announced, line, i, i, i); err != nil {
			t.Fatal(err)
		}
		s.UpdateAddresses()
		s.UpdateAddresses() // nothing new
		want := fmt.Sprintf("http://a:%d b:%d http://c:%d/metrics", i, i, i)
		if s.Console+" "+s.MQTT+" "+s.MetricsURL != want {
			t.Errorf("%s %s %s, want %s", s.Console, s.MQTT, s.MetricsURL, want)
		}
	}
}

func TestLogTail(t *testing.T) {
	var l logTail
	for range 3 * tailBytes {
		l.Write([]byte("x"))
	}
	l.Write([]byte("the end\n"))
	if s := l.String(); len(s) != tailBytes-1 || !strings.HasSuffix(s, "xthe end") {
		t.Errorf("%d bytes, %q at the end", len(s), s[len(s)-10:])
	}
}
