package identity

import (
	"context"
	"log/slog"
	"time"

	"tilth/internal/domain/tenant"
)

const (
	guessWarningInterval   = 24 * time.Hour // the owner of an account is told once
	maxQueuedGuessWarnings = 1000           // accounts whose owners wait to be told; more are told when it begins anew
)

// guessWarning is an account on which passwords are tried.
type guessWarning struct {
	tenant tenant.ID
	user   int64
	time   time.Time
}

// queueGuessWarning has a user told: who tries passwords learns nothing from how long it takes.
func (s *SignIn) queueGuessWarning(u *userRow) {
	select {
	case s.guessWarnings <- guessWarning{u.TenantID, u.ID, s.Now()}:
	default:
	}
}

// Run tells the owners of accounts that others try passwords on them, until ctx ends.
func (s *SignIn) Run(ctx context.Context, logger *slog.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case at := <-s.guessWarnings:
			if err := s.sendGuessWarning(ctx, at); err != nil && ctx.Err() == nil {
				logger.Error(
					"the owner of an account was not told of guesses at its password",
					"tenant",
					at.tenant,
					"user",
					at.user,
					"error",
					err,
				)
			}
		}
	}
}

func (s *SignIn) sendGuessWarning(ctx context.Context, at guessWarning) error {
	u, err := s.Users.Get(ctx, at.tenant, at.user)
	if err != nil {
		return err
	}
	t, err := s.Tenants.Get(ctx, at.tenant)
	if err != nil {
		return err
	}
	l := newAccountEmail(t, u, "guesses", "", at.time)
	if s.Mailer == nil || l == nil {
		return nil
	}
	due, err := s.Users.claimGuessWarning(ctx, at.tenant, at.user, at.time, guessWarningInterval)
	if err == nil && due {
		s.Mailer.Enqueue(*l)
	}
	return err
}
