package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"tilth/internal/device"
	"tilth/internal/httpapi/wire"
	"tilth/internal/httpbase"
	"tilth/internal/reading"
)

// GetTimeIntervalDataRows answers a device's readings over a range, by time.
func (s *server) GetTimeIntervalDataRows(ctx context.Context, r wire.GetTimeIntervalDataRowsRequestObject) (wire.GetTimeIntervalDataRowsResponseObject, error) {
	p := r.Params
	h, err := s.past(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	if p.Points == nil {
		return s.rows(ctx, &h), nil
	}
	outlines, err := s.outlines(ctx, &h, h.ids(), *p.Points)
	if err != nil {
		return nil, err
	}
	return longResponse(func(w http.ResponseWriter) error {
		defer reading.Release(outlines)
		return s.sendJSON(ctx, w, func(out *httpbase.Answer) error { return thinnedRows(out, &h, outlines) })
	}), nil
}

// rows writes readings by time.
func (s *server) rows(ctx context.Context, h *history) longResponse {
	ids := h.ids()
	keys := make(map[device.PropertyID][]byte, len(ids))
	for _, prop := range h.props {
		keys[prop.ID] = rowKey(prop)
	}
	return longResponse(func(w http.ResponseWriter) error {
		return s.sendEvery(ctx, w, func(out *httpbase.Answer) error {
			before := byte('[')
			err := s.Readings.Range(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, ids, func(at int64, fields []reading.Field) error {
				out.Buf = rowBegin(out.Buf, before, at)
				for i := range fields {
					out.Buf = append(out.Buf, keys[fields[i].Property]...)
					out.Buf = fields[i].Value.AppendJSON(out.Buf)
				}
				out.Buf = append(out.Buf, '}')
				before = ','
				return out.Next()
			})
			if before == '[' {
				out.Buf = append(out.Buf, '[')
			}
			out.Buf = append(out.Buf, ']')
			return err
		})
	})
}

// rowBegin begins a row, behind what stands before it in the list.
func rowBegin(dst []byte, before byte, at int64) []byte {
	return strconv.AppendInt(append(append(dst, before), `{"collect_time":`...), at, 10)
}

// rowKey is what stands before a property's value in a row.
func rowKey(p *device.Property) []byte {
	return slices.Concat([]byte{','}, quoted(p.Identifier), []byte{':'})
}

// thinnedRows writes outlines by time: each row has the values that stayed of its
// time.
func thinnedRows(out *httpbase.Answer, h *history, outlines map[device.PropertyID]reading.Outline) error {
	type column struct {
		key  []byte
		of   reading.Outline
		next int // of its readings
	}
	columns := make([]column, 0, len(h.props))
	for _, p := range h.props {
		if o := outlines[p.ID]; len(o.Times) > 0 {
			columns = append(columns, column{key: rowKey(p), of: o})
		}
	}
	before := byte('[')
	for {
		at, some := int64(0), false
		for i := range columns {
			if c := &columns[i]; c.next < len(c.of.Times) && (!some || c.of.Times[c.next] < at) {
				at, some = c.of.Times[c.next], true
			}
		}
		if !some {
			break
		}
		out.Buf = rowBegin(out.Buf, before, at)
		for i := range columns {
			if c := &columns[i]; c.next < len(c.of.Times) && c.of.Times[c.next] == at {
				out.Buf = c.of.Value(c.next).AppendJSON(append(out.Buf, c.key...))
				c.next++
			}
		}
		out.Buf = append(out.Buf, '}')
		before = ','
		if err := out.Next(); err != nil {
			return err
		}
	}
	if before == '[' {
		out.Buf = append(out.Buf, '[')
	}
	out.Buf = append(out.Buf, ']')
	return nil
}
