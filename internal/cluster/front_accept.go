package cluster

import (
	"context"
	"errors"
	"net"
	"time"
)

// How long an accept loop waits after a temporary failure, at first and at most.
const (
	acceptShortestWait = 5 * time.Millisecond
	acceptLongestWait  = time.Second
)

// accept accepts connections until the listener is closed, by others, by the end of ctx or by
// Close; then it returns nil. After a temporary failure, as for lack of descriptors, it tries
// again; it returns any other. take must not block.
func (f *Front) accept(ctx context.Context, name string, ln net.Listener, take func(net.Conn)) error {
	if !f.begin(ln) {
		f.closeListener(ln)
		return nil
	}
	defer f.running.Done()
	defer f.forget(ln)
	defer context.AfterFunc(ctx, func() { f.closeListener(ln) })()
	wait := acceptShortestWait
	for {
		nc, err := ln.Accept()
		if err == nil {
			wait = acceptShortestWait
			take(nc)
			continue
		}
		if ctx.Err() != nil || f.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			return nil
		}
		if !isTemporary(err) {
			return err
		}
		f.log.warn("cannot accept a connection, tries again", "port", name, "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		case <-f.ctx.Done():
		}
		wait = min(2*wait, acceptLongestWait)
	}
}

// begin registers a listener and counts its loop as running. It returns false if the front is
// closed.
func (f *Front) begin(ln net.Listener) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.listeners[ln] = struct{}{}
	f.running.Add(1) // under the lock, so that Close waits for it
	return true
}

func (f *Front) forget(ln net.Listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.listeners, ln)
}

func (f *Front) closeListener(ln net.Listener) {
	if err := ln.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		f.o.Logger.Warn("cannot close a listener", "address", ln.Addr(), "error", err)
	}
}

// isTemporary tells whether an accept may succeed later.
func isTemporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}
