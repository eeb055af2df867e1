package console

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// PageAlarmNotices answers alarm notices, the newest first, page by page.
func (s *server) PageAlarmNotices(
	ctx context.Context,
	r wire.PageAlarmNoticesRequestObject,
) (wire.PageAlarmNoticesResponseObject, error) {
	p, paging := r.Params, pageQuery(r.Params.PageNo, r.Params.PageSize)
	field, joined := "deviceNameStr", p.DeviceNameStr
	if len(splitList(deref(joined))) == 0 {
		field, joined = "noticeParams", p.NoticeParams
	}
	names, err := parseDeviceNames(field, joined)
	if err != nil {
		return nil, err
	}
	if err := checkOrder(p.StartTime, p.EndTime); err != nil {
		return nil, err
	}
	notices, total, err := s.Notices.Page(ctx, caller(ctx).Tenant, alarm.NoticeQuery{
		Title:   trimmed(deref(p.Title)),
		Devices: names,
		Status:  (*alarm.ResolveStatus)(p.ResolveStatus),
		Level:   (*alarm.Level)(p.AlarmLevel),
		From:    p.StartTime,
		To:      p.EndTime,
		Offset:  paging.Offset,
		Limit:   paging.Limit,
	})
	if err != nil {
		return nil, err
	}
	return wire.PageAlarmNotices200JSONResponse{
		Code: success,
		Data: &wire.AlarmNoticePage{List: wireNotices(notices), Total: int(total)},
	}, nil
}

// GetAllAlarmNotices answers the newest 400 notices.
func (s *server) GetAllAlarmNotices(
	ctx context.Context,
	_ wire.GetAllAlarmNoticesRequestObject,
) (wire.GetAllAlarmNoticesResponseObject, error) {
	notices, err := s.Notices.Newest(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	list := wireNotices(notices)
	return wire.GetAllAlarmNotices200JSONResponse{Code: success, Data: &list}, nil
}

func wireNotices(notices []alarm.Notice) []wire.AlarmNotice {
	list := make([]wire.AlarmNotice, len(notices))
	for i, n := range notices {
		list[i] = wire.AlarmNotice{
			Id:            n.ID,
			RuleId:        int64(n.Rule),
			Title:         n.Title,
			ResolveStatus: int(n.Status),
			AlarmLevel:    int(n.Level),
			DeviceName:    n.DeviceName,
			NoteName:      n.NoteName,
			StartTime:     n.Start,
			EndTime:       omitZero(n.End),
			CreateTime:    n.CreateTime,
		}
		list[i].HoldsSince, list[i].Ack = omitZero(n.HoldsSince), wireAck(n.Ack)
		list[i].HoldsSinceDay, list[i].HoldsSinceBefore = precisionFlags(n.HoldsSincePrecision)
		if n.Unsteady {
			list[i].Unsteady, list[i].Changes = new(true), new(n.Changes)
		}
	}
	return list
}

// precisionFlags says how exactly it is known since when a notice holds; nil stands for false.
func precisionFlags(p alertmsg.Precision) (day, before *bool) {
	isDay, isBefore := p.Flags()
	return omitZero(isDay), omitZero(isBefore)
}

// ResolveAlarmNotice resolves an open notice manually.
func (s *server) ResolveAlarmNotice(
	ctx context.Context,
	r wire.ResolveAlarmNoticeRequestObject,
) (wire.ResolveAlarmNoticeResponseObject, error) {
	remark, err := tenant.ParseText(deref(r.Body.Remark), "remark")
	if err != nil {
		return nil, err
	}
	user, err := s.callerName(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Alarms.ResolveManually(ctx, caller(ctx).Tenant, r.Body.Id, user, remark); err != nil {
		return nil, err
	}
	return wire.ResolveAlarmNotice200JSONResponse{Code: success, Data: new(true)}, nil
}

// GetAlarmNotice answers one notice with the rule as it was, its device, its chart and the people
// who were notified.
func (s *server) GetAlarmNotice(
	ctx context.Context,
	r wire.GetAlarmNoticeRequestObject,
) (wire.GetAlarmNoticeResponseObject, error) {
	d, err := s.Notices.Get(ctx, caller(ctx).Tenant, r.Params.Id)
	if err != nil {
		return nil, err
	}
	about, product, err := s.noticeDevice(ctx, d)
	if err != nil {
		return nil, err
	}
	deliveries, err := s.noticeDeliveries(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	w := &wire.AlarmDetail{
		AlarmNotice:            s.noticeDetail(ctx, d, product),
		AlarmRules:             s.noticeRule(ctx, d, product),
		AlarmDeviceInfoRespDTO: about,
		Samples:                make([]wire.AlarmSample, len(d.Samples)),
		Deliveries:             deliveries,
	}
	if err := s.addCurrentState(ctx, d, about, &w.AlarmNotice); err != nil {
		return nil, err
	}
	for i, one := range d.Samples {
		w.Samples[i] = wire.AlarmSample{Time: one.Time, Values: one.Values}
	}
	if d.Chart != nil {
		kept := make(wire.Series, len(d.Chart))
		for sign, points := range d.Chart {
			list := make([]wire.SeriesPoint, len(points))
			for i, p := range points {
				list[i] = wire.SeriesPoint{Time: p.Time, Value: p.Value}
			}
			kept[sign] = list
		}
		w.Kept = &kept
	}
	return wire.GetAlarmNotice200JSONResponse{Code: success, Data: w}, nil
}

// GetAlarmAdvice answers which changes of the rule of an unsteady notice would lead to fewer
// notices.
func (s *server) GetAlarmAdvice(
	ctx context.Context,
	r wire.GetAlarmAdviceRequestObject,
) (wire.GetAlarmAdviceResponseObject, error) {
	t := caller(ctx).Tenant
	d, err := s.Notices.Get(ctx, t, r.Params.Id)
	if err != nil {
		return nil, err
	}
	none := wire.GetAlarmAdvice200JSONResponse{Code: success}
	_, product, err := s.noticeDevice(ctx, d)
	if err != nil || product == nil || !d.Unsteady {
		return none, err
	}
	if len(alarm.AttributesGone(&alarm.Rule{Conditions: d.RuleCopy.Conditions}, product)) > 0 {
		return none, nil
	}
	a, err := alarm.Advise(ctx, s.Stores.Readings, t, d, product)
	if err != nil || a == nil {
		return none, err
	}
	return wire.GetAlarmAdvice200JSONResponse{Code: success, Data: &wire.AlarmAdvice{
		TslAttribute: a.Attribute, Recovery: a.Recovery, Notices: a.Notices, Without: a.Without,
	}}, nil
}

func (s *server) noticeDetail(ctx context.Context, d *alarm.Detail, p *device.Product) wire.AlarmNoticeDetail {
	open := d.Status == alarm.Pending
	end := d.End
	if open {
		end = s.Now().UnixMilli()
	}
	w := wire.AlarmNoticeDetail{
		Id:            d.ID,
		RuleId:        int64(d.Rule),
		Title:         d.Title,
		ResolveStatus: int(d.Status),
		AlarmLevel:    int(d.Level),
		AlarmDesc:     d.Description,
		StartTime:     d.Start,
		DurationTime:  max(0, end-d.Start),
		CreateTime:    d.CreateTime,
		MayResolve:    open && d.RuleCopy.ManualRelease,
		ResolveUser:   omitEmpty(d.ResolveUser),
		Remark:        omitEmpty(d.Remark),
	}
	if !open {
		w.EndTime = omitZero(d.End)
	}
	if d.Unsteady {
		w.Unsteady, w.Changes = new(true), new(d.Changes)
	}
	w.HoldsSince, w.Ack = omitZero(d.HoldsSince), wireAck(d.Ack)
	w.HoldsSinceDay, w.HoldsSinceBefore = precisionFlags(d.HoldsSincePrecision)
	if d.Reason != "" {
		w.ResolveReason = new(wire.AlarmNoticeDetailResolveReason(d.Reason))
	}
	if d.Attribute != "" {
		w.ResolveAttribute = new(s.noticeAttribute(ctx, d, d.Attribute, p).name)
	}
	return w
}

// noticeDevice returns a notice's device: as it is now or, if it was deleted, as it was then. The
// product is nil if it was deleted, too.
func (s *server) noticeDevice(ctx context.Context, d *alarm.Detail) (wire.AlarmNoticeDevice, *device.Product, error) {
	w := wire.AlarmNoticeDevice{DeviceName: d.DeviceName, NoteName: d.NoteName}
	productID := d.RuleCopy.ProductID
	now, err := s.Devices.ByID(ctx, caller(ctx).Tenant, d.Device)
	switch {
	case err == nil:
		w.NoteName, w.OnlineState = now.NoteName, boolInt(s.Presence.Status(now.Tenant, now.ID).Online)
		productID = now.ProductID
	case errs.Is(err, errs.NotFound):
		w.Deleted = true
	default:
		return w, nil, err
	}
	product := s.Catalog.Product(productID)
	if product != nil {
		w.ProductName, w.MainSign = product.DisplayName(requestFrom(ctx).Language), mainSign(product)
	}
	return w, product, nil
}

// noticeRule returns the rule as it was; its attributes are named in the caller's language.
func (s *server) noticeRule(ctx context.Context, d *alarm.Detail, p *device.Product) wire.AlarmNoticeRule {
	w := wire.AlarmNoticeRule{
		TriggerType: int(d.RuleCopy.Trigger),
		HitCounts:   max(1, d.RuleCopy.Hits),
		Durations:   d.RuleCopy.Window,
		Conditions:  []wire.AlarmNoticeCondition{},
	}
	for _, c := range shownConditions(d.RuleCopy.Trigger, d.RuleCopy.Conditions) {
		was := s.noticeAttribute(ctx, d, c.Attribute, p)
		w.Conditions = append(w.Conditions, wire.AlarmNoticeCondition{
			Andor:         wire.AlarmNoticeConditionAndor(c.Join),
			TslAttribute:  c.Attribute,
			YeuName:       was.name,
			ElementUnit:   was.unit,
			Precision:     was.precision,
			Subconditions: wire.Operator(c.Operator),
			Value:         c.Value,
			Recovery:      c.Recovery,
		})
	}
	return w
}

// attributeLabel is the name that an attribute of a notice had, its unit and its decimals (nil: as
// many as the value has).
type attributeLabel struct {
	name, unit string
	precision  *int
}

// noticeAttribute returns an attribute of a notice's rule as it was, named in the caller's
// language. If the notice stores no attributes, the product's property names the attribute, else
// the catalogue, else the identifier.
func (s *server) noticeAttribute(
	ctx context.Context,
	d *alarm.Detail,
	identifier string,
	p *device.Product,
) attributeLabel {
	language := requestFrom(ctx).Language
	if d.RuleCopy.Trigger == alarm.DeviceOffline {
		return attributeLabel{name: text.Translate(language, "field.onlineState", nil)}
	}
	if was := d.RuleCopy.Attribute(identifier); was != nil {
		name := s.Catalog.Name(language, &device.Property{Identifier: identifier, FunctionName: was.FunctionName})
		return attributeLabel{name, was.Unit, was.Precision}
	}
	prop := &device.Property{Identifier: identifier}
	if p != nil && p.Property(identifier) != nil {
		prop = p.Property(identifier)
	}
	return attributeLabel{s.Catalog.Name(language, prop), s.Catalog.Unit(prop), prop.Precision}
}
