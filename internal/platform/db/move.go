package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Move moves the database of the data folder DIR to the PostgreSQL database at an address, which
// must be empty, and pairs the two as OpenPostgres does. The folder's tables must be of this
// version (Open upgrades them), and no process may have the folder open. After an error the folder
// still has its database; the other one may be filled already, and is then to be emptied.
func Move(ctx context.Context, dir, address string) (err error) {
	from, err := OpenToRead(ctx, dir)
	if err != nil {
		return err
	}
	defer func() {
		if from != nil {
			err = errors.Join(err, from.Close())
		}
	}()
	tables, err := tablesOf(ctx, from.read.DB)
	if err != nil {
		return err
	}
	to, err := openPostgres(ctx, address, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	mark := rand.Text()
	if err := to.importFrom(ctx, from, tables, mark); err != nil {
		return fmt.Errorf("move to the database %s: %w", to.server.name, err)
	}
	err = from.Close()
	from = nil
	if err != nil {
		return err
	}
	if err := writeMark(dir, mark); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "tilth.db*"))
	if err != nil {
		return err
	}
	slices.Reverse(files) // the database itself last, after the files of its log
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	return nil
}

// importFrom writes all rows of from, in one transaction.
func (d *DB) importFrom(ctx context.Context, from *DB, tables []table, mark string) (err error) {
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return conn.Raw(func(c any) error {
		return pgx.BeginFunc(ctx, c.(*stdlib.Conn).Conn(), func(tx pgx.Tx) error {
			if err := refuseNonEmpty(ctx, tx, tables); err != nil {
				return err
			}
			for i := range tables {
				if err := importTable(ctx, from.read.DB, tx, &tables[i]); err != nil {
					return fmt.Errorf("%s: %w", tables[i].name, err)
				}
			}
			if err := importSequences(ctx, from.read.DB, tx); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO data_folders (id, mark, starts) VALUES (1, $1, 0)", mark)
			return err
		})
	})
}

// refuseNonEmpty refuses a database that is not empty.
func refuseNonEmpty(ctx context.Context, tx pgx.Tx, tables []table) error {
	for _, t := range append([]table{{name: "data_folders"}}, tables...) {
		var hasRows bool
		query := fmt.Sprintf(`SELECT EXISTS (SELECT FROM "%s")`, t.name)
		if err := tx.QueryRow(ctx, query).Scan(&hasRows); err != nil {
			return err
		}
		if hasRows {
			return errors.New("it is not empty, and stays as it is: name a new one")
		}
	}
	return nil
}

func importTable(ctx context.Context, from *sql.DB, tx pgx.Tx, t *table) (err error) {
	kinds, err := columnTypes(ctx, tx, t)
	if err != nil {
		return err
	}
	// In the order of insertion, if the table records it.
	order := "rowid"
	err = from.QueryRowContext(ctx, fmt.Sprintf(`SELECT rowid FROM "%s" LIMIT 1`, t.name)).Scan(new(int64))
	switch {
	case err == nil || errors.Is(err, sql.ErrNoRows):
	case strings.Contains(err.Error(), "no such column"): // a table WITHOUT ROWID
		order = "1"
	default:
		return err
	}
	rows, err := from.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM "%s" ORDER BY %s`, t.columnList(), t.name, order))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	_, err = tx.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, &rowSource{rows: rows, types: kinds})
	return errors.Join(err, rows.Err())
}

// columnTypes returns PostgreSQL's type of each column.
func columnTypes(ctx context.Context, tx pgx.Tx, t *table) ([]string, error) {
	kinds := make([]string, len(t.columns))
	const query = `SELECT data_type FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 AND column_name = $2`
	for i, c := range t.columns {
		if err := tx.QueryRow(ctx, query, t.name, c).Scan(&kinds[i]); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

// rowSource passes rows of SQLite to PostgreSQL.
type rowSource struct {
	rows  *sql.Rows
	types []string
}

func (s *rowSource) Next() bool { return s.rows.Next() }
func (s *rowSource) Err() error { return s.rows.Err() }

func (s *rowSource) Values() ([]any, error) {
	values, places := make([]any, len(s.types)), make([]any, len(s.types))
	for i := range values {
		places[i] = &values[i]
	}
	if err := s.rows.Scan(places...); err != nil {
		return nil, err
	}
	for i, v := range values {
		values[i] = convertValue(s.types[i], v)
	}
	return values, nil
}

// convertValue converts a value of SQLite to one for a PostgreSQL column of the given type. SQLite has no
// booleans, and a column without a declared type may hold a number as an integer.
func convertValue(kind string, v any) any {
	switch v := v.(type) {
	case int64:
		switch kind {
		case "boolean":
			return v != 0
		case "double precision":
			return float64(v)
		}
	case []byte:
		if kind == "text" {
			return string(v)
		}
	}
	return v
}

// importSequences continues the numbering of rows where SQLite would.
func importSequences(ctx context.Context, from *sql.DB, tx pgx.Tx) (err error) {
	query := fmt.Sprintf("SELECT name, seq FROM %s WHERE seq > 0 AND name <> 'goose_db_version'", sequenceTable)
	rows, err := from.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		var last int64
		if err := rows.Scan(&name, &last); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, column_name), $2)
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1
			AND is_identity = 'YES' AND column_name <> 'rowid'`, name, last)
		if err != nil {
			return err
		}
	}
	return rows.Err()
}
