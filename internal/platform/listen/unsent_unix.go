//go:build linux || darwin

package listen

import (
	"net"

	"golang.org/x/sys/unix"
)

// unsentMost is how much the kernel takes beyond what is on its way to the client, in
// bytes. Without a limit it takes megabytes at once, then nothing before a third of them
// has left: who reads steadily, but slowly, would look as if they took nothing.
const unsentMost = 64 << 10

// limitUnsent has a connection's writes follow what its client takes. Where the kernel
// does not know how, only slow clients feel it.
func limitUnsent(nc net.Conn) {
	plain, ok := nc.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := plain.SyscallConn()
	if err != nil {
		return // closed already, as the first read will tell
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentMost)
	})
}
