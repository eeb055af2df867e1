//go:build unix

package reading

import "syscall"

// errLocked is the system's error for a lock that another process holds.
const errLocked = syscall.EAGAIN
