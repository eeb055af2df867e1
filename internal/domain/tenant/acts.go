package tenant

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// holdRow exists while no tenant of the installation may act.
type holdRow struct {
	bun.BaseModel `bun:"table:outbox_holds,alias:h"`
	ID            int `bun:",pk"`
	Since         int64
}

// Hold keeps all tenants of a database from acting until Release, over starts too: a server that was
// restored from a backup, maybe beside the original one, must not notify people again, nor of alarms
// that only it sees. No server may run on the database.
func Hold(ctx context.Context, d *db.DB, now time.Time) error {
	err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&holdRow{ID: 1, Since: now.UnixMilli()}).On("CONFLICT (id) DO NOTHING").
			Returning("NULL").Exec(ctx)
		return err
	})
	return wrap("hold", err)
}

// Acts tells whether the server acts for a tenant: whether it tells, asks, sends or publishes by
// itself. Whatever reaches somebody outside, and that nobody is waiting for, asks it just before; why a
// tenant does not act is nobody else's concern: so far only a hold, which is one of all tenants. It
// reads memory only.
func (s *Store) Acts(ID) bool { return s.AnyActs() }

// AnyActs tells whether there is a tenant that acts: until then, a loop over all has nothing to do.
func (s *Store) AnyActs() bool { return s.acts.Load() }

// LoadHold reads whether there is a hold. Before that, no tenant acts.
func (s *Store) LoadHold(ctx context.Context) error {
	held, err := s.db.Read(ctx).NewSelect().Model((*holdRow)(nil)).Exists(ctx)
	if err == nil {
		s.acts.Store(!held)
	}
	return wrap("read hold", err)
}

// Release ends a hold; held tells whether there was one.
func (s *Store) Release(ctx context.Context) (held bool, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewDelete().Model((*holdRow)(nil)).Where("h.id = 1").Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if held = n > 0; err != nil || !held {
			return err
		}
		s.db.AfterCommit(ctx, func() {
			s.acts.Store(true)
			s.Released.Tell(struct{}{})
		})
		return nil
	})
	return held, wrap("release", err)
}
