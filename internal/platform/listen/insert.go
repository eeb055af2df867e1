package listen

import (
	"bytes"
	"net"
)

// insertConn is a connection with a text inserted into the first bytes that a client sends, where
// one of some beginnings ends. It looks at nothing else, and holds back no more than the text's
// length.
type insertConn struct {
	net.Conn
	Insertion
	looked bool
	held   []byte // read from the client, for the next Read
}

// Insertion says what to insert into the first bytes of a connection: Text, after the first blank of
// those Beginnings that match. Beginnings are short and have a blank.
type Insertion struct {
	Beginnings []string
	Text       string
}

// Read reads what the client sent.
func (c *insertConn) Read(b []byte) (n int, err error) {
	if len(c.held) > 0 {
		n = copy(b, c.held)
		c.held = c.held[n:]
		return n, nil
	}
	if c.looked || len(b) == 0 {
		return c.Conn.Read(b)
	}
	c.looked = true
	for {
		m, err := c.Conn.Read(b[n:])
		n += m
		whole, part := c.match(b[:n])
		if whole {
			return c.insert(b, n), nil // the next read fails again
		}
		if !part || err != nil || n == len(b) {
			return n, err
		}
	}
}

// match tells whether head has a whole beginning, or may be a part of one.
func (c *insertConn) match(head []byte) (whole, part bool) {
	for _, beginning := range c.Beginnings {
		n := min(len(head), len(beginning))
		if string(head[:n]) == beginning[:n] {
			whole, part = whole || n == len(beginning), true
		}
	}
	return whole, part
}

// insert inserts the text into the first n bytes of b, and returns how many bytes b has now.
func (c *insertConn) insert(b []byte, n int) int {
	at := bytes.IndexByte(b[:n], ' ') + 1
	rest := append([]byte(c.Text), b[at:n]...)
	used := copy(b[at:], rest)
	c.held = rest[used:]
	return at + used
}

// CloseWrite closes the write side.
func (c *insertConn) CloseWrite() error { return closeWrite(c.Conn) }
