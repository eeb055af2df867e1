package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
)

// frontPort is what the front knows of a port.
type frontPort struct {
	front *Front
	name  string
	dials chan struct{} // limits how many connections try to reach the leader at a time

	mu     sync.Mutex
	addr   net.Addr       // of the outer listener; nil: there is none yet
	local  *localListener // nil: the local server does not listen
	opened chan struct{}  // closed, and replaced, when the local server begins to listen
	ended  bool           // the front is closed
}

func newFrontPort(f *Front, name string) *frontPort {
	return &frontPort{
		front:  f,
		name:   name,
		dials:  make(chan struct{}, dialsAtOnce),
		opened: make(chan struct{}),
	}
}

// port returns a port by its name. An unknown one is a mistake in the program.
func (f *Front) port(name string) *frontPort {
	p := f.ports[name]
	if p == nil {
		panic("cluster: there is no port " + name)
	}
	return p
}

// Local returns the listener that the local server of a port serves. Its connections are those that
// Listen and ServePeers accepted while this node leads, in the order in which they came; each has
// its client's address. They end when another node leads. Closing the listener closes the
// connections that were not accepted; a later call makes a new listener. Its Addr is the address of
// the listener that Listen serves for this port, once Listen has been called; else it has only the
// port's name.
func (f *Front) Local(port string) net.Listener {
	p := f.port(port)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.local != nil {
		return p.local
	}
	l := &localListener{port: p, closed: p.ended}
	l.changed.L = &l.mu
	if !p.ended {
		p.local = l
		close(p.opened)
		p.opened = make(chan struct{})
	}
	return l
}

// listening returns nil if the local server listens; else a channel that is closed when it begins to.
func (p *frontPort) listening() (opened <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.local != nil {
		return nil
	}
	return p.opened
}

// hand hands a connection that hold has counted to the local server. It returns false, and does
// nothing, if the local server does not listen. client is nil for a connection with an address of
// its own.
func (p *frontPort) hand(term context.Context, nc net.Conn, client net.Addr) bool {
	p.mu.Lock()
	l := p.local
	p.mu.Unlock()
	return l != nil && l.push(newTermConn(term, nc, client))
}

// end closes the local listener for ever.
func (p *frontPort) end() {
	p.mu.Lock()
	p.ended = true
	l := p.local
	p.mu.Unlock()
	if l != nil {
		_ = l.Close() // it has no error
	}
}

// localListener is what a local server accepts from. Connections wait in it, at most
// FrontOptions.MaxHeld in all.
type localListener struct {
	port *frontPort

	mu      sync.Mutex
	changed sync.Cond
	queue   []*termConn
	closed  bool
}

func (l *localListener) push(c *termConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		c.stop()
		return false
	}
	l.queue = append(l.queue, c)
	l.changed.Signal()
	return true
}

// Accept waits for the next connection. Its only error is net.ErrClosed.
func (l *localListener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && !l.closed {
		l.changed.Wait()
	}
	if l.closed {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
	}
	c := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	l.port.front.release()
	return c, nil
}

// Close closes the listener and the connections that nobody has accepted.
func (l *localListener) Close() error {
	l.port.mu.Lock()
	if l.port.local == l {
		l.port.local = nil
	}
	l.port.mu.Unlock()
	l.mu.Lock()
	queue := l.queue
	l.queue, l.closed = nil, true
	l.changed.Broadcast()
	l.mu.Unlock()
	for _, c := range queue {
		l.port.front.refused.Add(1)
		l.port.front.release()
		c.stop()
		cut(c.Conn)
	}
	return nil
}

func (l *localListener) Addr() net.Addr {
	l.port.mu.Lock()
	defer l.port.mu.Unlock()
	if l.port.addr != nil {
		return l.port.addr
	}
	return portAddr(l.port.name)
}

// portAddr is the address of a port that only nodes use.
type portAddr string

func (portAddr) Network() string  { return "cluster" }
func (a portAddr) String() string { return string(a) }

// termConn is a connection that is cut when the term ends in which it was made.
type termConn struct {
	net.Conn
	client net.Addr    // whom the connection counts for; nil: the connection's own remote address
	stop   func() bool // ends the watch over the term
}

func newTermConn(term context.Context, nc net.Conn, client net.Addr) *termConn {
	return &termConn{Conn: nc, client: client, stop: context.AfterFunc(term, func() { cut(nc) })}
}

// RemoteAddr is the client's address.
func (c *termConn) RemoteAddr() net.Addr {
	if c.client != nil {
		return c.client
	}
	return c.Conn.RemoteAddr()
}

// Close closes the connection.
func (c *termConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// CloseWrite closes the write side.
func (c *termConn) CloseWrite() error { return closeWrite(c.Conn) }

// ReadFrom lets the connection copy from r, by its own fast path if it has one.
func (c *termConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// Plain returns the network's own connection, for writers that bypass wrappers; of a connection
// through another node, the TLS connection.
func (c *termConn) Plain() net.Conn { return plain(c.Conn) }

// plain returns the connection inside wrappers that add nothing to the bytes.
func plain(nc net.Conn) net.Conn {
	for {
		wrapper, ok := nc.(interface{ Plain() net.Conn })
		if !ok {
			return nc
		}
		nc = wrapper.Plain()
	}
}

func closeWrite(nc net.Conn) error {
	half, ok := nc.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// cut closes a connection at once. To close a TLS connection in order could take seconds, since
// that writes a last record.
func cut(nc net.Conn) {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	_ = nc.Close() // it is given up
}
