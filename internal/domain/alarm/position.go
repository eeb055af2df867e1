package alarm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// Position is how far the journal of readings is evaluated for a tenant: every entry up to Entry,
// and of the next entry the frames before Index.
type Position struct {
	Entry uint64
	Index int
}

// before tells whether p is behind other.
func (p Position) before(other Position) bool {
	return p.Entry < other.Entry || p.Entry == other.Entry && p.Index < other.Index
}

// allTenants is the id of the row that says how far the journal is evaluated for all tenants.
const allTenants tenant.ID = 0

// PositionStore keeps how far the journal of readings has been evaluated: for all tenants, and for
// those that are further on because of their notices.
type PositionStore struct{ db *db.DB }

// NewPositionStore makes a store.
func NewPositionStore(d *db.DB) *PositionStore { return &PositionStore{db: d} }

type positionRow struct {
	bun.BaseModel `bun:"table:judged_positions,alias:p"`
	TenantID      tenant.ID `bun:",pk"`
	Position      int64
	Index         int `bun:"place"`
}

// Load gives the position up to which everything is evaluated; 0 when nothing was ever evaluated.
func (s *PositionStore) Load(ctx context.Context) (uint64, error) {
	var r positionRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("p.tenant_id = ?", allTenants).Scan(ctx)
	if db.IsMissing(err) {
		return 0, nil
	}
	return uint64(r.Position), wrap("load evaluated position", err)
}

// LoadTenants gives the positions of the tenants that are further on than Load says.
func (s *PositionStore) LoadTenants(ctx context.Context) (map[tenant.ID]Position, error) {
	var rows []positionRow
	if err := s.db.Read(ctx).NewSelect().Model(&rows).Where("p.tenant_id <> ?", allTenants).Scan(ctx); err != nil {
		return nil, wrap("load evaluated positions of tenants", err)
	}
	positions := make(map[tenant.ID]Position, len(rows))
	for _, r := range rows {
		positions[r.TenantID] = Position{Entry: uint64(r.Position), Index: r.Index}
	}
	return positions, nil
}

// Save records the position up to which everything is evaluated. It leaves a recorded position that
// is further on: a save that began earlier may come later. It forgets tenants' positions that are
// no longer further on.
func (s *PositionStore) Save(ctx context.Context, position uint64) error {
	return wrap("save evaluated position", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&positionRow{TenantID: allTenants, Position: int64(position)}).
			On("CONFLICT (tenant_id) DO UPDATE").Set("position = EXCLUDED.position").
			Where("EXCLUDED.position > p.position").Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*positionRow)(nil)).
			Where("p.tenant_id <> ? AND p.position < ?", allTenants, position).Exec(ctx)
		return err
	}))
}

// SaveTenants records tenants' positions. It belongs to the transaction that writes the notices
// which the evaluation up to there led to.
func (s *PositionStore) SaveTenants(ctx context.Context, positions map[tenant.ID]Position) error {
	if len(positions) == 0 {
		return nil
	}
	rows := make([]positionRow, 0, len(positions))
	for t, p := range positions {
		rows = append(rows, positionRow{TenantID: t, Position: int64(p.Entry), Index: p.Index})
	}
	return wrap("save evaluated positions of tenants", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&rows).On("CONFLICT (tenant_id) DO UPDATE").
			Set("position = EXCLUDED.position, place = EXCLUDED.place").Exec(ctx)
		return err
	}))
}
