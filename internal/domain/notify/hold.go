package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// holdRow is there while nothing is to leave.
type holdRow struct {
	bun.BaseModel `bun:"table:outbox_holds,alias:h"`
	ID            int `bun:",pk"`
	Since         int64
}

// Hold keeps everything that a database queues, now and later, from leaving
// until it is released: a server that is restored from a backup, maybe beside
// the one that it was taken from, must not tell people again, or of what it
// alone believes. It is for a database that no outbox runs over, and answers
// how many deliveries wait.
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
	return waiting, err
}

// Held tells whether nothing leaves until Release.
func (o *Outbox) Held(ctx context.Context) (bool, error) {
	return o.DB.Read(ctx).NewSelect().Model((*holdRow)(nil)).Exists(ctx)
}

// Release lets go what is held; held tells whether anything was, and waiting
// how many deliveries. What was due meanwhile has its 24 hours from now on.
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
		})
		return nil
	})
	return held, waiting, err
}

func queued(ctx context.Context, tx bun.IDB) (int, error) {
	n, err := tx.NewSelect().Model((*deliveryRow)(nil)).Where("d.state = 'queued'").Count(ctx)
	return int(n), err
}
