package command

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/h2conn"
)

const publicCall = "/app-api/member/auth/login-username"

// flood is an attack on one connection. It ends when the server closes the connection, or has
// received enough.
type flood struct {
	write       func(f *h2conn.Conn) error // the next frames, called repeatedly
	times       int
	wantCode    http2.ErrCode // with which the server closes the connection
	mayStayOpen bool          // the server need not close it
	neverReads  bool          // the client reads nothing
}

func floods() map[string]flood {
	var last uint32
	next := func() uint32 { last += 2; return last - 1 }
	cookies := make([]hpack.HeaderField, 14)
	for i := range cookies { // one of 4 KB, sent once, and then referred to by one byte each
		cookies[i] = hpack.HeaderField{Name: "cookie", Value: strings.Repeat("c", 4000)}
	}
	all := map[string]flood{
		"requests cancelled at once": {times: 20_000, mayStayOpen: true, write: func(f *h2conn.Conn) error {
			stream := next()
			return errors.Join(
				f.Open(stream, f.HeaderBlock(http.MethodPost, publicCall)),
				f.WriteRSTStream(stream, http2.ErrCodeCancel),
			)
		}},
		"large requests cancelled at once": {times: 5000, mayStayOpen: true, write: func(f *h2conn.Conn) error {
			stream := next()
			return errors.Join(
				f.Open(stream, f.HeaderBlock(http.MethodPost, publicCall, cookies...)),
				f.WriteRSTStream(stream, http2.ErrCodeCancel),
			)
		}},
		"a header without end": {
			times:    5000,
			wantCode: http2.ErrCodeProtocol,
			write: func() func(f *h2conn.Conn) error {
				begun := false
				return func(f *h2conn.Conn) error {
					if !begun {
						begun = true
						return f.WriteHeaders(
							http2.HeadersFrameParam{
								StreamID:      1,
								BlockFragment: f.HeaderBlock(http.MethodGet, "/readyz"),
							},
						)
					}
					f.Head.Reset()
					_ = f.Encoder.WriteField(
						hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 8000), Sensitive: true},
					) // to memory
					return f.WriteContinuation(1, false, f.Head.Bytes())
				}
			}(),
		},
		"a header of empty frames": {times: 200_000, mayStayOpen: true, write: func() func(f *h2conn.Conn) error {
			begun := false
			return func(f *h2conn.Conn) error {
				if !begun {
					begun = true
					return f.WriteHeaders(
						http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.HeaderBlock(http.MethodGet, "/readyz")},
					)
				}
				return f.WriteContinuation(1, false, nil)
			}
		}()},
		"settings": {
			times:      1_000_000,
			neverReads: true,
			write:      func(f *h2conn.Conn) error { return f.WriteSettings() },
		},
		"pings": {
			times:      1_000_000,
			neverReads: true,
			write:      func(f *h2conn.Conn) error { return f.WritePing(false, [8]byte{}) },
		},
		"a window update of zero": {
			times:    100,
			wantCode: http2.ErrCodeProtocol,
			write:    func(f *h2conn.Conn) error { return f.WriteWindowUpdate(0, 0) },
		},
		"a window beyond its maximum": {
			times:    100,
			wantCode: http2.ErrCodeFlowControl,
			write:    func(f *h2conn.Conn) error { return f.WriteWindowUpdate(0, 1<<31-1) },
		},
	}
	return all
}

// dialHTTP2 opens a TLS connection to the HTTPS address.
func dialHTTP2(t *testing.T, address string, roots *x509.CertPool) *tls.Conn {
	t.Helper()
	raw, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() }) // the server may have
	if err := raw.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	c := tls.Client(raw, &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{"h2"}})
	if err := c.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// readGoAway reads until the connection ends, and returns the code with which the server ended it.
func readGoAway(f *h2conn.Conn) (code http2.ErrCode, err error) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return code, err
		}
		if away, ok := frame.(*http2.GoAwayFrame); ok {
			code = away.ErrCode
		}
	}
}

// slowestPage asks for a page some times while nothing else happens, and returns how long the slowest
// answer took.
func slowestPage(t *testing.T, c *http.Client, address string) (slowest time.Duration) {
	t.Helper()
	for range 20 {
		began := time.Now()
		if page := getPage(t, c, address, ""); page.StatusCode != http.StatusOK {
			t.Fatalf("a neighbour: %s", page.Status)
		}
		slowest = max(slowest, time.Since(began))
	}
	return slowest
}

// wantTimelyNeighbour checks how long the slowest answer took beside an attack: three seconds at most, or
// on a slow machine twenty times as long as the slowest one before.
func wantTimelyNeighbour(t *testing.T, slowest, calm time.Duration) {
	t.Helper()
	if slowest > max(3*time.Second, 20*calm) {
		t.Errorf("a neighbour had to wait for %s, and %s without the others", slowest, calm)
	}
}

// Whatever one HTTP/2 connection does, other clients are answered, and memory does not grow.
func TestHTTP2FloodsDoNotAffectNeighbours(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.env = append(p.env, "GOGC=20") // so that the memory in use holds little garbage
	secure, roots := p.startTLS(t.TempDir())
	neighbour := browser(t, roots)
	calm := slowestPage(t, neighbour, "https://"+secure+"/readyz")
	before := p.metricValue("tilth_memory_in_use_bytes")
	var most float64
	for name, attack := range floods() {
		t.Run(name, func(t *testing.T) {
			f, err := h2conn.New(dialHTTP2(t, secure, roots))
			if err != nil {
				t.Fatal(err)
			}
			patience := testkit.WaitTimeout
			if attack.neverReads {
				patience = 3 * time.Second // by then the server must have closed it, or stopped reading
			}
			if err := f.SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			said := make(chan http2.ErrCode, 1)
			var listening sync.WaitGroup
			if !attack.neverReads {
				listening.Go(func() {
					code, _ := readGoAway(f) // however it ends
					said <- code
				})
			}
			var written error
			attacking := make(chan int, 1)
			go func() {
				n := 0
				for ; n < attack.times && written == nil; n++ {
					written = attack.write(f)
				}
				if attack.mayStayOpen && written == nil {
					written = f.Conn.(*tls.Conn).CloseWrite() // so that the server has read everything when it closes
				}
				listening.Wait()
				attacking <- n
			}()
			var slowest time.Duration
			asking := func() {
				began := time.Now()
				if page := getPage(t, neighbour, "https://"+secure+"/readyz", ""); page.StatusCode != http.StatusOK {
					t.Errorf("a neighbour: %s", page.Status)
				}
				slowest = max(slowest, time.Since(began))
				most = max(most, p.metricValue("tilth_memory_in_use_bytes"))
			}
			for n := -1; n < 0; {
				asking()
				select {
				case n = <-attacking:
					t.Logf("%d times, then %v; the slowest neighbour had %s", n, written, slowest)
				default:
				}
			}
			asking()
			wantTimelyNeighbour(t, slowest, calm)
			switch {
			case attack.mayStayOpen:
				t.Logf("the server ended it with %v", <-said)
			case attack.neverReads: // the server has closed it, or stopped reading
				if written == nil {
					t.Error("the server read everything")
				}
			default:
				if code := <-said; code != attack.wantCode {
					t.Errorf("the server ended it with %v, want %v", code, attack.wantCode)
				}
			}
			_ = f.Conn.(*tls.Conn).NetConn().Close() // the server may have closed first
		})
	}
	t.Logf("%.1f MiB in use before, %.1f at most", before/(1<<20), most/(1<<20))
	if most > before+64<<20 {
		t.Errorf("%.1f MiB in use before, %.1f at most", before/(1<<20), most/(1<<20))
	}
	p.stop()
}

// A connection has at most a hundred requests served at once; the server refuses those beyond one
// by one. Their bodies may never arrive. Neither other clients nor a stop wait for them.
func TestHTTP2StreamsAreLimited(t *testing.T) {
	t.Parallel()
	const asked = 3000
	p := newProcess(t)
	secure, roots := p.startTLS(t.TempDir())
	p.apply(simulatedFarm)
	f, err := h2conn.New(dialHTTP2(t, secure, roots))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetDeadline(time.Now().Add(testkit.WaitTimeout)); err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		for i := range uint32(asked) {
			err := f.Open(
				2*i+1,
				f.HeaderBlock(
					http.MethodPost,
					"/api/v1/silo-secret-number-0001/telemetry",
					hpack.HeaderField{Name: "content-type", Value: "application/json"},
				),
			)
			if err != nil {
				t.Errorf("request %d: %v", i, err)
				return
			}
		}
	})
	served := map[uint32]bool{}
	for i := range uint32(asked) {
		served[2*i+1] = true
	}
	told, refused := map[http2.SettingID]uint32{}, 0
	for len(served) > 100 {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatalf("%d are left: %v", len(served), err)
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			_ = frame.ForeachSetting(func(s http2.Setting) error { told[s.ID] = s.Val; return nil }) // gives our own
		case *http2.RSTStreamFrame:
			switch frame.ErrCode {
			case http2.ErrCodeRefusedStream:
				refused++
			case http2.ErrCodeNo: // answered without its body, for which there was no room
			default:
				t.Errorf("request %d ended with %v", frame.StreamID, frame.ErrCode)
			}
			delete(served, frame.StreamID)
		}
	}
	asking.Wait()
	if refused == 0 {
		t.Error("no request was refused")
	}
	if told[http2.SettingMaxConcurrentStreams] != 100 || told[http2.SettingMaxHeaderListSize] > 64<<10+1<<10 {
		t.Errorf("the settings that clients get are %v", told)
	}
	if page := getPage(t, browser(t, roots), "https://"+secure+"/readyz", ""); page.StatusCode != http.StatusOK {
		t.Errorf("a neighbour: %s", page.Status)
	}
	p.stop()
}
