package notify

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// loadHoldsSince takes in since when a tenant's notices hold, as far as it is known now: when
// their facts were written it mostly was not. Nothing waits for it.
func (o *Outbox) loadHoldsSince(ctx context.Context, t tenant.ID, alarms []alertmsg.Alarm) error {
	var wanted []int64
	for i := range alarms {
		a := &alarms[i]
		// First what is on its way to the database: else it could be in neither.
		if a.HoldsSince == 0 && o.FoundSince != nil {
			a.HoldsSince = o.FoundSince(t, a.Notice)
		}
		if a.HoldsSince == 0 {
			wanted = append(wanted, a.Notice)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var rows []struct{ ID, HoldsSince int64 }
	if err := o.DB.Read(ctx).NewSelect().TableExpr("notices AS n").Column("n.id", "n.holds_since").
		Where("n.tenant_id = ? AND n.id IN (?) AND n.holds_since > 0", t, bun.List(wanted)).
		Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		for i := range alarms {
			if alarms[i].Notice == r.ID {
				alarms[i].HoldsSince = r.HoldsSince
			}
		}
	}
	return nil
}
