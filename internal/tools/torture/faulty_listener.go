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

// faultMode is what a far end does to those who connect.
type faultMode int

const (
	modeWorks   faultMode = iota // does its work
	modeHangs                    // says nothing, and never hangs up by itself
	modeRefuses                  // hangs up at once
	modeGarbage                  // answers with what belongs to no protocol
)

func (m faultMode) String() string {
	return map[faultMode]string{modeWorks: "takes", modeHangs: "hangs", modeRefuses: "refuses", modeGarbage: "babbles"}[m]
}

// faultyListener is a listener that lets in who connects, or treats them as its mood is.
type faultyListener struct {
	net.Listener

	mu           sync.Mutex
	mode         faultMode
	attemptCount int // connections since the mood changed
	accepted     []net.Conn
	hung         []net.Conn
}

func listen(ctx context.Context) (*faultyListener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	return &faultyListener{Listener: l}, err
}

func (l *faultyListener) address() string { return l.Addr().String() }

// Accept waits for somebody to be let in.
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
		noise := make([]byte, 512)
		_, _ = rand.Read(noise) // it never fails
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(append(noise, "\r\n"...)) // who hears it may have left
		_ = c.Close()
	default:
		_ = c.Close()
	}
	return false
}

// setMode changes the mood. Those who were let in are thrown out, so that they
// meet it too; those who were held stay held.
func (l *faultyListener) setMode(m faultMode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mode, l.attemptCount = m, 0
	for _, c := range l.accepted {
		_ = c.Close() // most have left long ago
	}
	l.accepted = nil
}

// attempts is how many connected since the mood changed.
func (l *faultyListener) attempts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.attemptCount
}

// closeAll throws everybody out.
func (l *faultyListener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range slices.Concat(l.accepted, l.hung) {
		_ = c.Close() // most have left long ago
	}
	l.accepted, l.hung = nil, nil
}

// notClosed leaves out the error of what was closed on purpose.
func notClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
