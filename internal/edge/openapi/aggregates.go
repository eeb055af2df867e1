package openapi

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi/wire"
)

// maxStretchSteps is how many hours or days are read at a time, so that memory does not grow with the
// range.
const maxStretchSteps = 2000

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

// GetAggregates answers a device's numbers by hour or day, the oldest first.
func (s *server) GetAggregates(
	ctx context.Context,
	r wire.GetAggregatesRequestObject,
) (wire.GetAggregatesResponseObject, error) {
	q, err := s.parseAggregates(ctx, r)
	if err != nil {
		return nil, err
	}
	answer := wire.GetAggregates200JSONResponse{Items: []wire.Aggregates{}}
	// Outside the days with readings there is nothing to look for.
	first, last, some := s.Readings.Span()
	if !some {
		return answer, nil
	}
	for from, to := max(q.from, first), min(q.to, last); from <= to; {
		end := q.stretchEnd(from)
		rows, err := s.readAggregates(ctx, q, from, min(to, end-1))
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if len(answer.Items) == q.limit {
				next := cursor{QueryHash: q.queryHash, Time: int64(rows[i].Time)}.String()
				answer.NextCursor = &next
				return answer, nil
			}
			answer.Items = append(answer.Items, rows[i])
		}
		from = end
	}
	return answer, nil
}

// stretchEnd returns the end of the stretch that begins with the hour or day of a time.
func (q *aggregateQuery) stretchEnd(from int64) int64 {
	steps := min(q.limit+1, maxStretchSteps)
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
