package bench

import "syscall"

const connectionReset = syscall.WSAECONNRESET

// takeLittle gives a socket a small receive buffer; Windows does not let a program set the packet
// size.
func takeLittle(fd uintptr) error {
	return syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, slowWindow)
}
