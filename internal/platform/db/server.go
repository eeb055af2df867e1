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
	// ErrInUse is wrapped if another process has the database open to write.
	ErrInUse = errors.New("another Tilth has this database open; stop it first")
	// ErrTakenOver is wrapped by every write once another process opened the database while this
	// one was disconnected: this process's memory may differ from the database.
	ErrTakenOver = errors.New("another Tilth has taken this database over; this one must be stopped")
)

// OwnerLockID is the number of the advisory lock that the one writer of a PostgreSQL database
// holds; it is only used within that database.
const OwnerLockID = 0x74696c7468 // "tilth"

const (
	// Codes of PostgreSQL.
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
	lockNotAvailable    = "55P03"
	undefinedTable      = "42P01"
)

// lockTimeout limits how long a connection waits for the lock: a process that has just ended, or a
// broken connection, may still hold it for a moment.
var lockTimeout = "5s"

// pgServer is a DB's state of its database server.
type pgServer struct {
	name      string        // host and database, for messages
	epoch     int64         // of the term in which this node of a cluster leads; 0: no cluster
	starts    atomic.Int64  // how often the database was opened, including this time; 0: unknown yet
	takenOver atomic.Bool   // this process must not write any more
	lost      chan struct{} // closed with takenOver
	committed atomic.Int64  // the count of this process's newest transaction; see countTransaction
	// unreplicated says that PostgreSQL ended a commit before the copy had it.
	unreplicated atomic.Bool
}

// newServer makes the state of a database server. epoch is that of the term in which a node of a cluster
// leads; 0: the process is no leader.
func newServer(config *pgx.ConnConfig, epoch int64) *pgServer {
	return &pgServer{name: config.Host + "/" + config.Database, epoch: epoch, lost: make(chan struct{})}
}

// lockToWrite is called for each connection of the writer. The lock allows writing; the connection
// holds it until it ends.
func (s *pgServer) lockToWrite(ctx context.Context, c *pgx.Conn) error {
	err := s.lockAndVerify(ctx, c)
	if err != nil {
		return errors.Join(err, c.Close(ctx)) // no other code closes it
	}
	return nil
}

// lockAndVerify checks before it waits for the lock, too: a process that was taken over might wait
// for as long as its successor runs.
func (s *pgServer) lockAndVerify(ctx context.Context, c *pgx.Conn) error {
	if err := s.verifyOwner(ctx, c); err != nil {
		return err
	}
	if err := s.refuseCluster(ctx, c); err != nil {
		return err
	}
	if err := s.acquireAdvisoryLock(ctx, c, "pg_advisory_lock"); err != nil {
		return err
	}
	return s.verifyOwner(ctx, c)
}

// verifyOwner returns ErrTakenOver if another process has opened the database, or another node of the
// cluster leads.
func (s *pgServer) verifyOwner(ctx context.Context, c *pgx.Conn) error {
	for _, check := range []struct {
		mine  int64
		query string
	}{
		{s.starts.Load(), "SELECT starts FROM data_folders"},
		{s.epoch, epochQuery},
	} {
		if check.mine == 0 {
			continue
		}
		var now int64
		if err := c.QueryRow(ctx, check.query).Scan(&now); err != nil {
			return err
		}
		if now != check.mine {
			return s.noteTakenOver()
		}
	}
	return nil
}

// noteTakenOver records that another process writes to the database, and returns the error.
func (s *pgServer) noteTakenOver() error {
	if s.takenOver.CompareAndSwap(false, true) {
		close(s.lost)
	}
	return fmt.Errorf("the database %s: %w", s.name, ErrTakenOver)
}

// acquireAdvisoryLock takes the lock for the lifetime of a connection.
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

// countStart counts an opening of the database.
func (s *pgServer) countStart(ctx context.Context, tx *sql.Tx) (starts int64, err error) {
	err = tx.QueryRowContext(ctx, "UPDATE data_folders SET starts = starts + 1 RETURNING starts").Scan(&starts)
	return starts, err
}

// ServerSize returns how many bytes a PostgreSQL database takes on its server.
func (d *DB) ServerSize(ctx context.Context) (bytes int64, err error) {
	err = d.read.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&bytes)
	return bytes, err
}
