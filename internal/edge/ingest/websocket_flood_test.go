package ingest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	v5 "github.com/eclipse/paho.golang/packets"
)

// upgradeRequest is the request for a WebSocket, with additional header lines.
func upgradeRequest(lines ...string) []byte {
	key := base64.StdEncoding.EncodeToString(make([]byte, 16))
	b := []byte("GET /mqtt HTTP/1.1\r\nHost: tilth.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key + "\r\n")
	for _, line := range lines {
		b = append(append(b, line...), "\r\n"...)
	}
	return append(b, "\r\n"...)
}

// A page of any origin gets as far as any other client: to the check of the secret. Nothing that
// its browser sends along by itself signs it in, and no compression is negotiated.
func TestWebSocketOrigins(t *testing.T) {
	for name, origin := range map[string][]string{
		"no browser": nil, "the console's": {"Origin: http://tilth.example"}, "another site's": {"Origin: https://elsewhere.example"},
		"a frame without an origin": {"Origin: null"}, "an invalid origin": {"Origin: ::"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t).serveWebSocket()
			c := e.dial(5)
			c.send(
				upgradeRequest(
					append(
						origin,
						"Sec-WebSocket-Protocol: mqtt",
						"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
						"Cookie: session="+secretOf("WS-1"),
						"Authorization: Bearer "+secretOf("WS-1"),
					)...),
			)
			reader := bufio.NewReader(c)
			resp, err := http.ReadResponse(reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusSwitchingProtocols {
				t.Fatal(resp.Status)
			}
			for _, header := range []string{"Sec-Websocket-Extensions", "Set-Cookie", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"} {
				if got := resp.Header.Get(header); got != "" {
					t.Errorf("%s: %s", header, got)
				}
			}
			c.send(frame(0x82, c.connect("", "", "a")))
			answer := make([]byte, 4) // first the two bytes of the frame
			if _, err := io.ReadFull(reader, answer); err != nil || answer[2] != v5.CONNACK<<4 {
				t.Fatalf("% x, %v", answer, err)
			}
			// The refusal is counted when the connection ends, after its answer.
			eventually(t, "refused without a secret", func() bool { return e.pipeline.Stats().ConnectsRefused == 1 })
			device := e.dial(4)
			device.send(
				upgradeRequest(append(origin, "Sec-WebSocket-Protocol: mqtt")...),
				frame(0x82, device.connect("WS-1", secretOf("WS-1"), "a")),
			)
			eventually(t, "let in with it", func() bool { return e.presence.Status(green, 1).Online })
		})
	}
}

// singleConnListener is a listener with one connection.
type singleConnListener struct {
	come   chan net.Conn
	closed chan struct{}
}

func (l *singleConnListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.come:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *singleConnListener) Close() error   { close(l.closed); return nil }
func (l *singleConnListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// webSocketOnPipe opens a WebSocket over a pipe, so that a test controls time; the client reads the
// raw bytes, frames included.
func webSocketOnPipe(t *testing.T, e *edge, over ...func(net.Conn) net.Conn) *client {
	t.Helper()
	l := &singleConnListener{come: make(chan net.Conn, 1), closed: make(chan struct{})}
	server := &http.Server{Handler: NewWebSocket(e.mqtt), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	ours, theirs := net.Pipe()
	for _, wrap := range over {
		theirs = wrap(theirs)
	}
	l.come <- theirs
	t.Cleanup(func() {
		_ = ours.Close() // the server may have closed it
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
	c := &client{t: t, version: 4, Conn: ours}
	c.send(upgradeRequest("Sec-WebSocket-Protocol: mqtt"))
	resp, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil) // nothing follows before the server sends something
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp, err)
	}
	return c
}

// Frames without MQTT content count as silence, however many come, before the CONNECT and after it.
// They take no memory.
func TestWebSocketEmptyFramesTimeOut(t *testing.T) {
	begun := frame(0x02, []byte{0x32, 0xff, 0xff, 0x03}) // of a packet of 64 KiB
	for name, test := range map[string]struct{ first, again []byte }{
		"pings":                 {nil, frame(0x89, bytes.Repeat([]byte("x"), 125))},
		"pongs":                 {nil, frame(0x8A, nil)},
		"empty messages":        {nil, frame(0x82, nil)},
		"empty fragments":       {frame(0x02, nil), frame(0x00, nil)},
		"fragments of one byte": {begun, frame(0x00, []byte{0})},
	} {
		for _, signedIn := range []bool{false, true} {
			t.Run(map[bool]string{false: "before CONNECT, ", true: "signed in, "}[signedIn]+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					e := newEdge(t)
					c := webSocketOnPipe(t, e)
					go func() { // reads whatever comes
						b := make([]byte, 4096)
						for {
							if _, err := c.Conn.Read(b); err != nil {
								return
							}
						}
					}()
					within := 10 * time.Second
					if signedIn {
						hello := c.connect("WS-1", secretOf("WS-1"), "a")
						hello[10], hello[11] = 0, 20
						c.send(frame(0x82, hello))
						within = 30 * time.Second
					}
					if test.first != nil && (signedIn || name != "fragments of one byte") {
						c.send(test.first)
					} else if test.first != nil {
						c.send(frame(0x02, []byte{0x10, 0xff, 0x7f})) // of a CONNECT
					}
					begin, times := time.Now(), 0
					for c.write(test.again) == nil {
						if times++; times > 10_000 {
							t.Fatal("the connection does not end")
						}
						time.Sleep(10 * time.Millisecond)
					}
					if took := time.Since(begin); took < within-time.Second || took > within+3*time.Second {
						t.Errorf("ended after %s and %d frames", took, times)
					}
					synctest.Wait()
					if s := e.pipeline.Stats(); s.Connections != 0 || s.IdleTimeouts != 1 {
						t.Errorf("stats %+v", s)
					}
				})
			})
		}
	}
}

// The server stops reading from a client that sends WebSocket pings and does not read the pongs,
// and cuts it off.
func TestWebSocketPongsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		c := webSocketOnPipe(t, e)
		c.send(frame(0x82, c.connect("WS-1", secretOf("WS-1"), "a")))
		begin, times := time.Now(), 0
		for c.write(frame(0x89, []byte("x"))) == nil {
			if times++; times > 100_000 {
				t.Fatal("the server still reads")
			}
		}
		if took := time.Since(begin); took > 35*time.Second {
			t.Errorf("the client was cut off after %s", took)
		}
		synctest.Wait()
		if s := e.pipeline.Stats(); s.Connections != 0 || s.Stalls != 1 {
			t.Errorf("stats %+v", s)
		}
	})
}

// resettingConn is a connection whose other end is gone once a test says so; what it sent before
// can still be read.
type resettingConn struct {
	net.Conn
	gone *atomic.Bool
}

func (c resettingConn) Write(b []byte) (int, error) {
	if c.gone.Load() {
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.ECONNRESET)}
	}
	return c.Conn.Write(b)
}

// A client that is gone before its pong is written violates no protocol: it is a network error.
func TestWebSocketResetBeforePongIsNoViolation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		var gone atomic.Bool
		c := webSocketOnPipe(t, e, func(nc net.Conn) net.Conn { return resettingConn{nc, &gone} })
		c.discarded()
		c.send(frame(0x82, c.connect("WS-1", secretOf("WS-1"), "a")))
		synctest.Wait()
		gone.Store(true)
		c.send(frame(0x89, nil))
		synctest.Wait()
		c.Close()
		synctest.Wait()
		if s := e.pipeline.Stats(); s.Connections != 0 || s.ConnectionsTotal != 1 ||
			s.Malformed+s.Stalls+s.IdleTimeouts+s.Panics != 0 {
			t.Errorf("stats %+v", s)
		}
	})
}

// One frame of a terabyte may hold packets like any message, and takes no memory beyond theirs.
func TestWebSocketFrameOfATerabyte(t *testing.T) {
	e := newEdge(t).serveWebSocket()
	c := e.dial(4)
	c.send(upgradeRequest("Sec-WebSocket-Protocol: mqtt"))
	before := heap()
	head := binary.BigEndian.AppendUint64([]byte{0x82, 0xff}, 1<<40)
	c.send(append(head, 0, 0, 0, 0), c.connect("WS-1", secretOf("WS-1"), "a"))
	answers := c.discarded()
	pings := bytes.Repeat([]byte{0xC0, 0}, 32<<10)
	const times = 24 // 1.5 MiB
	for range times {
		if err := c.write(pings); err != nil {
			t.Fatal(err)
		}
	}
	const all = times * 64 << 10
	eventuallyWhile(t, "pings answered", answers.Load, func() bool { return answers.Load() >= all })
	if now := heapGrowth(before); now > 1<<20 {
		t.Errorf("%d KiB are held", now>>10)
	}
}

// frugalListener counts what its connections read. The system holds little for them: when a client is
// gone, the server still reads what the system holds.
type frugalListener struct {
	net.Listener
	read *atomic.Uint64
}

func (l frugalListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countingConn{nc, l.read}, nc.(*net.TCPConn).SetReadBuffer(64 << 10)
}

type countingConn struct {
	net.Conn
	read *atomic.Uint64
}

func (c countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Add(uint64(n))
	return n, err
}

// Clients flood the server with frames, and read their answers: another device still gets its
// acknowledgements in time, and no memory is held for the flood.
func TestWebSocketFloods(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.Journal = discardJournal{} }).serve()
	other := e.dialSignedIn(4, "WS-1")
	var read atomic.Uint64 // bytes, most of which are no MQTT
	e.serveWebSocket(func(l net.Listener) net.Listener { return frugalListener{l, &read} })
	for name, one := range map[string][]byte{
		"pings":                  frame(0x89, []byte("x")),
		"long pings":             frame(0x89, bytes.Repeat([]byte("x"), 125)),
		"pongs":                  frame(0x8A, nil),
		"empty messages":         frame(0x82, nil),
		"a packet in two frames": append(frame(0x02, []byte{0xC0}), frame(0x80, []byte{0})...),
		"pings within packets":   slices.Concat(frame(0x02, []byte{0xC0}), frame(0x89, nil), frame(0x80, []byte{0})),
	} {
		t.Run(name, func(t *testing.T) {
			before := heap()
			const floods = 4
			var clients []*client
			var running sync.WaitGroup
			var sent atomic.Int64
			for i := range floods {
				c := e.dial(4)
				c.send(
					upgradeRequest("Sec-WebSocket-Protocol: mqtt"),
					frame(0x82, c.connect("WS-2", secretOf("WS-2"), fmt.Sprint("flood ", i))),
				)
				c.discarded()
				clients = append(clients, c)
				many := bytes.Repeat(one, 1+(64<<10)/len(one))
				running.Go(func() {
					for c.write(many) == nil {
						sent.Add(1)
					}
				})
			}
			eventually(t, "the floods under way", func() bool {
				return e.pipeline.Stats().Connections == floods+1 && sent.Load() > 4*floods
			})
			longest := other.wantTimelyAcks()
			if now := heapGrowth(before); now > 64<<20 {
				t.Errorf("%d MiB are held", now>>20)
			}
			if n := e.pipeline.Stats().Connections; n != floods+1 {
				t.Errorf("%d connections are left", n)
			}
			t.Logf("%d chunks of 64 KiB, the slowest acknowledgement took %s", sent.Load(), longest)
			for _, c := range clients {
				c.reset()
			}
			running.Wait()
			e.wantFloodsGone(read.Load)
		})
	}
	if s := e.pipeline.Stats(); s.Panics != 0 || s.Malformed != 0 || s.Stalls != 0 {
		t.Errorf("stats %+v", s)
	}
}

// A client that keeps sending after the server has closed, and does not close either, is cut off
// soon: the server discards only a limited number of bytes.
func TestWebSocketSendingAfterCloseIsCutOff(t *testing.T) {
	for name, again := range map[string][]byte{
		"messages":        frame(0x82, []byte{0xC0, 0}),
		"empty messages":  frame(0x82, nil),
		"pings":           frame(0x89, nil),
		"empty fragments": frame(0x00, nil),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEdge(t)
				c := webSocketOnPipe(t, e)
				c.discarded()
				c.send(
					frame(0x82, c.connect("WS-1", secretOf("WS-1"), "a")),
					frame(0x81, nil),
				) // a text message ends it
				begin, times := time.Now(), 0
				for c.write(again) == nil {
					if times++; times > 10_000 {
						t.Fatal("the connection does not end")
					}
					time.Sleep(time.Millisecond)
				}
				if took := time.Since(begin); took > 2*closeTimeout {
					t.Errorf("cut off after %s and %d frames", took, times)
				}
				synctest.Wait()
				if s := e.pipeline.Stats(); s.Connections != 0 || s.Malformed != 1 {
					t.Errorf("stats %+v", s)
				}
			})
		})
	}
}
