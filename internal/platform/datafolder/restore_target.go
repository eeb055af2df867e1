package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// restoringSuffix ends the name of the folder into which a restore unpacks.
const restoringSuffix = ".restoring"

// RestoreTarget is where a restore unpacks, and where all of it goes once it is
// proved: a folder that does not exist yet is made beside and renamed at the end; in
// one that exists and is empty, such as a mounted volume, it is made inside.
type RestoreTarget struct {
	dir    string // as the operator names it
	Work   string
	exists bool // dir is there already
}

// NewRestoreTarget prepares a place for what is to be dir. What an earlier restore left
// beside it is removed.
func NewRestoreTarget(dir string) (*RestoreTarget, error) {
	p := &RestoreTarget{dir: filepath.Clean(dir)}
	there, err := os.ReadDir(p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Work = p.dir + restoringSuffix
		if err := os.RemoveAll(p.Work); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case checkUnfinishedRestore(p.dir) != nil:
		return nil, checkUnfinishedRestore(p.dir)
	case len(there) > 0:
		return nil, fmt.Errorf("%s is not empty", dir)
	default:
		p.Work, p.exists = filepath.Join(p.dir, restoringSuffix), true
	}
	return p, os.MkdirAll(p.Work, 0o700)
}

// Commit puts what was restored in its place.
func (p *RestoreTarget) Commit() error {
	if !p.exists {
		return os.Rename(p.Work, p.dir)
	}
	entries, err := os.ReadDir(p.Work)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(p.Work, e.Name()), filepath.Join(p.dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(p.Work)
}

// Abort leaves nothing of a restore that failed.
func (p *RestoreTarget) Abort() error {
	if !p.exists {
		return os.RemoveAll(p.Work)
	}
	entries, err := os.ReadDir(p.dir)
	for _, e := range entries { // it was empty
		err = errors.Join(err, os.RemoveAll(filepath.Join(p.dir, e.Name())))
	}
	return err
}

// checkUnfinishedRestore says, of a folder whose restore did not come to its end, what to do;
// nil of any other.
func checkUnfinishedRestore(dir string) error {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(filepath.Join(dir, restoringSuffix)); err == nil {
		return fmt.Errorf("a restore into %s did not come to its end: remove everything in it and restore again", dir)
	}
	_, beside := os.Lstat(dir + restoringSuffix)
	if entries, err := os.ReadDir(
		dir,
	); beside == nil &&
		(errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0) {
		return fmt.Errorf(
			"a restore into %s did not come to its end: restore again, or remove %s to begin with an empty folder",
			dir,
			dir+restoringSuffix,
		)
	}
	return nil
}

// InBackup tells what a backup holds of a folder. Whatever else is in an archive
// is not from a backup: the provider's token, certificates and until when the server
// lived are each machine's own.
func InBackup(name string) bool {
	return name == KeyFile || name == "tilth.db" || strings.HasPrefix(name, "readings/")
}
