package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// table is a table that both kinds of database have.
type table struct {
	name       string
	columns    []string
	references []string // tables that its rows refer to
}

// columnList returns the names of the columns for statements.
func (t *table) columnList() string { return `"` + strings.Join(t.columns, `", "`) + `"` }

// tablesOf lists the tables of an SQLite database, each after those that its rows refer to.
func tablesOf(ctx context.Context, q *sql.DB) ([]table, error) {
	names, err := queryStrings(ctx, q, `SELECT name FROM sqlite_master
		WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	var waiting []table
	for _, name := range names {
		t := table{name: name}
		t.columns, err = queryStrings(ctx, q, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, name)
		if err != nil {
			return nil, err
		}
		const references = `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?) WHERE "table" <> ?`
		if t.references, err = queryStrings(ctx, q, references, name, name); err != nil {
			return nil, err
		}
		waiting = append(waiting, t)
	}
	var ordered []table
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(t table) bool {
			return !slices.ContainsFunc(waiting, func(w table) bool { return slices.Contains(t.references, w.name) })
		})
		if next < 0 {
			return nil, errors.New("tables refer to each other in a circle")
		}
		ordered = append(ordered, waiting[next])
		waiting = slices.Delete(waiting, next, next+1)
	}
	return ordered, nil
}

// queryStrings returns the single text column of a query.
func queryStrings(ctx context.Context, q interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string, args ...any) (list []string, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var w string
		if err := rows.Scan(&w); err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, rows.Err()
}

// sequenceTable is the table in which SQLite stores the last number of each table that never reuses
// numbers.
const sequenceTable = "sqlite_sequence"

// copyToFile copies a PostgreSQL database as of one instant to the SQLite file DIR/tilth.db. The tables
// are those of the file: PostgreSQL also has data_folders, which belongs to no backup. SQLite takes the
// values of PostgreSQL as they are; the other way, Move converts them.
func (d *DB) copyToFile(ctx context.Context, dir string) (err error) {
	to, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	tables, err := tablesOf(ctx, to.write.DB)
	if err != nil {
		return err
	}
	from, err := d.read.DB.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = from.Rollback() }() // it only reads
	into, err := to.write.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = into.Rollback() }() // after a commit there is nothing to undo
	for i := range tables {
		if err := copyTable(ctx, from, into, &tables[i]); err != nil {
			return fmt.Errorf("copy %s: %w", tables[i].name, err)
		}
	}
	if err := copySequences(ctx, from, into); err != nil {
		return err
	}
	return into.Commit()
}

func copyTable(ctx context.Context, from, into *sql.Tx, t *table) (err error) {
	order, err := insertionOrder(ctx, from, t.name)
	if err != nil {
		return err
	}
	rows, err := from.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM "%s" ORDER BY %s`, t.columnList(), t.name, order))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	insert, err := into.PrepareContext(ctx, fmt.Sprintf(`INSERT INTO "%s" (%s) VALUES (?%s)`,
		t.name, t.columnList(), strings.Repeat(", ?", len(t.columns)-1)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	values := make([]any, len(t.columns))
	places := make([]any, len(t.columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// insertionOrder returns the columns by which a table's rows are ordered, so that SQLite numbers
// them in the order of insertion. A PostgreSQL table without a numeric key has a column rowid, which
// counts rows as SQLite does by itself.
func insertionOrder(ctx context.Context, q *sql.Tx, name string) (string, error) {
	keys, err := queryStrings(ctx, q, `SELECT a.attname
		FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
		WHERE a.attrelid = $1::regclass AND (a.attname = 'rowid' OR a.attnum = ANY (i.indkey))
		ORDER BY a.attname <> 'rowid', array_position(i.indkey, a.attnum)`, name)
	if err != nil {
		return "", err
	}
	if len(keys) == 0 {
		return "", errors.New("it has no key")
	}
	return `"` + strings.Join(keys, `", "`) + `"`, nil
}

// copySequences copies the last number of each table, even if its row is deleted.
func copySequences(ctx context.Context, from, into *sql.Tx) error {
	numbered, err := queryStrings(ctx, from, `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND is_identity = 'YES' AND column_name <> 'rowid'`)
	if err != nil {
		return err
	}
	if _, err := into.ExecContext(ctx, fmt.Sprintf("DELETE FROM %s", sequenceTable)); err != nil {
		return err
	}
	for _, n := range numbered {
		name, column, _ := strings.Cut(n, ".")
		sequence, err := queryStrings(ctx, from, "SELECT pg_get_serial_sequence($1, $2)", name, column)
		if err != nil {
			return err
		}
		var last int64
		query := "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM " + sequence[0]
		if err := from.QueryRowContext(ctx, query).Scan(&last); err != nil {
			return err
		}
		if last == 0 {
			continue
		}
		insert := fmt.Sprintf("INSERT INTO %s (name, seq) VALUES (?, ?)", sequenceTable)
		if _, err := into.ExecContext(ctx, insert, name, last); err != nil {
			return err
		}
	}
	return nil
}
