package db_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// openDirect connects to a test's database without Tilth.
func openDirect(t *testing.T, address string) *sql.DB {
	t.Helper()
	pool, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// killConnections ends all connections of Tilth, as a restart of the database does.
func killConnections(t *testing.T, pool *sql.DB) {
	t.Helper()
	var n int
	const query = `SELECT COUNT(*) FROM (SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'tilth') AS ended`
	if err := pool.QueryRow(query).Scan(&n); err != nil || n == 0 {
		t.Fatalf("%d connections ended (%v)", n, err)
	}
}

func backendPID(t *testing.T, d *db.DB) (n int) {
	t.Helper()
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		return tx.NewRaw("SELECT pg_backend_pid()").Scan(ctx, &n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

var postgresOpeners = map[string]func(ctx context.Context, dir, address string) (*db.DB, error){
	"to write": db.OpenPostgres, "to read": db.OpenPostgresToRead,
}

// Only one process may have a database open; opening it in a second one, or to read it, fails.
func TestSecondProcessIsRefused(t *testing.T) {
	address, dir := testkit.Postgres(t), t.TempDir()
	d, err := db.OpenPostgres(t.Context(), dir, address)
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range postgresOpeners {
		db.WithShortLockTimeout(func() {
			if second, err := open(t.Context(), dir, address); !errors.Is(err, db.ErrInUse) {
				t.Errorf("%s: %v", name, err)
				if err == nil {
					_ = second.Close()
				}
			}
		})
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again, err := db.OpenPostgres(t.Context(), dir, address)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Opening refuses a database and a data folder that do not belong together.
func TestMismatchedFolderIsRefused(t *testing.T) {
	address, dir, none := testkit.Postgres(t), t.TempDir(), t.TempDir()
	refused := func(name, text string, open func() (*db.DB, error)) {
		t.Helper()
		d, err := open()
		if err == nil {
			_ = d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	postgres := func(dir, address string) func() (*db.DB, error) {
		return func() (*db.DB, error) { return db.OpenPostgres(t.Context(), dir, address) }
	}
	examined := func(dir, address string) func() (*db.DB, error) {
		return func() (*db.DB, error) { return db.OpenPostgresToRead(t.Context(), dir, address) }
	}
	refused("examined before the first start", "is new", examined(dir, address))
	d, err := postgres(dir, address)()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	refused("an empty folder", "is new: is its disk mounted", postgres(none, address))
	refused("an empty folder, examined", "do not belong together", examined(none, address))
	withoutAddress := func() (*db.DB, error) { return db.Open(t.Context(), dir) }
	refused("without the address", "say which with --database-url", withoutAddress)
	if err := os.Mkdir(filepath.Join(dir, "readings"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused("a new database", "is not", postgres(dir, testkit.Postgres(t)))

	// If pairing stopped between the two marks, an empty folder still counts as new.
	begun := t.TempDir()
	if err := os.WriteFile(filepath.Join(begun, "database-mark"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err = postgres(begun, testkit.NewPostgres(t))()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	refused("a folder of another pair", "do not belong together", postgres(begun, address))

	own := t.TempDir()
	file, err := db.Open(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	refused("a folder with a database", "has a database of its own", postgres(own, testkit.Postgres(t)))
}

func TestOpenPostgresErrors(t *testing.T) {
	address := testkit.Postgres(t)
	for name, c := range map[string]struct{ address, text string }{
		"no address":       {"postgres://%zz", "parse"},
		"no listener":      {"postgres://tilth@127.0.0.1:1/tilth", "connect"},
		"no such database": {strings.Replace(address, "/tilth_", "/none_", 1), "does not exist"},
	} {
		d, err := db.OpenPostgres(t.Context(), t.TempDir(), c.address)
		if err == nil {
			_ = d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	newer, dir := testkit.NewPostgres(t), t.TempDir()
	d, err := db.OpenPostgres(t.Context(), dir, newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)`
	if _, err := openDirect(t, newer).Exec(insert); err != nil {
		t.Fatal(err)
	}
	for name, open := range postgresOpeners {
		d, err := open(t.Context(), dir, newer)
		if !errors.Is(err, db.ErrNewer) || !strings.Contains(err.Error(), "at step 999, this version knows") {
			t.Errorf("newer, %s: %v", name, err)
		}
		if err == nil {
			_ = d.Close()
		}
	}
}

// After a restart of the database the next call succeeds, for reading and for writing.
func TestReconnectAfterDatabaseRestart(t *testing.T) {
	address := testkit.Postgres(t)
	d, pool := openPostgres(t, address, t.TempDir()), openDirect(t, address)
	before := backendPID(t, d)
	if n := count(t, t.Context(), d); n != 0 {
		t.Fatalf("%d rows", n)
	}
	killConnections(t, pool)
	write := func() error {
		return d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "a") })
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	// The first read may fail, because it finds its connection broken.
	if err := d.Ping(t.Context()); err != nil {
		if err := d.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, t.Context(), d); n != 1 {
		t.Errorf("%d rows", n)
	}
	if backendPID(t, d) == before {
		t.Error("the connection was not ended")
	}
	// A transaction whose connection ends is rolled back.
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		if err := add(ctx, tx, "b"); err != nil {
			return err
		}
		killConnections(t, pool)
		return nil
	}); err == nil {
		t.Error("a transaction committed although its connection ended")
	}
	if err := write(); !db.IsDuplicate(err) {
		t.Errorf("%v", err)
	}
	if n := count(t, t.Context(), d); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// A process that was disconnected while another one opened the database writes nothing any more.
func TestTakenOver(t *testing.T) {
	address := testkit.Postgres(t)
	d, pool := openPostgres(t, address, t.TempDir()), openDirect(t, address)
	if _, err := pool.Exec("UPDATE data_folders SET starts = starts + 1"); err != nil { // as the other process does
		t.Fatal(err)
	}
	killConnections(t, pool)
	for range 2 {
		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "a") })
		if !errors.Is(err, db.ErrTakenOver) {
			t.Errorf("%v", err)
		}
	}
	if err := d.Ping(t.Context()); !errors.Is(err, db.ErrTakenOver) {
		t.Errorf("ping: %v", err)
	}
}

// A cancelled transaction is rolled back, and the writer keeps its connection, which holds the
// lock.
func TestCancelledTxKeepsConnection(t *testing.T) {
	d := openPostgres(t, testkit.Postgres(t), t.TempDir())
	before := backendPID(t, d)
	for name, f := range map[string]func(ctx context.Context, stop func(), tx bun.IDB) error{
		"in a statement": func(ctx context.Context, stop func(), tx bun.IDB) error {
			started := make(chan struct{})
			go func() { <-started; stop() }()
			close(started)
			_, err := tx.NewRaw("SELECT pg_sleep(60)").Exec(ctx)
			return err
		},
		"between statements": func(_ context.Context, stop func(), _ bun.IDB) error { stop(); return nil },
	} {
		ctx, stop := context.WithCancel(t.Context())
		err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			if err := add(ctx, tx, "a"); err != nil {
				return err
			}
			return f(ctx, stop, tx)
		})
		if err == nil || count(t, t.Context(), d) != 0 {
			t.Errorf("%s: %v, %d rows", name, err, count(t, t.Context(), d))
		}
		if after := backendPID(t, d); after != before {
			t.Errorf("%s: connection %d was replaced by %d", name, before, after)
		}
		if err := d.Tx(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a transaction began with a cancelled context", name)
		}
	}
	// Cancelling also ends waiting for the write lock.
	err := d.Tx(t.Context(), func(context.Context, bun.IDB) error {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		return d.Tx(ctx, nil)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A request to cancel that overtakes its statement is repeated until the statement has ended, and no
// request hits the statement after it.
func TestCancelBeforeStatement(t *testing.T) {
	conn, err := pgconn.Connect(t.Context(), testkit.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for range 5 {
		c := db.NewStatementCanceller(conn)
		c.HandleCancel(t.Context())
		time.Sleep(20 * time.Millisecond) // The first request finds no statement.
		begun := time.Now()
		_, err = conn.Exec(t.Context(), "SELECT pg_sleep(60)").ReadAll()
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != "57014" {
			t.Fatalf("after %v: %v", time.Since(begun), err)
		}
		c.HandleUnwatchAfterCancel()
		if _, err := conn.Exec(t.Context(), "SELECT 1").ReadAll(); err != nil {
			t.Fatalf("the next statement: %v", err)
		}
	}
}
