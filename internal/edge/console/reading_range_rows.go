package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
)

// GetTimeIntervalDataRows answers a device's readings over a range, by time.
func (s *server) GetTimeIntervalDataRows(
	ctx context.Context,
	r wire.GetTimeIntervalDataRowsRequestObject,
) (wire.GetTimeIntervalDataRowsResponseObject, error) {
	p := r.Params
	ctx = withValues(ctx, p.Values)
	h, err := s.cachedHistory(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	if p.Points == nil {
		return s.rows(ctx, &h), nil
	}
	return s.writeRows(ctx, &h, s.sendJSON, func(row func(at int64, fields []reading.Field) error) error {
		return s.Readings.DownsampleRows(
			ctx,
			h.ref.Tenant,
			h.ref.ID,
			h.from,
			h.to,
			h.ids(),
			*p.Points,
			func(int64) {},
			row,
		)
	}), nil
}

// rows writes every reading, by time.
func (s *server) rows(ctx context.Context, h *historyQuery) streamedResponse {
	return s.writeRows(ctx, h, s.sendAllJSON, func(row func(at int64, fields []reading.Field) error) error {
		return s.Readings.Range(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, h.ids(), row)
	})
}

// writeRows sends the rows that read yields.
func (s *server) writeRows(
	ctx context.Context,
	h *historyQuery,
	send sendFunc,
	read func(row func(at int64, fields []reading.Field) error) error,
) streamedResponse {
	keys := make(map[device.PropertyID][]byte, len(h.props))
	for _, prop := range h.props {
		keys[prop.ID] = rowKey(prop)
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		return send(ctx, w, func(out *httpbase.StreamWriter) error {
			before := byte('[')
			err := read(func(at int64, fields []reading.Field) error {
				out.Buf = appendRowStart(out.Buf, before, at)
				for i := range fields {
					out.Buf = append(out.Buf, keys[fields[i].Property]...)
					out.Buf = fields[i].Value.AppendJSON(out.Buf)
				}
				out.Buf = append(out.Buf, '}')
				before = ','
				return out.FlushIfFull()
			})
			if before == '[' {
				out.Buf = append(out.Buf, '[')
			}
			out.Buf = append(out.Buf, ']')
			return err
		})
	})
}

// appendRowStart begins a row; before separates it from the element before it in the list.
func appendRowStart(dst []byte, before byte, at int64) []byte {
	return strconv.AppendInt(append(append(dst, before), `{"collect_time":`...), at, 10)
}

// rowKey returns the text before a property's value in a row.
func rowKey(p *device.Property) []byte {
	return slices.Concat([]byte{','}, jsonString(p.Identifier), []byte{':'})
}
