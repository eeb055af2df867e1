package command

import "syscall"

// smallWindow lets a connection take few bytes at a time.
func smallWindow(fd uintptr) error {
	return syscall.SetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
}
