package alarm

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/uptrace/bun"

	"tilth/internal/audit"
	"tilth/internal/device"
	"tilth/internal/tenant"
)

// movedTenants are tenants whose rules may have other devices now.
type movedTenants struct {
	mu  sync.Mutex
	set map[tenant.ID]bool
}

func (m *movedTenants) add(t tenant.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set == nil {
		m.set = map[tenant.ID]bool{}
	}
	m.set[t] = true
}

func (m *movedTenants) take() []tenant.ID {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.Sorted(maps.Keys(m.set))
	m.set = nil
	return list
}

// Regroup says that a tenant's devices, or what they stand in, are others now, or
// that they may have more rules: Run takes it up. It does not block.
func (e *Engine) Regroup(t tenant.ID) {
	e.moved.add(t)
	signal(e.changed)
}

// regroup gives the rules of the tenants that Regroup named the devices that they
// name now. What fails is to be asked for again.
func (e *Engine) regroup(ctx context.Context) error {
	tenants := e.moved.take()
	for i, t := range tenants {
		if err := e.regroupOne(ctx, t); err != nil {
			for _, left := range tenants[i:] {
				e.moved.add(left)
			}
			return err
		}
	}
	return nil
}

// regroupOne asks first whether anything changes: mostly nothing does, and judging
// need not wait to hear it.
func (e *Engine) regroupOne(ctx context.Context, t tenant.ID) error {
	ids, err := e.o.Rules.unsettled(ctx, t)
	if err != nil || len(ids) == 0 {
		return err
	}
	return e.Change(ctx, t, ids, Left, func(ctx context.Context) error { return e.settleAudited(ctx, t, ids) })
}

// settleAudited gives rules of a tenant the devices that they name now, and writes
// down what changed; nobody did it.
func (e *Engine) settleAudited(ctx context.Context, t tenant.ID, ids []RuleID) error {
	return e.o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		moves, err := e.o.Rules.settle(ctx, tx, t, ids, false)
		if err != nil || len(moves) == 0 {
			return err
		}
		return e.o.Rules.writeDown(ctx, tx, t, moves)
	})
}

// writeDown writes moves down in the audit log.
func (s *RuleStore) writeDown(ctx context.Context, tx bun.IDB, t tenant.ID, moves []Moves) error {
	deeds, err := s.deeds(ctx, tx, t, moves)
	if err != nil {
		return err
	}
	return audit.Did(ctx, t, deeds...)
}

// namedInDeeds is how many devices an entry of the audit log names.
const namedInDeeds = 20

// deeds are what the audit log has of moves.
func (s *RuleStore) deeds(ctx context.Context, tx bun.IDB, t tenant.ID, moves []Moves) ([]audit.Deed, error) {
	titles := map[device.ID]string{}
	names := map[RuleID]string{}
	for _, m := range moves {
		names[m.Rule] = ""
		for _, list := range [][]device.ID{m.Joined, m.Left, m.AtLimit} {
			for _, id := range list[:min(len(list), namedInDeeds)] {
				titles[id] = ""
			}
		}
	}
	for part := range slices.Chunk(slices.Collect(maps.Keys(titles)), idsAStatement) {
		var rows []struct {
			ID    device.ID
			Title string
		}
		err := tx.NewSelect().Table("devices").ColumnExpr("id, CASE WHEN note_name = '' THEN name ELSE note_name END AS title").
			Where("tenant_id = ? AND id IN (?)", t, bun.List(part)).Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			titles[r.ID] = r.Title
		}
	}
	for part := range slices.Chunk(slices.Collect(maps.Keys(names)), idsAStatement) {
		var rows []ruleRow
		err := tx.NewSelect().Model(&rows).Column("r.id", "r.alarm_name").Where("r.tenant_id = ? AND r.id IN (?)", t, bun.List(part)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			names[rows[i].ID] = rows[i].AlarmName
		}
	}
	deeds := make([]audit.Deed, 0, len(moves))
	for _, m := range moves {
		d := audit.Deed{What: "rule.devices", Thing: audit.Thing{ID: int64(m.Rule), Name: names[m.Rule]}}
		for _, one := range []struct {
			field string
			list  []device.ID
		}{{"joined", m.Joined}, {"left", m.Left}, {"atLimit", m.AtLimit}} {
			if len(one.list) > 0 {
				d.Changes = append(d.Changes, audit.Change{Field: one.field, After: namesOf(one.list, titles)})
			}
		}
		deeds = append(deeds, d)
	}
	return deeds, nil
}

// namesOf are the titles of devices, the first of them where there are many; one that
// is gone has none.
func namesOf(list []device.ID, titles map[device.ID]string) []string {
	var named []string
	for _, id := range list[:min(len(list), namedInDeeds)] {
		if titles[id] != "" {
			named = append(named, titles[id])
		}
	}
	slices.Sort(named)
	if more := len(list) - len(named); more > 0 {
		named = append(named, "+"+strconv.Itoa(more))
	}
	return named
}
