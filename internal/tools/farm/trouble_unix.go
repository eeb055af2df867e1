//go:build unix

package farm

import "syscall"

// connectionRefused is the system's error for an address on which no program listens.
const connectionRefused = syscall.ECONNREFUSED
