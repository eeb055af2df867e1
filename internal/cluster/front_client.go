package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"tilth/internal/platform/listen"
)

const (
	dialTimeout      = 2 * time.Second
	handshakeTimeout = 5 * time.Second // of TLS
	headerTimeout    = 5 * time.Second // for the header and for its answer, each

	// dialsAtOnce is how many connections of a port try to reach the leader at a time; one whose try
	// has failed keeps its place for retryEvery. Thousands that wait would otherwise try all at once,
	// and again ten times a second.
	dialsAtOnce = 64
	retryEvery  = 100 * time.Millisecond

	// unacknowledgedTimeout is how long the leader's machine may leave bytes unacknowledged. It is longer
	// than a failover of the database takes, during which the leader reads nothing. That a leader's machine
	// is gone is noticed earlier, since another one leads then.
	unacknowledgedTimeout = time.Minute
)

var (
	errFull     = errors.New("too many connections wait already")
	errNoLeader = errors.New("no node is known to lead")
	errStarting = errors.New("this node leads, and its server does not listen yet or any more")

	// ErrLeads says that there is no other node to connect to, since this one leads.
	ErrLeads = errors.New("cluster: this node leads itself")
)

// Listen accepts the clients of a port until the listener closes, ctx ends or Close is called; then
// it returns nil. While this node leads, the clients are handed to Local(port), else they are
// connected to the leader. The front reads nothing from a client before that, but for what the
// listener's own RemoteAddr may read. Failures of the listener that are not temporary are returned.
func (f *Front) Listen(ctx context.Context, port string, outer net.Listener) error {
	p := f.port(port)
	p.mu.Lock()
	p.addr = outer.Addr()
	p.mu.Unlock()
	return f.accept(ctx, port, outer, func(nc net.Conn) { f.receive(p, nc) })
}

// receive takes a connection of a client. It does not block.
func (f *Front) receive(p *frontPort, nc net.Conn) {
	if !f.hold() {
		f.refuse(p, nc, errFull)
		return
	}
	if l, term, _ := f.leader(); l.Local && p.hand(term, nc, nil) {
		return
	}
	f.running.Go(func() { f.leadOn(p, nc) })
}

// leadOn holds a client until somebody leads, and passes on what both send.
func (f *Front) leadOn(p *frontPort, nc net.Conn) {
	ctx, cancel := context.WithTimeout(f.ctx, f.o.Hold)
	defer cancel()
	// The address may have to be read from the connection.
	stop := context.AfterFunc(f.ctx, func() { cut(nc) })
	defer stop()
	leader, term, err := f.reach(
		ctx,
		p,
		func() netip.AddrPort { return clientAddress(nc.RemoteAddr()) },
		func(term context.Context) bool { return p.hand(term, nc, nil) },
	)
	if errors.Is(err, ErrLeads) {
		return // the local server has it, and releases it
	}
	f.release()
	if err != nil {
		f.refuse(p, nc, err)
		return
	}
	cancel() // the time limit is for waiting only
	f.splice(term, nc, leader)
}

// refuse closes the connection of a client.
func (f *Front) refuse(p *frontPort, nc net.Conn, why error) {
	cut(nc)
	f.refused.Add(1)
	if f.ctx.Err() != nil {
		return // the front closes, which is no trouble
	}
	f.log.warn("a client was closed, since no leader took its connection", "port", p.name, "error", why)
}

// Dial connects to a port of the leader, for this node itself. It waits for a leader as long as a
// client would, at most until ctx ends. While this node leads, it returns ErrLeads. The connection
// is cut when another node leads.
func (f *Front) Dial(ctx context.Context, port string) (net.Conn, error) {
	p := f.port(port)
	ctx, cancel := context.WithTimeout(ctx, f.o.Hold)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)()
	leader, term, err := f.reach(
		ctx,
		p,
		func() netip.AddrPort { return netip.AddrPort{} },
		func(context.Context) bool { return true },
	)
	if err != nil {
		return nil, err
	}
	return newTermConn(term, leader, nil), nil
}

// reach connects to the leader as soon as there is one, until ctx ends. While this node leads, it
// calls local with the term, until that returns true; then it returns ErrLeads.
func (f *Front) reach(
	ctx context.Context,
	p *frontPort,
	client func() netip.AddrPort,
	local func(term context.Context) bool,
) (leader *tls.Conn, term context.Context, err error) {
	for {
		l, term, changed := f.leader()
		var opened <-chan struct{}
		var why error
		switch {
		case l.Local:
			opened = p.listening() // before local, so that no opening is missed
			if local(term) {
				return nil, nil, ErrLeads
			}
			why = errStarting
			if opened == nil {
				continue // it closed just now
			}
		case l.Address == "":
			why = errNoLeader
		default:
			h := header{port: p.name, client: client()}
			leader, err := f.try(ctx, term, changed, p, l.Address, h)
			if err == nil {
				return leader, term, nil
			}
			if other := (*OtherKeyError)(nil); errors.As(err, &other) {
				return nil, nil, err // no further try would help
			}
			if ctx.Err() != nil {
				return nil, nil, fmt.Errorf("cluster: no leader took the connection: %w", err)
			}
			continue
		}
		select {
		case <-changed:
		case <-opened:
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("cluster: no leader took the connection: %w: %w", why, ctx.Err())
		}
	}
}

// try connects to the leader when its turn comes. After a failure it returns when another try is
// due.
func (f *Front) try(
	ctx, term context.Context,
	changed <-chan struct{},
	p *frontPort,
	address string,
	h header,
) (*tls.Conn, error) {
	select {
	case p.dials <- struct{}{}:
	case <-changed:
		return nil, errNoLeader // the caller asks again who leads
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.dials }()
	leader, err := f.connect(ctx, term, address, h)
	if err == nil {
		return leader, nil
	}
	select {
	case <-time.After(retryEvery):
	case <-changed:
	case <-ctx.Done():
	}
	return nil, err
}

// connect connects to a node, and says what for. It gives up when ctx or the term ends.
func (f *Front) connect(ctx, term context.Context, address string, h header) (*tls.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(term, cancel)()
	dialer := net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: nodeKeepAlive,
		// Connections from other nodes have no such limit: a client may well take nothing for a while.
		Control: listen.LimitUnacknowledged(unacknowledgedTimeout),
	}
	nc, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	secure := tls.Client(nc, f.o.Trust.ClientConfig())
	if err := announce(ctx, secure, h); err != nil {
		cut(nc)
		return nil, withAddress(fmt.Errorf("cluster: the node at %s: %w", address, err), address)
	}
	return secure, nil
}

// announce shakes hands with the other node, sends the header and waits for the answer.
func announce(ctx context.Context, nc *tls.Conn, h header) error {
	stop := context.AfterFunc(ctx, func() { cut(nc) })
	defer stop()
	if err := nc.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return err
	}
	if err := nc.HandshakeContext(ctx); err != nil {
		return err
	}
	if err := nc.SetDeadline(time.Now().Add(headerTimeout)); err != nil {
		return err
	}
	if _, err := nc.Write(h.encode()); err != nil {
		return err
	}
	var said [1]byte
	if _, err := io.ReadFull(nc, said[:]); err != nil {
		return err
	}
	switch answer(said[0]) {
	case answerAccepted:
	case answerNotNow:
		return errors.New("it does not lead, or its server is not ready")
	case answerRefused:
		return errors.New("it does not know this header: do all nodes run the same Tilth?")
	default:
		return fmt.Errorf("it sent an unknown answer, %d", said[0])
	}
	if err := nc.SetDeadline(time.Time{}); err != nil {
		return err
	}
	if !stop() {
		return context.Cause(ctx)
	}
	return nil
}
