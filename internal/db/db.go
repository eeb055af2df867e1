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
	read   *bun.DB
	write  *bun.DB
	server *server       // nil: SQLite
	turn   chan struct{} // who writes has put something in

	version atomic.Uint64
	unkept  atomic.Uint64
}

// Open opens DIR/tilth.db, creating it where there is none, and applies the
// migrations it lacks. A database of a newer version is refused, and stays as it
// is (ErrNewer); so is a folder with readings whose database is missing.
func Open(ctx context.Context, dir string) (*DB, error) {
	if err := alone(dir); err != nil {
		return nil, err
	}
	if err := bereft(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "tilth.db")
	if err := check(ctx, path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := bringUpToDate(ctx, path); err != nil {
		return nil, fmt.Errorf("bring %s up to date: %w", path, err)
	}
	write, err := connect(ctx, path, "immediate", 1)
	if err != nil {
		return nil, err
	}
	d := &DB{write: write, turn: make(chan struct{}, 1)}
	if d.read, err = connect(ctx, path, "deferred", readers); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	return d, nil
}

// private makes the file where there is none, for its owner alone, whatever
// folder it is put in. SQLite would ask the umask; the files that it keeps
// beside get this one's mode.
func private(path string) error {
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
	pool, err := sql.Open("sqlite", addressOf(path)+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool.SetMaxOpenConns(1)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), pool.Close())
	}
	return pool, nil
}

// addressOf is the path as an address: what means something there is escaped.
func addressOf(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// bringUpToDate applies the migrations that a database lacks. A migration that makes a
// table anew drops the one that was there, which would take along what refers to it:
// foreign keys are not looked at until all are applied, and then all at once.
func bringUpToDate(ctx context.Context, path string) (err error) {
	pool, err := open(ctx, path, "immediate", "foreign_keys(OFF)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	before, err := versionOf(ctx, pool)
	if err != nil {
		return err
	}
	if err := migrate(ctx, pool); err != nil {
		return err
	}
	if after, err := versionOf(ctx, pool); err != nil || after == before {
		return err
	}
	return referring(ctx, pool)
}

// referring refuses a database with rows that refer to what is not there.
func referring(ctx context.Context, pool *sql.DB) error {
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

// under is the transaction that a context carries.
type under struct {
	tx    bun.Tx
	after []func()
	once  map[any]any
}

// Read is where a store's queries go: the transaction in ctx when there is
// one, the reading pool otherwise.
func (d *DB) Read(ctx context.Context) bun.IDB {
	if u, ok := ctx.Value(txKey{}).(*under); ok {
		return u.tx
	}
	return d.read
}

// Tx runs f in one transaction: what f does with the context it is given is
// kept as a whole when f returns nil, and not at all otherwise. A Tx inside a
// Tx joins it. What the disk refused to keep is an Unkept error.
func (d *DB) Tx(ctx context.Context, f func(ctx context.Context, tx bun.IDB) error) error {
	if u, ok := ctx.Value(txKey{}).(*under); ok {
		return f(ctx, u.tx)
	}
	var u under
	if err := d.orUnkept(d.transact(ctx, &u, f)); err != nil {
		return err
	}
	for _, f := range u.after {
		f()
	}
	return nil
}

func (d *DB) transact(ctx context.Context, u *under, f func(ctx context.Context, tx bun.IDB) error) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	defer func() { <-d.turn }()
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

// wait waits for the turn to write: those who wait go in as they came. The pool with
// its one connection lets any of them in, and with several that write all the time
// one may wait for many of the others' transactions.
func (d *DB) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// AfterCommit calls f once what the transaction in ctx did is kept, never when
// it is not; at once where ctx carries no transaction. It is for telling others
// of a change, who would read the old state before.
func (d *DB) AfterCommit(ctx context.Context, f func()) {
	if u, ok := ctx.Value(txKey{}).(*under); ok {
		u.after = append(u.after, f)
		return
	}
	f()
}

// Version changes with every transaction, before anybody learns of its end: what
// was read after a version was asked for holds as long as the version does.
func (d *DB) Version() uint64 { return d.version.Load() }

// Ping answers whether the database can be read, and is this process's still.
func (d *DB) Ping(ctx context.Context) error {
	if d.server != nil && d.server.lost.Load() {
		return ErrTakenOver
	}
	return d.read.PingContext(ctx)
}

// IsDuplicate tells whether err is a broken uniqueness rule.
func IsDuplicate(err error) bool {
	var e *sqlite.Error
	return postgresCode(err, uniqueViolation) || errors.As(err, &e) && (e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// IsReferenced tells whether err says that other rows still point to the one
// that was to go.
func IsReferenced(err error) bool {
	var e *sqlite.Error
	return postgresCode(err, foreignKeyViolation) || errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// IsMissing tells whether err says that a row does not exist.
func IsMissing(err error) bool { return errors.Is(err, sql.ErrNoRows) }
