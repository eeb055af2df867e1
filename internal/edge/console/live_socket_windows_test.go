package console_test

import "syscall"

// shrinkReceiveBuffer makes a socket's receive buffer small.
func shrinkReceiveBuffer(fd uintptr) error {
	return syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
}
