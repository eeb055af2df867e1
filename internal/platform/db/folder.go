package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CheckFolder refuses a data folder that does not belong to the database, and a database of a newer
// version. It changes nothing. isNew is true if no server has used the database yet.
func (d *DB) CheckFolder(ctx context.Context, dir string) (isNew bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, "tilth.db")); err == nil {
		return false, fmt.Errorf("the folder %s has a database of its own (tilth.db): make a backup, "+
			"and restore it with --database-url into another folder (docs/cluster.md)", dir)
	}
	if err := d.CheckVersion(ctx); err != nil {
		return false, err
	}
	folderMark, err := readMark(dir)
	if err != nil {
		return false, err
	}
	var mark string
	err = d.read.QueryRowContext(ctx, "SELECT mark FROM data_folders").Scan(&mark)
	switch {
	case postgresCode(err, undefinedTable), errors.Is(err, sql.ErrNoRows):
		return true, nil
	case err != nil:
		return false, err
	case folderMark == "":
		return false, fmt.Errorf("the database %s belongs to a cluster that this node has not joined: run "+
			"tilth join --from the address of one of its nodes, with --data-dir %s", d.server.name, dir)
	case folderMark != mark:
		return false, fmt.Errorf(
			"the data folder %s belongs to another cluster than the database %s",
			dir,
			d.server.name,
		)
	}
	return false, nil
}

// MarkFolder makes a new data folder one of the cluster whose database this is.
func (d *DB) MarkFolder(ctx context.Context, dir string) error {
	if err := d.CheckVersion(ctx); err != nil {
		return err
	}
	var mark string
	err := d.read.QueryRowContext(ctx, "SELECT mark FROM data_folders").Scan(&mark)
	if postgresCode(err, undefinedTable) || errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("the database %s is new: no cluster has used it", d.server.name)
	}
	if err != nil {
		return err
	}
	return writeMark(dir, mark)
}

// CheckVersion refuses a database whose tables a newer version has made (ErrNewer).
func (d *DB) CheckVersion(ctx context.Context) error {
	at, err := appliedVersion(ctx, d.read.DB)
	if postgresCode(err, undefinedTable) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := postgresProvider(d.read.DB) // only for the list of its migrations
	if err != nil {
		return err
	}
	if newest := newestMigration(p); at > newest {
		return newerError(at, newest)
	}
	return nil
}

// PrepareCluster makes the tables and pairs the database with the data folder DIR, for the first node
// of a cluster. isEmpty says whether that node has no readings. It refuses a database that a server has
// open (ErrInUse).
func PrepareCluster(ctx context.Context, dir, address string, isEmpty bool) error {
	d, err := openPostgres(ctx, address, 0)
	if err != nil {
		return err
	}
	return errors.Join(d.pair(ctx, dir, isEmpty), d.Close())
}
