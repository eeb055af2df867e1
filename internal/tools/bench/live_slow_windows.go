package bench

import "syscall"

const connectionReset = syscall.WSAECONNRESET

// takeLittle makes a socket take little at once; the size of packets is not
// Windows' to be told.
func takeLittle(fd uintptr) error {
	return syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, slowWindow)
}
