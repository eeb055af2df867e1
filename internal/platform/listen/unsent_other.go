//go:build !linux && !darwin

package listen

import "net"

// limitUnsent leaves it to the system how much it takes at once.
func limitUnsent(net.Conn) {}
