//go:build unix

package farm

import "syscall"

// connectionRefused is what the system says where nobody listens.
const connectionRefused = syscall.ECONNREFUSED
