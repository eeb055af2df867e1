// Package db opens the relational database, upgrades its tables and carries transactions in the
// context.
package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	sqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/sqlite/*.sql
var migrations embed.FS

// readers is how many statements may read at once; in WAL mode SQLite runs them beside the one
// writer.
const readers = 4

// DB is the relational database. Stores read through Read and write through Tx; a store never holds
// a connection of its own.
type DB struct {
	read      *bun.DB
	write     *bun.DB
	server    *pgServer     // nil: SQLite
	writeLock chan struct{} // full while a transaction writes

	version         atomic.Uint64
	storageFailures atomic.Uint64
}

// Open opens DIR/tilth.db, creates it if it does not exist, and applies the missing migrations. It
// refuses a database of a newer version and leaves it unchanged (ErrNewer); it also refuses a
// folder with readings whose database is missing.
func Open(ctx context.Context, dir string) (*DB, error) {
	if err := refuseForeignDB(dir); err != nil {
		return nil, err
	}
	if err := refuseMissingDB(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "tilth.db")
	if err := checkFile(ctx, path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := createPrivate(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := upgrade(ctx, path); err != nil {
		return nil, fmt.Errorf("upgrade %s: %w", path, err)
	}
	write, err := connect(ctx, path, "immediate", 1)
	if err != nil {
		return nil, err
	}
	d := &DB{write: write, writeLock: make(chan struct{}, 1)}
	if d.read, err = connect(ctx, path, "deferred", readers); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	return d, nil
}

// createPrivate creates the file if it does not exist, readable by its owner only, in whatever
// folder it is. SQLite would use the umask; the files that SQLite creates beside it get its mode.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// connect opens path with settings for durability and waiting: a write is on disk when its
// transaction ends (FULL), and SQLite waits for a busy file.
func connect(ctx context.Context, path, lock string, conns int) (*bun.DB, error) {
	pool, err := open(ctx, path, lock, "foreign_keys(ON)")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	return bun.NewDB(pool, sqlitedialect.New()), nil
}

func open(ctx context.Context, path, lock, foreignKeys string) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", foreignKeys, "temp_store(MEMORY)",
	}}
	pool, err := sql.Open("sqlite", fileURI(path)+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool.SetMaxOpenConns(1)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), pool.Close())
	}
	return pool, nil
}

// fileURI returns the path as a URI, with special characters escaped.
func fileURI(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// upgrade applies the missing migrations. A migration that rebuilds a table drops the old one, and
// with foreign keys enabled SQLite would delete the rows that refer to it. So upgrade disables
// foreign keys and checks all of them at the end.
func upgrade(ctx context.Context, path string) (err error) {
	pool, err := open(ctx, path, "immediate", "foreign_keys(OFF)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	before, err := schemaVersion(ctx, pool)
	if err != nil {
		return err
	}
	if err := migrate(ctx, pool); err != nil {
		return err
	}
	if after, err := schemaVersion(ctx, pool); err != nil || after == before {
		return err
	}
	return checkForeignKeys(ctx, pool)
}

// checkForeignKeys refuses a database with rows that refer to missing rows.
func checkForeignKeys(ctx context.Context, pool *sql.DB) error {
	var table string
	var row sql.NullInt64
	var parent string
	var key int
	err := pool.QueryRowContext(ctx, `PRAGMA foreign_key_check`).Scan(&table, &row, &parent, &key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("row %d of %s refers to a row of %s that does not exist", row.Int64, table, parent)
}

func migrate(ctx context.Context, pool *sql.DB) error {
	p, err := provider(pool)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// Close closes the database.
func (d *DB) Close() error { return errors.Join(d.read.Close(), d.write.Close()) }

type txKey struct{}

// txState is the transaction that a context carries.
type txState struct {
	tx          bun.Tx
	afterCommit []func()
	onceValues  map[any]any
}

// Read returns the connection for a store's queries: the transaction in ctx if there is one, the
// reading pool otherwise.
func (d *DB) Read(ctx context.Context) bun.IDB {
	if u, ok := ctx.Value(txKey{}).(*txState); ok {
		return u.tx
	}
	return d.read
}

// Tx runs f in one transaction: the changes that f makes with the context it gets are committed if
// f returns nil, and rolled back otherwise. A Tx inside a Tx joins it. If the disk refuses the
// changes, the error is an errs.StorageFailure.
func (d *DB) Tx(ctx context.Context, f func(ctx context.Context, tx bun.IDB) error) error {
	if u, ok := ctx.Value(txKey{}).(*txState); ok {
		return f(ctx, u.tx)
	}
	var u txState
	if err := d.asStorageFailure(d.transact(ctx, &u, f)); err != nil {
		return err
	}
	for _, f := range u.afterCommit {
		f()
	}
	return nil
}

func (d *DB) transact(ctx context.Context, u *txState, f func(ctx context.Context, tx bun.IDB) error) error {
	if err := d.lockWriting(ctx); err != nil {
		return err
	}
	defer func() { <-d.writeLock }()
	begin := ctx
	if d.server != nil {
		// If the caller's context is cancelled, only the statement is aborted; the connection keeps
		// its lock.
		begin = context.WithoutCancel(ctx)
	}
	// Also after a failed commit, which may have taken effect all the same.
	defer d.version.Add(1)
	var count int64
	err := d.write.RunInTx(begin, nil, func(_ context.Context, tx bun.Tx) (err error) {
		u.tx = tx
		if count, err = d.countTransaction(ctx, tx); err != nil {
			return err
		}
		inside := context.WithValue(ctx, txKey{}, u)
		if err := checkGuard(inside); err != nil {
			return err
		}
		if err := f(inside, tx); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if d.server != nil {
		d.server.committed.Store(count)
	}
	return d.confirm(begin)
}

// lockWriting waits for the write lock. Waiting transactions get it in the order of arrival. The
// pool with its one connection does not keep that order: with several busy writers, one of them
// might wait for many transactions of the others.
func (d *DB) lockWriting(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.writeLock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// AfterCommit calls f after the transaction in ctx has committed, and never if it fails; at once if
// ctx carries no transaction. It is for notifying readers of a change, who would read the old state
// before the commit.
func (d *DB) AfterCommit(ctx context.Context, f func()) {
	if u, ok := ctx.Value(txKey{}).(*txState); ok {
		u.afterCommit = append(u.afterCommit, f)
		return
	}
	f()
}

// Version changes with every transaction, before its end is visible to anyone: data that was read
// after a call of Version is current as long as Version returns the same.
func (d *DB) Version() uint64 { return d.version.Load() }

// Ping returns an error if the database cannot be read or another process has taken it over.
func (d *DB) Ping(ctx context.Context) error {
	if d.server != nil && d.server.takenOver.Load() {
		return ErrTakenOver
	}
	return d.read.PingContext(ctx)
}

// HasTable reports whether the database has a table: one that was opened to read may be of an earlier version.
func (d *DB) HasTable(ctx context.Context, name string) (exists bool, err error) {
	query := `SELECT COUNT(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = ?`
	if d.server != nil {
		query = `SELECT to_regclass(?) IS NOT NULL`
	}
	err = d.Read(ctx).NewRaw(query, name).Scan(ctx, &exists)
	return exists, err
}

// IsDuplicate reports whether err is a violated uniqueness constraint.
func IsDuplicate(err error) bool {
	var e *sqlite.Error
	return postgresCode(err, uniqueViolation) ||
		errors.As(err, &e) &&
			(e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// IsReferenced reports whether err says that other rows still refer to the row to be deleted.
func IsReferenced(err error) bool {
	var e *sqlite.Error
	return postgresCode(err, foreignKeyViolation) ||
		errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// IsMissing reports whether err says that a row does not exist.
func IsMissing(err error) bool { return errors.Is(err, sql.ErrNoRows) }
