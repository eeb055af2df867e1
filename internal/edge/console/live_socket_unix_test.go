//go:build unix

package console_test

import (
	"errors"
	"syscall"
)

// shrinkReceiveBuffer makes a socket's receive buffer small.
func shrinkReceiveBuffer(fd uintptr) error {
	return errors.Join(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096),
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1460))
}
