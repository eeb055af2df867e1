package console

import (
	"context"
	"net/http"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
)

// jsonBufferLimit is how many bytes of JSON are buffered before any is sent: an answer for a chart
// is sent at once, with its length.
const jsonBufferLimit = 2 * httpbase.ChunkSize

// streamedResponse writes an answer of any length. The generated response types would build the
// whole answer in memory first.
type streamedResponse func(w http.ResponseWriter) error

// VisitGetTimeIntervalDataMapResponse writes the answer.
func (f streamedResponse) VisitGetTimeIntervalDataMapResponse(w http.ResponseWriter) error {
	return f(w)
}

// VisitGetTimeIntervalDataRowsResponse writes the answer.
func (f streamedResponse) VisitGetTimeIntervalDataRowsResponse(w http.ResponseWriter) error {
	return f(w)
}

// VisitGetTimeIntervalDataColumnsResponse writes the answer.
func (f streamedResponse) VisitGetTimeIntervalDataColumnsResponse(w http.ResponseWriter) error {
	return f(w)
}

// VisitGetAggregatedDataResponse writes the answer.
func (f streamedResponse) VisitGetAggregatedDataResponse(w http.ResponseWriter) error {
	return f(w)
}

// VisitGetSignDataResponse writes the answer.
func (f streamedResponse) VisitGetSignDataResponse(w http.ResponseWriter) error { return f(w) }

// VisitExportDeviceDataResponse writes the answer.
func (f streamedResponse) VisitExportDeviceDataResponse(w http.ResponseWriter) error { return f(w) }

// VisitRehearseAlarmRuleDevicesResponse writes the answer.
func (f streamedResponse) VisitRehearseAlarmRuleDevicesResponse(w http.ResponseWriter) error {
	return f(w)
}

// acquireStreamSlot takes the caller's slot for an answer that has every reading of a range, or
// that reads those of many devices; leave gives the slot back.
func (s *server) acquireStreamSlot(ctx context.Context) (leave func(), err error) {
	c := caller(ctx)
	if leave = s.HistoryStreams.Acquire(ctx, c.Tenant, c.User); leave == nil {
		return nil, errs.New(errs.TooMany, "history.waiting").RetryAfter(reading.HistoryRetry)
	}
	return leave, nil
}

// sendAllJSON is sendJSON for an answer with every reading of a range.
func (s *server) sendAllJSON(
	ctx context.Context,
	w http.ResponseWriter,
	write func(out *httpbase.StreamWriter) error,
) error {
	leave, err := s.acquireStreamSlot(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.sendJSON(ctx, w, write)
}

// sendJSON sends the envelope of a success with the data that write writes.
func (s *server) sendJSON(
	ctx context.Context,
	w http.ResponseWriter,
	write func(out *httpbase.StreamWriter) error,
) error {
	opts := httpbase.StreamOptions{
		Header:      http.Header{"Content-Type": {"application/json"}, "Vary": {"Accept-Encoding"}},
		BufferLimit: jsonBufferLimit,
		Compress:    true,
	}
	return s.edge.Stream(ctx, w, opts, func(out *httpbase.StreamWriter) error {
		out.Buf = append(out.Buf, `{"code":200,"data":`...)
		if err := write(out); err != nil {
			return err
		}
		out.Buf = append(out.Buf, `,"msg":""}`...)
		return nil
	})
}
