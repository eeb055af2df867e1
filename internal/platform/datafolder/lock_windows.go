package datafolder

import (
	"os"

	"golang.org/x/sys/windows"
)

// LockFile takes a file for this process until it is closed; an error says that
// another process has it.
func LockFile(f *os.File) error {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
}

// unlockFile gives a file back.
func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{})
}

// FinishAndClose does the last thing with a locked file, as renaming it, and closes it: before,
// since Windows renames and removes none that is open. Nor does it one that somebody
// else has opened meanwhile.
func FinishAndClose(f *os.File, do func() error) error {
	if err := f.Close(); err != nil {
		return err
	}
	return do()
}
