package pgpair

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Proxy passes TCP connections on to an address, and imitates faults of the network between. Each of
// Pass, Delay, Swallow and Cut replaces what was before.
//
// It answers for both ends, so keepalives and timeouts of the kernel do not see a fault: a client
// notices that nothing comes, as it does when the server is frozen.
type Proxy struct {
	target   string
	listener net.Listener
	ending   sync.WaitGroup

	mu      sync.Mutex
	mode    proxyMode
	delay   time.Duration
	changed chan struct{}           // closed at the next change of mode or delay
	open    map[*proxyConn]struct{} // connections that are passed on
	closed  bool
}

type proxyMode int

const (
	passing proxyMode = iota
	swallowing
	cut
)

// chunkSize and queuedChunks bound what a connection holds in each direction while it swallows.
const (
	chunkSize    = 32 << 10
	queuedChunks = 32
)

// NewProxy listens on a port of 127.0.0.1 that it chooses, and passes connections on to the target, a
// host and port.
func NewProxy(target string) (*Proxy, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		target:   target,
		listener: l,
		changed:  make(chan struct{}),
		open:     map[*proxyConn]struct{}{},
	}
	p.ending.Go(p.accept)
	return p, nil
}

// Addr returns the address at which the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Pass passes everything on. What was held arrives.
func (p *Proxy) Pass() { p.change(passing, 0) }

// Delay passes everything on, in each direction a time later.
func (p *Proxy) Delay(d time.Duration) { p.change(passing, d) }

// Swallow passes nothing on: not what is sent, not that an end has closed, and not new connections,
// which are accepted. All stay open, and what is sent is held, as a network does that repeats packets
// until it is whole again. What is being written when Swallow is called still arrives.
func (p *Proxy) Swallow() { p.change(swallowing, 0) }

// Cut ends all connections with a reset, and new ones likewise, until the next call.
func (p *Proxy) Cut() {
	p.change(cut, 0)
	for _, c := range p.connections() {
		c.reset()
	}
}

// Close ends all connections and listens no more.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	err := p.listener.Close()
	for _, c := range p.connections() {
		c.reset()
	}
	p.ending.Wait()
	return err
}

func (p *Proxy) change(mode proxyMode, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode, p.delay = mode, delay
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Proxy) connections() (all []*proxyConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		all = append(all, c)
	}
	return all
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // the listener is closed
		}
		ctx, end := context.WithCancelCause(context.Background())
		c := &proxyConn{proxy: p, ctx: ctx, end: end}
		c.hold(client)
		if !p.add(c) {
			c.reset()
			continue
		}
		p.ending.Go(func() {
			defer p.remove(c)
			c.end(c.serve(client))
		})
	}
}

func (p *Proxy) add(c *proxyConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.mode == cut {
		return false
	}
	p.open[c] = struct{}{}
	return true
}

func (p *Proxy) remove(c *proxyConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// admit waits until what was read at a time may be passed on; false if the connection ends before.
func (p *Proxy) admit(ctx context.Context, read time.Time) bool {
	for {
		p.mu.Lock()
		mode, wait, changed := p.mode, time.Until(read.Add(p.delay)), p.changed
		p.mu.Unlock()
		if ctx.Err() != nil {
			return false
		}
		var due <-chan time.Time // never, unless it passes
		if mode == passing {
			if wait <= 0 {
				return true
			}
			due = time.After(wait)
		}
		select {
		case <-due:
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// errReset ends a connection as a fault does; errFinished, when both ends have closed it.
var (
	errReset    = errors.New("the connection is reset")
	errFinished = errors.New("the connection is finished")
)

// proxyConn is a connection of a client and, once something may pass, one to the target.
type proxyConn struct {
	proxy *Proxy
	ctx   context.Context //nolint:containedctx // it is the connection's life, not a call's
	end   context.CancelCauseFunc
}

func (c *proxyConn) reset() { c.end(errReset) }

// hold closes a socket when the connection ends.
func (c *proxyConn) hold(socket net.Conn) {
	context.AfterFunc(c.ctx, func() {
		// What was written still arrives if the connection is finished.
		if tcp, ok := socket.(*net.TCPConn); ok && !errors.Is(context.Cause(c.ctx), errFinished) {
			_ = tcp.SetLinger(0) // so that Close resets; fails if the socket is broken
		}
		_ = socket.Close() // nobody is left to tell
	})
}

// serve passes a connection on, and returns why it ended.
func (c *proxyConn) serve(client net.Conn) error {
	if !c.proxy.admit(c.ctx, time.Now()) {
		return errReset
	}
	server, err := (&net.Dialer{}).DialContext(c.ctx, "tcp", c.proxy.target)
	if err != nil {
		return errReset // as the target refuses
	}
	c.hold(server)
	var both sync.WaitGroup
	both.Go(func() { c.pump(server, client) })
	both.Go(func() { c.pump(client, server) })
	both.Wait()
	return errFinished // unless it was reset before
}

// chunk is what was read, or the error that ended reading.
type chunk struct {
	data []byte
	read time.Time
	err  error
}

// pump passes on what comes from one end, and its end.
func (c *proxyConn) pump(to, from net.Conn) {
	queue := make(chan chunk, queuedChunks)
	c.proxy.ending.Go(func() { c.read(from, queue) })
	for {
		var next chunk
		select {
		case next = <-queue:
		case <-c.ctx.Done():
			return
		}
		if !c.proxy.admit(c.ctx, next.read) {
			return
		}
		if err := pass(to, next); err != nil {
			if !errors.Is(err, io.EOF) {
				c.reset() // an end has failed: the other sees it
			}
			return
		}
	}
}

func (c *proxyConn) read(from net.Conn, queue chan<- chunk) {
	for {
		buffer := make([]byte, chunkSize)
		n, err := from.Read(buffer)
		select {
		case queue <- chunk{buffer[:n], time.Now(), err}:
		case <-c.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// pass writes a chunk; io.EOF if it was the last.
func pass(to net.Conn, next chunk) error {
	if _, err := to.Write(next.data); err != nil {
		return err
	}
	if !errors.Is(next.err, io.EOF) {
		return next.err
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		if err := half.CloseWrite(); err != nil {
			return fmt.Errorf("pass the end on: %w", err)
		}
	}
	return io.EOF
}
