package console

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
)

const (
	defaultAggregatePoints = 1000
	// stretch is how much of a range is aggregated at a time, so that memory does not grow with the
	// range.
	stretch = 366 * 24 * time.Hour
)

// aggregateQuery is a query for a device's aggregates.
type aggregateQuery struct {
	historyQuery
	server *server
	zone   *time.Location // of the days
}

// GetAggregatedData answers a device's readings over any range by hour or day, or all of them.
func (s *server) GetAggregatedData(
	ctx context.Context,
	r wire.GetAggregatedDataRequestObject,
) (wire.GetAggregatedDataResponseObject, error) {
	p := r.Params
	h, err := s.cachedDevice(ctx, p.DeviceName)
	if err != nil {
		return nil, err
	}
	q := &aggregateQuery{historyQuery: h, server: s}
	if q.from, q.to, err = parseAnyRange(p.StartTime, p.EndTime); err != nil {
		return nil, err
	}
	if q.props, err = selectProperties(q.product, p.YeuSignList, nil); err != nil {
		return nil, err
	}
	if q.zone, err = s.zone(ctx); err != nil {
		return nil, err
	}
	// Outside the days with readings there is nothing to look for.
	first, last, _ := s.Readings.Span()
	q.from, q.to = max(q.from, first), min(q.to, last)
	asked := wire.AskAuto
	if p.Resolution != nil {
		asked = *p.Resolution
	}
	resolution := wire.AggregatedDataResolution(asked)
	if asked == wire.AskAuto {
		points := defaultAggregatePoints
		if p.Points != nil {
			points = *p.Points
		}
		if resolution, err = q.chooseResolution(ctx, points); err != nil {
			return nil, err
		}
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		if resolution == wire.ByReading {
			return s.sendAllJSON(ctx, w, func(out *httpbase.StreamWriter) error { return q.writeReadings(ctx, out) })
		}
		return s.sendJSON(ctx, w, func(out *httpbase.StreamWriter) error {
			return q.writeAggregates(ctx, out, resolution)
		})
	}), nil
}

// chooseResolution returns the finest resolution with which no numeric property has more than points
// values.
func (q *aggregateQuery) chooseResolution(ctx context.Context, points int) (wire.AggregatedDataResolution, error) {
	if (q.to-q.from)/time.Hour.Milliseconds() >= int64(points) {
		return wire.ByDay, nil
	}
	readings := map[device.PropertyID]int{}
	err := q.eachStretch(ctx, wire.ByHour, func(p *device.Property, list []reading.Aggregate) error {
		for i := range list {
			readings[p.ID] += list[i].Count
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	for _, p := range q.props {
		if readings[p.ID] > points {
			return wire.ByHour, nil
		}
	}
	return wire.ByReading, nil
}

// eachStretch calls fn for the aggregates of each property, one stretch of the range after the other.
func (q *aggregateQuery) eachStretch(
	ctx context.Context,
	by wire.AggregatedDataResolution,
	fn func(p *device.Property, list []reading.Aggregate) error,
) error {
	for from := q.from; from <= q.to; {
		var end int64 // of the stretch: whole hours or whole days
		if at := time.UnixMilli(from).In(q.zone); by == wire.ByDay {
			end = time.Date(at.Year(), at.Month(), at.Day()+int(stretch/(24*time.Hour)), 0, 0, 0, 0, q.zone).UnixMilli()
		} else {
			end = at.UTC().Truncate(time.Hour).Add(stretch).UnixMilli()
		}
		for _, p := range q.props {
			if p.DataType != device.Number {
				continue
			}
			list, err := q.read(ctx, by, from, min(q.to, end-1), p.ID)
			if err != nil {
				return err
			}
			if err := fn(p, list); err != nil {
				return err
			}
		}
		from = end
	}
	return nil
}

func (q *aggregateQuery) read(
	ctx context.Context,
	by wire.AggregatedDataResolution,
	from, to int64,
	p device.PropertyID,
) ([]reading.Aggregate, error) {
	store, props := q.server.Readings, []device.PropertyID{p}
	if by == wire.ByDay {
		all, err := store.DailyAggregates(ctx, q.ref.Tenant, q.ref.ID, from, to, props, q.zone)
		return all[p], err
	}
	all, err := store.Aggregates(ctx, q.ref.Tenant, q.ref.ID, from, to, props, reading.Hour)
	return all[p], err
}

// writeReadings writes the data of an answer by reading.
func (q *aggregateQuery) writeReadings(ctx context.Context, out *httpbase.StreamWriter) error {
	out.Buf = append(out.Buf, `{"resolution":"raw","readings":`...)
	if err := q.server.writePieces(ctx, out, &q.historyQuery); err != nil {
		return err
	}
	out.Buf = append(out.Buf, '}')
	return nil
}

// writeAggregates writes the data of an answer by hour or day.
func (q *aggregateQuery) writeAggregates(
	ctx context.Context,
	out *httpbase.StreamWriter,
	by wire.AggregatedDataResolution,
) error {
	out.Buf = append(append(append(out.Buf, `{"resolution":"`...), by...), `","aggregates":[`...)
	pieces := 0
	var times []int64
	err := q.eachStretch(ctx, by, func(p *device.Property, list []reading.Aggregate) error {
		if len(list) == 0 {
			return nil
		}
		if pieces > 0 {
			out.Buf = append(out.Buf, ',')
		}
		pieces++
		out.Buf = append(append(out.Buf, `{"identifier":`...), jsonString(p.Identifier)...)
		times = times[:0]
		for i := range list {
			times = append(times, list[i].Time)
		}
		out.Buf = append(reading.AppendTimes(append(out.Buf, `,"times":[`...), times), ']')
		for _, c := range aggregateColumns {
			out.Buf = append(append(append(out.Buf, `,"`...), c.name...), `":[`...)
			for i := range list {
				if i > 0 {
					out.Buf = append(out.Buf, ',')
				}
				out.Buf = c.append(out.Buf, &list[i])
			}
			out.Buf = append(out.Buf, ']')
			if err := out.FlushIfFull(); err != nil {
				return err
			}
		}
		out.Buf = append(out.Buf, '}')
		return nil
	})
	out.Buf = append(out.Buf, "]}"...)
	return err
}

// meanDigits is how many significant digits a mean has.
const meanDigits = 9

// aggregateColumns are the columns of an AggregatesPiece.
var aggregateColumns = []struct {
	name   string
	append func(dst []byte, a *reading.Aggregate) []byte
}{
	{"count", func(dst []byte, a *reading.Aggregate) []byte { return strconv.AppendInt(dst, int64(a.Count), 10) }},
	{"low", func(dst []byte, a *reading.Aggregate) []byte { return reading.Number(a.Lowest).AppendJSON(dst) }},
	{"mean", func(dst []byte, a *reading.Aggregate) []byte {
		return strconv.AppendFloat(dst, a.Mean(), 'g', meanDigits, 64)
	}},
	{"high", func(dst []byte, a *reading.Aggregate) []byte { return reading.Number(a.Highest).AppendJSON(dst) }},
	{"sum", func(dst []byte, a *reading.Aggregate) []byte { return reading.Number(a.Sum).AppendJSON(dst) }},
}
