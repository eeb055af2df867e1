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
	readBufferSize = 4 << 10  // bytes; what most packets fit in
	connectLimit   = 32 << 10 // bytes of a CONNECT: whoever is not signed in gets less memory
	topicAliases   = 16       // MQTT 5, a connection
	maxClientID    = 1 << 10  // bytes of a client identifier, which is kept
	maxKeepAlive   = 3600     // seconds; an MQTT 5 client that wants more is told this
)

var (
	errStopped        = errors.New("ingest: the connection was stopped") // by this side
	errStalled        = errors.New("ingest: the client does not take what it is sent")
	errDisconnect     = errors.New("ingest: the client said goodbye")
	errHandshake      = errors.New("ingest: TLS was not agreed on")
	errConnectRefused = errors.New("ingest: CONNECT refused")
	errRevoked        = errors.New("ingest: the device is shut out or its secret dropped")
)

// conn is one device's connection. One goroutine reads it; answers are left in
// its outbox by whoever has them.
type conn struct {
	server  *MQTT
	address string
	network limit.Network // what its address counts as
	in      *timedReader
	packets packetReader
	out     *writeBuffer

	ctx      context.Context // ends with the connection
	cancel   context.CancelFunc
	stopping chan struct{} // closed: read no more, finish what was accepted
	stopOnce sync.Once

	// Known from the CONNECT on and never changed.
	version   byte
	clientID  string
	ref       device.Ref
	hash      device.SecretHash
	maxPacket int // largest the client takes; 0: any
	connected bool

	// Of the reading goroutine.
	attached   bool                          // entered in the server's list
	allowance  limit.PinnedBucket[device.ID] // of messages, while it is attached
	entry      *device.Entry
	generation uint64 // of the structure that entry was read from
	aliases    [topicAliases + 1]Kind

	qos2 qos2Messages // QoS 2; guarded by out.mu
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

// run serves the connection to its end. A fault of ours ends this connection
// only.
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
		// Once more, now that changes of structure find it.
		err = c.revalidate()
	}
	if err == nil {
		err = c.serve()
	}
	c.close(err)
}

// handshake shakes hands where the connection is one of TLS.
func (c *conn) handshake() error {
	nc, ok := c.in.conn.(*tls.Conn)
	if !ok {
		return nil
	}
	if err := nc.SetDeadline(c.in.deadline); err != nil {
		return err
	}
	// After the deadline: stop sets its own one behind the mark.
	if c.in.stopped.Load() {
		return errStopped
	}
	if err := nc.HandshakeContext(c.ctx); err != nil {
		if c.in.stopped.Load() {
			return errStopped
		}
		c.server.opts.Logger.Debug("TLS was not agreed on", "address", c.address, "error", err)
		return fmt.Errorf("%w: %w", errHandshake, err)
	}
	return nc.SetWriteDeadline(time.Time{})
}

// serve handles packets until there is a reason to end, which it returns.
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
		// A PUBLISH looks itself, before it waits for its turn.
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

// revalidate makes sure that the device may still be here, when structure changed
// since it was looked at last.
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

// send leaves an answer for the client; one larger than it takes is not sent, as
// MQTT 5 wants it.
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
	default: // DISCONNECT, or the network
		c.end(reasonSuccess)
	}
}

// logViolation logs what a client did wrong. What strangers do wrong is not worth the
// log.
func (c *conn) logViolation(violation protocolError) {
	logger := c.server.opts.Logger
	if c.entry == nil {
		logger.Debug("a stranger's connection was ended", "address", c.address, "error", violation)
		return
	}
	logger.Info("a device's connection was ended", "device", c.entry.Name, "address", c.address, "error", violation)
}

// end ends the connection; answers that wait are still written. An MQTT 5
// client is told the reason unless that is success.
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
	// Nothing more is taken once the client may have noticed.
	c.cancel()
	c.in.stop()
	c.out.end(last)
}

// stop reads no more and lets the connection finish what was accepted.
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

// timedReader reads a connection under a deadline that moves only when its
// reader moves it, so that a client which trickles bytes does not gain time.
// Moving it costs, so it is put off until that makes a difference.
type timedReader struct {
	conn        net.Conn
	deadline    time.Time     // zero: none; of the reading goroutine
	idleTimeout time.Duration // how long a client may say nothing; 0: for ever
	packetStart bool          // the next read is for a new packet: the silence begins with it
	set         time.Time     // the connection's own deadline
	known       bool          // set is it
	stopped     atomic.Bool
	bytes       *atomic.Uint64
}

// armDeadline gives the next read its time.
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

// Read reads what is there; errStopped after stop.
func (t *timedReader) Read(b []byte) (int, error) {
	if err := t.armDeadline(); err != nil {
		return 0, err
	}
	// After the deadline: stop sets its own one behind the mark.
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
	// An error means that the connection is closed, which ends reads too.
	_ = t.conn.SetReadDeadline(time.Unix(1, 0))
}
