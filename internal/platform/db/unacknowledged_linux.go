package db

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unacknowledgedTimeout is how long the other machine may leave bytes unacknowledged: keepalives are
// not sent while some are.
const unacknowledgedTimeout = 5 * time.Second

// limitUnacknowledged sets that limit on a socket.
func limitUnacknowledged(_, _ string, c syscall.RawConn) error {
	var failure error
	err := c.Control(func(fd uintptr) {
		failure = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT,
			int(unacknowledgedTimeout.Milliseconds()))
		if failure == unix.ENOPROTOOPT || failure == unix.EOPNOTSUPP {
			failure = nil // a socket of this machine has no such limit, and needs none
		}
	})
	if err != nil {
		return err
	}
	return failure
}
