package httpapi

import (
	"context"

	"tilth/internal/errs"
	"tilth/internal/httpapi/wire"
)

func (s *server) PageAlarmRuleDevices(ctx context.Context, r wire.PageAlarmRuleDevicesRequestObject) (wire.PageAlarmRuleDevicesResponseObject, error) {
	return nil, errs.Missing()
}

func (s *server) RehearseAlarmRuleDevices(ctx context.Context, r wire.RehearseAlarmRuleDevicesRequestObject) (wire.RehearseAlarmRuleDevicesResponseObject, error) {
	return nil, errs.Missing()
}
