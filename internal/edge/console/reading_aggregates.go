package console

import (
	"context"
	"errors"
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
	// maxStretchHours is how many hours of properties are read at a time, so that memory grows neither
	// with the range nor with the number of properties.
	maxStretchHours = 16_000
)

// aggregateQuery is a query for a device's aggregates.
type aggregateQuery struct {
	historyQuery
	server *server
	zone   *time.Location // of the days
	first  *stretch       // the hours with which the range begins, if they have been read already
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
// values. If that is hours, the query keeps the first stretch of them for the answer.
func (q *aggregateQuery) chooseResolution(ctx context.Context, points int) (wire.AggregatedDataResolution, error) {
	if (q.to-q.from)/time.Hour.Milliseconds() >= int64(points) {
		return wire.ByDay, nil
	}
	var first *stretch
	readings := map[device.PropertyID]int{}
	by := wire.ByReading
	err := q.eachStretch(ctx, wire.ByHour, func(read *stretch) error {
		if first == nil {
			first = read
		}
		for p, list := range read.aggregates {
			for i := range list {
				readings[p] += list[i].Count
			}
			if readings[p] > points {
				by = wire.ByHour
				return errEnough
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return "", err
	}
	if by == wire.ByHour {
		q.first = first
	}
	return by, nil
}

// errEnough ends eachStretch early.
var errEnough = errors.New("enough is known")

// stretch is the aggregates of a part of a range.
type stretch struct {
	aggregates map[device.PropertyID][]reading.Aggregate
	end        int64 // epoch milliseconds, not included
}

// eachStretch calls fn for one stretch of the range after the other.
func (q *aggregateQuery) eachStretch(
	ctx context.Context,
	by wire.AggregatedDataResolution,
	fn func(read *stretch) error,
) error {
	var numeric []device.PropertyID
	for _, p := range q.props {
		if p.DataType == device.Number {
			numeric = append(numeric, p.ID)
		}
	}
	if len(numeric) == 0 {
		return nil
	}
	hours := maxStretchHours / len(numeric)
	for from := q.from; from <= q.to; {
		read := q.first // of the same resolution: only hours are kept
		if q.first = nil; read == nil {
			var err error
			if read, err = q.read(ctx, by, from, hours, numeric); err != nil {
				return err
			}
		}
		if err := fn(read); err != nil {
			return err
		}
		from = read.end
	}
	return nil
}

// read reads the stretch of so many hours that begins with the hour or day of from. The days of most
// zones are made from hours.
func (q *aggregateQuery) read(
	ctx context.Context,
	by wire.AggregatedDataResolution,
	from int64,
	hours int,
	props []device.PropertyID,
) (read *stretch, err error) {
	store, at := q.server.Readings, time.UnixMilli(from)
	read = &stretch{}
	if by == wire.ByDay {
		year, month, day := at.In(q.zone).Date()
		read.end = time.Date(year, month, day+max(1, hours/24), 0, 0, 0, 0, q.zone).UnixMilli()
		read.aggregates, err = store.DailyAggregates(
			ctx, q.ref.Tenant, q.ref.ID, from, min(q.to, read.end-1), props, q.zone,
		)
		return read, err
	}
	read.end = at.Truncate(time.Hour).Add(time.Duration(max(1, hours)) * time.Hour).UnixMilli()
	read.aggregates, err = store.Aggregates(
		ctx, q.ref.Tenant, q.ref.ID, from, min(q.to, read.end-1), props, reading.Hour,
	)
	return read, err
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
	err := q.eachStretch(ctx, by, func(read *stretch) error {
		for _, p := range q.props {
			list := read.aggregates[p.ID]
			if len(list) == 0 {
				continue
			}
			if pieces > 0 {
				out.Buf = append(out.Buf, ',')
			}
			pieces++
			if err := writePiece(out, p, list, &times); err != nil {
				return err
			}
		}
		return nil
	})
	out.Buf = append(out.Buf, "]}"...)
	return err
}

// writePiece writes an AggregatesPiece. It uses times for those of the aggregates.
func writePiece(out *httpbase.StreamWriter, p *device.Property, list []reading.Aggregate, times *[]int64) error {
	*times = (*times)[:0]
	for i := range list {
		*times = append(*times, list[i].Time)
	}
	out.Buf = append(append(out.Buf, `{"identifier":`...), jsonString(p.Identifier)...)
	out.Buf = append(reading.AppendTimes(append(out.Buf, `,"times":[`...), *times), ']')
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
