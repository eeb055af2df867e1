package alarm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// Position is how far the journal of readings is judged for a tenant: every entry
// up to Entry, and of the next one what stands before Index.
type Position struct {
	Entry uint64
	Index int
}

// before tells whether less is judged at p than at other.
func (p Position) before(other Position) bool {
	return p.Entry < other.Entry || p.Entry == other.Entry && p.Index < other.Index
}

// allTenants is whose row says how far the journal is judged for all.
const allTenants tenant.ID = 0

// PositionStore keeps how far the journal of readings has been judged: for all
// tenants, and for those that are further on because of notices of theirs.
type PositionStore struct{ db *db.DB }

// NewPositionStore makes a store.
func NewPositionStore(d *db.DB) *PositionStore { return &PositionStore{db: d} }

type positionRow struct {
	bun.BaseModel `bun:"table:judged_positions,alias:p"`
	TenantID      tenant.ID `bun:",pk"`
	Position      int64
	Index         int `bun:"place"`
}

// Load gives the position up to which everything is judged; 0 when nothing was
// ever judged.
func (s *PositionStore) Load(ctx context.Context) (uint64, error) {
	var r positionRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("p.tenant_id = ?", allTenants).Scan(ctx)
	if db.IsMissing(err) {
		return 0, nil
	}
	return uint64(r.Position), err
}

// LoadTenants are the positions of tenants for which more is judged than Load says.
func (s *PositionStore) LoadTenants(ctx context.Context) (map[tenant.ID]Position, error) {
	var rows []positionRow
	if err := s.db.Read(ctx).NewSelect().Model(&rows).Where("p.tenant_id <> ?", allTenants).Scan(ctx); err != nil {
		return nil, err
	}
	positions := make(map[tenant.ID]Position, len(rows))
	for _, r := range rows {
		positions[r.TenantID] = Position{Entry: uint64(r.Position), Index: r.Index}
	}
	return positions, nil
}

// Save records the position up to which everything is judged, unless one that
// is further on is recorded already: a save that was begun earlier may come
// later. Positions of tenants that say no more are forgotten.
func (s *PositionStore) Save(ctx context.Context, position uint64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&positionRow{TenantID: allTenants, Position: int64(position)}).
			On("CONFLICT (tenant_id) DO UPDATE").Set("position = EXCLUDED.position").
			Where("EXCLUDED.position > p.position").Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*positionRow)(nil)).
			Where("p.tenant_id <> ? AND p.position < ?", allTenants, position).Exec(ctx)
		return err
	})
}

// SaveTenants records tenants' positions. It belongs to the transaction that keeps
// the notices which judging up to there led to.
func (s *PositionStore) SaveTenants(ctx context.Context, positions map[tenant.ID]Position) error {
	if len(positions) == 0 {
		return nil
	}
	rows := make([]positionRow, 0, len(positions))
	for t, p := range positions {
		rows = append(rows, positionRow{TenantID: t, Position: int64(p.Entry), Index: p.Index})
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&rows).On("CONFLICT (tenant_id) DO UPDATE").
			Set("position = EXCLUDED.position, place = EXCLUDED.place").Exec(ctx)
		return err
	})
}
