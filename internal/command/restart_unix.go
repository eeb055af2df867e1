//go:build unix

package command

import (
	"os"
	"syscall"
)

// replaceProcess replaces this process by a program with the same arguments and environment. It
// returns only if that fails.
func replaceProcess(program string) error { return syscall.Exec(program, os.Args, os.Environ()) }
