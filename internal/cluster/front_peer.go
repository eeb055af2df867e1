package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// nodeKeepAlive notices within about four seconds that the machine of another node is gone, as
// without power: it then ends no connection.
var nodeKeepAlive = net.KeepAliveConfig{Enable: true, Idle: time.Second, Interval: time.Second, Count: 3}

// ServePeers accepts the connections of other nodes until the listener closes or Close is called;
// then it returns nil. While this node leads, they are handed to Local of the port that they name,
// with the address of the client that they name; else they are closed, and the other node asks
// again. Failures of the listener that are not temporary are returned.
func (f *Front) ServePeers(ln net.Listener) error {
	config := f.o.Trust.ServerConfig()
	return f.accept(f.ctx, "nodes", ln, func(nc net.Conn) {
		f.running.Go(func() { f.servePeer(nc, config) })
	})
}

// handshakesAtOnce is how many connections to the port of nodes may begin at once. Who has not the key
// holds one for as long as a handshake may take.
const handshakesAtOnce = 256

// servePeer hands a connection of another node to the local server, or closes it.
func (f *Front) servePeer(nc net.Conn, config *tls.Config) {
	stop := context.AfterFunc(f.ctx, func() { cut(nc) })
	defer stop()
	if tcp, ok := plain(nc).(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(nodeKeepAlive) // else it is closed already: the handshake says so
	}
	select {
	case f.handshakes <- struct{}{}:
	case <-f.ctx.Done():
		return
	}
	secure := tls.Server(nc, config)
	handed, err := f.admitPeer(f.ctx, secure)
	<-f.handshakes
	if handed {
		return
	}
	cut(nc)
	// Who only checks that the port is open sends nothing, and is no trouble.
	if err != nil && !errors.Is(err, io.EOF) && f.ctx.Err() == nil {
		from := nc.RemoteAddr().String()
		f.log.warn("a connection to the port of nodes was closed", "from", from, "error", withAddress(err, from))
	}
}

// admitPeer reads the header of a connection, answers it and hands the connection to the local
// server. It returns false if the connection has to be closed.
func (f *Front) admitPeer(ctx context.Context, nc *tls.Conn) (handed bool, err error) {
	if err := nc.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return false, err
	}
	if err := nc.HandshakeContext(ctx); err != nil {
		return false, err
	}
	if err := nc.SetDeadline(time.Now().Add(headerTimeout)); err != nil {
		return false, err
	}
	h, err := readHeader(nc)
	if err != nil {
		if errors.Is(err, errHeaderVersion) || errors.Is(err, errHeaderPort) {
			_, _ = nc.Write([]byte{byte(answerRefused)}) // the error above is what matters
		}
		return false, err
	}
	p := f.port(h.port)
	l, term, _ := f.leader()
	if !l.Local || p.listening() != nil || !f.hold() {
		_, err := nc.Write([]byte{byte(answerNotNow)})
		return false, err
	}
	defer func() {
		if !handed {
			f.release()
		}
	}()
	// The answer comes before anything that the server writes.
	if _, err := nc.Write([]byte{byte(answerAccepted)}); err != nil {
		return false, err
	}
	if err := nc.SetDeadline(time.Time{}); err != nil {
		return false, err
	}
	var client net.Addr
	if h.client.IsValid() {
		client = net.TCPAddrFromAddrPort(h.client)
	}
	return p.hand(term, nc, client), nil
}
