package app

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

// restoreTarget is where a restore unpacks, and where all of it goes once it is
// proved: a folder that does not exist yet is made beside and renamed at the end; in
// one that exists and is empty, such as a mounted volume, it is made inside.
type restoreTarget struct {
	dir    string // as the operator names it
	work   string
	exists bool // dir is there already
}

// newRestoreTarget prepares a place for what is to be dir. What an earlier restore left
// beside it is removed.
func newRestoreTarget(dir string) (*restoreTarget, error) {
	p := &restoreTarget{dir: filepath.Clean(dir)}
	there, err := os.ReadDir(p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.work = p.dir + restoringSuffix
		if err := os.RemoveAll(p.work); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case checkUnfinishedRestore(p.dir) != nil:
		return nil, checkUnfinishedRestore(p.dir)
	case len(there) > 0:
		return nil, fmt.Errorf("%s is not empty", dir)
	default:
		p.work, p.exists = filepath.Join(p.dir, restoringSuffix), true
	}
	return p, os.MkdirAll(p.work, 0o700)
}

// commit puts what was restored in its place.
func (p *restoreTarget) commit() error {
	if !p.exists {
		return os.Rename(p.work, p.dir)
	}
	entries, err := os.ReadDir(p.work)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(p.work, e.Name()), filepath.Join(p.dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(p.work)
}

// abort leaves nothing of a restore that failed.
func (p *restoreTarget) abort() error {
	if !p.exists {
		return os.RemoveAll(p.work)
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

// inBackup tells what a backup holds of a folder. Whatever else is in an archive
// is not from a backup: the provider's token, certificates and until when the server
// lived are each machine's own.
func inBackup(name string) bool {
	return name == keyFile || name == "tilth.db" || strings.HasPrefix(name, "readings/")
}
