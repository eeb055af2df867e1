package listen

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// How long a listener waits after a failed accept, at first and at most. Nothing tells it that
// descriptors are free again, so it has to try.
const (
	shortestWait = 5 * time.Millisecond
	longestWait  = time.Second
)

// ListenerOptions configure a listener.
type ListenerOptions struct {
	Name              string         // in the log
	ReservedForOthers int            // connections of the limit that this listener leaves to others
	Balancers         []netip.Prefix // networks whose connections, and only those, begin with a PROXY header
	Pace              Pace           // pace of clients while the writer sets no deadline; zero: none
	Insertion         Insertion      // into what a client sends first; without beginnings: none
}

// Listener accepts the connections of another listener while there is room for them.
type Listener struct {
	net.Listener
	ListenerOptions
	limiter *Limiter
	done    chan struct{} // closed when the listener is
	closed  bool          // whether the listener is closed; guarded by the limiter's lock
}

// Listen makes a listener that accepts the connections of ln.
func (r *Limiter) Listen(ln net.Listener, d ListenerOptions) *Listener {
	return &Listener{Listener: ln, ListenerOptions: d, limiter: r, done: make(chan struct{})}
}

// Accept waits for room and for the next connection. After a failed accept, as for lack of
// descriptors, it tries again; the only error is net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	for wait := shortestWait; ; wait = min(2*wait, longestWait) {
		if !l.limiter.acquire(l) {
			return nil, net.ErrClosed
		}
		nc, err := l.Listener.Accept()
		if err == nil {
			return l.wrap(nc), nil
		}
		l.limiter.release()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		l.limiter.noteAcceptFailure(l.Name, err)
		select {
		case <-l.done:
			return nil, net.ErrClosed
		case <-time.After(wait):
		}
	}
}

// Close closes the listener; its connections stay open.
func (l *Listener) Close() error {
	l.limiter.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.done)
		l.limiter.changed.Broadcast()
	}
	l.limiter.mu.Unlock()
	return l.Listener.Close()
}

func (r *Limiter) noteAcceptFailure(listener string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acceptFailures++
	r.noteHeldUp(listener, err)
}

// wrap makes the connection that Accept returns.
func (l *Listener) wrap(nc net.Conn) net.Conn {
	c := &conn{Conn: nc, limiter: l.limiter}
	var out net.Conn = c
	if inNetworks(nc.RemoteAddr(), l.Balancers) {
		out = &proxiedConn{conn: c, listener: l.Name}
	}
	if len(l.Insertion.Beginnings) > 0 {
		out = &insertConn{Conn: out, Insertion: l.Insertion}
	}
	if l.Pace.Within > 0 {
		limitUnsent(nc)
		out = &pacedConn{Conn: out, Pace: l.Pace}
	}
	return out
}

// inNetworks tells whether an address is in one of the networks.
func inNetworks(address net.Addr, networks []netip.Prefix) bool {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return false
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(ip) })
}

// conn is a connection that occupies a place of the limiter until it is closed.
type conn struct {
	net.Conn
	limiter *Limiter
	gone    atomic.Bool
}

// Close closes the connection and releases its place.
func (c *conn) Close() error {
	err := c.Conn.Close()
	if c.gone.CompareAndSwap(false, true) {
		c.limiter.release()
	}
	return err
}

// CloseWrite closes the write side.
func (c *conn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(nc net.Conn) error {
	half, ok := nc.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// ReadFrom lets the network connection copy from r, by its own fast path if it has one.
func (c *conn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// Plain returns the network's own connection, for writers that need to bypass the wrapper.
func (c *conn) Plain() net.Conn { return c.Conn }
