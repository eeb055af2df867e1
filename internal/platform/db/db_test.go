package db_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

func add(ctx context.Context, tx bun.IDB, sign string) error {
	const insert = `INSERT INTO elements (yeu_sign) VALUES (?)`
	_, err := tx.NewRaw(insert, sign).Exec(ctx)
	return err
}

func count(t *testing.T, ctx context.Context, d *db.DB) int {
	t.Helper()
	var n int
	if err := d.Read(ctx).NewRaw(`SELECT COUNT(*) FROM elements`).Scan(ctx, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Every connection has the settings by which a write is on disk when its transaction ends, SQLite
// refuses broken references, and readers do not wait for the writer.
func TestPragmas(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	check := func(ctx context.Context, q bun.IDB) {
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000",
		} {
			var got string
			if err := q.NewRaw("PRAGMA "+pragma).Scan(ctx, &got); err != nil || got != want {
				t.Errorf("%s = %s (%v), want %s", pragma, got, err, want)
			}
		}
	}
	check(t.Context(), d.Read(t.Context()))
	checkTx := func(ctx context.Context, tx bun.IDB) error { check(ctx, tx); return nil }
	if err := d.Tx(t.Context(), checkTx); err != nil {
		t.Fatal(err)
	}
	if err := d.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTxIsAllOrNothing(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	failure := errors.New("no")
	err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := add(ctx, tx, "a"); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) || count(t, ctx, d) != 0 {
		t.Errorf("%v, %d rows are left of the failed transaction", err, count(t, ctx, d))
	}
	err = d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "a") })
	if err != nil || count(t, ctx, d) != 1 {
		t.Errorf("%v, %d rows", err, count(t, ctx, d))
	}
}

// A panic rolls the transaction back too and releases the connection.
func TestTxPanic(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	func() {
		defer func() { _ = recover() }()
		_ = d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			_ = add(ctx, tx, "a")
			panic("half way")
		})
	}()
	if err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "a") }); err != nil {
		t.Errorf("the write connection was not released: %v", err)
	}
	if n := count(t, ctx, d); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// A Tx inside a Tx joins it: it sees the outer one's writes, Read does too, and nothing outside
// sees them before the commit.
func TestTxJoins(t *testing.T) {
	d, outside := testkit.DB(t), t.Context()
	failure := errors.New("no")
	err := d.Tx(outside, func(ctx context.Context, tx bun.IDB) error {
		if err := add(ctx, tx, "a"); err != nil {
			return err
		}
		if err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "b") }); err != nil {
			return err
		}
		if n := count(t, ctx, d); n != 2 {
			t.Errorf("inside: %d rows", n)
		}
		if n := count(t, outside, d); n != 0 {
			t.Errorf("outside, before the commit: %d rows", n)
		}
		return failure
	})
	if !errors.Is(err, failure) || count(t, outside, d) != 0 {
		t.Errorf("%v, %d rows are left", err, count(t, outside, d))
	}
}

// Writers wait for each other; none gets an error that the database is busy.
func TestManyWriters(t *testing.T) {
	d, ctx := testkit.DB(t), t.Context()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 5 {
				if err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
					return add(ctx, tx, string(rune('a'+i))+string(rune('a'+j)))
				}); err != nil {
					t.Error(err)
				}
				count(t, ctx, d)
			}
		})
	}
	wg.Wait()
	if n := count(t, ctx, d); n != 40 {
		t.Errorf("%d rows", n)
	}
}

func TestReopen(t *testing.T) {
	// Characters that are special in a URI are ordinary in a path.
	dir := filepath.Join(t.TempDir(), "a b%20c?d#e&f=ü")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= 2; round++ {
		d, err := db.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		sign := strings.Repeat("x", round)
		write := func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, sign) }
		if err := d.Tx(t.Context(), write); err != nil {
			t.Fatal(err)
		}
		if n := count(t, t.Context(), d); n != round {
			t.Errorf("round %d: %d rows", round, n)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "tilth.db")); err != nil {
		t.Error(err)
	}
}

func TestOpenFails(t *testing.T) {
	_, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "none"))
	if err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that does not exist: %v", err)
	}
	dir := t.TempDir()
	content := []byte(strings.Repeat("not a database ", 100))
	if err := os.WriteFile(filepath.Join(dir, "tilth.db"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := db.Open(t.Context(), dir); err == nil {
		t.Errorf("a file that is not a database was opened: %v", d.Close())
	}
}

func TestErrorKinds(t *testing.T) {
	d := testkit.DB(t)
	write := func(f func(ctx context.Context, tx bun.IDB) error) error { return d.Tx(t.Context(), f) }
	twice := write(
		func(ctx context.Context, tx bun.IDB) error { return errors.Join(add(ctx, tx, "a"), add(ctx, tx, "a")) },
	)
	key := write(func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`INSERT INTO judged_positions (tenant_id, position) VALUES (1, 1), (1, 2)`).Exec(ctx)
		return err
	})
	reference := write(func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`INSERT INTO tenant_hosts VALUES ('a', 99)`).Exec(ctx)
		return err
	})
	var n int
	none := d.Read(t.Context()).NewRaw(`SELECT number FROM property_numbers`).Scan(t.Context(), &n)
	for _, c := range []struct {
		name                           string
		err                            error
		duplicate, missing, referenced bool
	}{
		{"unique", twice, true, false, false},
		{"primary key", key, true, false, false},
		{"reference", reference, false, false, true},
		{"no row", none, false, true, false},
		{"nothing", nil, false, false, false},
	} {
		if c.name != "nothing" && c.err == nil {
			t.Errorf("%s: no error", c.name)
		}
		if db.IsDuplicate(c.err) != c.duplicate || db.IsMissing(c.err) != c.missing ||
			db.IsReferenced(c.err) != c.referenced {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

// Writers get the lock in the order of arrival: none is passed over.
func TestWritersAreServedInOrder(t *testing.T) {
	d := testkit.DB(t)
	const writers = 20
	var order []int // written under the lock
	var all sync.WaitGroup
	err := d.Tx(t.Context(), func(context.Context, bun.IDB) error {
		for i := range writers {
			all.Go(func() {
				write := func(context.Context, bun.IDB) error { order = append(order, i); return nil }
				if err := d.Tx(t.Context(), write); err != nil {
					t.Error(err)
				}
			})
			testkit.Eventually(t, "a writer that waits", func() bool { return testkit.LockWaiters(t) == i+1 })
		}
		return nil
	})
	if all.Wait(); err != nil || len(order) != writers || !slices.IsSorted(order) {
		t.Errorf("writers got the lock in the order %v: %v", order, err)
	}
}

// A guard is asked inside each transaction of its context, sees what the transactions before it
// have changed, and its error rolls the transaction back.
func TestGuard(t *testing.T) {
	d := testkit.DB(t)
	refused := errors.New("no longer allowed")
	asked, within := 0, false
	ctx := db.WithGuard(t.Context(), func(ctx context.Context) error {
		asked++
		within = d.Read(ctx) != d.Read(t.Context())
		if asked > 1 {
			return refused
		}
		return nil
	})
	began := 0
	write := func(ctx context.Context, _ bun.IDB) error {
		began++
		return d.Tx(ctx, func(context.Context, bun.IDB) error { return nil }) // joins: not asked again
	}
	if err := d.Tx(ctx, write); err != nil || asked != 1 || !within {
		t.Errorf("asked %d times, inside %t: %v", asked, within, err)
	}
	if err := d.Tx(ctx, write); !errors.Is(err, refused) || began != 1 {
		t.Errorf("%d began: %v", began, err)
	}
	if err := d.Tx(t.Context(), write); err != nil || began != 2 {
		t.Errorf("without a guard: %v", err)
	}
}
