package console_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"tilth/internal/edge/console"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/heap"
	"tilth/internal/tools/testkit/race"
)

// newWatchedServer makes a fixture whose readings store is observed.
func newWatchedServer(t testing.TB, s *testkit.ObservedStore) *fixture {
	t.Helper()
	w := newServer(t, func(o *console.Options) {
		s.Store = o.Stores.Readings
		o.Readings = s
		o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	return w
}

const remoteAddr = "203.0.113.9"

// If an answer fails after a part of it was sent, the connection is cut off, so that no client
// takes it for complete; an earlier error is answered in the envelope.
func TestErrorMidStreamCutsConnection(t *testing.T) {
	fault, after := errors.New("the disk is on fire"), 0
	s := &testkit.ObservedStore{Each: func(_ context.Context, n int) error {
		if n > after {
			return fault
		}
		return nil
	}}
	w := newWatchedServer(t, s)
	from := w.createMonthDevice(t, 20)
	base := w.Serve(t)
	signs := strings.Join(monthSigns, ",")
	for name, path := range map[string]string{"rows": rowsPath, "columns": columnsPath, "spreadsheet": exportPath} {
		for _, client := range []string{"127.0.0.1", remoteAddr} {
			call := w.get(rangePath(path, "MONTH", signs, from, from.AddDate(0, 0, 20)))
			call.Header = map[string]string{"Accept-Encoding": "gzip", "X-Forwarded-For": client}

			after = 10
			a := w.Do(t, call)
			if a.Code != 500 || a.Msg != "Unknown system error" || a.Header.Get("Content-Encoding") != "" ||
				a.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s, early: %v %s", name, a.Header, a.Body)
			}

			after = 20_000
			res, err := http.DefaultTransport.RoundTrip(call.Request(t.Context(), base))
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			if !errors.Is(err, io.ErrUnexpectedEOF) || n < 30_000 || res.StatusCode != http.StatusOK {
				t.Errorf("%s to %s: %d bytes of half an answer end with %v", name, client, n, err)
			}
			testkit.Eventually(t, "the line in the log", func() bool {
				return strings.Contains(
					w.Log.Text(),
					`level=ERROR msg="answer cut off" request=`+res.Header.Get("X-Request-Id"),
				)
			})
		}
	}
	if log := w.Log.Text(); !strings.Contains(log, "on fire") || strings.Contains(log, "startTime") {
		t.Errorf("%s", log)
	}
}

// If the client leaves, reading ends, and that is no fault of the server.
func TestClientLeavesMidStream(t *testing.T) {
	const stop = 10_000
	reached, ended := make(chan struct{}, 1), make(chan error, 1)
	read := 0
	s := &testkit.ObservedStore{
		Each: func(ctx context.Context, n int) error {
			if n == stop {
				reached <- struct{}{}
				<-ctx.Done() // the client has left
			}
			return nil
		},
		Ended: func(n int, err error) { read = n; ended <- err },
	}
	w := newWatchedServer(t, s)
	from := w.createMonthDevice(t, 20)
	base := w.Serve(t)
	for _, path := range []string{rowsPath, columnsPath, exportPath} {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		res, err := http.DefaultTransport.RoundTrip(
			w.get(rangePath(path, "MONTH", strings.Join(monthSigns, ","), from, from.AddDate(0, 0, 20))).Request(
				ctx,
				base,
			),
		)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Receive(t, "the middle of the answer", reached)
		leave()
		err = testkit.Receive(t, "the end of reading", ended)
		// A chunk that fills the connection finds out by writing.
		left := errors.Is(err, context.Canceled) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
		if !left || read > stop+1000 {
			t.Errorf("read %d frames, ended with %v", read, err)
		}
		_ = res.Body.Close()
	}
	if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("%s", log)
	}
}

// discardWriter is a client that receives everything and keeps nothing.
type discardWriter struct {
	header http.Header
	bytes  int
	first  int // frames that were read when the first byte arrived
	frames *int
}

func (n *discardWriter) Header() http.Header { return n.header }
func (n *discardWriter) WriteHeader(int)     {}
func (n *discardWriter) Write(p []byte) (int, error) {
	if n.bytes == 0 {
		n.first = *n.frames
	}
	n.bytes += len(p)
	return len(p), nil
}

// Memory does not grow with the range, the answer begins when only a part of the range was read,
// and all memory of a month's answer stays below a bound.
func TestStreamedAnswersMemoryIsBounded(t *testing.T) {
	const days = 30
	frames, early, late, look := 0, uint64(0), uint64(0), true
	s := &testkit.ObservedStore{Each: func(_ context.Context, n int) error {
		switch frames = n; {
		case look && n == 2000:
			early = heap.Held()
		case look && n == days*1440:
			late = heap.Held()
		}
		return nil
	}}
	w := newWatchedServer(t, s)
	from := w.createMonthDevice(t, days)
	signs := strings.Join(monthSigns, ",")
	for name, path := range map[string]string{"rows": rowsPath, "columns": columnsPath, "spreadsheet": exportPath} {
		call := w.get(rangePath(path, "MONTH", signs, from, from.AddDate(0, 0, days)))
		call.Header = map[string]string{"Accept-Encoding": "gzip", "Time-Zone": "Europe/Istanbul"}
		ask := func() *discardWriter {
			n := &discardWriter{header: http.Header{}, frames: &frames}
			w.Handler.ServeHTTP(n, call.Request(t.Context(), "http://tilth.test"))
			return n
		}
		look = false
		ask() // warms up the store's file caches, which are bounded and not measured here
		look = true
		ask()
		// The readings take three megabytes and more.
		if late == 0 || late > early+500_000 {
			t.Errorf("%s: %d bytes after 2,000 frames, %d at the end", name, early, late)
		}
		var before, after runtime.MemStats
		look = false
		runtime.ReadMemStats(&before)
		n := ask()
		runtime.ReadMemStats(&after)
		look, late = true, 0
		if spent := after.TotalAlloc - before.TotalAlloc; n.bytes < 500_000 || spent > 32<<20 && !race.Enabled {
			t.Errorf("%s: %d bytes of answer took %d bytes of memory in all", name, n.bytes, spent)
		}
		if n.first == 0 || n.first > days*1440/4 {
			t.Errorf("%s: the first byte came after %d of %d frames", name, n.first, days*1440)
		}
	}
}

// An answer is compressed for remote clients that accept it, and has the same content.
func TestStreamedAnswersAreCompressed(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	from := w.createMonthDevice(t, 2)
	at := from.Add(47 * time.Hour)
	long, short := rangePath(rowsPath, "MONTH", "t1,t2", from, at), rangePath(rowsPath, "MONTH", "t1,t2", at, at)
	series := rangePath(seriesPath, "MONTH", "t1,t2", from, at) + "&points=100"
	file := rangePath(exportPath, "MONTH", "t1", from, at)
	for _, c := range []struct {
		name, path, accept, from string
		packed                   bool
	}{
		{"far away", long, "br, gzip", remoteAddr, true},
		{"by property", series, "gzip", remoteAddr, true},
		{"a client that accepts no coding", long, "", remoteAddr, false},
		{"a client that refuses gzip", long, "gzip;q=0, br", remoteAddr, false},
		{"on this machine", long, "gzip", "127.0.0.1", false},
		{"on this machine, IPv6", long, "gzip", "::1", false},
		{"little", short, "gzip", remoteAddr, false},
		{"a file, which is compressed already", file, "gzip", remoteAddr, false},
	} {
		plain := w.Do(t, w.get(c.path))
		if plain.Header.Get("Content-Encoding") != "" {
			t.Fatalf("%s: compressed although the client does not accept it", c.name)
		}
		call := w.get(c.path)
		call.From = "127.0.0.1"
		call.Header = map[string]string{"Accept-Encoding": c.accept, "X-Forwarded-For": c.from}
		rec := &wireRecorder{header: http.Header{}}
		w.Handler.ServeHTTP(rec, call.Request(t.Context(), "http://tilth.test"))
		body := rec.body.Bytes()
		if packed := rec.header.Get("Content-Encoding") == "gzip"; packed != c.packed {
			t.Errorf("%s: %v", c.name, rec.header)
		} else if packed {
			z, err := gzip.NewReader(&rec.body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil || rec.size > len(body)/3 {
				t.Errorf("%s: %d bytes of %d, %v", c.name, rec.size, len(body), err)
			}
		}
		if c.path != file &&
			(!bytes.Equal(body, plain.Body) || rec.header.Get("Vary") != "Accept-Encoding" || rec.header.Get("Content-Type") != "application/json") {
			t.Errorf("%s: %v, %d bytes, want %d", c.name, rec.header, len(body), len(plain.Body))
		}
	}
}

// wireRecorder keeps an answer as it was sent.
type wireRecorder struct {
	header http.Header
	body   bytes.Buffer
	size   int
}

func (r *wireRecorder) Header() http.Header { return r.header }
func (r *wireRecorder) WriteHeader(int)     {}
func (r *wireRecorder) Write(p []byte) (int, error) {
	r.size += len(p)
	return r.body.Write(p)
}

// A client that receives nothing for too long is cut off, so that the reader of the store does not
// stay open for it. The deadline is the connection's, and a writer that fails ends the reading.
func TestStalledClientIsCutOff(t *testing.T) {
	ended := make(chan error, 1)
	frames := 0
	s := &testkit.ObservedStore{
		Each:  func(_ context.Context, n int) error { frames = n; return nil },
		Ended: func(_ int, err error) { ended <- err },
	}
	w := newWatchedServer(t, s)
	from := w.createMonthDevice(t, 10)
	stuck := &stuckWriter{discardWriter: discardWriter{header: http.Header{}, frames: &frames}}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // a panic's value is no wrapped error
				t.Errorf("ended with %v", p)
			}
		}()
		w.Handler.ServeHTTP(
			stuck,
			w.get(rangePath(rowsPath, "MONTH", "t1", from, from.AddDate(0, 0, 10))).Request(
				t.Context(),
				"http://tilth.test",
			),
		)
	}()
	if err := testkit.Receive(t, "the end of reading", ended); !errors.Is(err, errStuck) || frames == 10*1440 {
		t.Errorf("read %d frames, ended with %v", frames, err)
	}
	if until := time.Until(stuck.deadline); until < 10*time.Second || until > time.Minute {
		t.Errorf("a chunk may take %s", until)
	}
	if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("%s", log)
	}
}

var errStuck = errors.New("i/o timeout")

// stuckWriter takes one chunk, and records its deadline.
type stuckWriter struct {
	discardWriter
	deadline time.Time
}

func (s *stuckWriter) SetWriteDeadline(at time.Time) error { s.deadline = at; return nil }

func (s *stuckWriter) Write(p []byte) (int, error) {
	if s.bytes > 0 {
		return 0, errStuck
	}
	return s.discardWriter.Write(p)
}
