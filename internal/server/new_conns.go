package server

import (
	"net"
	"net/http"
	"sync"
)

// newConns are the connections of an HTTP server that have not sent a request yet. Browsers and
// clients open some in advance. http.Server waits seconds for their first request before it shuts
// down, longer than a stop may take, so newConns closes them.
type newConns struct {
	mu       sync.Mutex
	conns    map[net.Conn]struct{}
	stopping bool
}

// track follows the new connections of a server, and closes them when the server shuts down.
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
	case n.stopping: // accepted while the listener was being closed
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
