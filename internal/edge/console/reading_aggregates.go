package console

import (
	"context"
	"net/http"
	"strconv"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
)

const defaultAggregatePoints = 1000

// aggregateQuery is a query for a device's aggregates.
type aggregateQuery struct {
	historyQuery
	server    *server
	stretches reading.Stretches // of the range
}

// GetAggregatedData answers a device's readings over any range by hour or day, or all of them.
func (s *server) GetAggregatedData(
	ctx context.Context,
	r wire.GetAggregatedDataRequestObject,
) (wire.GetAggregatedDataResponseObject, error) {
	p := r.Params
	ctx = withValues(ctx, p.Values)
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
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	q.stretches = reading.Stretches{Store: s.Readings, Device: q.ref, From: q.from, To: q.to, Zone: zone}
	for _, prop := range q.props {
		if prop.DataType == device.Number {
			q.stretches.Properties = append(q.stretches.Properties, prop.ID)
		}
	}
	asked := wire.AskAuto
	if p.Resolution != nil {
		asked = *p.Resolution
	}
	resolution := reading.Resolution(asked)
	if asked == wire.AskAuto {
		points := defaultAggregatePoints
		if p.Points != nil {
			points = *p.Points
		}
		if resolution, err = q.stretches.ChooseResolution(ctx, points); err != nil {
			return nil, err
		}
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		if resolution == reading.ByReading {
			return s.sendAllJSON(ctx, w, func(out *httpbase.StreamWriter) error { return q.writeReadings(ctx, out) })
		}
		return s.sendJSON(ctx, w, func(out *httpbase.StreamWriter) error {
			return q.writeAggregates(ctx, out, resolution)
		})
	}), nil
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
	by reading.Resolution,
) error {
	out.Buf = append(append(append(out.Buf, `{"resolution":"`...), by...), `","aggregates":[`...)
	pieces := 0
	var times []int64
	err := q.stretches.Each(ctx, by, func(aggregates map[device.PropertyID][]reading.Aggregate) error {
		for _, p := range q.props {
			list := aggregates[p.ID]
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
