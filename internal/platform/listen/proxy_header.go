package listen

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pires/go-proxyproto"
)

const (
	// headerTimeout is how long the header may take. A balancer sends it before all
	// else, as soon as it is connected.
	headerTimeout = 5 * time.Second
	headerBuffer  = 256 // bytes: what most headers fit in; a line of version 1 must
)

// errNoClientAddr is of a header that speaks for no client of the internet.
var errNoClientAddr = errors.New("the PROXY header names no TCP client")

// proxiedConn is a connection of a balancer, which begins with a PROXY header: it is the
// client's that the header names. Without a right header nothing of it is read. The
// header is read by whoever asks for the address or for bytes first, in time.
type proxiedConn struct {
	*conn
	listener string

	once     sync.Once
	buffered *bufio.Reader // what came with the header and is not read yet; of the reader
	client   net.Addr      // nil: the balancer speaks for itself
	err      error
}

// RemoteAddr is the client's address, or that of the balancer where it speaks for
// itself, or said nothing right.
func (c *proxiedConn) RemoteAddr() net.Addr {
	c.once.Do(c.readHeader)
	if c.client == nil {
		return c.Conn.RemoteAddr()
	}
	return c.client
}

// Read reads what comes after the header.
func (c *proxiedConn) Read(b []byte) (int, error) {
	c.once.Do(c.readHeader)
	if c.err != nil {
		return 0, c.err
	}
	if len(b) == 0 {
		return 0, nil // whatever lies beneath would do with it
	}
	if c.buffered != nil && c.buffered.Buffered() > 0 {
		return c.buffered.Read(b)
	}
	c.buffered = nil
	return c.Conn.Read(b)
}

// readHeader reads the header. LOCAL is of a connection that the balancer makes by itself,
// as to see whether the server is there.
func (c *proxiedConn) readHeader() {
	c.buffered = bufio.NewReaderSize(c.Conn, headerBuffer)
	h, err := proxyproto.ReadHeaderTimeout(c.Conn, c.buffered, headerTimeout)
	switch {
	case errors.Is(err, proxyproto.ErrNoProxyProtocol) && c.buffered.Buffered() == 0:
		c.err = err // it said nothing at all, as balancers do that only try to connect
		return
	case err != nil:
		c.err = err
	case h.Command.IsLocal():
		return
	default:
		client, _, ok := h.TCPAddrs()
		if ok {
			c.client = client
			return
		}
		c.err = errNoClientAddr
	}
	c.limiter.noteBadHeader(c.listener, c.Conn.RemoteAddr(), c.err)
	c.err = fmt.Errorf("listen: %w", c.err)
}

// noteBadHeader notes a connection of a balancer that did not begin as it must.
func (r *Limiter) noteBadHeader(listener string, from net.Addr, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.badHeaders++
	if times := r.badHeaderLog.due(r.Now()); times > 0 {
		r.Logger.Warn(
			"a connection from a network of --proxy-protocol began without a right PROXY header and is not served: "+
				"does the balancer send it, and nobody else come from there?",
			"listener",
			listener,
			"from",
			from,
			"error",
			why,
			"times",
			times,
		)
	}
}

// WriteLocalHeader begins a connection that was made to a listener by this machine for itself: where
// the listener awaits a PROXY header from here, as behind a balancer on the same machine,
// that it is nobody else's.
func WriteLocalHeader(nc net.Conn, balancers []netip.Prefix) error {
	if !inNetworks(nc.LocalAddr(), balancers) {
		return nil
	}
	_, err := proxyproto.HeaderProxyFromAddrs(2, nil, nil).WriteTo(nc)
	return err
}
