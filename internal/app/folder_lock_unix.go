//go:build unix

package app

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a file for this process until it is closed; an error says that
// another process has it.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// unlockFile gives a file back. Closing it alone would leave it taken for as long as a
// process that is being started has a copy.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// finishAndClose does the last thing with a locked file, as renaming it, and closes it.
func finishAndClose(f *os.File, do func() error) error { return errors.Join(do(), f.Close()) }
