//go:build unix

package reading

import "syscall"

// lockedElsewhere is what the system says of a lock that another process holds.
const lockedElsewhere = syscall.EAGAIN
