package app

import (
	"net"
	"net/http"
	"sync"
)

// newConns are connections of an HTTP server on which nothing was asked yet.
// Browsers and clients open some in advance. A stop would wait for seconds for
// what each might ask, longer than it has; so it closes them.
type newConns struct {
	mu       sync.Mutex
	conns    map[net.Conn]struct{}
	stopping bool
}

// track has a server's newcomers known, and closed when it shuts down.
func (n *newConns) track(s *http.Server) {
	n.conns = map[net.Conn]struct{}{}
	s.ConnState = n.onState
	s.RegisterOnShutdown(n.closeAll)
}

func (n *newConns) onState(c net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(n.conns, c)
	case n.stopping: // it was accepted while the listener was being closed
		_ = c.Close() // nothing was read or written
	default:
		n.conns[c] = struct{}{}
	}
}

func (n *newConns) closeAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopping = true
	for c := range n.conns {
		_ = c.Close() // nothing was read or written
	}
}
