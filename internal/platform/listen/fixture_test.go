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

// fakeListener is a listener whose answers a test decides.
type fakeListener struct {
	mu        sync.Mutex
	acceptErr error // the error of Accept
	tries     int
	incoming  chan net.Conn
	closed    chan struct{}
}

func (s *fakeListener) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acceptErr = err
}

// tried tells how often Accept was called.
func (s *fakeListener) tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

func (s *fakeListener) Accept() (net.Conn, error) {
	s.mu.Lock()
	s.tries++
	err := s.acceptErr
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case c := <-s.incoming:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *fakeListener) Close() error   { close(s.closed); return nil }
func (s *fakeListener) Addr() net.Addr { return &net.TCPAddr{} }

// addrConn is a connection with a given remote address.
type addrConn struct {
	net.Conn
	from net.Addr
}

func (c addrConn) RemoteAddr() net.Addr { return c.from }

// testLimiter is a limiter with its log.
type testLimiter struct {
	*Limiter
	log bytes.Buffer // written under the limiter's lock
}

func newTestLimiter(most int) *testLimiter {
	h := &testLimiter{}
	h.Limiter = NewLimiter(
		Options{MaxConnections: most, Now: time.Now, Logger: slog.New(slog.NewTextHandler(&h.log, nil))},
	)
	return h
}

func (h *testLimiter) logText() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.String()
}

// wantLog checks that the log has the given number of lines and contains the words.
func (h *testLimiter) wantLog(t *testing.T, lines int, words ...string) {
	t.Helper()
	log := h.logText()
	if n := strings.Count(log, "\n"); n != lines {
		t.Errorf("the log has %d lines, want %d:\n%s", n, lines, log)
	}
	for _, w := range words {
		if !strings.Contains(log, w) {
			t.Errorf("%q is not in the log:\n%s", w, log)
		}
	}
}

// testListener is a listener with a goroutine that accepts until it is closed.
type testListener struct {
	*Listener
	t        *testing.T
	fake     *fakeListener
	accepted chan net.Conn
	ended    chan error
}

func (h *testLimiter) startListener(t *testing.T, d ListenerOptions) *testListener {
	s := &fakeListener{incoming: make(chan net.Conn, 100), closed: make(chan struct{})}
	p := &testListener{
		Listener: h.Listen(s, d),
		t:        t,
		fake:     s,
		accepted: make(chan net.Conn, 100),
		ended:    make(chan error, 1),
	}
	go func() {
		for {
			c, err := p.Accept()
			if err != nil {
				p.ended <- err
				return
			}
			p.accepted <- c
		}
	}()
	return p
}

// connect makes a client connect from an address; it may have to wait.
func (p *testListener) connect(from string) (client net.Conn) {
	client, ours := net.Pipe()
	p.t.Cleanup(func() { _ = client.Close() })
	p.fake.incoming <- addrConn{ours, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(from))}
	return client
}

// end closes the listener and checks the error of Accept.
func (p *testListener) end() {
	p.t.Helper()
	if err := p.Close(); err != nil {
		p.t.Error(err)
	}
	if err := <-p.ended; !errors.Is(err, net.ErrClosed) {
		p.t.Errorf("Accept returned %v", err)
	}
}

func outOfFiles() error {
	return &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
}
