//go:build !linux

package listen

import (
	"syscall"
	"time"
)

// LimitUnacknowledged returns a net.Dialer's Control that does nothing: only Linux has the limit. A machine
// that is gone is noticed when the system gives up sending to it.
func LimitUnacknowledged(time.Duration) func(network, address string, c syscall.RawConn) error {
	return nil
}
