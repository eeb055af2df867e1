package notify

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// CountQueued counts the deliveries that wait in a database.
func CountQueued(ctx context.Context, d *db.DB) (int, error) {
	n, err := d.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).Where("d.state = 'queued'").Count(ctx)
	return int(n), wrap("count queued deliveries", err)
}

// Release lets the tenants act, whom a restore has kept from it; held tells whether there was such a
// hold, and waiting gives the number of queued deliveries. Those that became due during the hold have
// their 24 hours from now on.
func (o *Outbox) Release(ctx context.Context) (held bool, waiting int, err error) {
	err = o.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		o.DB.AfterCommit(ctx, func() {
			if held { // before any worker may look for deliveries that are too old
				o.uptime.restart(o.Now().UnixMilli())
			}
		})
		if held, err = o.Tenants.Release(ctx); err != nil || !held {
			return err
		}
		o.DB.AfterCommit(ctx, o.Wake)
		waiting, err = CountQueued(ctx, o.DB)
		return err
	})
	return held, waiting, wrap("release deliveries", err)
}
