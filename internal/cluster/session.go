package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"tilth/internal/platform/db"
)

const (
	// statementTimeout is how long a statement may take, a commit that waits for the copy included.
	// Then the connection is closed: the database may have moved to another machine while this one
	// still answers the network.
	statementTimeout = 30 * time.Second
	// closeTimeout is how long closing a connection may take.
	closeTimeout = time.Second

	undefinedTable   = "42P01"
	lockNotAvailable = "55P03"
)

// errNotReplicated says that a commit was not confirmed by the copy.
var errNotReplicated = errors.New("PostgreSQL ended a commit before the copy had it")

// errEnded is returned by a session that was closed.
var errEnded = errors.New("the session has ended")

// session is one connection of a node to the database, which connects again after it broke. One
// statement runs at a time. A context that ends in the middle of a statement ends the connection, and
// with it the locks that it holds.
type session struct {
	config *pgx.ConnConfig
	// connected prepares a new connection: it sets it up, and takes the locks that it must hold.
	connected func(ctx context.Context, c *pgx.Conn) error

	busy  chan struct{} // full while a statement is under way
	conn  *pgx.Conn     // nil: not connected
	ended bool          // it does not connect again; guarded by busy
	// lifetime ends when close begins, and with it whatever is under way.
	lifetime context.Context
	stop     context.CancelFunc
	warned   atomic.Bool
	pid      atomic.Uint32 // of the backend; 0: not connected
	answered atomic.Int64  // when a statement last succeeded, by process time
}

// newSession makes a session; it connects when it is first used.
func newSession(config *pgx.ConnConfig, connected func(context.Context, *pgx.Conn) error) *session {
	s := &session{connected: connected, busy: make(chan struct{}, 1)}
	s.lifetime, s.stop = context.WithCancel(context.Background())
	s.config = config.Copy()
	// Entries are bytes and the same statements come again and again.
	s.config.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	// A cancelled context ends the connection, and with it whatever it was doing.
	s.config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	s.config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if db.IsUnreplicated(n) {
			s.warned.Store(true)
		}
	}
	return s
}

// do runs f with the connection, which it makes if there is none. It closes a connection that failed.
func (s *session) do(ctx context.Context, f func(ctx context.Context, c *pgx.Conn) error) error {
	select {
	case s.busy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.busy }()
	return s.locked(ctx, f)
}

// tryDo is do unless another statement is under way: then it does nothing.
func (s *session) tryDo(ctx context.Context, f func(ctx context.Context, c *pgx.Conn) error) (done bool, err error) {
	select {
	case s.busy <- struct{}{}:
	default:
		return false, nil
	}
	defer func() { <-s.busy }()
	return true, s.locked(ctx, f)
}

func (s *session) locked(ctx context.Context, f func(ctx context.Context, c *pgx.Conn) error) error {
	if s.ended {
		return errEnded
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.lifetime, cancel)()
	if s.conn == nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	ctx, cancelStatement := context.WithTimeout(ctx, statementTimeout)
	defer cancelStatement()
	s.warned.Store(false)
	err := f(ctx, s.conn)
	if err == nil && s.warned.Load() {
		err = errNotReplicated
	}
	if err == nil {
		s.answered.Store(int64(time.Since(processStart)))
	}
	if s.conn.IsClosed() {
		s.forget()
	}
	return err
}

// connect makes the connection. connected may wait for a lock: it sets its own limits.
func (s *session) connect(ctx context.Context) error {
	c, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	if s.connected != nil {
		if err := s.connected(ctx, c); err != nil {
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
			defer cancel()
			return errors.Join(err, c.Close(closing))
		}
	}
	s.conn = c
	s.pid.Store(c.PgConn().PID())
	return nil
}

func (s *session) forget() {
	s.conn = nil
	s.pid.Store(0)
}

// close ends the connection, and with it every lock that it holds. The session makes no other one.
func (s *session) close() error {
	s.stop()
	s.busy <- struct{}{}
	defer func() { <-s.busy }()
	s.ended = true
	return s.closeConn()
}

// drop ends the connection. The next statement makes another one.
func (s *session) drop() error {
	s.busy <- struct{}{}
	defer func() { <-s.busy }()
	return s.closeConn()
}

func (s *session) closeConn() error {
	if s.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := s.conn.Close(ctx)
	s.forget()
	return err
}

// hasCode reports whether PostgreSQL answered with a code.
func hasCode(err error, code string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == code
}
