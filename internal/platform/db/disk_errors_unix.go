//go:build unix

package db

import "syscall"

// diskErrors are the system's errors for a disk that accepts no writes.
var diskErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO}
