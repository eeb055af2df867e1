//go:build !linux

package cluster

import "net"

// limitUnacknowledged does nothing: the system decides how long it tries.
func limitUnacknowledged(net.Conn) {}
