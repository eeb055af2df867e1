package identity

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

// How long the subnet of a sign-in is remembered after the newest sign-in from it, and how many
// subnets are remembered per user.
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

// hasSignedInFrom tells whether a tenant's user signed in from a subnet before.
func (s *UserStore) hasSignedInFrom(ctx context.Context, t tenant.ID, user int64, network string) (bool, error) {
	known, err := s.db.Read(ctx).NewSelect().Model((*networkRow)(nil)).
		Where("w.tenant_id = ? AND w.user_id = ? AND w.network = ?", t, user, network).Exists(ctx)
	return known, wrap("check sign-in network", err)
}

// rememberNetwork records that a tenant's user signed in from a subnet. Beyond maxNetworksPerUser
// it forgets the one with the oldest sign-in.
func (s *UserStore) rememberNetwork(ctx context.Context, t tenant.ID, user int64, network string) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		row := networkRow{TenantID: t, UserID: user, Network: network, LastTime: s.now().UnixMilli()}
		_, err := tx.NewInsert().Model(&row).
			On("CONFLICT (user_id, network) DO UPDATE").Set("last_time = EXCLUDED.last_time").Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*networkRow)(nil)).Where("w.tenant_id = ? AND w.user_id = ?", t, user).
			Where("w.network NOT IN (SELECT k.network FROM sign_in_networks AS k "+
				"WHERE k.tenant_id = ? AND k.user_id = ? ORDER BY k.last_time DESC, k.network DESC LIMIT ?)",
				t, user, maxNetworksPerUser).Exec(ctx)
		return err
	})
	return wrap("remember sign-in network", err)
}

// Sweep forgets the subnets without a sign-in for networkRetention at now.
func (s *UserStore) Sweep(ctx context.Context, now time.Time) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*networkRow)(nil)).
			Where("w.last_time < ?", now.Add(-networkRetention).UnixMilli()).Exec(ctx)
		return err
	})
	return wrap("sweep sign-in networks", err)
}

// claimGuessWarning records that a user is warned of guesses at a time, unless the user was warned
// within the period before. due tells whether to send the warning.
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
			// A time in the future was written while the clock was wrong.
			Where("u.guesses_told <= ? OR u.guesses_told > ?", at.Add(-within).UnixMilli(), at.UnixMilli()).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		due = n > 0
		return err
	})
	return due, wrap("claim guess warning", err)
}
