package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tilth/internal/platform/db"
)

// errDatabaseDown is all that unauthenticated clients learn of the failure: no address and no
// names.
var errDatabaseDown = errors.New("the database cannot be reached; see the log")

// pingTimeout is how long the database may take to answer: one that hangs is as good as down.
const pingTimeout = 2 * time.Second

// databaseHealth checks whether the database answers, and logs only changes, since readiness is
// checked again and again.
type databaseHealth struct {
	ping   func(context.Context) error
	logger *slog.Logger

	mu   sync.Mutex
	down bool
}

// ready is nil while the database answers, else what unauthenticated clients may know of the
// reason.
func (r *databaseHealth) ready(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	err := r.ping(asking)
	switch {
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return errDatabaseDown // the client has gone
	case errors.Is(err, db.ErrTakenOver):
		return db.ErrTakenOver // the failed write has logged it
	}
	r.record(err)
	if err != nil {
		return errDatabaseDown
	}
	return nil
}

func (r *databaseHealth) record(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && !r.down:
		r.logger.Error("the database cannot be reached: nobody signs in and alarms wait until it is back", "error", err)
	case err == nil && r.down:
		r.logger.Info("the database can be reached again")
	}
	r.down = err != nil
}
