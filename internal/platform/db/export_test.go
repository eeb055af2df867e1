package db

import (
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// NewStatementCanceller returns what cancels the statements of a connection.
func NewStatementCanceller(conn *pgconn.PgConn) ctxwatch.Handler {
	return &statementCanceller{conn: conn}
}

// WithShortLockTimeout runs f with a short lock timeout, so that opening a database does not wait
// for another process.
func WithShortLockTimeout(f func()) {
	usual := lockTimeout
	lockTimeout = "10ms"
	defer func() { lockTimeout = usual }()
	f()
}
