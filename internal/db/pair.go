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

// markFile stands in a data folder whose database is on a server, and says
// which one: readings of one installation must not meet the devices of another.
const markFile = "database-mark"

// pair makes sure that the database and the data folder belong together, and
// joins them when both are new.
func (d *DB) pair(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "tilth.db")); err == nil {
		return fmt.Errorf("the folder %s has a database of its own (tilth.db): to move it to a server, make a backup and restore it with --database-url; "+
			"to go on with it, start without --database-url", dir)
	}
	mine, err := markOf(dir)
	if err != nil {
		return err
	}
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit there is nothing to undo
	var its string
	err = tx.QueryRowContext(ctx, "SELECT mark FROM data_folders").Scan(&its)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if its, err = d.join(ctx, tx.Tx, dir, mine); err != nil {
			return err
		}
	case err != nil:
		return err
	case mine == "":
		return fmt.Errorf("the database %s belongs to another data folder than %s, which is new: is its disk mounted, and --data-dir right?", d.server.name, dir)
	case mine != its:
		return fmt.Errorf("the database %s and the data folder %s do not belong together", d.server.name, dir)
	}
	starts, err := d.server.count(ctx, tx.Tx)
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	d.server.starts.Store(starts)
	return nil
}

// join marks a database that has no folder yet. The folder's mark is written
// first: a folder that has one, and nothing else, is new all the same.
func (d *DB) join(ctx context.Context, tx *sql.Tx, dir, mine string) (mark string, err error) {
	if _, err := os.Stat(filepath.Join(dir, "readings")); err == nil {
		return "", fmt.Errorf("the database %s is new, but the data folder %s is not", d.server.name, dir)
	}
	if mark = mine; mark == "" {
		mark = rand.Text()
		if err := putMark(dir, mark); err != nil {
			return "", err
		}
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO data_folders (id, mark, starts) VALUES (1, $1, 0)", mark)
	return mark, err
}

// markOf is what a folder says of its database; empty when it has none on a
// server.
func markOf(dir string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, markFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(raw)), err
}

func putMark(dir, mark string) error {
	f, err := os.OpenFile(filepath.Join(dir, markFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(mark + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// alone refuses a folder whose database is on a server: without it, an empty one
// would take its place.
func alone(dir string) error {
	switch mark, err := markOf(dir); {
	case err != nil:
		return err
	case mark != "":
		return fmt.Errorf("the database of the folder %s is on a server: say which with --database-url", dir)
	}
	return nil
}
