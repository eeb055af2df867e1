package datafolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// lockName is the file of a data folder that the server which runs on it holds.
const lockName = "lock"

// Lock is a data folder that this process has taken.
type Lock struct{ file *os.File }

// Close gives the folder back.
func (l *Lock) Close() error { return errors.Join(unlockFile(l.file), l.file.Close()) }

// LockFolder makes a data folder if need be, and takes it for this process until it
// is closed: two servers on one folder, as at a first start of both, would each make
// keys and tables of their own.
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
			fmt.Errorf("--data-dir: another server has %s; stop it, or name another folder", dir),
			lock.Close(),
		)
	}
	return &Lock{lock}, nil
}
