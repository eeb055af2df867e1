package homeassistant

import (
	"errors"
	"net"
	"time"
)

const (
	// A broker sends us acknowledgements and short messages of one topic.
	longestPacket  = 16 << 10
	bytesAtOnce    = 4 << 10
	bytesPerSecond = 128 << 10
)

var errLongPacket = errors.New("the broker sent a packet that is longer than any that it should send")

// boundedConn limits what a broker can cost: the client reads each packet as a whole into memory, and
// works on as many as there come.
type boundedConn struct {
	net.Conn
	rest   int // bytes until the packet ends
	header int // bytes of the packet's header that were read; 0: the next byte is its type
	length int // of the packet, as far as it was read
}

// Read gives an error once a packet is too long.
func (c *boundedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), bytesAtOnce)])
	if !c.follow(p[:n]) {
		return 0, errLongPacket
	}
	time.Sleep(time.Duration(n) * time.Second / bytesPerSecond)
	return n, err
}

// follow follows the packets in b; it is false if one is too long.
func (c *boundedConn) follow(b []byte) bool {
	for len(b) > 0 {
		if c.rest > 0 {
			n := min(c.rest, len(b))
			c.rest, b = c.rest-n, b[n:]
			continue
		}
		one := b[0]
		b = b[1:]
		if c.header == 0 { // the type
			c.header, c.length = 1, 0
			continue
		}
		c.length |= int(one&0x7f) << (7 * (c.header - 1))
		c.header++
		switch {
		case c.length > longestPacket, one&0x80 != 0 && c.header > 4:
			return false
		case one&0x80 == 0:
			c.rest, c.header = c.length, 0
		}
	}
	return true
}
