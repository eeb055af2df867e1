package ingest

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

const (
	maxWaitingBytes = 64 << 10        // unread answers of a client beyond which the server stops reading from it
	maxSpareBytes   = 1 << 10         // of a buffer that an idle connection keeps
	maxLingerBytes  = 1 << 20         // discarded while a connection closes
	closeTimeout    = 1 * time.Second // for a client to read the last answers before its connection is closed
)

// writeBuffer holds the answers that a connection still has to write, and counts its messages that
// wait for their commit. Any goroutine may add answers; many are written at a time. If the network
// takes them at once, the goroutine that flushes writes them; if not, or if a layer such as TLS
// lies above the network, a separate goroutine does, which exists only while bytes wait.
type writeBuffer struct {
	conn    net.Conn
	direct  *directWriter // nil: a layer lies above the network
	timeout time.Duration // for one write

	mu          sync.Mutex
	changed     *sync.Cond
	waiting     []byte
	spare       []byte
	writing     bool // the writing goroutine runs
	flushQueued bool // some goroutine is going to flush
	pending     int  // messages accepted and not answered
	closing     bool // nothing more is accepted or answered
	closed      bool
	stalled     bool // the client did not read its answers in time
}

func newWriteBuffer(conn net.Conn, timeout time.Duration) *writeBuffer {
	o := &writeBuffer{conn: conn, direct: newDirectWriter(conn), timeout: timeout}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// acquire waits until fewer than limit messages are pending and the client reads its answers, then
// counts one more pending message; it returns false if the connection ends.
func (o *writeBuffer) acquire(limit int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closing && (o.pending >= limit || len(o.waiting) >= maxWaitingBytes) {
		o.changed.Wait()
	}
	if o.closing {
		return false
	}
	o.pending++
	return true
}

// release uncounts a pending message without an answer.
func (o *writeBuffer) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending--
	o.changed.Broadcast()
}

// send queues b once the client reads its answers; it returns false if the connection ends.
func (o *writeBuffer) send(b []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closing && len(o.waiting) >= maxWaitingBytes {
		o.changed.Wait()
	}
	if o.closing {
		return false
	}
	o.appendLocked(b)
	return true
}

// appendLocked queues b and starts writing. Callers hold the lock.
func (o *writeBuffer) appendLocked(b []byte) {
	o.waiting = append(o.waiting, b...)
	o.writeWaiting()
}

// queueLocked queues b without writing; needsFlush tells the caller to call flush. Callers hold the
// lock.
func (o *writeBuffer) queueLocked(b []byte) (needsFlush bool) {
	o.waiting = append(o.waiting, b...)
	needsFlush = !o.writing && !o.flushQueued
	o.flushQueued = o.flushQueued || needsFlush
	return needsFlush
}

// flush writes the queued bytes.
func (o *writeBuffer) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushQueued = false
	o.writeWaiting()
}

// writeWaiting writes the queued bytes, or starts the writing goroutine. Callers hold the lock.
func (o *writeBuffer) writeWaiting() {
	if o.writing || o.closed || len(o.waiting) == 0 {
		return
	}
	if o.direct != nil {
		n, err := o.direct.write(o.waiting)
		if err != nil {
			o.failLocked()
			return
		}
		if n == len(o.waiting) {
			if o.waiting = o.waiting[:0]; cap(o.waiting) > maxSpareBytes {
				o.waiting = nil
			}
			return
		}
		o.waiting = o.waiting[n:]
	}
	o.writing = true
	go o.write()
}

// failLocked ends a connection that takes no more bytes. Callers hold the lock.
func (o *writeBuffer) failLocked() {
	o.closing = true
	o.markClosed()
	o.closeConn()
}

func (o *writeBuffer) write() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) > 0 && !o.closed {
		out := o.waiting
		o.waiting, o.spare = o.spare[:0], nil
		err := o.armDeadline()
		o.mu.Unlock()
		if err == nil {
			_, err = o.conn.Write(out)
		}
		o.mu.Lock()
		if cap(out) <= maxSpareBytes {
			o.spare = out[:0]
		}
		if err != nil {
			o.stalled = !o.closing && errors.Is(err, os.ErrDeadlineExceeded)
			o.failLocked()
		}
		o.changed.Broadcast()
	}
	o.writing = false
	if o.closing {
		o.markClosed()
	} else if o.direct != nil && o.conn.SetWriteDeadline(time.Time{}) != nil {
		o.failLocked()
	}
}

// armDeadline sets the deadline of the next write. Callers hold the lock.
func (o *writeBuffer) armDeadline() error {
	limit := o.timeout
	if o.closing {
		limit = closeTimeout
	}
	return o.conn.SetWriteDeadline(time.Now().Add(limit))
}

// end stops accepting and answering messages, writes the last bytes if the client reads them soon,
// and closes. Callers hold the lock.
func (o *writeBuffer) end(last []byte) {
	if o.closing {
		return
	}
	o.closing = true
	o.appendLocked(last)
	if !o.writing {
		o.markClosed()
	} else if o.armDeadline() != nil {
		o.markClosed()
	}
	o.changed.Broadcast()
}

// markClosed lets linger close the write side, which may take time over TLS or a WebSocket. Callers
// hold the lock.
func (o *writeBuffer) markClosed() {
	o.closed = true
	o.waiting, o.spare = nil, nil
	o.changed.Broadcast()
}

// abort closes the connection at once.
func (o *writeBuffer) abort() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	o.markClosed()
	o.closeConn()
}

// closeConn closes the network's own connection, without waiting: a layer above it would first send
// its closing message.
func (o *writeBuffer) closeConn() {
	conn := o.conn
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn()
	}
	// An error means that it was closed already.
	_ = conn.Close()
}

// hasStalled tells whether the client was cut off because it did not read its answers.
func (o *writeBuffer) hasStalled() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stalled
}

// drain waits until every accepted message is answered, or the connection ends.
func (o *writeBuffer) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.pending > 0 && !o.closing {
		o.changed.Wait()
	}
}

// linger waits until the last bytes are written, closes the write side and then the connection. In
// between it discards, for a moment, what the client still sends: closing a socket with unread
// bytes would destroy answers on their way.
func (o *writeBuffer) linger() {
	o.mu.Lock()
	for !o.closed {
		o.changed.Wait()
	}
	o.mu.Unlock()
	half, ok := o.conn.(interface{ CloseWrite() error })
	if ok && o.conn.SetDeadline(time.Now().Add(closeTimeout)) == nil && half.CloseWrite() == nil {
		// It ends with the client's end, the deadline or the limit; all are fine.
		_, _ = io.CopyN(io.Discard, o.conn, maxLingerBytes)
	}
	o.closeConn()
}
