package console

import (
	"context"
	"slices"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// AcknowledgeAlarmNotice records that the caller is dealing with an open notice.
func (s *server) AcknowledgeAlarmNotice(
	ctx context.Context,
	r wire.AcknowledgeAlarmNoticeRequestObject,
) (wire.AcknowledgeAlarmNoticeResponseObject, error) {
	note, err := tenant.ParseText(deref(r.Body.Note), "note")
	if err != nil {
		return nil, err
	}
	hours := alarm.DefaultRemindHours
	if r.Body.RemindHours != nil {
		hours = *r.Body.RemindHours
	}
	if !slices.Contains(alarm.RemindHours, hours) {
		return nil, errs.New(errs.Refused, "invalid.choice").WithField("remindHours")
	}
	user, err := s.callerName(ctx)
	if err != nil {
		return nil, err
	}
	err = s.Alarms.Acknowledge(ctx, caller(ctx).Tenant, r.Body.Id, user, note, time.Duration(hours)*time.Hour)
	if err != nil {
		return nil, err
	}
	return wire.AcknowledgeAlarmNotice200JSONResponse{Code: success, Data: new(true)}, nil
}

// UnacknowledgeAlarmNotice takes back the acknowledgement of an open notice.
func (s *server) UnacknowledgeAlarmNotice(
	ctx context.Context,
	r wire.UnacknowledgeAlarmNoticeRequestObject,
) (wire.UnacknowledgeAlarmNoticeResponseObject, error) {
	if err := s.Alarms.Unacknowledge(ctx, caller(ctx).Tenant, r.Body.Id); err != nil {
		return nil, err
	}
	return wire.UnacknowledgeAlarmNotice200JSONResponse{Code: success, Data: new(true)}, nil
}

func wireAck(a *alarm.Ack) *wire.AlarmAck {
	if a == nil {
		return nil
	}
	return &wire.AlarmAck{User: a.User, Time: a.Time, Note: a.Note, RemindAt: a.RemindAt}
}
