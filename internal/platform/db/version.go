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
	// ErrNewer is wrapped if a later version of this program wrote the folder. The folder is
	// unchanged.
	ErrNewer = errors.New("it was written by a newer version of Tilth; nothing was changed. " +
		"Start that version again, or restore a backup made before the upgrade")
	// ErrUnreleased is wrapped if the tables are not those of any version, such as those of a
	// development state between two versions.
	ErrUnreleased = errors.New("its tables are of a state of development that was never released, and cannot be " +
		"upgraded; nothing was changed. Copy out what you need with the program that made it, and begin a new folder")
)

// checkFile refuses a database file that this version must not write: a newer one, or one whose
// tables do not match its version number. It writes nothing. A file that does not exist yet is
// fine.
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

// readOnlyURI returns the URI of a database file that is only read. If there is no write-ahead log
// beside it, the URI tells SQLite that no other process uses the file, because otherwise SQLite
// leaves files of its own.
func readOnlyURI(path string) string {
	address := fileURI(path) + "?mode=ro&_pragma=busy_timeout(10000)&_pragma=query_only(ON)"
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		address += "&immutable=1"
	}
	return address
}

// checkSchema is checkFile for an open database.
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

// newestMigration returns the newest migration that this version knows.
func newestMigration(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}

// newerError returns the ErrNewer for tables that are newer than this version knows.
func newerError(at, newest int64) error {
	return fmt.Errorf("%w (its tables are at step %d, this version knows %d)", ErrNewer, at, newest)
}

// schemaVersion returns the newest migration of a database, 0 if it has none.
func schemaVersion(ctx context.Context, pool *sql.DB) (at int64, err error) {
	const query = `SELECT COUNT(*) > 0 FROM sqlite_master WHERE name = 'goose_db_version'`
	var exists bool
	if err := pool.QueryRowContext(ctx, query).Scan(&exists); err != nil || !exists {
		return 0, err
	}
	return appliedVersion(ctx, pool)
}

// appliedVersion is schemaVersion for a database that has a table of migrations.
func appliedVersion(ctx context.Context, pool *sql.DB) (at int64, err error) {
	const query = `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`
	err = pool.QueryRowContext(ctx, query).Scan(&at)
	return at, err
}

// checkColumns makes sure that a database has exactly the columns of its version, before later
// migrations build on them. Indexes may differ: they only affect speed.
func checkColumns(ctx context.Context, pool *sql.DB, version int64) (err error) {
	ideal, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ideal.Close()) }()
	ideal.SetMaxOpenConns(1) // each connection has an in-memory database of its own
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
	rows, err := pool.QueryContext(ctx, `SELECT m.name || '.' || c.name
		FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version' ORDER BY 1`)
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

// provider returns a goose provider with this version's migrations.
func provider(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, pool, files)
}
