//go:build unix

package datafolder

import (
	"errors"
	"os"
	"syscall"
)

// LockFile takes a file for this process until it is closed; an error says that
// another process has it.
func LockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// unlockFile gives a file back. Closing it alone would leave it taken for as long as a
// process that is being started has a copy.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// FinishAndClose does the last thing with a locked file, as renaming it, and closes it.
func FinishAndClose(f *os.File, do func() error) error { return errors.Join(do(), f.Close()) }
