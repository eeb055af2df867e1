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

// OpenToRead opens DIR/tilth.db without creating, upgrading or writing anything. Tx fails. It
// refuses the databases that Open refuses.
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

// Examine lets the database check itself and returns the problems: damaged pages, and rows that
// refer to missing rows.
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
	var dangling []struct {
		Table  string
		Rowid  sql.NullInt64
		Parent string
		Fkid   int64
	}
	if err := d.Read(ctx).NewRaw("PRAGMA foreign_key_check").Scan(ctx, &dangling); err != nil {
		return nil, err
	}
	for _, s := range dangling {
		problems = append(problems, fmt.Sprintf("%s row %d refers to a row of %s that does not exist",
			s.Table, s.Rowid.Int64, strings.ToLower(s.Parent)))
	}
	return problems, nil
}
