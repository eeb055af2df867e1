//go:build unix

package ingest

import (
	"errors"
	"net"
	"syscall"
)

// directWriter writes to a connection of the network as much as it takes at
// once, and never waits.
type directWriter struct {
	raw  syscall.RawConn
	once func(fd uintptr) bool // made once: it would be allocated for each write
	b    []byte
	n    int
	err  error
}

// newDirectWriter is nil for what is not plain TCP, be it one of a listener's that
// counts it.
func newDirectWriter(conn net.Conn) *directWriter {
	if counted, ok := conn.(interface{ Plain() net.Conn }); ok {
		conn = counted.Plain()
	}
	plain, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := plain.SyscallConn()
	if err != nil {
		return nil // closed already, as the next write will tell
	}
	d := &directWriter{raw: raw}
	d.once = func(fd uintptr) bool {
		for {
			d.n, d.err = syscall.Write(int(fd), d.b)
			if !errors.Is(d.err, syscall.EINTR) {
				return true
			}
		}
	}
	return d
}

// write writes as much of b as goes; that may be nothing. One at a time may
// call it, and only without a deadline for writing.
func (d *directWriter) write(b []byte) (int, error) {
	d.b = b
	err := d.raw.Write(d.once)
	d.b = nil
	switch {
	case err != nil:
		return 0, err
	case errors.Is(d.err, syscall.EAGAIN):
		return 0, nil
	case d.err != nil:
		return 0, d.err
	}
	return d.n, nil
}
