//go:build unix

package datafolder

import (
	"errors"
	"os"
	"syscall"
)

// LockFile locks a file for this process until the file is closed. An error says that another
// process has locked it.
func LockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// unlockFile unlocks a file. If the file were only closed, it would stay locked for as long as a
// child process that is just starting has a copy of it.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// FinishAndClose does the last step with a locked file, such as renaming it, and closes the file.
func FinishAndClose(f *os.File, do func() error) error { return errors.Join(do(), f.Close()) }
