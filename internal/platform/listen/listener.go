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

// How long a listener waits after a failed accept, at first and at most. Nothing tells
// that there are descriptors again, so it has to try.
const (
	shortestWait = 5 * time.Millisecond
	longestWait  = time.Second
)

// ListenerOptions is how a listener takes connections in.
type ListenerOptions struct {
	Name              string         // the log's
	ReservedForOthers int            // places of the room that it leaves to other listeners
	Balancers         []netip.Prefix // from where connections begin with a PROXY header, and from nowhere else
	Pace              Pace           // of clients, where whoever writes to them sets no deadline; zero: none
}

// Listener takes in the connections of another one for which there is room.
type Listener struct {
	net.Listener
	ListenerOptions
	limiter *Limiter
	done    chan struct{} // closed with it
	closed  bool          // likewise; guarded by the room
}

// Listen takes in what comes to ln.
func (r *Limiter) Listen(ln net.Listener, d ListenerOptions) *Listener {
	return &Listener{Listener: ln, ListenerOptions: d, limiter: r, done: make(chan struct{})}
}

// Accept waits for room, and for the next connection. Whatever an accept fails of, as
// for want of descriptors, it tries again; an error is net.ErrClosed's.
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

// Close closes the listener; its connections go on.
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

// wrap is a connection that was taken in.
func (l *Listener) wrap(nc net.Conn) net.Conn {
	c := &conn{Conn: nc, limiter: l.limiter}
	var out net.Conn = c
	if inNetworks(nc.RemoteAddr(), l.Balancers) {
		out = &proxiedConn{conn: c, listener: l.Name}
	}
	if l.Pace.Within > 0 {
		limitUnsent(nc)
		out = &pacedConn{Conn: out, Pace: l.Pace}
	}
	return out
}

// inNetworks tells whether an address is of one of the networks.
func inNetworks(address net.Addr, networks []netip.Prefix) bool {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return false
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(ip) })
}

// conn is a connection that has a place of the room until it is closed.
type conn struct {
	net.Conn
	limiter *Limiter
	gone    atomic.Bool
}

// Close closes the connection, and gives its place back.
func (c *conn) Close() error {
	err := c.Conn.Close()
	if c.gone.CompareAndSwap(false, true) {
		c.limiter.release()
	}
	return err
}

// CloseWrite says that nothing more comes.
func (c *conn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(nc net.Conn) error {
	half, ok := nc.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// ReadFrom has the network take what is in r, by its own ways where it has such.
func (c *conn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// Plain is the network's own connection, for those who write to it what nothing lies
// over.
func (c *conn) Plain() net.Conn { return c.Conn }
