package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"tilth/internal/platform/db"
)

// errDatabaseDown is what strangers may know of it: no address and no names.
var errDatabaseDown = errors.New("the database cannot be reached; see the log")

// databaseHealth asks whether the database answers, and tells the log of changes: a
// readiness is asked for again and again.
type databaseHealth struct {
	ping   func(context.Context) error
	logger *slog.Logger

	mu   sync.Mutex
	down bool
}

// ready is nil while the database answers, else what strangers may know of why
// not.
func (r *databaseHealth) ready(ctx context.Context) error {
	err := r.ping(ctx)
	switch {
	case errors.Is(err, context.Canceled):
		return errDatabaseDown // whoever asked has gone
	case errors.Is(err, db.ErrTakenOver):
		return db.ErrTakenOver // the log has it from what could not be written
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
