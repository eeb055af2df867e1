package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// restoringSuffix ends the name of the folder into which a restore unpacks.
const restoringSuffix = ".restoring"

// RestoreTarget is the folder into which a restore unpacks, and the folder that gets the files once
// they are proved. If the latter does not exist, the work folder lies beside it and Commit renames
// it. If it exists and is empty, as a mounted volume is, the work folder lies inside it.
type RestoreTarget struct {
	dir    string // as the operator names it
	Work   string
	exists bool // dir exists already
}

// NewRestoreTarget prepares the restore of a folder. It removes what an earlier restore left beside
// it.
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

// Commit moves the restored files to their place.
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

// Abort removes everything of a restore that failed.
func (p *RestoreTarget) Abort() error {
	if !p.exists {
		return os.RemoveAll(p.Work)
	}
	entries, err := os.ReadDir(p.dir)
	for _, e := range entries { // the folder was empty before
		err = errors.Join(err, os.RemoveAll(filepath.Join(p.dir, e.Name())))
	}
	return err
}

// checkUnfinishedRestore returns an error that says what to do if the restore of a folder was
// interrupted. It returns nil for any other folder.
func checkUnfinishedRestore(dir string) error {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(filepath.Join(dir, restoringSuffix)); err == nil {
		return fmt.Errorf("a restore into %s was interrupted: remove everything in it and restore again", dir)
	}
	_, beside := os.Lstat(dir + restoringSuffix)
	entries, err := os.ReadDir(dir)
	if beside == nil && (errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0) {
		return fmt.Errorf(
			"a restore into %s was interrupted: restore again, or remove %s to begin with an empty folder",
			dir, dir+restoringSuffix,
		)
	}
	return nil
}

// InBackup reports whether a backup holds a file of a data folder. Anything else in an archive does
// not come from a backup: the provider's token, certificates and the retention clock belong to one
// machine.
func InBackup(name string) bool {
	return name == KeyFile || name == "tilth.db" || strings.HasPrefix(name, "readings/")
}

// SharedFiles are the files that the nodes of a cluster have in common beside the key: the mark of their
// database, and the provider's tokens.
var SharedFiles = []string{"database-mark", "provider-token"}

// InSeed reports whether a node's seed holds a file of a data folder.
func InSeed(name string) bool {
	return name == KeyFile || strings.HasPrefix(name, "readings/") || slices.Contains(SharedFiles, name)
}
