package listen

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// script is a listener that a test tells what to answer.
type script struct {
	mu     sync.Mutex
	fails  error // what accepting fails of
	tries  int
	come   chan net.Conn
	closed chan struct{}
}

func (s *script) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err
}

// tried tells how often it was accepted from.
func (s *script) tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

func (s *script) Accept() (net.Conn, error) {
	s.mu.Lock()
	s.tries++
	err := s.fails
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case c := <-s.come:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *script) Close() error   { close(s.closed); return nil }
func (s *script) Addr() net.Addr { return &net.TCPAddr{} }

// coming is a connection that comes from an address.
type coming struct {
	net.Conn
	from net.Addr
}

func (c coming) RemoteAddr() net.Addr { return c.from }

// house is a room, and what its log says.
type house struct {
	*Room
	log bytes.Buffer // written under the room's lock
}

func newHouse(most int) *house {
	h := &house{}
	h.Room = NewRoom(Options{Most: most, Now: time.Now, Log: slog.New(slog.NewTextHandler(&h.log, nil))})
	return h
}

func (h *house) said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.String()
}

// told makes sure that the log has so many lines, and this in them.
func (h *house) told(t *testing.T, lines int, words ...string) {
	t.Helper()
	said := h.said()
	if n := strings.Count(said, "\n"); n != lines {
		t.Errorf("%d lines, want %d:\n%s", n, lines, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%q is not in\n%s", w, said)
		}
	}
}

// porch is a listener that is accepted from until it ends.
type porch struct {
	*Listener
	t      *testing.T
	script *script
	taken  chan net.Conn
	ended  chan error
}

func (h *house) porch(t *testing.T, d Door) *porch {
	s := &script{come: make(chan net.Conn, 100), closed: make(chan struct{})}
	p := &porch{Listener: h.Listen(s, d), t: t, script: s, taken: make(chan net.Conn, 100), ended: make(chan error, 1)}
	go func() {
		for {
			c, err := p.Accept()
			if err != nil {
				p.ended <- err
				return
			}
			p.taken <- c
		}
	}()
	return p
}

// connect has a client come from an address, who may have to wait.
func (p *porch) connect(from string) (client net.Conn) {
	client, ours := net.Pipe()
	p.t.Cleanup(func() { _ = client.Close() })
	p.script.come <- coming{ours, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(from))}
	return client
}

// end closes the listener and makes sure that whoever accepts is told.
func (p *porch) end() {
	p.t.Helper()
	if err := p.Close(); err != nil {
		p.t.Error(err)
	}
	if err := <-p.ended; !errors.Is(err, net.ErrClosed) {
		p.t.Errorf("it ended with %v", err)
	}
}

func outOfFiles() error {
	return &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
}
