package alarm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/db"
)

// PositionStore keeps how far the journal of readings has been judged. It
// belongs to the platform: the journal is one for all tenants.
type PositionStore struct{ db *db.DB }

// NewPositionStore makes a store.
func NewPositionStore(d *db.DB) *PositionStore { return &PositionStore{db: d} }

type positionRow struct {
	bun.BaseModel `bun:"table:judged_positions,alias:p"`
	ID            int `bun:",pk"`
	Position      int64
}

// Load gives the position; 0 when nothing was ever judged.
func (s *PositionStore) Load(ctx context.Context) (uint64, error) {
	var r positionRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("id = 1").Scan(ctx)
	if db.IsMissing(err) {
		return 0, nil
	}
	return uint64(r.Position), err
}

// Save records the position, unless one that is further on is recorded already:
// a save that was begun earlier may come later.
func (s *PositionStore) Save(ctx context.Context, position uint64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&positionRow{ID: 1, Position: int64(position)}).
			On("CONFLICT (id) DO UPDATE").Set("position = EXCLUDED.position").
			Where("EXCLUDED.position > p.position").Exec(ctx)
		return err
	})
}
