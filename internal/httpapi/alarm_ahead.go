package httpapi

import (
	"context"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/httpapi/wire"
)

// rehearsed is how far back a rehearsal goes.
const rehearsed = 30 * 24 * time.Hour

// RehearseAlarmRule answers what a rule would have recorded in the last 30
// days.
func (s *server) RehearseAlarmRule(ctx context.Context, r wire.RehearseAlarmRuleRequestObject) (wire.RehearseAlarmRuleResponseObject, error) {
	t := caller(ctx).Tenant
	rule, d, p, err := s.RuleForms.Judged(ctx, t, formOf(r.Body))
	if err != nil {
		return nil, err
	}
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
	list := []wire.Outlook{}
	for i := range cards {
		c := &cards[i]
		product := s.Catalog.Product(c.ProductID)
		if product == nil {
			continue
		}
		if _, err := alarm.NewTest(c.Rule, product, s.NoticesAnHour); err != nil {
			continue // the model lacks what it watches: nothing can be said
		}
		o, err := alarm.LookAhead(ctx, s.Past, c.Rule, product, c.Open != nil, s.Now().UnixMilli())
		if err != nil {
			return nil, err
		}
		told := wire.Outlook{
			Id: int64(c.ID), Fits: o.Pace.Fits, UsualInterval: some(o.Pace.Interval), LastSample: some(o.LastSample),
			Value: o.Value, Distance: o.Distance, Expected: some(o.Expected),
		}
		if p, ok := s.Alarms.Progress(t, c.ID); ok {
			told.Hits, told.Waits = &p.Hits, &p.Waits
		}
		list = append(list, told)
	}
	return wire.GetAlarmOutlook200JSONResponse{Code: success, Data: &list}, nil
}
