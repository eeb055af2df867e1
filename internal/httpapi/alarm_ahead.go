package httpapi

import (
	"context"

	"tilth/internal/alarm"
	"tilth/internal/httpapi/wire"
)

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
