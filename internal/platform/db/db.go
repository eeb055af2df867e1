// Package db opens the relational database, brings its tables up to date and
// carries transactions in the context.
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

// readers is how many statements may read at once; SQLite in WAL mode lets
// them run beside the one writer.
const readers = 4

// DB is the relational database. Reads go through Read, writes through Tx; a
// store never holds a connection of its own.
type DB struct {
	read      *bun.DB
	write     *bun.DB
	server    *pgServer     // nil: SQLite
	writeLock chan struct{} // who writes has put something in

	version         atomic.Uint64
	storageFailures atomic.Uint64
}

// Open opens DIR/tilth.db, creating it where there is none, and applies the
// migrations it lacks. A database of a newer version is refused, and stays as it
// is (ErrNewer); so is a folder with readings whose database is missing.
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
		return nil, fmt.Errorf("bring %s up to date: %w", path, err)
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

// createPrivate makes the file where there is none, for its owner alone, whatever
// folder it is put in. SQLite would ask the umask; the files that it keeps
// beside get this one's mode.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// connect opens path with what durability and waiting ask of SQLite: a write
// is on disk when its transaction ends (FULL), and a busy file is waited for.
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

// fileURI is the path as an address: what means something there is escaped.
func fileURI(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// upgrade applies the migrations that a database lacks. A migration that makes a
// table anew drops the one that was there, which would take along what refers to it:
// foreign keys are not looked at until all are applied, and then all at once.
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

// checkForeignKeys refuses a database with rows that refer to what is not there.
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
	return fmt.Errorf("row %d of %s refers to a row of %s that is not there", row.Int64, table, parent)
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

// Read is where a store's queries go: the transaction in ctx when there is
// one, the reading pool otherwise.
func (d *DB) Read(ctx context.Context) bun.IDB {
	if u, ok := ctx.Value(txKey{}).(*txState); ok {
		return u.tx
	}
	return d.read
}

// Tx runs f in one transaction: what f does with the context it is given is
// kept as a whole when f returns nil, and not at all otherwise. A Tx inside a
// Tx joins it. What the disk refused to keep is an Unkept error.
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
		// Who goes half way ends a statement, not the connection with its lock.
		begin = context.WithoutCancel(ctx)
	}
	// Also after one that failed: its end may have been kept all the same.
	defer d.version.Add(1)
	return d.write.RunInTx(begin, nil, func(_ context.Context, tx bun.Tx) error {
		u.tx = tx
		if err := f(context.WithValue(ctx, txKey{}, u), tx); err != nil {
			return err
		}
		return ctx.Err()
	})
}

// lockWriting waits for the turn to write: those who wait go in as they came. The pool with
// its one connection lets any of them in, and with several that write all the time
// one may wait for many of the others' transactions.
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

// AfterCommit calls f once what the transaction in ctx did is kept, never when
// it is not; at once where ctx carries no transaction. It is for telling others
// of a change, who would read the old state before.
func (d *DB) AfterCommit(ctx context.Context, f func()) {
	if u, ok := ctx.Value(txKey{}).(*txState); ok {
		u.afterCommit = append(u.afterCommit, f)
		return
	}
	f()
}

// Version changes with every transaction, before anybody learns of its end: what
// was read after a version was asked for holds as long as the version does.
func (d *DB) Version() uint64 { return d.version.Load() }

// Ping answers whether the database can be read, and is this process's still.
func (d *DB) Ping(ctx context.Context) error {
	if d.server != nil && d.server.takenOver.Load() {
		return ErrTakenOver
	}
	return d.read.PingContext(ctx)
}

// IsDuplicate tells whether err is a broken uniqueness rule.
func IsDuplicate(err error) bool {
	var e *sqlite.Error
	return postgresCode(err, uniqueViolation) ||
		errors.As(err, &e) &&
			(e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// IsReferenced tells whether err says that other rows still point to the one
// that was to go.
func IsReferenced(err error) bool {
	var e *sqlite.Error
	return postgresCode(err, foreignKeyViolation) ||
		errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// IsMissing tells whether err says that a row does not exist.
func IsMissing(err error) bool { return errors.Is(err, sql.ErrNoRows) }
