package listen

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// LimitUnacknowledged returns a net.Dialer's Control: the connection ends once the other machine has left
// bytes unacknowledged for so long. While some are, the kernel sends no keepalives, and tries for a
// quarter of an hour. Linux applies the limit to a receiver that has no room, too. Sockets without the
// option, such as those of this machine, have no limit.
func LimitUnacknowledged(limit time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		var failure error
		err := c.Control(func(fd uintptr) {
			failure = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(limit.Milliseconds()))
		})
		if errors.Is(failure, unix.ENOPROTOOPT) || errors.Is(failure, unix.EOPNOTSUPP) {
			failure = nil
		}
		return errors.Join(err, failure)
	}
}
