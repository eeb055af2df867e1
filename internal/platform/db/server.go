package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

var (
	// ErrInUse is wrapped where another process has the database open to write.
	ErrInUse = errors.New("another Tilth has this database open; stop it first")
	// ErrTakenOver is wrapped by every write once another process had the database
	// while this one was cut off from it: what this one holds in memory is not what
	// the database says any more.
	ErrTakenOver = errors.New("another Tilth has taken this database over; this one must be stopped")
)

// OwnerLockID is the number of the advisory lock that the one writer of a
// PostgreSQL database holds; it means something within that database only.
const OwnerLockID = 0x74696c7468 // "tilth"

const (
	// Codes of PostgreSQL.
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
	lockNotAvailable    = "55P03"
	undefinedTable      = "42P01"
)

// lockTimeout is how long a connection waits for the lock: a process that has
// just ended, or a connection that broke, may still hold it for a moment.
var lockTimeout = "5s"

// pgServer is what a DB knows of the database server it works with.
type pgServer struct {
	name      string       // host and database, for messages
	starts    atomic.Int64 // how often the database was opened, with this time; 0: not known yet
	takenOver atomic.Bool  // to another process
}

// lockToWrite is called with each connection of the writer: who holds the lock may
// write, and it holds it until the connection ends.
func (s *pgServer) lockToWrite(ctx context.Context, c *pgx.Conn) error {
	err := s.lockAndVerify(ctx, c)
	if err != nil {
		return errors.Join(err, c.Close(ctx)) // nobody else would
	}
	return nil
}

func (s *pgServer) lockAndVerify(ctx context.Context, c *pgx.Conn) error {
	if err := s.acquireAdvisoryLock(ctx, c, "pg_advisory_lock"); err != nil {
		return err
	}
	mine := s.starts.Load()
	if mine == 0 {
		return nil
	}
	var starts int64
	if err := c.QueryRow(ctx, "SELECT starts FROM data_folders").Scan(&starts); err != nil {
		return err
	}
	if starts != mine {
		s.takenOver.Store(true)
		return fmt.Errorf("the database %s: %w", s.name, ErrTakenOver)
	}
	return nil
}

// acquireAdvisoryLock takes the lock for a connection, as long as it lives.
func (s *pgServer) acquireAdvisoryLock(ctx context.Context, c *pgx.Conn, function string) error {
	if _, err := c.Exec(ctx, "SET lock_timeout = '"+lockTimeout+"'"); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, fmt.Sprintf("SELECT %s(%d)", function, int64(OwnerLockID))); err != nil {
		if postgresCode(err, lockNotAvailable) {
			return fmt.Errorf("the database %s: %w", s.name, ErrInUse)
		}
		return err
	}
	_, err := c.Exec(ctx, "RESET lock_timeout")
	return err
}

// countStart counts that the database was opened.
func (s *pgServer) countStart(ctx context.Context, tx *sql.Tx) (starts int64, err error) {
	err = tx.QueryRowContext(ctx, "UPDATE data_folders SET starts = starts + 1 RETURNING starts").Scan(&starts)
	return starts, err
}

// ServerSize is how many bytes a PostgreSQL database takes on its server.
func (d *DB) ServerSize(ctx context.Context) (bytes int64, err error) {
	err = d.read.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&bytes)
	return bytes, err
}
