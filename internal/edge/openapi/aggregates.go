package openapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/errs"
)

const defaultAggregatePoints = 1000

// aggregateQuery is a query for a device's aggregates. Its limit counts instants, hours or days.
type aggregateQuery struct {
	historyQuery // its properties are the numeric ones
	asked        wire.GetAggregatesParamsResolution
	points       int
	zone         *time.Location     // of the days
	resolution   reading.Resolution // of the answer; empty: to be chosen
}

// parseAggregates checks the query of a request.
func (s *server) parseAggregates(ctx context.Context, r wire.GetAggregatesRequestObject) (*aggregateQuery, error) {
	p := r.Params
	d, product, err := s.deviceByName(ctx, r.DeviceName)
	if err != nil {
		return nil, err
	}
	q := &aggregateQuery{
		asked:  orDefault(p.Resolution, wire.AskHour),
		points: orDefault(p.Points, defaultAggregatePoints),
	}
	q.device, q.limit = d, orDefault(p.Limit, defaultJSONRows)
	if q.from, err = parseTime("from", p.From); err != nil {
		return nil, err
	}
	to, err := parseOptionalTime("to", p.To)
	if err != nil {
		return nil, err
	}
	end := orDefault(to, s.Now().UnixMilli())
	if to != nil && q.from > end {
		return nil, invalid("history.rangeOrder", "to")
	}
	q.to = end - 1
	name := orDefault(p.TimeZone, time.UTC.String())
	if q.zone, err = time.LoadLocation(name); err != nil || q.zone == time.Local {
		return nil, invalid("invalid.unknown", "timeZone", "value", name)
	}
	selected, err := selectProperties(product, p.Properties)
	if err != nil {
		return nil, err
	}
	asked := []string{
		d.Name, strconv.FormatInt(int64(d.ID), 10), strconv.FormatInt(q.from, 10), formatOptional(to),
		string(q.asked), strconv.Itoa(q.points), name,
	}
	if p.Values != nil {
		asked = append(asked, "values="+*p.Values) // no identifier
	}
	for _, prop := range selected {
		if p.Properties != nil {
			asked = append(asked, prop.Identifier)
		}
		if prop.DataType == device.Number {
			q.props = append(q.props, prop)
		}
	}
	q.queryHash = hashQuery(requestFrom(ctx), asked...)
	return q, q.goOn(p.Cursor)
}

// goOn takes the place and the resolution from a cursor, if there is one. Without one, the
// resolution is the one that was asked for.
func (q *aggregateQuery) goOn(given *string) error {
	if q.asked != wire.AskAuto {
		q.resolution = reading.Resolution(q.asked)
	}
	at, err := readCursor(given, q.queryHash)
	if at == nil {
		return err
	}
	known := wire.AggregateListResolution(at.Resolution).Valid()
	if !known || q.resolution != "" && q.resolution != at.Resolution {
		return refusedCursor()
	}
	q.from, q.resolution = max(q.from, at.Time), at.Resolution
	return nil
}

// GetAggregates answers a device's numbers by hour or day, or each of them, the oldest first, while
// it reads them.
func (s *server) GetAggregates(
	ctx context.Context,
	r wire.GetAggregatesRequestObject,
) (wire.GetAggregatesResponseObject, error) {
	ctx = withValues(ctx, r.Params.Values)
	q, err := s.parseAggregates(ctx, r)
	if err != nil {
		return nil, err
	}
	stretches := &reading.Stretches{
		Store:  s.Readings,
		Device: device.Ref{Tenant: q.device.Tenant, ID: q.device.ID},
		From:   q.from,
		To:     q.to,
		Zone:   q.zone,
		Steps:  q.limit + 1,
	}
	for _, p := range q.props {
		stretches.Properties = append(stretches.Properties, p.ID)
	}
	if q.resolution == "" {
		if q.resolution, err = stretches.ChooseResolution(ctx, q.points); err != nil {
			return nil, err
		}
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		if q.resolution == reading.ByReading {
			program := requestFrom(ctx).program
			leave := s.HistoryStreams.Acquire(ctx, program.Tenant, program.User)
			if leave == nil {
				return errs.New(errs.TooMany, "history.waiting").RetryAfter(reading.HistoryRetry)
			}
			defer leave()
		}
		opts := httpbase.StreamOptions{Header: http.Header{"Content-Type": {"application/json"}}}
		return s.edge.Stream(ctx, w, opts, func(out *httpbase.StreamWriter) error {
			return s.writeAggregates(ctx, out, q, stretches)
		})
	}), nil
}

// VisitGetAggregatesResponse writes the answer.
func (f streamedResponse) VisitGetAggregatesResponse(w http.ResponseWriter) error { return f(w) }
