package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/pressly/goose/v3"
)

var (
	// ErrNewer is wrapped where a folder was written by a later version of this
	// program than this one. Nothing in it was changed.
	ErrNewer = errors.New("it was written by a newer version of Tilth; nothing was changed. " +
		"Start that version again, or restore a backup made before the upgrade")
	// ErrUnreleased is wrapped where the tables are not those of any version, as
	// those of a state between two that was never released.
	ErrUnreleased = errors.New(
		"its tables are of a state of development that was never released, and cannot be brought up to date; nothing was changed. " +
			"Copy out what you need with the program that made it, and begin a new folder",
	)
)

// checkFile refuses a database file that this version must not write: a newer one,
// or one whose tables are not what its version number says. It writes nothing.
// A file that is not there yet is fine.
func checkFile(ctx context.Context, path string) (err error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	} else if err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", readOnlyURI(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1)
	return checkSchema(ctx, pool)
}

// readOnlyURI is the address of a database file that is only looked at. Where no
// log lies beside it, SQLite is told that nobody else is there, since otherwise
// it leaves files of its own.
func readOnlyURI(path string) string {
	address := fileURI(path) + "?mode=ro&_pragma=busy_timeout(10000)&_pragma=query_only(ON)"
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		address += "&immutable=1"
	}
	return address
}

// checkSchema is check of an open database.
func checkSchema(ctx context.Context, pool *sql.DB) error {
	at, err := schemaVersion(ctx, pool)
	if err != nil || at == 0 {
		return err
	}
	p, err := provider(pool)
	if err != nil {
		return err
	}
	newest := newestMigration(p)
	switch {
	case at > newest:
		return newerError(at, newest)
	case at < newest:
		return checkColumns(ctx, pool, at)
	}
	return nil
}

// newestMigration is the newest migration that this version knows.
func newestMigration(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}

// newerError is the ErrNewer of tables that are further than this version knows.
func newerError(at, newest int64) error {
	return fmt.Errorf("%w (its tables are at step %d, this version knows %d)", ErrNewer, at, newest)
}

// schemaVersion is the newest migration that a database has, 0 where it has none.
func schemaVersion(ctx context.Context, pool *sql.DB) (at int64, err error) {
	var there bool
	if err := pool.QueryRowContext(
		ctx,
		`SELECT COUNT(*) > 0 FROM sqlite_master WHERE name = 'goose_db_version'`,
	).Scan(
		&there,
	); err != nil ||
		!there {
		return 0, err
	}
	return appliedVersion(ctx, pool)
}

// appliedVersion is schemaVersion where the table that says it is there.
func appliedVersion(ctx context.Context, pool *sql.DB) (at int64, err error) {
	err = pool.QueryRowContext(
		ctx,
		`SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`,
	).Scan(
		&at,
	)
	return at, err
}

// checkColumns makes sure that a database has exactly the columns that its version
// gave it, before the later migrations build on them. Indexes may differ: they
// change how long something takes, and nothing else.
func checkColumns(ctx context.Context, pool *sql.DB, version int64) (err error) {
	ideal, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ideal.Close()) }()
	ideal.SetMaxOpenConns(1) // each connection has a memory of its own
	p, err := provider(ideal)
	if err != nil {
		return err
	}
	if _, err := p.UpTo(ctx, version); err != nil {
		return err
	}
	want, err := columnsOf(ctx, ideal)
	if err != nil {
		return err
	}
	have, err := columnsOf(ctx, pool)
	if err != nil {
		return err
	}
	for _, c := range want {
		if !slices.Contains(have, c) {
			return fmt.Errorf("%w (step %d has %s)", ErrUnreleased, version, c)
		}
	}
	for _, c := range have {
		if !slices.Contains(want, c) {
			return fmt.Errorf("%w (step %d has no %s)", ErrUnreleased, version, c)
		}
	}
	return nil
}

// columnsOf lists all columns as table.column.
func columnsOf(ctx context.Context, pool *sql.DB) (columns []string, err error) {
	rows, err := pool.QueryContext(
		ctx,
		`SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version' ORDER BY 1`,
	)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c string
		if err := rows.Scan(&c); err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return columns, rows.Err()
}

// provider applies this version's migrations to a database.
func provider(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, pool, files)
}
