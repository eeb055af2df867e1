package server

import (
	"context"
	"time"
)

// sweepHourly runs removeExpired at once and then once an hour.
func (s *Server) sweepHourly(ctx context.Context) error {
	hourly := time.NewTicker(time.Hour)
	defer hourly.Stop()
	for {
		s.removeExpired(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-hourly.C:
		}
	}
}

// removeExpired removes ended sessions, old codes, messages, deliveries and audit entries. The
// server refuses ended sessions and old codes anyway; removing them keeps the tables small. Other
// data is removed by its age on the retention clock, whatever the machine's clock shows.
func (s *Server) removeExpired(ctx context.Context) {
	until := s.Stores.Retention.Now()
	for _, task := range []struct {
		do   func() error
		fail string
	}{
		{s.Stores.Retention.Save, "the retention clock is not saved"},
		{func() error { return s.Stores.Sessions.Sweep(ctx, until) }, "ended sessions not removed"},
		{func() error { return s.Stores.Users.Sweep(ctx, until) }, "networks of old sign-ins not removed"},
		{func() error { return s.Stores.Invitations.Sweep(ctx, until) }, "expired invitations not removed"},
		{func() error { return s.Stores.Tickets.Sweep(ctx, until) }, "expired tickets of sign-ins not removed"},
		{func() error { return s.Stores.SignOn.Sweep(ctx, until) }, "unfinished sign-ins at issuers not removed"},
		{func() error { return s.Stores.Codes.Sweep(ctx) }, "old codes not removed"},
		{func() error { return s.Stores.Messages.Sweep(ctx, until) }, "old messages not removed"},
		{func() error { return s.Stores.Outbox.Sweep(ctx, until) }, "old deliveries not removed"},
		{func() error { return s.Stores.Webhooks.Sweep(ctx, until) }, "old secrets of webhooks not removed"},
		{func() error { return s.Stores.Audit.Sweep(ctx, until) }, "old entries of the audit log not removed"},
	} {
		if err := task.do(); err != nil && ctx.Err() == nil {
			s.logger.Warn(task.fail+", trying again in an hour", "error", err)
		}
	}
}
