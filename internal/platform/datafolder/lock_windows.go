package datafolder

import (
	"os"

	"golang.org/x/sys/windows"
)

// LockFile locks a file for this process until the file is closed. An error says that another
// process has locked it.
func LockFile(f *os.File) error {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
}

// unlockFile unlocks a file.
func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{})
}

// FinishAndClose closes a locked file and then does the last step, such as renaming it: Windows
// renames and removes no open file. The step fails if another process has opened the file
// meanwhile.
func FinishAndClose(f *os.File, do func() error) error {
	if err := f.Close(); err != nil {
		return err
	}
	return do()
}
