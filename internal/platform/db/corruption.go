package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Corruption is what SQLite says of a file that it cannot read as a database, out of
// an error of this package; nil where the error is another.
func Corruption(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() & 0xff { // without what SQLite says more closely
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return e
	}
	return nil
}

// refuseMissingDB refuses a folder that has readings and no database. With an empty one
// tenants and devices would get the numbers of those before, and their readings.
func refuseMissingDB(dir string) error {
	switch info, err := os.Stat(filepath.Join(dir, "tilth.db")); {
	case err == nil && info.Size() > 0:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := os.ReadDir(filepath.Join(dir, "readings"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			return fmt.Errorf(
				"the folder %s has readings, and their database (tilth.db) is missing: restore a backup into a new folder; "+
					"to begin anew, move %s away first",
				dir,
				filepath.Join(dir, "readings"),
			)
		}
	}
	return nil
}
