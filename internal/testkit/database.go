package testkit

import (
	"context"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"tilth/internal/db"
)

// DB opens a fresh database, migrated, that goes with the test: SQLite in a
// folder or, where TILTH_TEST_DATABASE_URL says so, PostgreSQL.
func DB(t testing.TB) *db.DB {
	t.Helper()
	var d *db.DB
	var err error
	if !PostgresWanted() {
		d, err = db.Open(t.Context(), t.TempDir())
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

// Refuse makes a database refuse a statement on a table, such as INSERT ON
// notices, as if its disk were full, until the returned function is called.
func Refuse(t testing.TB, d *db.DB, what string) (mend func()) {
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
