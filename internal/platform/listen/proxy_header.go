package listen

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/pires/go-proxyproto"
)

const (
	// headerTimeout is how long the header may take. A balancer sends it first, as soon as it is
	// connected.
	headerTimeout = 5 * time.Second
	headerBuffer  = 256 // bytes: most headers fit, and a header line of version 1 must
)

// errNoClientAddr says that a header names no client of the internet.
var errNoClientAddr = errors.New("the PROXY header names no TCP client")

// proxiedConn is a connection from a balancer, which begins with a PROXY header; it counts as the
// connection of the client that the header names. Nothing is read from it without a valid header.
// The first caller that asks for the address or for bytes reads the header, within headerTimeout.
type proxiedConn struct {
	*conn
	listener string

	once     sync.Once
	buffered *bufio.Reader // bytes that came with the header and are not read yet; only Read uses it
	client   net.Addr      // nil: the balancer speaks for itself
	err      error
}

// RemoteAddr is the client's address, or the balancer's if the balancer speaks for itself or sent
// no valid header.
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
		return 0, nil // the layers below differ in what they do with an empty read
	}
	if c.buffered != nil && c.buffered.Buffered() > 0 {
		return c.buffered.Read(b)
	}
	c.buffered = nil
	return c.Conn.Read(b)
}

// readHeader reads the header. The command LOCAL means that the balancer made the connection for
// itself, such as a health check.
func (c *proxiedConn) readHeader() {
	c.buffered = bufio.NewReaderSize(c.Conn, headerBuffer)
	h, err := proxyproto.ReadHeaderTimeout(c.Conn, c.buffered, headerTimeout)
	switch {
	case c.buffered.Buffered() == 0 &&
		(errors.Is(err, proxyproto.ErrNoProxyProtocol) || errors.Is(err, syscall.ECONNRESET)):
		c.err = err // the balancer sent nothing at all, as some do to check that the port is open, or left at once
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

// noteBadHeader counts and logs a balancer's connection without a valid header.
func (r *Limiter) noteBadHeader(listener string, from net.Addr, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.badHeaders++
	if times := r.badHeaderLog.due(r.Now()); times > 0 {
		r.Logger.Warn(
			"a connection from a network of --proxy-protocol began without a right PROXY header and is not served: "+
				"does the balancer send it, and nobody else come from there?",
			"listener", listener, "from", from, "error", why, "times", times,
		)
	}
}

// WriteLocalHeader begins a connection that this machine makes to one of its own listeners. If the
// listener expects a PROXY header from this address, as behind a balancer on the same machine, the
// header says that the connection is for no other client.
func WriteLocalHeader(nc net.Conn, balancers []netip.Prefix) error {
	if !inNetworks(nc.LocalAddr(), balancers) {
		return nil
	}
	_, err := proxyproto.HeaderProxyFromAddrs(2, nil, nil).WriteTo(nc)
	return err
}
