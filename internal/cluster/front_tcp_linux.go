package cluster

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// unacknowledgedMost is how long what was sent to the leader may be unacknowledged. It is longer than a
// failover of the database takes, during which the leader reads nothing.
const unacknowledgedMost = time.Minute

// limitUnacknowledged makes a connection to the leader fail if what it sends is not acknowledged.
// While something is unacknowledged the kernel sends no keepalives, and tries for a quarter of an
// hour. Linux applies the limit to a receiver that has no room, too. A leader whose machine is gone is
// noticed earlier, since another one leads then.
// Connections from other nodes have no such limit, since a client may well take nothing for some
// seconds. A kernel without the option notices later.
func limitUnacknowledged(nc net.Conn) {
	tcp, ok := nc.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return // closed already; the first write says so
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(
			int(fd),
			unix.IPPROTO_TCP,
			unix.TCP_USER_TIMEOUT,
			int(unacknowledgedMost.Milliseconds()),
		)
	})
}
