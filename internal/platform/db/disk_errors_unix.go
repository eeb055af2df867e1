//go:build unix

package db

import "syscall"

// diskErrors are the system's errors for a disk that accepts no writes. A
// transaction's function meets them if it writes files; the databases' own errors are known by their
// codes.
var diskErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO}
