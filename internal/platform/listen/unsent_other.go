//go:build !linux && !darwin

package listen

import "net"

// limitUnsent does nothing: the system decides how many unsent bytes it buffers.
func limitUnsent(net.Conn) {}
