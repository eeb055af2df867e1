//go:build unix

package listen

import (
	"fmt"
	"math"
	"syscall"
)

// filesKept is what is left to files and to connections that the server makes: the
// readings' store alone may have a thousand files open.
const filesKept = 1536

// ConnectionLimit is how many connections the process may have at once by its limit of
// open files; 0: any number. Of a low limit a quarter is left to files.
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
