package ingest

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eclipse/paho.golang/packets"

	"tilth/internal/domain/device"
	"tilth/internal/platform/limit"
)

const (
	readBufferSize = 4 << 10  // bytes; most packets fit
	connectLimit   = 32 << 10 // bytes of a CONNECT: a client that has not signed in gets less memory
	topicAliases   = 16       // MQTT 5, per connection
	maxClientID    = 1 << 10  // bytes of a client identifier, which stays in memory
	maxKeepAlive   = 3600     // seconds; the CONNACK tells an MQTT 5 client that wants more
)

var (
	errStopped        = errors.New("ingest: the connection was stopped") // by the server
	errStalled        = errors.New("ingest: the client does not read its answers")
	errDisconnect     = errors.New("ingest: the client disconnected")
	errHandshake      = errors.New("ingest: the TLS handshake failed")
	errConnectRefused = errors.New("ingest: CONNECT refused")
	errRevoked        = errors.New("ingest: the device is disabled or its secret is no longer valid")
)

// conn is one device's connection. One goroutine reads it; any goroutine may add answers to its
// write buffer.
type conn struct {
	server  *MQTT
	address string
	network limit.Network // that its address counts as
	in      *timedReader
	packets packetReader
	out     *writeBuffer

	ctx      context.Context // ends with the connection
	cancel   context.CancelFunc
	stopping chan struct{} // closed: read no more, finish the accepted messages
	stopOnce sync.Once

	// Set from the CONNECT on and never changed.
	version   byte
	clientID  string
	ref       device.Ref
	hash      device.SecretHash
	maxPacket int // largest packet that the client accepts; 0: any
	connected bool

	// Used by the reading goroutine.
	attached   bool                          // in the server's list
	allowance  limit.PinnedBucket[device.ID] // for messages, while it is attached
	entry      *device.Entry
	generation uint64 // of the structure when entry was read
	aliases    [topicAliases + 1]Kind

	qos2 qos2Messages // guarded by out.mu
}

func newConn(m *MQTT, nc net.Conn, address string) *conn {
	c := &conn{
		server: m, address: address, network: networkOf(address),
		in:       &timedReader{conn: nc, bytes: &m.pipeline.stats.bytes},
		out:      newWriteBuffer(nc, m.opts.WriteTimeout),
		stopping: make(chan struct{}),
	}
	c.packets = packetReader{r: bufio.NewReaderSize(c.in, readBufferSize), limit: connectLimit}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// run serves the connection until it ends. A panic ends only this connection.
func (c *conn) run() {
	defer c.out.linger()
	defer func() {
		if fault := recover(); fault != nil {
			c.server.pipeline.stats.panics.Add(1)
			c.server.opts.Logger.Error("a device's connection failed", "panic", fault, "stack", string(debug.Stack()))
			c.abort()
		}
	}()
	defer c.server.detach(c)
	c.in.deadline = time.Now().Add(c.server.opts.ConnectTimeout)
	err := c.handshake()
	if err == nil {
		err = c.handleConnect()
	}
	if err == nil {
		// Check again, now that changes of structure find the connection.
		err = c.revalidate()
	}
	if err == nil {
		err = c.serve()
	}
	c.close(err)
}

// handshake does the TLS handshake if the connection is a TLS one.
func (c *conn) handshake() error {
	nc, ok := c.in.conn.(*tls.Conn)
	if !ok {
		return nil
	}
	if err := nc.SetDeadline(c.in.deadline); err != nil {
		return err
	}
	// Check after setting the deadline: stop first sets the flag and then its own deadline.
	if c.in.stopped.Load() {
		return errStopped
	}
	if err := nc.HandshakeContext(c.ctx); err != nil {
		if c.in.stopped.Load() {
			return errStopped
		}
		c.server.opts.Logger.Debug("the TLS handshake failed", "address", c.address, "error", err)
		return fmt.Errorf("%w: %w", errHandshake, err)
	}
	return nc.SetWriteDeadline(time.Time{})
}

// serve handles packets until one of them, or the connection, ends the loop, and returns the
// reason.
func (c *conn) serve() error {
	for {
		c.in.packetStart = true
		pk, err := c.packets.next()
		if err != nil {
			c.noteOversized(err)
			return err
		}
		if err := c.handle(pk); err != nil {
			return err
		}
	}
}

func (c *conn) handle(pk packet) error {
	if pk.kind != packets.PUBLISH && pk.kind != packets.DISCONNECT {
		// publish checks by itself, before it queues the message.
		if err := c.revalidate(); err != nil {
			return err
		}
	}
	switch pk.kind {
	case packets.PUBLISH:
		return c.publish(pk)
	case packets.PUBREL:
		return c.handlePubrel(pk)
	case packets.SUBSCRIBE:
		return c.subscribe(pk)
	case packets.UNSUBSCRIBE:
		return c.unsubscribe(pk)
	case packets.PINGREQ:
		if pk.flags != 0 || len(pk.body) != 0 {
			return malformed("PINGREQ")
		}
		return c.send([]byte{packets.PINGRESP << 4, 0})
	case packets.DISCONNECT:
		return errDisconnect
	}
	return protocolError{reasonProtocolError, "packet that a client may not send now"}
}

// revalidate checks that the device may still be connected, if the structure changed since the last
// check.
func (c *conn) revalidate() error {
	now := c.server.generation.Load()
	if now == c.generation {
		return nil
	}
	registry := c.server.opts.Registry
	entry := registry.Get(c.ref.ID)
	if entry == nil || !registry.StillValid(c.ref.ID, c.hash) {
		return errRevoked
	}
	c.entry, c.generation = entry, now
	return nil
}

// send queues an answer for the client. It drops an answer that is larger than the client accepts,
// as MQTT 5 requires.
func (c *conn) send(b []byte) error {
	if c.maxPacket > 0 && len(b) > c.maxPacket {
		return nil
	}
	if !c.out.send(b) {
		return errStopped
	}
	return nil
}

// close ends the connection for the reason why reading ended.
func (c *conn) close(why error) {
	var violation protocolError
	switch {
	case c.out.hasStalled(), errors.Is(why, errStalled):
		c.server.pipeline.stats.stalls.Add(1)
		c.end(reasonSuccess)
	case errors.As(why, &violation):
		c.server.pipeline.stats.malformed.Add(1)
		c.logViolation(violation)
		c.end(violation.reason)
	case errors.Is(why, errConnectRefused):
		c.server.pipeline.stats.connectsRefused.Add(1)
		c.end(reasonSuccess)
	case errors.Is(why, errRevoked):
		c.end(reasonAdministrative)
	case errors.Is(why, errStopped), errors.Is(why, ErrClosed), errors.Is(why, context.Canceled):
		c.out.drain()
		c.end(reasonShuttingDown)
	case errors.Is(why, io.EOF):
		// The client sends no more but may still wait for answers.
		c.out.drain()
		c.end(reasonSuccess)
	case errors.Is(why, os.ErrDeadlineExceeded):
		c.server.pipeline.stats.idleTimeouts.Add(1)
		c.end(reasonKeepAlive)
	case errors.Is(why, errHandshake):
		c.server.pipeline.stats.handshakeFailures.Add(1)
		c.end(reasonSuccess)
	default: // DISCONNECT, or a network error
		c.end(reasonSuccess)
	}
}

// logViolation logs a protocol violation, at debug level if the client has not signed in.
func (c *conn) logViolation(violation protocolError) {
	logger := c.server.opts.Logger
	if c.entry == nil {
		logger.Debug("the connection of an unknown client was ended", "address", c.address, "error", violation)
		return
	}
	logger.Info("a device's connection was ended", "device", c.entry.Name, "address", c.address, "error", violation)
}

// end ends the connection after the waiting answers are written. An MQTT 5 client gets the reason
// unless it is success.
func (c *conn) end(reason byte) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.endLocked(reason)
}

// endLocked is end for callers that hold out.mu.
func (c *conn) endLocked(reason byte) {
	var last []byte
	if c.connected && c.version == 5 && reason != reasonSuccess {
		last = []byte{packets.DISCONNECT << 4, 1, reason}
	}
	// Accept nothing more once the client may notice the end.
	c.cancel()
	c.in.stop()
	c.out.end(last)
}

// stop stops reading and lets the connection finish the accepted messages.
func (c *conn) stop() {
	c.stopOnce.Do(func() { close(c.stopping) })
	c.in.stop()
}

// abort cuts the connection off.
func (c *conn) abort() {
	c.cancel()
	c.in.stop()
	c.out.abort()
}

// timedReader reads a connection with a deadline that moves only when its user moves it, so that a
// client which sends byte by byte gains no time. Moving the deadline is expensive, so the reader
// delays it until it matters.
type timedReader struct {
	conn        net.Conn
	deadline    time.Time     // zero: none; used by the reading goroutine
	idleTimeout time.Duration // how long a client may be silent; 0: for ever
	packetStart bool          // the next read starts a new packet, with which the idle timeout starts
	set         time.Time     // the deadline that is set on the connection
	known       bool          // whether set is known
	stopped     atomic.Bool
	bytes       *atomic.Uint64
}

// armDeadline sets the deadline of the next read.
func (t *timedReader) armDeadline() error {
	slack := time.Duration(0)
	if t.packetStart && t.idleTimeout > 0 {
		t.deadline = time.Now().Add(t.idleTimeout)
	}
	t.packetStart = false
	if t.idleTimeout > 0 {
		slack = min(time.Second, t.idleTimeout/16)
	}
	if late := t.set.Sub(t.deadline); t.known && late >= 0 && late <= slack {
		return nil
	}
	if t.set = t.deadline; !t.set.IsZero() {
		t.set = t.set.Add(slack)
	}
	t.known = true
	return t.conn.SetReadDeadline(t.set)
}

// Read reads what is there; after stop it returns errStopped.
func (t *timedReader) Read(b []byte) (int, error) {
	if err := t.armDeadline(); err != nil {
		return 0, err
	}
	// Check after setting the deadline: stop first sets the flag and then its own deadline.
	if t.stopped.Load() {
		return 0, errStopped
	}
	n, err := t.conn.Read(b)
	t.bytes.Add(uint64(n))
	if err != nil && t.stopped.Load() {
		err = errStopped
	}
	return n, err
}

// stop ends a read in progress and all later ones.
func (t *timedReader) stop() {
	t.stopped.Store(true)
	// An error means that the connection is closed, which ends reads, too.
	_ = t.conn.SetReadDeadline(time.Unix(1, 0))
}
