package datafolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// lockName is the file of a data folder that the running server holds locked.
const lockName = "lock"

// Lock is a data folder that this process has locked.
type Lock struct{ file *os.File }

// Close unlocks the folder.
func (l *Lock) Close() error { return errors.Join(unlockFile(l.file), l.file.Close()) }

// LockFolder creates a data folder if it is missing, and locks it for this process until the lock
// is closed. Two servers on one folder, each at its first start, would create keys and tables
// twice.
func LockFolder(dir string) (*Lock, error) {
	if err := checkUnfinishedRestore(dir); err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	if err := LockFile(lock); err != nil {
		return nil, errors.Join(
			fmt.Errorf("--data-dir: another server runs on %s; stop it, or name another folder", dir),
			lock.Close(),
		)
	}
	return &Lock{lock}, nil
}
