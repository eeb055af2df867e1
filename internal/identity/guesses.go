package identity

import (
	"context"
	"log/slog"
	"time"

	"tilth/internal/tenant"
)

const (
	guessesToldEvery = 24 * time.Hour // the owner of an account is told once
	guessedWaits     = 1000           // accounts whose owners wait to be told; more are told when it begins anew
)

// guessedAt is an account on which passwords are tried.
type guessedAt struct {
	tenant tenant.ID
	user   int64
	time   time.Time
}

// tellLater has a user told: who tries passwords learns nothing from how long it takes.
func (s *SignIn) tellLater(u *userRow) {
	select {
	case s.guessed <- guessedAt{u.TenantID, u.ID, s.Now()}:
	default:
	}
}

// Run tells the owners of accounts that others try passwords on them, until ctx ends.
func (s *SignIn) Run(ctx context.Context, log *slog.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case at := <-s.guessed:
			if err := s.tell(ctx, at); err != nil && ctx.Err() == nil {
				log.Error("the owner of an account was not told of guesses at its password", "tenant", at.tenant, "user", at.user, "error", err)
			}
		}
	}
}

func (s *SignIn) tell(ctx context.Context, at guessedAt) error {
	u, err := s.Users.Get(ctx, at.tenant, at.user)
	if err != nil {
		return err
	}
	t, err := s.Tenants.Get(ctx, at.tenant)
	if err != nil {
		return err
	}
	l := letterOf(t, u, "guesses", "", at.time)
	if s.Post == nil || l == nil {
		return nil
	}
	now, err := s.Users.tellGuesses(ctx, at.tenant, at.user, at.time, guessesToldEvery)
	if err == nil && now {
		s.Post.Post(*l)
	}
	return err
}
