//go:build unix

package listen

import (
	"fmt"
	"math"
	"syscall"
)

// filesKept is how many descriptors are left for files and for outgoing connections: the readings'
// store alone may have a thousand files open.
const filesKept = 1536

// ConnectionLimit is how many connections the process may have at once under its limit of open
// files; 0: any number. If the limit is low, a quarter of it is left for files.
func ConnectionLimit() (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("the limit of open files: %w", err)
	}
	files := uint64(limit.Cur) //nolint:unconvert // signed on some systems
	if files > math.MaxInt32 {
		return 0, nil
	}
	return int(files - min(files/4, filesKept)), nil
}
