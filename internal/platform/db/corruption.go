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

// Corruption returns SQLite's error about a file that it cannot read as a database, from an error
// of this package; nil for any other error.
func Corruption(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() & 0xff { // the primary code, without the extended one
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return e
	}
	return nil
}

// refuseMissingDB refuses a folder that has readings and no database. With an empty database, new
// tenants and devices would get the numbers of the old ones, and so their readings.
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
			return fmt.Errorf("the folder %s has readings, and their database (tilth.db) is missing: "+
				"restore a backup into a new folder; to begin anew, move %s away first",
				dir, filepath.Join(dir, "readings"))
		}
	}
	return nil
}
