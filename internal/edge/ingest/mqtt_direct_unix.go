//go:build unix

package ingest

import (
	"errors"
	"net"
	"syscall"
)

// directWriter writes to a TCP connection as much as the kernel takes at once, and never waits.
type directWriter struct {
	raw  syscall.RawConn
	once func(fd uintptr) bool // made once, so that a write does not allocate it
	b    []byte
	n    int
	err  error
}

// newDirectWriter returns nil unless the connection is plain TCP, possibly wrapped by package
// listen.
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
		return nil // closed already; the next write reports it
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

// write writes as much of b as the kernel takes, which may be nothing. Only one goroutine at a time
// may call it, and only while no write deadline is set.
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
