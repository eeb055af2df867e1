package console

import (
	"context"

	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// PageMyMessages answers the signed-in user's messages, the newest first, in the user's language
// and time zone.
func (s *server) PageMyMessages(
	ctx context.Context,
	r wire.PageMyMessagesRequestObject,
) (wire.PageMyMessagesResponseObject, error) {
	c, paging := caller(ctx), pageQuery(r.Params.PageNo, r.Params.PageSize)
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	messages, total, err := s.Messages.Page(ctx, c.Tenant, c.User, notify.MessageQuery{
		Read: r.Params.ReadStatus, Offset: paging.Offset, Limit: paging.Limit,
	})
	if err != nil {
		return nil, err
	}
	notices := make([]int64, len(messages))
	for i := range messages {
		notices[i] = messages[i].Notice
	}
	acks, err := s.Notices.Acks(ctx, c.Tenant, notices)
	if err != nil {
		return nil, err
	}
	list := make([]wire.NotifyMessage, len(messages))
	for i := range messages {
		m := &messages[i]
		list[i] = wireMessage(m)
		list[i].Ack = wireAck(acks[m.Notice])
		list[i].TemplateContent = alerttext.InApp(requestFrom(ctx).Language, zone, s.propertyLabel, &m.Alarm)
	}
	return wire.PageMyMessages200JSONResponse{
		Code: success,
		Data: &wire.NotifyMessagePage{List: list, Total: int(total)},
	}, nil
}

func wireMessage(m *notify.Message) wire.NotifyMessage {
	w := wire.NotifyMessage{
		Id:          m.ID,
		ReadStatus:  m.Read,
		CreateTime:  m.CreateTime,
		NoticeId:    omitZero(m.Notice),
		RuleId:      omitZero(m.Alarm.Rule),
		TriggerType: boolInt(m.Alarm.Offline),
		Event:       string(m.Alarm.Event),
		AlarmLevel:  m.Alarm.Level,
	}
	if m.Alarm.Event == alertmsg.Resolved {
		w.ByHand = &m.Alarm.Manual
	}
	return w
}

// propertyLabel returns the name of a product's property, its unit and its decimals (nil: as many
// as the value has), as alert texts need it.
func (s *server) propertyLabel(product int64, identifier string, l text.Language) (name, unit string, precision *int) {
	prop := &device.Property{Identifier: identifier}
	if p := s.Catalog.Product(product); p != nil && p.Property(identifier) != nil {
		prop = p.Property(identifier)
	}
	return s.Catalog.Name(l, prop), s.Catalog.Unit(prop), prop.Precision
}

// UpdateMessagesRead marks messages as read, by the ids in the query and in
// the body.
func (s *server) UpdateMessagesRead(
	ctx context.Context,
	r wire.UpdateMessagesReadRequestObject,
) (wire.UpdateMessagesReadResponseObject, error) {
	var ids []int64
	for _, given := range []*[]int64{r.Params.Ids, bodyIDs(r.Body)} {
		if given != nil {
			ids = append(ids, *given...)
		}
	}
	if len(ids) == 0 {
		return nil, errs.New(errs.Refused, "invalid.required").WithField("ids")
	}
	c := caller(ctx)
	if err := s.Messages.MarkRead(ctx, c.Tenant, c.User, ids, s.Now().UnixMilli()); err != nil {
		return nil, err
	}
	return wire.UpdateMessagesRead200JSONResponse{Code: success, Data: new(true)}, nil
}

func bodyIDs(b *wire.NotifyMessageIds) *[]int64 {
	if b == nil {
		return nil
	}
	return b.Ids
}

// UpdateAllMessagesRead marks all of the signed-in user's messages as read.
func (s *server) UpdateAllMessagesRead(
	ctx context.Context,
	_ wire.UpdateAllMessagesReadRequestObject,
) (wire.UpdateAllMessagesReadResponseObject, error) {
	c := caller(ctx)
	if err := s.Messages.MarkAllRead(ctx, c.Tenant, c.User); err != nil {
		return nil, err
	}
	return wire.UpdateAllMessagesRead200JSONResponse{Code: success, Data: new(true)}, nil
}
