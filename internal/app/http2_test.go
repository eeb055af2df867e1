package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"tilth/internal/edge/ingest"
	"tilth/internal/tools/testkit"
)

// h2Conn is a connection of HTTP/2 whose frames a test writes and reads by itself.
type h2Conn struct {
	*http2.Framer
	net.Conn
	head    bytes.Buffer
	encoder *hpack.Encoder
}

// newH2Conn begins to speak HTTP/2; nothing is read.
func newH2Conn(c net.Conn, first ...http2.Setting) (*h2Conn, error) {
	f := &h2Conn{Framer: http2.NewFramer(c, c), Conn: c}
	f.AllowIllegalWrites = true
	f.encoder = hpack.NewEncoder(&f.head)
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		return nil, err
	}
	return f, f.WriteSettings(first...)
}

// headerBlock are the header fields of a request, packed.
func (f *h2Conn) headerBlock(method, path string, more ...hpack.HeaderField) []byte {
	f.head.Reset()
	for _, h := range append([]hpack.HeaderField{
		{Name: ":method", Value: method}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "localhost"}, {Name: ":path", Value: path},
	}, more...) {
		_ = f.encoder.WriteField(h) // to memory
	}
	return f.head.Bytes()
}

// open begins a request whose body never comes.
func (f *h2Conn) open(stream uint32, fields []byte) error {
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: fields, EndHeaders: true})
}

const publicCall = "/app-api/member/auth/login-username"

// flood is an attack on one connection. It ends when the server ends the connection, or
// has been given much.
type flood struct {
	write       func(f *h2Conn) error // next, again and again
	times       int
	wantCode    http2.ErrCode // with what the server ends the connection
	mayStayOpen bool          // it need not
	neverReads  bool          // nothing that the server says is read
}

func floods() map[string]flood {
	var last uint32
	next := func() uint32 { last += 2; return last - 1 }
	cookies := make([]hpack.HeaderField, 14)
	for i := range cookies { // one of 4 KB, told once, and then by a byte each
		cookies[i] = hpack.HeaderField{Name: "cookie", Value: strings.Repeat("c", 4000)}
	}
	all := map[string]flood{
		"requests taken back at once": {times: 20_000, mayStayOpen: true, write: func(f *h2Conn) error {
			stream := next()
			return errors.Join(
				f.open(stream, f.headerBlock(http.MethodPost, publicCall)),
				f.WriteRSTStream(stream, http2.ErrCodeCancel),
			)
		}},
		"large requests taken back at once": {times: 5000, mayStayOpen: true, write: func(f *h2Conn) error {
			stream := next()
			return errors.Join(
				f.open(stream, f.headerBlock(http.MethodPost, publicCall, cookies...)),
				f.WriteRSTStream(stream, http2.ErrCodeCancel),
			)
		}},
		"a head without end": {times: 5000, wantCode: http2.ErrCodeProtocol, write: func() func(f *h2Conn) error {
			begun := false
			return func(f *h2Conn) error {
				if !begun {
					begun = true
					return f.WriteHeaders(
						http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.headerBlock(http.MethodGet, "/readyz")},
					)
				}
				f.head.Reset()
				_ = f.encoder.WriteField(
					hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 8000), Sensitive: true},
				) // to memory
				return f.WriteContinuation(1, false, f.head.Bytes())
			}
		}()},
		"a head of empty pieces": {times: 200_000, mayStayOpen: true, write: func() func(f *h2Conn) error {
			begun := false
			return func(f *h2Conn) error {
				if !begun {
					begun = true
					return f.WriteHeaders(
						http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.headerBlock(http.MethodGet, "/readyz")},
					)
				}
				return f.WriteContinuation(1, false, nil)
			}
		}()},
		"settings": {
			times:      1_000_000,
			neverReads: true,
			write:      func(f *h2Conn) error { return f.WriteSettings() },
		},
		"pings": {
			times:      1_000_000,
			neverReads: true,
			write:      func(f *h2Conn) error { return f.WritePing(false, [8]byte{}) },
		},
		"a window of nothing": {
			times:    100,
			wantCode: http2.ErrCodeProtocol,
			write:    func(f *h2Conn) error { return f.WriteWindowUpdate(0, 0) },
		},
		"a window beyond size": {
			times:    100,
			wantCode: http2.ErrCodeFlowControl,
			write:    func(f *h2Conn) error { return f.WriteWindowUpdate(0, 1<<31-1) },
		},
	}
	return all
}

// dialHTTP2 shakes hands with the HTTPS address.
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

// readGoAway reads until the connection ends, and tells with what.
func (f *h2Conn) readGoAway() (code http2.ErrCode, err error) {
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

// Whatever one connection of HTTP/2 does, a neighbour is answered, and memory stays.
func TestHTTP2FloodsDoNotAffectNeighbours(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.env = append(p.env, "GOGC=20") // so that what is in use says little of garbage
	secure, roots := p.startTLS(t.TempDir())
	neighbour := browser(t, roots)
	getPage(t, neighbour, "https://"+secure+"/readyz", "")
	before := p.metricValue("tilth_memory_in_use_bytes")
	var most float64
	for name, attack := range floods() {
		t.Run(name, func(t *testing.T) {
			f, err := newH2Conn(dialHTTP2(t, secure, roots))
			if err != nil {
				t.Fatal(err)
			}
			patience := testkit.WaitTimeout
			if attack.neverReads {
				patience = 3 * time.Second // by when it must have ended, or the server read no more
			}
			if err := f.SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			said := make(chan http2.ErrCode, 1)
			var listening sync.WaitGroup
			if !attack.neverReads {
				listening.Go(func() {
					code, _ := f.readGoAway() // however it ends
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
					written = f.Conn.(*tls.Conn).CloseWrite() // so that the server has read all when it ends
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
			if slowest > 3*time.Second {
				t.Errorf("a neighbour had to wait for %s", slowest)
			}
			switch {
			case attack.mayStayOpen:
				t.Logf("the server ended it with %v", <-said)
			case attack.neverReads: // the server ended it, or takes no more
				if written == nil {
					t.Error("all was taken")
				}
			default:
				if code := <-said; code != attack.wantCode {
					t.Errorf("the server ended it with %v, want %v", code, attack.wantCode)
				}
			}
			_ = f.Conn.(*tls.Conn).NetConn().Close() // the server may have been first
		})
	}
	t.Logf("%.1f MiB in use before, %.1f at most", before/(1<<20), most/(1<<20))
	if most > before+64<<20 {
		t.Errorf("%.1f MiB in use before, %.1f at most", before/(1<<20), most/(1<<20))
	}
	p.stop()
}

// A connection has a hundred requests served at once, and those beyond are refused one
// by one; their bodies may never come. Nobody else waits, nor does a stop.
func TestHTTP2StreamsAreLimited(t *testing.T) {
	t.Parallel()
	const asked = 3000
	p := newProcess(t)
	secure, roots := p.startTLS(t.TempDir())
	p.apply(simulatedFarm)
	f, err := newH2Conn(dialHTTP2(t, secure, roots))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetDeadline(time.Now().Add(testkit.WaitTimeout)); err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		for i := range uint32(asked) {
			if err := f.open(
				2*i+1,
				f.headerBlock(
					http.MethodPost,
					"/api/v1/silo-secret-number-0001/telemetry",
					hpack.HeaderField{Name: "content-type", Value: "application/json"},
				),
			); err != nil {
				t.Errorf("request %d: %v", i, err)
				return
			}
		}
	})
	served := map[uint32]bool{}
	for i := range uint32(asked) {
		served[2*i+1] = true
	}
	told := map[http2.SettingID]uint32{}
	for len(served) > 100 {
		frame, err := f.ReadFrame()
		if err != nil {
			t.Fatalf("%d are left: %v", len(served), err)
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			_ = frame.ForeachSetting(func(s http2.Setting) error { told[s.ID] = s.Val; return nil }) // gives our own
		case *http2.RSTStreamFrame:
			if frame.ErrCode != http2.ErrCodeRefusedStream {
				t.Errorf("request %d ended with %v", frame.StreamID, frame.ErrCode)
			}
			delete(served, frame.StreamID)
		}
	}
	asking.Wait()
	if told[http2.SettingMaxConcurrentStreams] != 100 || told[http2.SettingMaxHeaderListSize] > headerLimit+1<<10 {
		t.Errorf("clients are told %v", told)
	}
	if page := getPage(t, browser(t, roots), "https://"+secure+"/readyz", ""); page.StatusCode != http.StatusOK {
		t.Errorf("a neighbour: %s", page.Status)
	}
	p.stop()
}

// Who answers no ping, or takes nothing, loses the connection, whatever it has open.
func TestSilentHTTP2ClientsAreDisconnected(t *testing.T) {
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // where held time begins
	certFile, keyFile, roots := testkit.Certificate(t, t.TempDir(), begin)
	certificate, err := ingest.LoadCertificate(
		certFile,
		keyFile,
		func() time.Time { return begin },
		testkit.NewLog().Logger,
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		reads, trickles bool
		limit           time.Duration
	}{
		"no answer to a ping":    {true, false, http2Limits.SendPingTimeout + http2Limits.PingTimeout},
		"a head that never ends": {true, true, http2Limits.SendPingTimeout + http2Limits.PingTimeout},
		"nothing is taken":       {false, false, http2Limits.WriteByteTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
				left := make(chan struct{}, 1)
				server := webServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if test.reads {
						<-r.Context().Done()
					} else {
						for r.Context().Err() == nil {
							fmt.Fprintf(w, "%01000d", 0)
						}
					}
					left <- struct{}{}
				}), slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug))
				server.TLSConfig = (&certificates{own: certificate}).web()
				served := make(chan error, 1)
				go func() { served <- server.ServeTLS(l, "", "") }()
				ours, theirs := net.Pipe()
				l.conns <- theirs
				// Of TLS 1.3 the server's last word would be taken by nobody.
				c := tls.Client(
					ours,
					&tls.Config{
						RootCAs:    roots,
						ServerName: "localhost",
						NextProtos: []string{"h2"},
						MaxVersion: tls.VersionTLS12,
					},
				)
				if err := c.HandshakeContext(context.Background()); err != nil {
					t.Fatal(err)
				}
				reading := make(chan error, 1)
				began := time.Now()
				if test.reads {
					go func() { _, err := io.Copy(io.Discard, c); reading <- err }()
				} else {
					reading <- os.ErrDeadlineExceeded
				}
				f, err := newH2Conn(c)
				if err == nil {
					err = f.open(1, f.headerBlock(http.MethodGet, "/"))
				}
				if err != nil && test.reads {
					t.Fatal(err)
				}
				var trickling sync.WaitGroup
				if test.trickles {
					if err := f.WriteHeaders(
						http2.HeadersFrameParam{StreamID: 3, BlockFragment: f.headerBlock(http.MethodGet, "/")},
					); err != nil {
						t.Fatal(err)
					}
					trickling.Go(func() {
						for f.WriteContinuation(3, false, nil) == nil {
							time.Sleep(5 * time.Second)
						}
					})
				}
				<-left
				// TLS takes up to five seconds to say goodbye to who takes nothing.
				if took := time.Since(began); took < test.limit || took > test.limit+6*time.Second {
					t.Errorf("it ended after %s", took)
				}
				<-reading // its end is the server's
				_ = ours.Close()
				trickling.Wait()
				if err := errors.Join(server.Close(), <-served); !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
			})
		})
	}
}
