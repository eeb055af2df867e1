package bench

import (
	"os"
	"syscall"
)

// makeDurable does what the store's log does on Linux: the data, and of the
// file's own description only what reading it back needs.
func makeDurable(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
