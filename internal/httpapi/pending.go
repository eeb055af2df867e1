package httpapi

import (
	"context"

	"tilth/internal/httpapi/wire"
)

// Calls whose work is being built; each moves to its domain's file.

func (s *server) GetAlarmNotice(context.Context, wire.GetAlarmNoticeRequestObject) (wire.GetAlarmNoticeResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) GetAllAlarmNotices(context.Context, wire.GetAllAlarmNoticesRequestObject) (wire.GetAllAlarmNoticesResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) PageAlarmNotices(context.Context, wire.PageAlarmNoticesRequestObject) (wire.PageAlarmNoticesResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) ResolveAlarmNotice(context.Context, wire.ResolveAlarmNoticeRequestObject) (wire.ResolveAlarmNoticeResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) CopyAlarmRule(context.Context, wire.CopyAlarmRuleRequestObject) (wire.CopyAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) CreateAlarmRule(context.Context, wire.CreateAlarmRuleRequestObject) (wire.CreateAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) DeleteAlarmRule(context.Context, wire.DeleteAlarmRuleRequestObject) (wire.DeleteAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) GetAlarmRule(context.Context, wire.GetAlarmRuleRequestObject) (wire.GetAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) GetAlarmOutlook(context.Context, wire.GetAlarmOutlookRequestObject) (wire.GetAlarmOutlookResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) MuteAlarmRule(context.Context, wire.MuteAlarmRuleRequestObject) (wire.MuteAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) PageAlarmRules(context.Context, wire.PageAlarmRulesRequestObject) (wire.PageAlarmRulesResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) PublishAlarmRule(context.Context, wire.PublishAlarmRuleRequestObject) (wire.PublishAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) RehearseAlarmRule(context.Context, wire.RehearseAlarmRuleRequestObject) (wire.RehearseAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) UnpublishAlarmRule(context.Context, wire.UnpublishAlarmRuleRequestObject) (wire.UnpublishAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) UpdateAlarmRule(context.Context, wire.UpdateAlarmRuleRequestObject) (wire.UpdateAlarmRuleResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) GetDeviceProperties(context.Context, wire.GetDevicePropertiesRequestObject) (wire.GetDevicePropertiesResponseObject, error) {
	return nil, noSuchPath()
}

func (s *server) GetSignData(context.Context, wire.GetSignDataRequestObject) (wire.GetSignDataResponseObject, error) {
	return nil, noSuchPath()
}
