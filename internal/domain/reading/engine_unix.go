//go:build unix

package reading

import "syscall"

// errLocked is what the system says of a lock that another process holds.
const errLocked = syscall.EAGAIN
