package listen

import (
	"net"
	"sync/atomic"
	"time"
)

// Pace is how fast a client has to take what it is sent: ChunkSize bytes within each Within. A
// client that takes nothing would keep its connection, and what serves it, for ever; a slow client
// may take an answer of any length.
type Pace struct {
	ChunkSize int // bytes
	Within    time.Duration
}

// pacedConn is a connection whose writes keep a pace while the writer sets no deadline. It does not
// implement io.ReaderFrom, because such a copy would keep no pace.
type pacedConn struct {
	net.Conn
	Pace
	hasDeadline atomic.Bool // the writer has set a deadline
}

// SetDeadline sets both deadlines.
func (c *pacedConn) SetDeadline(t time.Time) error {
	c.hasDeadline.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
}

// SetWriteDeadline sets the deadline of writes; zero: they keep the pace.
func (c *pacedConn) SetWriteDeadline(t time.Time) error {
	c.hasDeadline.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

// Write writes by the deadline that is set, or else chunk by chunk.
func (c *pacedConn) Write(b []byte) (n int, err error) {
	for {
		chunk := b[n:]
		if !c.hasDeadline.Load() {
			chunk = chunk[:min(len(chunk), c.ChunkSize)]
			if err := c.Conn.SetWriteDeadline(time.Now().Add(c.Within)); err != nil {
				return n, err
			}
		}
		m, err := c.Conn.Write(chunk)
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

// CloseWrite closes the write side.
func (c *pacedConn) CloseWrite() error { return closeWrite(c.Conn) }
