package db_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
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

// filledFolder creates a folder whose database has rows in every table, with values that are hard
// to transfer, and has assigned numbers to rows that are deleted.
func filledFolder(t *testing.T) (dir string, tables []string) {
	t.Helper()
	dir = t.TempDir()
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()

	query := `SELECT m.name FROM sqlite_master AS m WHERE m.type = 'table' AND ` + sqliteTablesOnly + ` ORDER BY m.name`
	if err := d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &tables); err != nil {
		t.Fatal(err)
	}
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		if _, err := tx.NewRaw("PRAGMA defer_foreign_keys = ON").Exec(ctx); err != nil {
			return err
		}
		for _, table := range tables {
			var columns []struct {
				Name, Type, Parent string
				Pk, Required       bool
			}
			if err := tx.NewRaw(`SELECT c.name, c.type, c.pk > 0 AS pk, c."notnull" AS required,
				COALESCE((SELECT f."table" FROM pragma_foreign_key_list(?0) AS f WHERE f."from" = c.name), '') AS parent
				FROM pragma_table_info(?0) AS c ORDER BY c.cid`, table).Scan(ctx, &columns); err != nil {
				return err
			}
			rows := 3
			var statement string
			err := tx.NewRaw(`SELECT sql FROM sqlite_master WHERE name = ?`, table).Scan(ctx, &statement)
			if err != nil {
				return err
			}
			if strings.Contains(statement, "CHECK (id = 1)") {
				rows = 1
			}
			// In another order than that of the keys.
			for i := rows; i >= 1; i-- {
				var names, values []string
				for _, c := range columns {
					value := fmt.Sprint(i)
					switch {
					case c.Parent != "" || c.Type == "INTEGER" && c.Pk:
					case c.Name == "data_type":
						value = "'number'"
					case c.Type == "INTEGER":
						value = []string{"9223372036854775807", "-9223372036854775808", "0"}[i-1]
					case c.Type == "REAL" && c.Required:
						value = []string{"1e-300", "-0.1", "12"}[i-1]
					case c.Type == "REAL":
						value = []string{"NULL", "-0.1", "12"}[i-1]
					case c.Type == "BOOLEAN":
						value = []string{"TRUE", "FALSE", "TRUE"}[i-1]
					case c.Type == "BLOB":
						value = fmt.Sprintf("X'00%02xff'", i)
					case c.Type == "TEXT":
						value = "'" + []string{"a''b\\\"\t\n🌱 ", "", "农\\x41%s?"}[i-1] + fmt.Sprint(i) + "'"
					default:
						return fmt.Errorf("%s.%s is %s", table, c.Name, c.Type)
					}
					names, values = append(names, `"`+c.Name+`"`), append(values, value)
				}
				escaped := strings.ReplaceAll(strings.Join(values, ", "), "?", "\\?")
				insert := fmt.Sprintf(`INSERT INTO "%s" (%s) VALUES (%s)`, table, strings.Join(names, ", "), escaped)
				if _, err := tx.NewRaw(insert).Exec(ctx); err != nil {
					return fmt.Errorf("%s: %w", table, err)
				}
			}
		}
		_, err := tx.NewRaw("UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'devices'").Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return dir, tables
}

// dump returns all rows of a folder's database file, one per line in the order of insertion, and
// the last assigned numbers.
func dump(t *testing.T, dir string, tables []string) (lines []string) {
	t.Helper()
	pool, err := sql.Open("sqlite", filepath.Join(dir, "tilth.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, table := range append([]string{"sqlite_sequence"}, tables...) {
		order := "rowid"
		if table == "sqlite_sequence" {
			order = "name"
		} else if table != "tenant_hosts" && table != "device_secrets" {
			order = "1, 2" // the order of insertion does not matter
		}
		lines = append(lines, tableLines(t, pool, table, order)...)
	}
	return lines
}

func tableLines(t *testing.T, pool *sql.DB, table, order string) (lines []string) {
	t.Helper()
	rows, err := pool.Query(`SELECT * FROM "` + table + `" ORDER BY ` + order)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if raw, ok := v.([]byte); ok {
				values[i] = hex.EncodeToString(raw)
			}
		}
		if table != "sqlite_sequence" || values[0] != "goose_db_version" {
			lines = append(lines, fmt.Sprintf("%s %#v", table, values))
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// A database that is moved to PostgreSQL and copied back is unchanged, in every table, including
// tables that are added later.
func TestMoveToPostgresAndBack(t *testing.T) {
	dir, tables := filledFolder(t)
	want := dump(t, dir, tables)
	if len(want) < 2*len(tables) {
		t.Fatalf("%d lines of %d tables", len(want), len(tables))
	}
	address := testkit.NewPostgres(t)
	if err := db.Move(t.Context(), dir, address); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "tilth.db*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
	d := openPostgres(t, address, dir)
	back := t.TempDir()
	if err := d.Copy(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	got := dump(t, back, tables)
	for i := range max(len(want), len(got)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d of %d and %d:\n%s\nwant\n%s", i, len(got), len(want), lineAt(got, i), lineAt(want, i))
		}
	}
	if err := d.Copy(t.Context(), back); err == nil {
		t.Error("a copy replaced another one")
	}
	if info, err := os.Stat(filepath.Join(back, "tilth.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v (%v)", info.Mode(), err)
	}
	// New rows get numbers after the last assigned ones.
	var id int64
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		return tx.NewRaw(`INSERT INTO devices (tenant_id, name, product_id, folded_text, create_time)
			VALUES (1, 'new', 1, '', 0) RETURNING id`).Scan(ctx, &id)
	}); err != nil || id != 1001 {
		t.Errorf("the next device has the id %d (%v)", id, err)
	}
	if problems, err := d.Examine(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%q %v", problems, err)
	}
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// Move refuses a database that is not empty, and the folder keeps its own.
func TestMoveRefusesNonEmptyDatabase(t *testing.T) {
	dir, tables := filledFolder(t)
	want := dump(t, dir, tables)
	used := testkit.Postgres(t)
	d := openPostgres(t, used, t.TempDir())
	db.WithShortLockTimeout(func() {
		if err := db.Move(t.Context(), dir, used); !errors.Is(err, db.ErrInUse) {
			t.Errorf("%v", err)
		}
	})
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw("DELETE FROM data_folders").Exec(ctx)
		return errors.Join(err, add(ctx, tx, "there"))
	}); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Move(t.Context(), dir, used); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("%v", err)
	}
	if got := dump(t, dir, tables); !slices.Equal(got, want) {
		t.Error("the folder's database was changed")
	}
}

// A copy contains each transaction completely or not at all, however many are running.
func TestCopyOfPostgres(t *testing.T) {
	d := openPostgres(t, testkit.Postgres(t), t.TempDir())
	writing, stop := context.WithCancel(t.Context())
	started := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; writing.Err() == nil; i++ {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
				return errors.Join(add(ctx, tx, fmt.Sprintf("%d a", i)), add(ctx, tx, fmt.Sprintf("%d b", i)))
			})
			if err != nil {
				t.Error(err)
				return
			}
			if i == 0 {
				close(started)
			}
		}
	})
	<-started
	for range 3 {
		dir := t.TempDir()
		if err := d.Copy(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		c, err := db.OpenToRead(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		n := count(t, t.Context(), c)
		problems, err := c.Examine(t.Context())
		if err != nil || n == 0 || n%2 != 0 || len(problems) > 0 {
			t.Errorf("%d elements, %v (%v)", n, problems, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	writer.Wait()
}

// Examine reports rows that refer to missing rows, and writes nothing.
func TestExamineOfPostgres(t *testing.T) {
	address, dir := testkit.Postgres(t), t.TempDir()
	d, err := db.OpenPostgres(t.Context(), dir, address)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	// Without foreign keys, as in a damaged database.
	pool := openDirect(t, address)
	pool.SetMaxOpenConns(1)
	for _, s := range []string{
		"SET session_replication_role = replica", "INSERT INTO tenant_hosts (host, tenant_id) VALUES ('a.example', 77)",
	} {
		if _, err := pool.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	read, err := db.OpenPostgresToRead(t.Context(), dir, address)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := read.Examine(t.Context())
	if err != nil || len(problems) != 1 ||
		!strings.Contains(problems[0], "1 rows of tenant_hosts refer to rows of tenants") {
		t.Errorf("%q %v", problems, err)
	}
	write := func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "x") }
	if err := read.Tx(t.Context(), write); err == nil {
		t.Error("OpenPostgresToRead allows writing")
	}
	// A server cannot open the database meanwhile.
	db.WithShortLockTimeout(func() {
		if second, err := db.OpenPostgres(t.Context(), dir, address); !errors.Is(err, db.ErrInUse) {
			t.Errorf("%v", err)
			if err == nil {
				_ = second.Close()
			}
		}
	})
	if err := read.Close(); err != nil {
		t.Error(err)
	}
}
