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
	maxWaitingBytes = 64 << 10        // answers that a client may leave untaken before it is no longer read
	maxSpareBytes   = 1 << 10         // of a buffer that an idle connection keeps
	maxLingerBytes  = 1 << 20         // thrown away while a connection closes
	closeTimeout    = 1 * time.Second // for a client to take what is said before its connection is closed
)

// writeBuffer is what a connection still has to say, and how many of its messages
// wait for their commit. Whoever answers leaves bytes here, many answers at a
// time are written. Where the network takes them at once, whoever flushes
// writes them; where it does not, or something like TLS lies over it, a
// goroutine does, which is there only while bytes wait.
type writeBuffer struct {
	conn    net.Conn
	direct  *directWriter // nil: something lies over the network
	timeout time.Duration // for one write

	mu          sync.Mutex
	changed     *sync.Cond
	waiting     []byte
	spare       []byte
	writing     bool // the goroutine is there
	flushQueued bool // somebody is going to flush
	pending     int  // messages accepted and not answered
	closing     bool // nothing more is accepted or answered
	closed      bool
	stalled     bool // the client did not take its answers in time
}

func newWriteBuffer(conn net.Conn, timeout time.Duration) *writeBuffer {
	o := &writeBuffer{conn: conn, direct: newDirectWriter(conn), timeout: timeout}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// acquire waits until fewer than limit messages are pending and the client takes
// its answers, then counts one more; false when the connection ends.
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

// release takes a pending message off without an answer.
func (o *writeBuffer) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending--
	o.changed.Broadcast()
}

// send leaves b to be written, when the client takes its answers; false when
// the connection ends.
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

// appendLocked has b written after what waits already. Callers hold the lock.
func (o *writeBuffer) appendLocked(b []byte) {
	o.waiting = append(o.waiting, b...)
	o.writeWaiting()
}

// queueLocked leaves b to be written by a later put or flush; mail tells that the
// caller must see to one. Callers hold the lock.
func (o *writeBuffer) queueLocked(b []byte) (needsFlush bool) {
	o.waiting = append(o.waiting, b...)
	needsFlush = !o.writing && !o.flushQueued
	o.flushQueued = o.flushQueued || needsFlush
	return needsFlush
}

// flush has written what was left.
func (o *writeBuffer) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushQueued = false
	o.writeWaiting()
}

// writeWaiting writes what waits, or sees to it that it is written. Callers
// hold the lock.
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

// failLocked ends a connection that takes nothing more. Callers hold the lock.
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

// armDeadline gives the next write its time. Callers hold the lock.
func (o *writeBuffer) armDeadline() error {
	limit := o.timeout
	if o.closing {
		limit = closeTimeout
	}
	return o.conn.SetWriteDeadline(time.Now().Add(limit))
}

// end accepts and answers nothing more, has the last bytes written if the
// client takes them soon, and closes. Callers hold the lock.
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

// markClosed lets linger say that nothing more comes, which may take time over TLS
// or a WebSocket. Callers hold the lock.
func (o *writeBuffer) markClosed() {
	o.closed = true
	o.waiting, o.spare = nil, nil
	o.changed.Broadcast()
}

// abort closes at once.
func (o *writeBuffer) abort() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	o.markClosed()
	o.closeConn()
}

// closeConn closes the connection without a word, and so without waiting: what lies
// over the network's own connection would say goodbye first.
func (o *writeBuffer) closeConn() {
	conn := o.conn
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn()
	}
	// An error means that it was closed already.
	_ = conn.Close()
}

// hasStalled tells whether the client was cut off for not taking its answers.
func (o *writeBuffer) hasStalled() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stalled
}

// drain waits until every accepted message is answered, or the connection
// ends.
func (o *writeBuffer) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.pending > 0 && !o.closing {
		o.changed.Wait()
	}
}

// linger waits until the last words are written, says that nothing more comes
// and closes the connection. What the client still sends is thrown away first,
// for a moment: closing a socket with unread bytes would destroy answers on
// their way.
func (o *writeBuffer) linger() {
	o.mu.Lock()
	for !o.closed {
		o.changed.Wait()
	}
	o.mu.Unlock()
	half, ok := o.conn.(interface{ CloseWrite() error })
	if ok && o.conn.SetDeadline(time.Now().Add(closeTimeout)) == nil && half.CloseWrite() == nil {
		// It ends by the client's end, the deadline or the limit; all are fine.
		_, _ = io.CopyN(io.Discard, o.conn, maxLingerBytes)
	}
	o.closeConn()
}
