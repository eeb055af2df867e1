package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// markFile is a file in a data folder whose database is on a server. It identifies the database, so
// that readings of one installation are not used with the devices of another.
const markFile = "database-mark"

// checkPairing makes sure that the database and the data folder belong together, and pairs them if
// both are new.
func (d *DB) checkPairing(ctx context.Context, dir string) error {
	_, err := os.Stat(filepath.Join(dir, "readings"))
	return d.pair(ctx, dir, err != nil)
}

// pair is checkPairing; isEmpty says whether the folder holds no readings.
func (d *DB) pair(ctx context.Context, dir string, isEmpty bool) error {
	if _, err := os.Stat(filepath.Join(dir, "tilth.db")); err == nil {
		return fmt.Errorf("the folder %s has a database of its own (tilth.db): to move it to a server, "+
			"make a backup and restore it with --database-url; to keep using it, start without --database-url", dir)
	}
	folderMark, err := readMark(dir)
	if err != nil {
		return err
	}
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit there is nothing to undo
	var dbMark string
	err = tx.QueryRowContext(ctx, "SELECT mark FROM data_folders").Scan(&dbMark)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if dbMark, err = d.pairNew(ctx, tx.Tx, dir, folderMark, isEmpty); err != nil {
			return err
		}
	case err != nil:
		return err
	case folderMark == "":
		return fmt.Errorf("the database %s belongs to another data folder than %s, which is new: "+
			"is its disk mounted, and --data-dir right?", d.server.name, dir)
	case folderMark != dbMark:
		return fmt.Errorf("the database %s and the data folder %s do not belong together", d.server.name, dir)
	}
	starts, err := d.server.countStart(ctx, tx.Tx)
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	d.server.starts.Store(starts)
	return nil
}

// pairNew marks a database that has no folder yet. It writes the folder's mark first: a folder that
// has a mark and nothing else still counts as new.
func (d *DB) pairNew(
	ctx context.Context,
	tx *sql.Tx,
	dir, folderMark string,
	isEmpty bool,
) (mark string, err error) {
	if !isEmpty {
		return "", fmt.Errorf("the database %s is new, but the data folder %s is not", d.server.name, dir)
	}
	if mark = folderMark; mark == "" {
		mark = rand.Text()
		if err := writeMark(dir, mark); err != nil {
			return "", err
		}
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO data_folders (id, mark, starts) VALUES (1, $1, 0)", mark)
	return mark, err
}

// readMark returns the folder's mark of its database; empty if the folder has no database on a
// server.
func readMark(dir string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, markFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(raw)), err
}

func writeMark(dir, mark string) error {
	f, err := os.OpenFile(filepath.Join(dir, markFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(mark + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// refuseForeignDB refuses a folder whose database is on a server: otherwise an empty one would
// replace it.
func refuseForeignDB(dir string) error {
	switch mark, err := readMark(dir); {
	case err != nil:
		return err
	case mark != "":
		return fmt.Errorf("the database of the folder %s is on a server: say which with --database-url", dir)
	}
	return nil
}
