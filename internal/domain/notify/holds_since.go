package notify

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// loadHoldsSince fills in HoldsSince of a tenant's alarms as far as it is known by now: it mostly
// was not known when their facts were written. Nothing waits for it to become known.
func (o *Outbox) loadHoldsSince(ctx context.Context, t tenant.ID, alarms []alertmsg.Alarm) error {
	var wanted []int64
	for i := range alarms {
		a := &alarms[i]
		// FoundSince comes first: a value that is written to the database between the two reads
		// would else be found in neither.
		if a.HoldsSince == 0 && o.FoundSince != nil {
			a.HoldsSince, a.HoldsSincePrecision = o.FoundSince(t, a.Notice)
		}
		if a.HoldsSince == 0 {
			wanted = append(wanted, a.Notice)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var rows []struct {
		ID, HoldsSince      int64
		HoldsSincePrecision alertmsg.Precision
	}
	if err := o.DB.Read(ctx).NewSelect().TableExpr("notices AS n").
		Column("n.id", "n.holds_since", "n.holds_since_precision").
		Where("n.tenant_id = ? AND n.id IN (?) AND n.holds_since > 0", t, bun.List(wanted)).
		Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		for i := range alarms {
			if alarms[i].Notice == r.ID {
				alarms[i].HoldsSince, alarms[i].HoldsSincePrecision = r.HoldsSince, r.HoldsSincePrecision
			}
		}
	}
	return nil
}
