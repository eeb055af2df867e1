package httpapi_test

import "syscall"

// takeLittle makes a socket take little at once.
func takeLittle(fd uintptr) error {
	return syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
}
