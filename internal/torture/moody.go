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

// mood is what a far end does to those who connect.
type mood int

const (
	takes   mood = iota // does its work
	hangs               // says nothing, and never hangs up by itself
	refuses             // hangs up at once
	babbles             // answers with what belongs to no protocol
)

func (m mood) String() string {
	return map[mood]string{takes: "takes", hangs: "hangs", refuses: "refuses", babbles: "babbles"}[m]
}

// moody is a listener that lets in who connects, or treats them as its mood is.
type moody struct {
	net.Listener

	mu    sync.Mutex
	mood  mood
	tried int // connections since the mood changed
	let   []net.Conn
	held  []net.Conn
}

func listen(ctx context.Context) (*moody, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	return &moody{Listener: l}, err
}

func (l *moody) address() string { return l.Addr().String() }

// Accept waits for somebody to be let in.
func (l *moody) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.admit(c) {
			return c, err
		}
	}
}

func (l *moody) admit(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tried++
	switch l.mood {
	case takes:
		l.let = append(l.let, c)
		return true
	case hangs:
		l.held = append(l.held, c)
	case babbles:
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

// become changes the mood. Those who were let in are thrown out, so that they
// meet it too; those who were held stay held.
func (l *moody) become(m mood) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mood, l.tried = m, 0
	for _, c := range l.let {
		_ = c.Close() // most have left long ago
	}
	l.let = nil
}

// attempts is how many connected since the mood changed.
func (l *moody) attempts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tried
}

// hangUp throws everybody out.
func (l *moody) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range slices.Concat(l.let, l.held) {
		_ = c.Close() // most have left long ago
	}
	l.let, l.held = nil, nil
}

// notClosed leaves out the error of what was closed on purpose.
func notClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
