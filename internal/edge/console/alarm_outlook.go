package console

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
)

// GetAlarmOutlook answers how close rules are to triggering.
func (s *server) GetAlarmOutlook(
	ctx context.Context,
	r wire.GetAlarmOutlookRequestObject,
) (wire.GetAlarmOutlookResponseObject, error) {
	ids := make([]alarm.RuleID, len(r.Params.Ids))
	for i, id := range r.Params.Ids {
		ids[i] = alarm.RuleID(id)
	}
	t := caller(ctx).Tenant
	cards, err := s.Rules.Cards(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	members, err := s.Rules.MembersByRule(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	list := []wire.Outlook{}
	for i := range cards {
		outlook, err := s.outlook(ctx, &cards[i], members[cards[i].ID])
		if err != nil {
			return nil, err
		}
		if outlook != nil {
			list = append(list, *outlook)
		}
	}
	return wire.GetAlarmOutlook200JSONResponse{Code: success, Data: &list}, nil
}

// outlook returns the outlook of a rule on that device of its devices which is closest to the
// threshold; nil if nothing can be said.
func (s *server) outlook(ctx context.Context, c *alarm.RuleCard, members []device.ID) (*wire.Outlook, error) {
	t, rule := caller(ctx).Tenant, c.Rule
	rule.Device = alarm.Closest(ctx, s.Stores.Readings, &rule, members, s.productOf)
	product := s.productOf(t, rule.Device)
	if product == nil || len(alarm.AttributesGone(&rule, product)) > 0 {
		return nil, nil // the device, or an attribute of the rule, is gone: nothing can be said
	}
	open := c.Open != nil
	var closest *device.Device // if the rule has several devices
	if len(members) > 1 {
		var err error
		if closest, err = s.Devices.ByID(ctx, t, rule.Device); err != nil {
			return nil, err
		}
		if open, err = s.Notices.IsOpen(ctx, t, rule.ID, rule.Device); err != nil {
			return nil, err
		}
	}
	o, err := alarm.LookAhead(ctx, s.Stores.Readings, rule, product, open, s.Now().UnixMilli())
	if err != nil {
		return nil, err
	}
	out := &wire.Outlook{
		Id: int64(c.ID), Fits: o.Pace.Fits, UsualInterval: omitZero(o.Pace.Interval),
		LastSample: omitZero(o.LastSample), Value: o.Value, Distance: o.Distance, Holds: o.Holds,
		Expected: omitZero(o.Expected),
	}
	if closest != nil {
		out.DeviceName, out.NoteName = &closest.Name, &closest.NoteName
	}
	if p, ok := s.Alarms.Progress(t, alarm.Pair{Rule: c.ID, Device: rule.Device}); ok {
		out.Hits, out.Waits = &p.Hits, &p.Waits
	}
	return out, nil
}

// productOf returns the product of a tenant's device; nil if there is no such device.
func (s *server) productOf(t tenant.ID, id device.ID) *device.Product {
	if e := s.Registry.Get(id); e != nil && e.Tenant == t {
		return e.Product
	}
	return nil
}
