package testkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"tilth/internal/platform/db"
)

// DataDir returns a data folder with an empty SQLite database that has all migrations. The folder
// is removed after the test.
func DataDir(t testing.TB) string {
	t.Helper()
	file, err := migratedFile()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, databaseFile), file, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const databaseFile = "tilth.db"

// migratedFile returns the file of an empty database. It is made once for all tests of a package:
// the migrations take fifty times as long as a copy.
var migratedFile = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "tilth-migrated-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d, err := db.Open(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil { // SQLite moves its log into the file
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, databaseFile))
})

// DB opens a new, migrated database for the test and closes it at the end: SQLite in a folder or,
// if TILTH_TEST_DATABASE_URL is set, PostgreSQL.
func DB(t testing.TB) *db.DB {
	t.Helper()
	var d *db.DB
	var err error
	if !UsePostgres() {
		d, err = db.Open(t.Context(), DataDir(t))
	} else {
		d, err = db.OpenPostgres(t.Context(), t.TempDir(), Postgres(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// FailStatement makes a database refuse a statement on a table, such as INSERT ON notices, as if
// its disk were full, until the caller calls mend.
func FailStatement(t testing.TB, d *db.DB, what string) (mend func()) {
	t.Helper()
	_, table, _ := strings.Cut(what, " ON ")
	broken := []string{"CREATE TRIGGER broken BEFORE " + what + " BEGIN SELECT RAISE(FAIL, 'the disk is full'); END"}
	mended := []string{"DROP TRIGGER broken"}
	if d.Read(t.Context()).Dialect().Name() == dialect.PG {
		broken = []string{
			"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''the disk is full''; END'",
			"CREATE TRIGGER broken BEFORE " + what + " FOR EACH ROW EXECUTE FUNCTION refuse()",
		}
		mended = []string{"DROP TRIGGER broken ON " + table, "DROP FUNCTION refuse"}
	}
	run := func(statements []string) {
		t.Helper()
		if err := d.Tx(context.WithoutCancel(t.Context()), func(ctx context.Context, tx bun.IDB) error {
			for _, s := range statements {
				if _, err := tx.ExecContext(ctx, s); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	run(broken)
	return func() { t.Helper(); run(mended) }
}
