package bench

import (
	"errors"
	"syscall"
)

const (
	slowSegment     = 1460
	connectionReset = syscall.ECONNRESET
)

// takeLittle gives a socket a small receive buffer and small packets.
func takeLittle(fd uintptr) error {
	return errors.Join(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, slowWindow),
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, slowSegment))
}
