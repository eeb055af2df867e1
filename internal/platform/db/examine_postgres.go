package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// OpenPostgresToRead opens the PostgreSQL database that belongs to the data folder DIR without
// creating, upgrading or writing anything. Tx fails. It refuses a database that a server has open
// (ErrInUse), and the databases that OpenPostgres refuses (ErrNewer).
func OpenPostgresToRead(ctx context.Context, dir, address string) (_ *DB, err error) {
	config, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["default_transaction_read_only"] = "on"
	s := newServer(config, 0)
	// PostgreSQL refuses each of these connections while a server writes; readers share the lock.
	pool := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(s.lockToRead))
	pool.SetMaxOpenConns(readers)
	b := bun.NewDB(pool, pgdialect.New())
	d := &DB{read: b, write: b, server: s, writeLock: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, pool.Close())
		}
	}()
	dbMark, err := s.usedMark(ctx, pool)
	if err != nil {
		return nil, err
	}
	folderMark, err := readMark(dir)
	if err != nil {
		return nil, err
	}
	if folderMark != dbMark {
		return nil, fmt.Errorf("the database %s and the data folder %s do not belong together",
			s.name, filepath.Clean(dir))
	}
	return d, nil
}

// usedMark returns the mark of a database that a server of this version or an earlier one has used.
func (s *pgServer) usedMark(ctx context.Context, pool *sql.DB) (mark string, err error) {
	unused := fmt.Errorf("the database %s is new: no server has used it yet", s.name)
	at, err := appliedVersion(ctx, pool)
	switch {
	case postgresCode(err, undefinedTable):
		return "", unused
	case err != nil:
		return "", err
	}
	p, err := postgresProvider(pool) // only for the list of its migrations
	if err != nil {
		return "", err
	}
	if newest := newestMigration(p); at > newest {
		return "", fmt.Errorf("open the database %s: %w", s.name, newerError(at, newest))
	}
	err = pool.QueryRowContext(ctx, "SELECT mark FROM data_folders").Scan(&mark)
	if postgresCode(err, undefinedTable) || errors.Is(err, sql.ErrNoRows) {
		return "", unused
	}
	return mark, err
}

// lockToRead is called for each connection that only reads; it excludes writers.
func (s *pgServer) lockToRead(ctx context.Context, c *pgx.Conn) error {
	err := s.acquireAdvisoryLock(ctx, c, "pg_advisory_lock_shared")
	if err != nil {
		return errors.Join(err, c.Close(ctx))
	}
	return nil
}

// examinePostgres reads every row and finds rows that refer to missing rows. It does not detect
// damaged indexes; pg_amcheck does.
func (d *DB) examinePostgres(ctx context.Context) (problems []string, err error) {
	names, err := queryStrings(ctx, d.read.DB,
		`SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename`)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		// PostgreSQL decompresses every row completely, however long.
		var rows, bytes int64
		query := fmt.Sprintf(`SELECT COUNT(*), COALESCE(SUM(octet_length(t::text)), 0) FROM "%s" AS t`, name)
		if err := d.read.DB.QueryRowContext(ctx, query).Scan(&rows, &bytes); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			problems = append(problems, fmt.Sprintf("%s cannot be read: %v", name, err))
		}
	}
	invalid, err := queryStrings(ctx, d.read.DB, `SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid
		UNION SELECT conname FROM pg_constraint WHERE NOT convalidated`)
	if err != nil {
		return nil, err
	}
	for _, name := range invalid {
		problems = append(problems, name+" is not valid")
	}
	dangling, err := d.danglingRows(ctx)
	return append(problems, dangling...), err
}

// danglingRows finds rows that refer to missing rows.
func (d *DB) danglingRows(ctx context.Context) (problems []string, err error) {
	references, err := queryStrings(ctx, d.read.DB,
		`SELECT c.conrelid::regclass || ' ' || a.attname || ' ' || c.confrelid::regclass || ' ' || f.attname
		FROM pg_constraint AS c
		JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
		JOIN pg_attribute AS f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1]
		WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	for _, r := range references {
		p := strings.Fields(r) // from, its column, to, its column
		var n int64
		query := fmt.Sprintf(`SELECT COUNT(*) FROM "%s" AS x WHERE x."%s" IS NOT NULL
			AND NOT EXISTS (SELECT FROM "%s" AS y WHERE y."%s" = x."%s")`, p[0], p[1], p[2], p[3], p[1])
		if err := d.read.DB.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return nil, err
		}
		if n > 0 {
			problem := fmt.Sprintf("%d rows of %s refer to rows of %s that do not exist", n, p[0], p[2])
			problems = append(problems, problem)
		}
	}
	return problems, nil
}
