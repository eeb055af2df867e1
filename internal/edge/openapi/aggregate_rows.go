package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/openapi/wire"
)

// writeAggregates writes a page.
func (s *server) writeAggregates(
	ctx context.Context,
	out *httpbase.StreamWriter,
	q *aggregateQuery,
	stretches *reading.Stretches,
) (err error) {
	rows := aggregateRows{out: out, limit: q.limit, values: make(map[string]wire.Aggregate, len(q.props))}
	// A resolution is a word of letters: there is nothing to escape.
	out.Buf = append(append(append(out.Buf, `{"resolution":"`...), q.resolution...), `","items":[`...)
	if q.resolution == reading.ByReading {
		err = s.readingRows(ctx, q, &rows)
	} else {
		err = stretches.Each(ctx, q.resolution, func(of map[device.PropertyID][]reading.Aggregate) error {
			return rows.addStretch(q.props, of)
		})
	}
	switch {
	case errors.Is(err, errLimitReached):
		next := cursor{QueryHash: q.queryHash, Time: rows.next, Resolution: q.resolution}.String()
		// The cursor is base64url: there is nothing to escape.
		out.Buf = append(append(append(out.Buf, `],"nextCursor":"`...), next...), "\"}\n"...)
		return nil
	case err != nil:
		return err
	}
	out.Buf = append(out.Buf, "]}\n"...)
	return nil
}

// readingRows adds a row for each instant with numbers.
func (s *server) readingRows(ctx context.Context, q *aggregateQuery, rows *aggregateRows) error {
	ids := make([]device.PropertyID, len(q.props))
	identifiers := make(map[device.PropertyID]string, len(q.props))
	for i, p := range q.props {
		ids[i], identifiers[p.ID] = p.ID, p.Identifier
	}
	return s.Readings.Range(ctx, q.device.Tenant, q.device.ID, q.from, q.to, ids,
		func(at int64, fields []reading.Field) error {
			for _, f := range fields {
				if f.Value.Kind() == reading.KindNumber {
					n := f.Value.Float()
					rows.values[identifiers[f.Property]] = wire.Aggregate{Count: 1, Low: n, Mean: n, High: n, Sum: n}
				}
			}
			return rows.add(at)
		})
}

// aggregateRows writes rows up to a limit.
type aggregateRows struct {
	out     *httpbase.StreamWriter
	limit   int
	written int
	values  map[string]wire.Aggregate // of the row that add writes, by identifier
	next    int64                     // the time of the first row beyond the limit
}

// add writes the row of a time from values, which it clears; without values there is no row. It
// returns errLimitReached if the row is beyond the limit.
func (r *aggregateRows) add(at int64) error {
	if len(r.values) == 0 {
		return nil
	}
	if r.written == r.limit {
		r.next = at
		return errLimitReached
	}
	if r.written > 0 {
		r.out.Buf = append(r.out.Buf, ',')
	}
	r.written++
	row, err := json.Marshal(wire.Aggregates{Time: wire.Moment(at), Values: r.values})
	if err != nil {
		return err
	}
	clear(r.values)
	r.out.Buf = append(r.out.Buf, row...)
	return r.out.FlushIfFull()
}

// addStretch adds a row for each hour or day of a stretch, oldest first.
func (r *aggregateRows) addStretch(props []*device.Property, of map[device.PropertyID][]reading.Aggregate) error {
	for {
		at := int64(math.MaxInt64)
		for _, p := range props {
			if list := of[p.ID]; len(list) > 0 {
				at = min(at, list[0].Time)
			}
		}
		if at == math.MaxInt64 {
			return nil
		}
		for _, p := range props {
			if list := of[p.ID]; len(list) > 0 && list[0].Time == at {
				a := &list[0]
				r.values[p.Identifier] = wire.Aggregate{
					Count: a.Count, Low: a.Lowest, Mean: a.Mean(), High: a.Highest, Sum: a.Sum,
				}
				of[p.ID] = list[1:]
			}
		}
		if err := r.add(at); err != nil {
			return err
		}
	}
}
