package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// OpenToRead opens DIR/tilth.db as it is: nothing is made, brought up to date
// or written. Tx fails. What Open refuses to write is refused here, too.
func OpenToRead(ctx context.Context, dir string) (*DB, error) {
	if err := refuseForeignDB(dir); err != nil {
		return nil, err
	}
	if err := refuseMissingDB(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "tilth.db")
	pool, err := sql.Open("sqlite", readOnlyURI(path))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := checkSchema(ctx, pool); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), pool.Close())
	}
	d := bun.NewDB(pool, sqlitedialect.New())
	return &DB{read: d, write: d, writeLock: make(chan struct{}, 1)}, nil
}

// Examine has the database check itself and tells what it finds wrong: damaged
// pages, and rows that refer to what is not there.
func (d *DB) Examine(ctx context.Context) (problems []string, err error) {
	if d.server != nil {
		return d.examinePostgres(ctx)
	}
	var found []string
	if err := d.Read(ctx).NewRaw("PRAGMA integrity_check").Scan(ctx, &found); err != nil {
		return nil, err
	}
	for _, f := range found {
		if f != "ok" {
			problems = append(problems, f)
		}
	}
	var strays []struct {
		Table  string
		Rowid  sql.NullInt64
		Parent string
		Fkid   int64
	}
	if err := d.Read(ctx).NewRaw("PRAGMA foreign_key_check").Scan(ctx, &strays); err != nil {
		return nil, err
	}
	for _, s := range strays {
		problems = append(
			problems,
			fmt.Sprintf(
				"%s row %d refers to a row of %s that is not there",
				s.Table,
				s.Rowid.Int64,
				strings.ToLower(s.Parent),
			),
		)
	}
	return problems, nil
}
