package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// holdRow exists while the outbox must send nothing.
type holdRow struct {
	bun.BaseModel `bun:"table:outbox_holds,alias:h"`
	ID            int `bun:",pk"`
	Since         int64
}

// Hold makes the outbox of a database send nothing that is queued, now or later, until Release: a
// server that was restored from a backup, maybe beside the original one, must not notify people
// again, nor of alarms that only it sees. No outbox may be running on the database. Hold gives the
// number of queued deliveries.
func Hold(ctx context.Context, d *db.DB, now time.Time) (waiting int, err error) {
	err = d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&holdRow{ID: 1, Since: now.UnixMilli()}).On("CONFLICT (id) DO NOTHING").
			Returning("NULL").Exec(ctx)
		if err != nil {
			return err
		}
		waiting, err = queued(ctx, tx)
		return err
	})
	return waiting, wrap("hold deliveries", err)
}

// OnRelease sets what is called after Release, for others who wait for it. It is called before Run. f
// must not block.
func (o *Outbox) OnRelease(f func()) { o.onRelease = f }

// Held tells whether the outbox sends nothing until Release.
func (o *Outbox) Held(ctx context.Context) (bool, error) {
	held, err := o.DB.Read(ctx).NewSelect().Model((*holdRow)(nil)).Exists(ctx)
	return held, wrap("read hold", err)
}

// Release ends a hold; held tells whether there was one, and waiting gives the number of queued
// deliveries. Deliveries that became due during the hold have their 24 hours from now on.
func (o *Outbox) Release(ctx context.Context) (held bool, waiting int, err error) {
	err = o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewDelete().Model((*holdRow)(nil)).Where("h.id = 1").Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if held = n > 0; err != nil || !held {
			return err
		}
		if waiting, err = queued(ctx, tx); err != nil {
			return err
		}
		o.DB.AfterCommit(ctx, func() {
			o.uptime.restart(o.Now().UnixMilli())
			o.held.Store(false)
			o.Wake()
			if o.onRelease != nil {
				o.onRelease()
			}
		})
		return nil
	})
	return held, waiting, wrap("release deliveries", err)
}

func queued(ctx context.Context, tx bun.IDB) (int, error) {
	n, err := tx.NewSelect().Model((*deliveryRow)(nil)).Where("d.state = 'queued'").Count(ctx)
	return int(n), err
}
