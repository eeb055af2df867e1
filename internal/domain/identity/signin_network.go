package identity

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

// Networks that a user signed in from are remembered as long as this after the newest
// sign-in, and so many of a user.
const (
	networkRetention   = 400 * 24 * time.Hour
	maxNetworksPerUser = 50
)

type networkRow struct {
	bun.BaseModel `bun:"table:sign_in_networks,alias:w"`
	TenantID      tenant.ID
	UserID        int64  `bun:",pk"`
	Network       string `bun:",pk"`
	LastTime      int64
}

// hasSignedInFrom tells whether a tenant's user signed in from a network before.
func (s *UserStore) hasSignedInFrom(ctx context.Context, t tenant.ID, user int64, network string) (bool, error) {
	return s.db.Read(ctx).NewSelect().Model((*networkRow)(nil)).
		Where("w.tenant_id = ? AND w.user_id = ? AND w.network = ?", t, user, network).Exists(ctx)
}

// rememberNetwork remembers that a tenant's user signed in from a network, in place of the
// one that is longest ago where there are too many.
func (s *UserStore) rememberNetwork(ctx context.Context, t tenant.ID, user int64, network string) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		row := networkRow{TenantID: t, UserID: user, Network: network, LastTime: s.now().UnixMilli()}
		if _, err := tx.NewInsert().Model(
			&row,
		).On(
			"CONFLICT (user_id, network) DO UPDATE",
		).Set(
			"last_time = EXCLUDED.last_time",
		).Exec(
			ctx,
		); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*networkRow)(nil)).Where("w.tenant_id = ? AND w.user_id = ?", t, user).
			Where(
				"w.network NOT IN (SELECT k.network FROM sign_in_networks AS k WHERE k.tenant_id = ? AND k.user_id = ? ORDER BY k.last_time DESC, k.network DESC LIMIT ?)",
				t,
				user,
				maxNetworksPerUser,
			).Exec(ctx)
		return err
	})
}

// Sweep forgets networks that nobody signed in from for long, as of until.
func (s *UserStore) Sweep(ctx context.Context, now time.Time) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model(
			(*networkRow)(nil),
		).Where(
			"w.last_time < ?",
			now.Add(-networkRetention).UnixMilli(),
		).Exec(
			ctx,
		)
		return err
	})
}

// claimGuessWarning writes down that a user is told of guesses at a time, and says whether to:
// not where that was within so long before.
func (s *UserStore) claimGuessWarning(
	ctx context.Context,
	t tenant.ID,
	user int64,
	at time.Time,
	within time.Duration,
) (due bool, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewUpdate().Model((*userRow)(nil)).Set("guesses_told = ?", at.UnixMilli()).
			Where("u.tenant_id = ? AND u.id = ?", t, user).
			// A time to come was told by a clock that was wrong.
			Where("u.guesses_told <= ? OR u.guesses_told > ?", at.Add(-within).UnixMilli(), at.UnixMilli()).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		due = n > 0
		return err
	})
	return due, err
}
