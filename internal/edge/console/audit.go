package console

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// actor returns the actor of a call: its signed-in user, under the name of that time. A public call
// has none.
func (s *server) actor(info *request) audit.Actor {
	actor := audit.Actor{Request: info.ID, Address: info.AddressText()}
	if info.caller.User != 0 {
		actor.Kind, actor.ID, actor.Name = audit.User, info.caller.User, s.callerName
	}
	return actor
}

// PageAudit answers who did what in the tenant, newest first.
func (s *server) PageAudit(ctx context.Context, r wire.PageAuditRequestObject) (wire.PageAuditResponseObject, error) {
	t, p, paging := caller(ctx).Tenant, r.Params, pageQuery(r.Params.PageNo, r.Params.PageSize)
	if err := checkOrder(p.StartTime, p.EndTime); err != nil {
		return nil, err
	}
	q := audit.Query{
		Kind:   deref(p.Kind),
		Text:   trimmed(deref(p.Text)),
		From:   p.StartTime,
		To:     p.EndTime,
		Offset: paging.Offset,
		Limit:  paging.Limit,
	}
	if p.Who != nil {
		who, ok := audit.ParseActorRef(*p.Who)
		if !ok {
			return nil, errs.New(errs.Refused, "invalid.format").WithField("who")
		}
		q.Actor = &who
	}
	entries, total, err := s.Audit.Page(ctx, t, q)
	if err != nil {
		return nil, err
	}
	people, err := s.Audit.Actors(ctx, t)
	if err != nil {
		return nil, err
	}
	page := &wire.AuditPage{
		List:   make([]wire.AuditEntry, len(entries)),
		Total:  int(total),
		People: make([]wire.AuditPerson, len(people)),
	}
	for i := range entries {
		page.List[i] = wireEntry(&entries[i])
	}
	for i, one := range people {
		page.People[i] = wire.AuditPerson{Who: one.String(), By: string(one.Kind), Name: one.Name}
	}
	return wire.PageAudit200JSONResponse{Code: success, Data: page}, nil
}

func wireEntry(e *audit.Entry) wire.AuditEntry {
	w := wire.AuditEntry{
		Id:      e.ID,
		Time:    e.Time,
		Who:     e.Actor.String(),
		By:      string(e.Actor.Kind),
		Name:    e.Actor.Name,
		Address: omitEmpty(e.Address),
		Request: omitEmpty(e.Request),
		Kind:    e.Kind,
		Action:  e.Action,
		ThingId: omitZero(e.Thing.ID),
		Thing:   e.Thing.Name,
		Changes: make([]wire.AuditChange, len(e.Changes)),
	}
	for i, c := range e.Changes {
		if e.Kind == "channel" {
			maskRecipients(&c)
		}
		w.Changes[i] = wire.AuditChange{Field: c.Field, Before: c.Before, After: c.After}
		if c.Hidden {
			w.Changes[i].Hidden = &c.Hidden
		}
	}
	return w
}
