package httpapi

import (
	"context"

	"tilth/internal/errs"
	"tilth/internal/httpapi/wire"
)

func (s *server) AcknowledgeAlarmNotice(ctx context.Context, r wire.AcknowledgeAlarmNoticeRequestObject) (wire.AcknowledgeAlarmNoticeResponseObject, error) {
	return nil, errs.Missing()
}

func (s *server) UnacknowledgeAlarmNotice(ctx context.Context, r wire.UnacknowledgeAlarmNoticeRequestObject) (wire.UnacknowledgeAlarmNoticeResponseObject, error) {
	return nil, errs.Missing()
}
