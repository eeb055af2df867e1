package openapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/openapi/wire"
)

// maxStretchValues is how many aggregates are read at a time, so that memory grows neither with the
// range nor with the number of properties.
const maxStretchValues = 4000

// aggregateQuery is a query for a device's aggregates. Its limit counts hours or days.
type aggregateQuery struct {
	historyQuery
	byDay bool
	zone  *time.Location // of the days
}

// parseAggregates checks the query of a request.
func (s *server) parseAggregates(ctx context.Context, r wire.GetAggregatesRequestObject) (*aggregateQuery, error) {
	p := r.Params
	d, product, err := s.deviceByName(ctx, r.DeviceName)
	if err != nil {
		return nil, err
	}
	q := &aggregateQuery{byDay: orDefault(p.Resolution, wire.Hour) == wire.Day}
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
	if q.props, err = selectProperties(product, p.Properties); err != nil {
		return nil, err
	}
	asked := []string{
		d.Name, strconv.FormatInt(int64(d.ID), 10), strconv.FormatInt(q.from, 10), formatOptional(to),
		strconv.FormatBool(q.byDay), name,
	}
	if p.Properties != nil {
		for _, prop := range q.props {
			asked = append(asked, prop.Identifier)
		}
	}
	q.queryHash = hashQuery(requestFrom(ctx), asked...)
	at, err := readCursor(p.Cursor, q.queryHash)
	if at != nil {
		q.from = max(q.from, at.Time)
	}
	return q, err
}

// GetAggregates answers a device's numbers by hour or day, the oldest first, while it reads them.
func (s *server) GetAggregates(
	ctx context.Context,
	r wire.GetAggregatesRequestObject,
) (wire.GetAggregatesResponseObject, error) {
	q, err := s.parseAggregates(ctx, r)
	if err != nil {
		return nil, err
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		opts := httpbase.StreamOptions{Header: http.Header{"Content-Type": {"application/json"}}}
		return s.edge.Stream(ctx, w, opts, func(out *httpbase.StreamWriter) error {
			return s.writeAggregates(ctx, out, q)
		})
	}), nil
}

// VisitGetAggregatesResponse writes the answer.
func (f streamedResponse) VisitGetAggregatesResponse(w http.ResponseWriter) error { return f(w) }

// writeAggregates writes a page, stretch by stretch.
func (s *server) writeAggregates(ctx context.Context, out *httpbase.StreamWriter, q *aggregateQuery) error {
	out.Buf = append(out.Buf, `{"items":[`...)
	// Outside the days with readings there is nothing to look for.
	first, last, some := s.Readings.Span()
	written := 0
	for from, to := max(q.from, first), min(q.to, last); some && from <= to; {
		end := q.stretchEnd(from)
		rows, err := s.readAggregates(ctx, q, from, min(to, end-1))
		if err != nil {
			return err
		}
		for i := range rows {
			if written == q.limit {
				next := cursor{QueryHash: q.queryHash, Time: int64(rows[i].Time)}.String()
				// The cursor is base64url: there is nothing to escape.
				out.Buf = append(append(append(out.Buf, `],"nextCursor":"`...), next...), "\"}\n"...)
				return nil
			}
			if written > 0 {
				out.Buf = append(out.Buf, ',')
			}
			written++
			row, err := json.Marshal(rows[i])
			if err != nil {
				return err
			}
			out.Buf = append(out.Buf, row...)
			if err := out.FlushIfFull(); err != nil {
				return err
			}
		}
		from = end
	}
	out.Buf = append(out.Buf, "]}\n"...)
	return nil
}

// stretchEnd returns the end of the stretch that begins with the hour or day of a time.
func (q *aggregateQuery) stretchEnd(from int64) int64 {
	steps := min(q.limit+1, max(1, maxStretchValues/max(1, len(q.props))))
	at := time.UnixMilli(from)
	if q.byDay {
		year, month, day := at.In(q.zone).Date()
		return time.Date(year, month, day+steps, 0, 0, 0, 0, q.zone).UnixMilli()
	}
	return at.Truncate(time.Hour).Add(time.Duration(steps) * time.Hour).UnixMilli()
}

// readAggregates reads the hours or days that overlap from..to, oldest first.
func (s *server) readAggregates(ctx context.Context, q *aggregateQuery, from, to int64) ([]wire.Aggregates, error) {
	ids := make([]device.PropertyID, len(q.props))
	for i, p := range q.props {
		ids[i] = p.ID
	}
	var all map[device.PropertyID][]reading.Aggregate
	var err error
	if q.byDay {
		all, err = s.Readings.DailyAggregates(ctx, q.device.Tenant, q.device.ID, from, to, ids, q.zone)
	} else {
		all, err = s.Readings.Aggregates(ctx, q.device.Tenant, q.device.ID, from, to, ids, reading.Hour)
	}
	if err != nil {
		return nil, err
	}
	byTime := map[int64]map[string]wire.Aggregate{}
	for _, p := range q.props {
		for _, a := range all[p.ID] {
			if byTime[a.Time] == nil {
				byTime[a.Time] = make(map[string]wire.Aggregate, len(all))
			}
			byTime[a.Time][p.Identifier] = wire.Aggregate{
				Count: a.Count, Low: a.Lowest, Mean: a.Mean(), High: a.Highest, Sum: a.Sum,
			}
		}
	}
	rows := make([]wire.Aggregates, 0, len(byTime))
	for at, values := range byTime {
		rows = append(rows, wire.Aggregates{Time: wire.Moment(at), Values: values})
	}
	slices.SortFunc(rows, func(a, b wire.Aggregates) int { return cmp.Compare(a.Time, b.Time) })
	return rows, nil
}
