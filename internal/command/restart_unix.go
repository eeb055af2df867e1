//go:build unix

package command

import (
	"os"
	"syscall"
)

// replaceProcess puts a program in the place of this process, with the same
// arguments and environment. It answers only when that cannot be done.
func replaceProcess(program string) error { return syscall.Exec(program, os.Args, os.Environ()) }
