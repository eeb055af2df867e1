package identity

import (
	"context"
	"log/slog"
	"time"

	"tilth/internal/domain/tenant"
)

const (
	// guessWarningInterval is the least time between two warnings to the owner of an account.
	guessWarningInterval = 24 * time.Hour
	// maxQueuedGuessWarnings bounds the warnings that wait to be sent. A warning beyond it is
	// dropped; the owner is warned when the failures reach failuresToWarn again.
	maxQueuedGuessWarnings = 1000
)

// guessWarning names an account whose password somebody tries to guess.
type guessWarning struct {
	tenant tenant.ID
	user   int64
	time   time.Time
}

// queueGuessWarning lets Run warn a user later, so that the response time of the attempt reveals
// nothing.
func (s *SignIn) queueGuessWarning(u *userRow) {
	select {
	case s.guessWarnings <- guessWarning{u.TenantID, u.ID, s.Now()}:
	default:
	}
}

// Run sends the queued warnings to the owners of the accounts, until ctx ends.
func (s *SignIn) Run(ctx context.Context, logger *slog.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case at := <-s.guessWarnings:
			if err := s.sendGuessWarning(ctx, at); err != nil && ctx.Err() == nil {
				logger.Error("the owner of an account was not warned of guesses at its password",
					"tenant", at.tenant, "user", at.user, "error", err)
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
	email := newAccountEmail(t, u, "guesses", "", at.time)
	if s.Mailer == nil || email == nil {
		return nil
	}
	due, err := s.Users.claimGuessWarning(ctx, at.tenant, at.user, at.time, guessWarningInterval)
	if err == nil && due {
		s.Mailer.Enqueue(*email)
	}
	return err
}
