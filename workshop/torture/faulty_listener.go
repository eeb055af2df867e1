package torture

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// faultMode is how a faultyListener treats its clients.
type faultMode int

const (
	modeWorks   faultMode = iota // serves them
	modeHangs                    // sends nothing, and keeps the connection open
	modeRefuses                  // closes the connection at once
	modeGarbage                  // sends random bytes and closes the connection
)

func (m faultMode) String() string {
	return map[faultMode]string{modeWorks: "works", modeHangs: "hangs", modeRefuses: "refuses", modeGarbage: "sends garbage"}[m]
}

// faultyListener is a listener that passes on its connections or treats them according to its mode.
type faultyListener struct {
	net.Listener

	mu           sync.Mutex
	mode         faultMode
	attemptCount int // connections since the mode was set
	accepted     []net.Conn
	hung         []net.Conn
}

func listen(ctx context.Context) (*faultyListener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	return &faultyListener{Listener: l}, err
}

func (l *faultyListener) address() string { return l.Addr().String() }

// Accept waits for a connection while the mode is modeWorks.
func (l *faultyListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.admit(c) {
			return c, err
		}
	}
}

func (l *faultyListener) admit(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attemptCount++
	switch l.mode {
	case modeWorks:
		l.accepted = append(l.accepted, c)
		return true
	case modeHangs:
		l.hung = append(l.hung, c)
	case modeGarbage:
		garbage := make([]byte, 512)
		_, _ = rand.Read(garbage) // it never fails
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(append(garbage, "\r\n"...)) // the client may have disconnected
		_ = c.Close()
	default:
		_ = c.Close()
	}
	return false
}

// setMode sets the mode. It closes the connections that it passed on, so that their clients meet
// the new mode, too; hung connections stay open.
func (l *faultyListener) setMode(m faultMode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mode, l.attemptCount = m, 0
	for _, c := range l.accepted {
		_ = c.Close() // most clients have disconnected
	}
	l.accepted = nil
}

// attempts returns the number of connections since the mode was set.
func (l *faultyListener) attempts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.attemptCount
}

// closeAll closes all connections.
func (l *faultyListener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range slices.Concat(l.accepted, l.hung) {
		_ = c.Close() // most clients have disconnected
	}
	l.accepted, l.hung = nil, nil
}

// notClosed drops an error that says that something was closed.
func notClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
