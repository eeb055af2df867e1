//go:build unix

package db

import "syscall"

// diskErrors are what the system says of a disk that takes nothing.
var diskErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO}
