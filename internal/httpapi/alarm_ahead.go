package httpapi

import (
	"context"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/device"
	"tilth/internal/httpapi/wire"
	"tilth/internal/tenant"
)

// rehearsed is how far back a rehearsal goes.
const rehearsed = 30 * 24 * time.Hour

// RehearseAlarmRule answers what a rule would have recorded in the last 30
// days.
func (s *server) RehearseAlarmRule(ctx context.Context, r wire.RehearseAlarmRuleRequestObject) (wire.RehearseAlarmRuleResponseObject, error) {
	t := caller(ctx).Tenant
	on, err := s.RuleForms.Judged(ctx, t, formOf(r.Body))
	if err != nil {
		return nil, err
	}
	rule, d, p := on.Rule, on.On, on.Model
	owner, err := s.Tenants.Get(ctx, t)
	if err != nil {
		return nil, err
	}
	var place *alarm.Place
	if d.Latitude != nil && d.Longitude != nil {
		place = &alarm.Place{Latitude: *d.Latitude, Longitude: *d.Longitude}
	}
	to := s.Now().UnixMilli()
	from := to - rehearsed.Milliseconds()
	var h *alarm.Rehearsal
	if rule.Trigger == alarm.DeviceOffline {
		h, err = alarm.RehearseOffline(ctx, s.Status, rule, s.NoticesAnHour, from, to, owner.TimeZone, place)
	} else {
		h, err = alarm.Rehearse(ctx, s.Past, rule, p, s.NoticesAnHour, from, to, owner.TimeZone, place)
	}
	if err != nil {
		return nil, err
	}
	return wire.RehearseAlarmRule200JSONResponse{Code: success, Data: wireRehearsal(h)}, nil
}

func wireRehearsal(h *alarm.Rehearsal) *wire.Rehearsal {
	w := &wire.Rehearsal{
		StartTime: h.From, EndTime: h.To, Samples: h.Samples, Total: h.Total, Fits: &h.Pace.Fits, UsualInterval: some(h.Pace.Interval), KnownFrom: some(h.KnownFrom),
		Notices: make([]wire.RehearsedNotice, len(h.Notices)), Days: make([]wire.RehearsedDay, len(h.Days)),
	}
	if h.Attribute != "" {
		w.TslAttribute = &h.Attribute
	}
	for i, n := range h.Notices {
		w.Notices[i] = wire.RehearsedNotice{StartTime: n.Start, EndTime: some(n.End), Night: n.Night, Told: n.Told}
		if n.Unsteady {
			w.Notices[i].Unsteady = new(true)
		}
	}
	for i, d := range h.Days {
		w.Days[i] = wire.RehearsedDay{Day: d.Day, Min: d.Min, Max: d.Max}
	}
	return w
}

// GetAlarmOutlook answers how close rules are to triggering.
func (s *server) GetAlarmOutlook(ctx context.Context, r wire.GetAlarmOutlookRequestObject) (wire.GetAlarmOutlookResponseObject, error) {
	ids := make([]alarm.RuleID, len(r.Params.Ids))
	for i, id := range r.Params.Ids {
		ids[i] = alarm.RuleID(id)
	}
	t := caller(ctx).Tenant
	cards, err := s.Rules.Cards(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	members, err := s.Rules.MembersOf(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	list := []wire.Outlook{}
	for i := range cards {
		told, err := s.outlook(ctx, &cards[i], members[cards[i].ID])
		if err != nil {
			return nil, err
		}
		if told != nil {
			list = append(list, *told)
		}
	}
	return wire.GetAlarmOutlook200JSONResponse{Code: success, Data: &list}, nil
}

// outlook is that of a rule on the one of its devices that is closest to the
// threshold; nil: nothing can be said.
func (s *server) outlook(ctx context.Context, c *alarm.Card, members []device.ID) (*wire.Outlook, error) {
	t, rule := caller(ctx).Tenant, c.Rule
	rule.Device = alarm.Closest(ctx, s.Past, &rule, members, s.productOf)
	product := s.productOf(t, rule.Device)
	if product == nil {
		return nil, nil
	}
	if _, err := alarm.NewTest(rule, product, s.NoticesAnHour); err != nil {
		return nil, nil // the model lacks what it watches: nothing can be said
	}
	open := c.Open != nil
	var on *device.Device // where there are several
	if len(members) > 1 {
		var err error
		if on, err = s.Devices.ByID(ctx, t, rule.Device); err != nil {
			return nil, err
		}
		if open, err = s.Notices.OpenOf(ctx, t, rule.ID, rule.Device); err != nil {
			return nil, err
		}
	}
	o, err := alarm.LookAhead(ctx, s.Past, rule, product, open, s.Now().UnixMilli())
	if err != nil {
		return nil, err
	}
	told := &wire.Outlook{
		Id: int64(c.ID), Fits: o.Pace.Fits, UsualInterval: some(o.Pace.Interval),
		LastSample: some(o.LastSample), Value: o.Value, Distance: o.Distance, Expected: some(o.Expected),
	}
	if on != nil {
		told.DeviceName, told.NoteName = &on.Name, &on.NoteName
	}
	if p, ok := s.Alarms.Progress(t, alarm.Pair{Rule: c.ID, Device: rule.Device}); ok {
		told.Hits, told.Waits = &p.Hits, &p.Waits
	}
	return told, nil
}

// productOf is the model of a tenant's device; nil: it is not there.
func (s *server) productOf(t tenant.ID, id device.ID) *device.Product {
	if e := s.Registry.Get(id); e != nil && e.Tenant == t {
		return e.Product
	}
	return nil
}
