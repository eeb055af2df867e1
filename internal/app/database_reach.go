package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"tilth/internal/db"
)

// errDatabaseAway is what strangers may know of it: no address and no names.
var errDatabaseAway = errors.New("the database cannot be reached; see the log")

// reach asks whether the database answers, and tells the log of changes: a
// readiness is asked for again and again.
type reach struct {
	ping func(context.Context) error
	log  *slog.Logger

	mu   sync.Mutex
	away bool
}

// ready is nil while the database answers, else what strangers may know of why
// not.
func (r *reach) ready(ctx context.Context) error {
	err := r.ping(ctx)
	switch {
	case errors.Is(err, context.Canceled):
		return errDatabaseAway // whoever asked has gone
	case errors.Is(err, db.ErrTakenOver):
		return db.ErrTakenOver // the log has it from what could not be written
	}
	r.note(err)
	if err != nil {
		return errDatabaseAway
	}
	return nil
}

func (r *reach) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && !r.away:
		r.log.Error("the database cannot be reached: nobody signs in and alarms wait until it is back", "error", err)
	case err == nil && r.away:
		r.log.Info("the database can be reached again")
	}
	r.away = err != nil
}
