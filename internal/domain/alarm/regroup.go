package alarm

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// tenantSet is the set of tenants whose rules may have other devices now.
type tenantSet struct {
	mu  orderedMutex[leafRank]
	set map[tenant.ID]bool
}

func (m *tenantSet) add(t tenant.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set == nil {
		m.set = map[tenant.ID]bool{}
	}
	m.set[t] = true
}

func (m *tenantSet) take() []tenant.ID {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.Sorted(maps.Keys(m.set))
	m.set = nil
	return list
}

// Regroup says that a tenant's devices, or their scenes, changed, or that they may have more rules.
// Run handles it. Regroup does not block.
func (e *Engine) Regroup(t tenant.ID) {
	e.regroupTenants.add(t)
	signal(e.changed)
}

// regroup gives the rules of the tenants handed to Regroup the devices that their targets name now.
// After an error the remaining tenants stay queued.
func (e *Engine) regroup(ctx context.Context) error {
	tenants := e.regroupTenants.take()
	for i, t := range tenants {
		if err := e.regroupTenant(ctx, t); err != nil {
			for _, left := range tenants[i:] {
				e.regroupTenants.add(left)
			}
			return err
		}
	}
	return nil
}

// regroupTenant first reads whether anything changes: mostly nothing does, and evaluation need not
// wait for that.
func (e *Engine) regroupTenant(ctx context.Context, t tenant.ID) error {
	ids, err := e.opts.Rules.outdatedRules(ctx, t)
	if err != nil || len(ids) == 0 {
		return err
	}
	return e.Change(ctx, t, ids, Left, func(ctx context.Context) error { return e.updateMembersAudited(ctx, t, ids) })
}

// updateMembersAudited gives rules of a tenant the devices that their targets name now, and records
// the changes in the audit log, without a user.
func (e *Engine) updateMembersAudited(ctx context.Context, t tenant.ID, ids []RuleID) error {
	return e.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		moves, err := e.opts.Rules.updateMembers(ctx, tx, t, ids, false)
		if err != nil || len(moves) == 0 {
			return err
		}
		return e.opts.Rules.auditChanges(ctx, tx, t, moves)
	})
}

// auditChanges records membership changes in the audit log.
func (s *RuleStore) auditChanges(ctx context.Context, tx bun.IDB, t tenant.ID, moves []MemberChanges) error {
	actions, err := s.auditActions(ctx, tx, t, moves)
	if err != nil {
		return err
	}
	return audit.Log(ctx, t, actions...)
}

// maxNamedDevices is how many devices an entry of the audit log names.
const maxNamedDevices = 20

// auditActions makes the audit log's actions of membership changes.
func (s *RuleStore) auditActions(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	moves []MemberChanges,
) ([]audit.Action, error) {
	titles := map[device.ID]string{}
	names := map[RuleID]string{}
	for _, m := range moves {
		names[m.Rule] = ""
		for _, list := range [][]device.ID{m.Joined, m.Left, m.AtLimit} {
			for _, id := range list[:min(len(list), maxNamedDevices)] {
				titles[id] = ""
			}
		}
	}
	for part := range slices.Chunk(slices.Collect(maps.Keys(titles)), idsAStatement) {
		var rows []struct {
			ID    device.ID
			Title string
		}
		err := tx.NewSelect().Table("devices").
			ColumnExpr("id, CASE WHEN note_name = '' THEN name ELSE note_name END AS title").
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
		err := tx.NewSelect().Model(&rows).Column("r.id", "r.alarm_name").
			Where("r.tenant_id = ? AND r.id IN (?)", t, bun.List(part)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			names[rows[i].ID] = rows[i].AlarmName
		}
	}
	actions := make([]audit.Action, 0, len(moves))
	for _, m := range moves {
		d := audit.Action{Name: "rule.devices", Thing: audit.Thing{ID: int64(m.Rule), Name: names[m.Rule]}}
		for _, one := range []struct {
			field string
			list  []device.ID
		}{{"joined", m.Joined}, {"left", m.Left}, {"atLimit", m.AtLimit}} {
			if len(one.list) > 0 {
				d.Changes = append(d.Changes, audit.Change{Field: one.field, After: namesOf(one.list, titles)})
			}
		}
		actions = append(actions, d)
	}
	return actions, nil
}

// namesOf are the titles of devices, up to maxNamedDevices of them. A device that is gone has none.
func namesOf(list []device.ID, titles map[device.ID]string) []string {
	var named []string
	for _, id := range list[:min(len(list), maxNamedDevices)] {
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
