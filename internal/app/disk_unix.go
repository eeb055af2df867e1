//go:build unix

package app

import (
	"os"
	"syscall"
)

// freeBytes is how much room there is for whoever asks, on the disk of a folder.
func freeBytes(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}

// replaceProcess puts a program in the place of this process, with the same
// arguments and environment. It answers only when that cannot be done.
func replaceProcess(program string) error { return syscall.Exec(program, os.Args, os.Environ()) }
