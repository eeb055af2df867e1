package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// cancelTimeout limits how long a statement may take to end after its context was cancelled;
	// then its connection is closed.
	cancelTimeout = 5 * time.Second
	// cancelInterval is the time between two requests to cancel a statement, and the time after the
	// last one during which the connection stays unused: PostgreSQL delivers a request to its process
	// a little after it has answered it.
	cancelInterval = 100 * time.Millisecond
)

// statementCanceller asks PostgreSQL to end the running statement when its context is cancelled. It
// repeats the request until the statement has ended, because PostgreSQL ignores a request that
// overtakes its statement. It implements ctxwatch.Handler.
type statementCanceller struct {
	conn  *pgconn.PgConn
	ended context.CancelFunc // The statement has ended.
	done  chan struct{}      // Closed when no request is under way any more.
}

// HandleCancel starts the requests.
func (c *statementCanceller) HandleCancel(context.Context) {
	deadline := time.Now().Add(cancelTimeout)
	// Fails only if the connection is closed already, and then the statement ends by itself.
	_ = c.conn.Conn().SetDeadline(deadline)
	running, ended := context.WithDeadline(context.Background(), deadline)
	c.ended, c.done = ended, make(chan struct{})
	go func() {
		defer close(c.done)
		for running.Err() == nil {
			// If a request fails, the next one may succeed; if none does, the deadline ends the statement.
			_ = c.conn.CancelRequest(running)
			time.Sleep(cancelInterval)
		}
	}()
}

// HandleUnwatchAfterCancel returns when the requests can no longer hit the connection's next statement.
func (c *statementCanceller) HandleUnwatchAfterCancel() {
	c.ended()
	<-c.done
	_ = c.conn.Conn().SetDeadline(time.Time{})
}
