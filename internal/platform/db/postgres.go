package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

//go:embed migrations/postgres/*.sql
var postgresMigrations embed.FS

const (
	// connectTimeout limits how long connecting may take, unless the address sets a limit.
	connectTimeout = 5 * time.Second
)

// OpenPostgres opens the PostgreSQL database at an address (postgres://…) that belongs to the data
// folder DIR, and applies the missing migrations. The first time it pairs the two, which must both
// be new; afterwards it refuses either with another. It refuses a second server on the same
// database (ErrInUse).
//
// The database may become unreachable and return: every call fails meanwhile, and none afterwards.
func OpenPostgres(ctx context.Context, dir, address string) (*DB, error) {
	d, err := openPostgres(ctx, address, 0)
	if err != nil {
		return nil, err
	}
	if err := d.checkPairing(ctx, dir); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// openPostgres opens a database to write, whichever folder it belongs to. epoch is that of the term in
// which a node of a cluster leads; 0: the server is no node.
func openPostgres(ctx context.Context, address string, epoch int64) (_ *DB, err error) {
	parse := parseAddress
	if epoch != 0 {
		parse = ParseClusterAddress
	}
	config, err := parse(address)
	if err != nil {
		return nil, err
	}
	s := newServer(config, epoch)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if IsUnreplicated(n) {
			s.unreplicated.Store(true)
		}
	}
	// One connection, kept open because it holds the lock. The pool pings it before each
	// transaction, which must not begin on a broken connection.
	write := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(s.lockToWrite),
		stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return true }))
	write.SetMaxOpenConns(1)
	write.SetMaxIdleConns(1)
	// A write that does not go through Tx would not hold the lock.
	config = config.Copy()
	config.RuntimeParams["default_transaction_read_only"] = "on"
	read := stdlib.OpenDB(*config)
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	d := &DB{
		write:     bun.NewDB(write, pgdialect.New()),
		read:      bun.NewDB(read, pgdialect.New()),
		server:    s,
		writeLock: make(chan struct{}, 1),
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open the database %s: %w", s.name, err), d.Close())
		}
	}()
	if err := checkEncoding(ctx, write); err != nil {
		return nil, err
	}
	p, err := postgresProvider(write)
	if err != nil {
		return nil, err
	}
	if err := refuseNewerSchema(ctx, p); err != nil {
		return nil, err
	}
	if _, err := p.Up(ctx); err != nil {
		return nil, fmt.Errorf("upgrade its tables: %w", err)
	}
	return d, nil
}

// parseAddress parses an address and adds the connection settings that Tilth needs. Settings that
// the address omits come from the usual variables and files (PGHOST, PGPASSFILE, ~/.pgpass).
func parseAddress(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err // pgx leaves the password out of it
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	// Statements contain their values as literals, so no two are the same.
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	// If the caller's context is cancelled, only the statement is aborted, not the connection,
	// which holds the lock.
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &statementCanceller{conn: c}
	}
	for name, value := range map[string]string{
		"client_encoding":               "UTF8",
		"standard_conforming_strings":   "on",
		"timezone":                      "UTC",
		"default_transaction_isolation": "read committed",
		"synchronous_commit":            "on",
		"application_name":              "tilth",
	} {
		config.RuntimeParams[name] = value
	}
	return config, nil
}

// checkEncoding refuses a database that cannot store every text.
func checkEncoding(ctx context.Context, pool *sql.DB) error {
	var encoding string
	if err := pool.QueryRowContext(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("its encoding is %s: create it with ENCODING 'UTF8'", encoding)
	}
	return nil
}

// refuseNewerSchema refuses tables of a newer version.
func refuseNewerSchema(ctx context.Context, p *goose.Provider) error {
	at, err := p.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	if newest := newestMigration(p); at > newest {
		return newerError(at, newest)
	}
	return nil
}

func postgresProvider(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(postgresMigrations, "migrations/postgres")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, pool, files)
}

// postgresCode reports whether err is PostgreSQL's and has one of the codes.
func postgresCode(err error, codes ...string) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	for _, c := range codes {
		if e.Code == c {
			return true
		}
	}
	return false
}
