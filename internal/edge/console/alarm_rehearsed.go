package console

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
)

// mostCounted is on how many devices a rule may be whose notices a list counts.
const mostCounted = 20

// GetAlarmRehearsed answers how many notices a rule would have recorded in the last 30 days.
func (s *server) GetAlarmRehearsed(
	ctx context.Context,
	r wire.GetAlarmRehearsedRequestObject,
) (wire.GetAlarmRehearsedResponseObject, error) {
	t := caller(ctx).Tenant
	card, err := s.Rules.Get(ctx, t, alarm.RuleID(r.Params.Id))
	if err != nil {
		return nil, err
	}
	o, err := s.rehearsalOptions(ctx)
	if err != nil {
		return nil, err
	}
	w := &wire.RehearsedCount{StartTime: o.From, EndTime: o.To}
	all, err := s.ruleOnDevices(ctx, t, &card.Rule)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		total, err := alarm.CountRehearsed(ctx, o, all)
		if err != nil {
			return nil, err
		}
		w.Total = &total
	}
	return wire.GetAlarmRehearsed200JSONResponse{Code: success, Data: w}, nil
}

// ruleOnDevices returns a rule on each of its devices that has its attributes; none if they are too
// many to be rehearsed for a list.
func (s *server) ruleOnDevices(ctx context.Context, t tenant.ID, r *alarm.Rule) (all []alarm.DeviceRule, err error) {
	members, err := s.Rules.MembersByRule(ctx, t, []alarm.RuleID{r.ID})
	if err != nil || len(members[r.ID]) > mostCounted {
		return nil, err
	}
	devices, err := s.Devices.ByIDs(ctx, t, members[r.ID])
	if err != nil {
		return nil, err
	}
	for _, d := range devices {
		p := s.Catalog.Product(d.ProductID)
		if p == nil || len(alarm.AttributesGone(r, p)) > 0 {
			continue
		}
		one := alarm.DeviceRule{Rule: *r, TargetDevice: d, Product: p}
		one.Device = d.ID
		all = append(all, one)
	}
	return all, nil
}
