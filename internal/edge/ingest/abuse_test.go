package ingest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v5 "github.com/eclipse/paho.golang/packets"
)

// abuse is one way to abuse the server: do runs on each of n connections, and counted tells what
// the server must have counted of them.
type abuse struct {
	name    string
	n       int
	do      func(i int, random *rand.Rand, c *client) error
	hold    bool               // the connections stay open until all are counted
	counted func(Stats) uint64 // nil: the server refuses nothing and counts nothing
	heap    uint64             // bytes that all connections together may hold while they are open
}

// randomPacket makes random bytes after a packet type and a length.
func randomPacket(kind byte, random *rand.Rand) []byte {
	body := make([]byte, random.IntN(120))
	for i := range body {
		body[i] = byte(random.Uint32())
	}
	return framed(kind<<4|byte(random.IntN(16)), body)
}

// abuses lists all abuses; many is the number of connections of the larger ones.
func abuses(many int) []abuse {
	malformed := func(s Stats) uint64 { return s.Malformed }
	silent := func(s Stats) uint64 { return s.IdleTimeouts }
	send := func(b []byte) func(int, *rand.Rand, *client) error {
		return func(_ int, _ *rand.Rand, c *client) error { return c.write(b) }
	}
	perConn := uint64(24 << 10) // what both ends of a connection may cost
	held := func(n int) uint64 { return uint64(n)*perConn + 4<<20 }
	few := many / 5
	return []abuse{
		{name: "random bytes", n: many, counted: malformed, do: func(_ int, random *rand.Rand, c *client) error {
			return c.write(randomPacket(byte(2+random.IntN(14)), random)) // any packet but a CONNECT
		}},
		{name: "random CONNECT", n: few, do: func(_ int, random *rand.Rand, c *client) error {
			b := append(
				[]byte{0x10, 100, 0, 4, 'M', 'Q', 'T', 'T', byte(4 + random.IntN(2)), 0x03},
				make([]byte, 92)...)
			for i := 10; i < len(b); i++ {
				b[i] = byte(random.Uint32())
			}
			return c.write(b) // flag 1 is reserved
		}, counted: malformed},
		{name: "HTTP", n: few, do: send([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), counted: malformed},
		{name: "oversized CONNECT", n: few, do: send([]byte{0x10, 0xff, 0xff, 0xff, 0x7f}), counted: malformed},
		{name: "endless length", n: few, do: send([]byte{0x10, 0xff, 0xff, 0xff, 0xff}), counted: malformed},
		{name: "wrong secrets", n: many, do: func(i int, random *rand.Rand, c *client) error {
			c.version = byte(4 + i%2)
			return c.write(c.connect("WS-2", fmt.Sprint("guess ", random.Uint64()), ""))
		}, counted: func(s Stats) uint64 { return s.ConnectsRefused }},
		{name: "random packets of a device", n: few, do: func(i int, random *rand.Rand, c *client) error {
			if err := c.signInShortKeepAlive(i); err != nil {
				return err
			}
			// A packet type that a client may not send: its content does not matter.
			return c.write(randomPacket([]byte{0, 1, 2, 4, 5, 7, 9, 11, 13, 15}[random.IntN(10)], random))
		}, counted: malformed},
		{name: "oversized message", n: few, do: func(i int, _ *rand.Rand, c *client) error {
			if err := c.signInShortKeepAlive(i); err != nil {
				return err
			}
			return c.write([]byte{0x32, 0x81, 0x80, 0x10})
		}, counted: malformed},
		{name: "messages announced and never sent", n: few, hold: true, do: func(i int, _ *rand.Rand, c *client) error {
			if err := c.signInShortKeepAlive(i); err != nil {
				return err
			}
			return c.write([]byte{0x32, 0xff, 0xff, 0x0f, 0, 21}) // 256 KiB each
		}, counted: silent, heap: held(few)},
		{name: "truncated", n: few, hold: true, do: func(_ int, random *rand.Rand, c *client) error {
			b := c.connect("WS-2", secretOf("WS-2"), "x")
			return c.write(b[:1+random.IntN(len(b)-1)])
		}, counted: silent, heap: held(few)},
		{name: "cut off in the middle", n: few, do: func(_ int, random *rand.Rand, c *client) error {
			b := c.connect("WS-2", secretOf("WS-2"), "x")
			if err := c.write(b[:1+random.IntN(len(b)-1)]); err != nil {
				return err
			}
			return c.Close()
		}},
		{name: "slow senders", n: few, hold: true, do: func(_ int, _ *rand.Rand, c *client) error {
			b := c.connect("WS-2", secretOf("WS-2"), "x")
			go func() { // until the server cuts it off
				for _, one := range b {
					if c.write([]byte{one}) != nil {
						return
					}
					time.Sleep(abuseTimeout / 4) // this makes the sender slow
				}
			}()
			return nil
		}, counted: silent, heap: held(few)},
		{
			name:    "silent",
			n:       2 * many,
			hold:    true,
			do:      func(int, *rand.Rand, *client) error { return nil },
			counted: silent,
			heap:    held(2 * many),
		},
		{
			name: "half closed",
			n:    many,
			hold: true,
			do:   func(_ int, _ *rand.Rand, c *client) error { return c.Conn.(*net.TCPConn).CloseWrite() },
		},
		{name: "not reading answers", n: 8, hold: true, do: func(i int, _ *rand.Rand, c *client) error {
			if err := c.signInShortKeepAlive(i); err != nil {
				return err
			}
			if err := c.Conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
				return err
			}
			go func() { // pings whose answers are never read
				pings := make([]byte, 0, 4096)
				for len(pings) < cap(pings) {
					pings = append(pings, v5.PINGREQ<<4, 0)
				}
				for c.write(pings) == nil {
				}
			}()
			return nil
		}, counted: func(s Stats) uint64 { return s.Stalls }, heap: 32 << 20},
	}
}

// abuseTimeout is how long the server waits for CONNECTs, and for answers to be read.
const abuseTimeout = 700 * time.Millisecond

func (c *client) write(b []byte) error {
	_, err := c.Write(b)
	return err
}

// signInShortKeepAlive signs a device in with a keep-alive of one second.
func (c *client) signInShortKeepAlive(i int) error {
	hello := c.connect("WS-2", secretOf("WS-2"), fmt.Sprint("client ", i))
	hello[10], hello[11] = 0, 1
	if err := c.write(hello); err != nil {
		return err
	}
	kind, body, err := c.read()
	if err == nil && !accepted(kind, body) {
		err = fmt.Errorf("kind %d % x", kind, body)
	}
	return err
}

// smallBuffers makes the system buffer little of what is sent, so that the server soon notices a
// client which reads nothing.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err == nil {
		err = nc.(*net.TCPConn).SetWriteBuffer(8 << 10)
	}
	return nc, err
}

// heap is the heap in use after two collections: objects with a finalizer, such as connections,
// take two.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Whatever unknown clients and broken devices do, other devices are served, memory stays bounded,
// and every refusal is counted.
func TestAbusiveClientsAreCountedAndHarmless(t *testing.T) {
	many := 500
	if testing.Short() {
		many = 50
	}
	e := newEdge(t, func(o *Options) {
		o.Journal, o.Now, o.Rate, o.Burst = discardJournal{}, runningClock(), 500, 1
		o.ConnectTimeout, o.WriteTimeout, o.PerDevice, o.PerAddress = abuseTimeout, abuseTimeout, 1<<20, 2*many
		o.FailureBurst = 1 << 20
	}).serve(func(ln net.Listener) net.Listener { return smallBuffers{ln} })
	served := e.publishSteadily(t)
	before := heap()
	for _, a := range abuses(many) {
		t.Run(a.name, func(t *testing.T) {
			e.abuse(t, a)
			if n := served.Swap(0); n == 0 {
				t.Error("the steady device was not served meanwhile")
			}
			if after := heap(); after > before+4<<20 {
				t.Errorf("the heap grew by %d KiB", (after-before)>>10)
			}
		})
	}
	if s := e.pipeline.Stats(); s.Panics != 0 || s.RefusedAddress+s.RefusedFull != 0 ||
		s.SignInFailures != uint64(many) {
		t.Errorf("stats %+v", s)
	}
}

// publishSteadily makes one device publish until the test ends, and counts its answers.
func (e *edge) publishSteadily(t *testing.T) *atomic.Uint64 {
	t.Helper()
	c := e.dialSignedIn(4, "WS-1")
	var served atomic.Uint64
	var stopped atomic.Bool
	done := make(chan error, 1)
	go func() {
		for i := 0; !stopped.Load(); i++ {
			err := c.write(c.telemetry(float64(i%50), 1, 1))
			if err == nil {
				var kind byte
				if kind, _, err = c.read(); err == nil && kind != v5.PUBACK {
					err = fmt.Errorf("answered with kind %d", kind)
				}
			}
			if err != nil {
				done <- err
				return
			}
			served.Add(1)
		}
		done <- nil
	}()
	t.Cleanup(func() {
		stopped.Store(true)
		if err := receive(t, done); err != nil {
			t.Errorf("the steady device: %v", err)
		}
	})
	return &served
}

// abuse runs one abuse on all its connections at once, and checks that each is counted and closed.
func (e *edge) abuse(t *testing.T, a abuse) {
	want := uint64(a.n)
	if a.counted == nil {
		want, a.counted = 0, func(s Stats) uint64 { return s.Malformed + s.IdleTimeouts + s.Stalls + s.ConnectsRefused }
	}
	start, empty := a.counted(e.pipeline.Stats()), heap()
	clients := make([]*client, a.n)
	var group sync.WaitGroup
	const workers = 8
	for w := range workers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(w)))
			for i := w; i < a.n; i += workers {
				c, err := e.dialOtherAddress()
				if err != nil {
					t.Error(err)
					return
				}
				clients[i] = c
				// The server may have ended the connection already, as it should.
				if err := a.do(i, random, c); err != nil && !a.hold && !isNetwork(err) {
					t.Errorf("connection %d: %v", i, err)
				}
				if !a.hold {
					_, _ = io.Copy(io.Discard, io.LimitReader(c, 1024)) // to the end
					_ = c.Close()
				}
			}
		})
	}
	group.Wait()
	if a.heap > 0 {
		if now := heap(); now > empty+a.heap {
			t.Errorf("%d connections hold %d KiB", a.n, (now-empty)>>10)
		}
	}
	eventually(t, "all are gone", func() bool { return e.pipeline.Stats().Connections == 1 })
	if n := a.counted(e.pipeline.Stats()) - start; n != want {
		t.Errorf("%d of %d connections counted: %+v", n, want, e.pipeline.Stats())
	}
	for _, c := range clients {
		if c != nil {
			c.Close()
		}
	}
}

// dialOtherAddress opens a connection from an address that no other client of the tests has.
func (e *edge) dialOtherAddress() (*client, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: 5 * time.Second}
	nc, err := dialer.Dial("tcp", e.address)
	if err != nil {
		return nil, err
	}
	return &client{t: e.t, version: 4, Conn: nc}, nil
}

// isNetwork tells whether an error is one of the network and not of the protocol.
func isNetwork(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.As(err, &op)
}

// A flood of connections from one address gets no more than the limit per address, and other
// addresses can connect all the time.
func TestAbuseFloodFromOneAddress(t *testing.T) {
	many := 2000
	if testing.Short() {
		many = 200
	}
	const share = 100
	e := newEdge(t, func(o *Options) { o.PerAddress = share }).serve()
	other := e.dialSignedIn(5, "WS-2")
	held := make(chan *client, many)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range many / 8 {
				c, err := e.dialOtherAddress()
				if err != nil {
					t.Error(err)
					return
				}
				held <- c
			}
		})
	}
	group.Wait()
	close(held)
	eventually(t, "the rest refused", func() bool { return e.pipeline.Stats().RefusedAddress == uint64(many-share) })
	if s := e.pipeline.Stats(); s.Connections != share+1 {
		t.Errorf("%d connections are open", s.Connections)
	}
	other.ping()
	e.dialSignedIn(4, "WS-1").ping()
	for c := range held {
		c.Close()
	}
	eventually(t, "all gone", func() bool { return e.pipeline.Stats().Connections == 2 })
}
