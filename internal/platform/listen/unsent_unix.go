//go:build linux || darwin

package listen

import (
	"net"

	"golang.org/x/sys/unix"
)

// unsentMost is how many bytes the kernel buffers beyond those in flight to the client. Without a
// limit it takes megabytes at once, and then nothing until a third of them is sent: a client that
// reads steadily but slowly would seem to take nothing.
const unsentMost = 64 << 10

// limitUnsent makes a connection's writes follow the pace at which its client reads. A kernel that
// does not support the option affects only slow clients.
func limitUnsent(nc net.Conn) {
	plain, ok := nc.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := plain.SyscallConn()
	if err != nil {
		return // closed already; the first read reports it
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentMost)
	})
}
