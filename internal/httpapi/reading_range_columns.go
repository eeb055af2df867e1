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

// GetTimeIntervalDataColumns answers a device's readings over a range, by
// columns.
func (s *server) GetTimeIntervalDataColumns(ctx context.Context, r wire.GetTimeIntervalDataColumnsRequestObject) (wire.GetTimeIntervalDataColumnsResponseObject, error) {
	p := r.Params
	h, err := s.past(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	if p.Points == nil {
		return s.columns(ctx, &h), nil
	}
	thinned := s.thinning(&h, *p.Points)
	return longResponse(func(w http.ResponseWriter) error {
		defer thinned.release()
		return s.sendJSON(ctx, w, func(out *httpbase.Answer) error {
			pieces := pieceWriter{out: out}
			for _, prop := range h.props {
				o, err := thinned.outline(ctx, prop)
				if err != nil {
					return err
				}
				if len(o.Times) > 0 {
					if err := pieces.outline(key(prop), &o); err != nil {
						return err
					}
				}
			}
			return pieces.end()
		})
	}), nil
}

// columns writes every reading, as it comes from the store.
func (s *server) columns(ctx context.Context, h *history) longResponse {
	ids := h.ids()
	keys := make(map[device.PropertyID][]byte, len(ids))
	for _, prop := range h.props {
		keys[prop.ID] = key(prop)
	}
	return longResponse(func(w http.ResponseWriter) error {
		return s.sendEvery(ctx, w, func(out *httpbase.Answer) error {
			pieces := pieceWriter{out: out}
			err := s.Readings.Columns(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, ids, func(c *reading.Columns) error {
				pieces.times(c.Times)
				for i := range c.Columns {
					pieces.column(keys[c.Columns[i].Property])
					out.Buf = c.Columns[i].AppendJSON(out.Buf)
					if err := out.Next(); err != nil {
						return err
					}
				}
				return pieces.close(0)
			})
			if err != nil {
				return err
			}
			return pieces.end()
		})
	})
}

// key is how a property's values begin.
func key(p *device.Property) []byte { return slices.Concat(quoted(p.Identifier), []byte(":[")) }

// pieceWriter writes a list of pieces: of each its times, its columns one by
// one, and its close.
type pieceWriter struct {
	out    *httpbase.Answer
	pieces int
	filled bool // the piece has a column
}

func (w *pieceWriter) times(times []int64) {
	w.out.Buf = append(append(w.out.Buf, "[,"[min(w.pieces, 1)]), `{"times":[`...)
	w.pieces++
	w.filled = false
	w.out.Buf = append(reading.AppendTimes(w.out.Buf, times), `],"values":`...)
}

// column begins a property's values, which are appended to the buffer next.
func (w *pieceWriter) column(key []byte) {
	if w.filled {
		w.out.Buf = append(w.out.Buf, "],"...)
	} else {
		w.out.Buf = append(w.out.Buf, '{')
	}
	w.filled = true
	w.out.Buf = append(w.out.Buf, key...)
}

// close ends a piece, which has a column, and tells its buckets.
func (w *pieceWriter) close(bucket int64) error {
	w.out.Buf = append(w.out.Buf, "]}"...)
	if bucket > 0 {
		w.out.Buf = append(w.out.Buf, `,"bucket":`...)
		w.out.Buf = strconv.AppendInt(w.out.Buf, bucket, 10)
	}
	w.out.Buf = append(w.out.Buf, '}')
	return w.out.Next()
}

// outlineRun is how many readings of an outline are written before what has been
// gathered is passed on.
const outlineRun = 1 << 10

// outline writes a property's outline as a piece.
func (w *pieceWriter) outline(key []byte, o *reading.Outline) error {
	w.times(o.Times)
	w.column(key)
	for from := 0; from < len(o.Times); from += outlineRun {
		if from > 0 {
			w.out.Buf = append(w.out.Buf, ',')
		}
		w.out.Buf = o.AppendJSON(w.out.Buf, from, min(from+outlineRun, len(o.Times)))
		if err := w.out.Next(); err != nil {
			return err
		}
	}
	return w.close(o.Bucket)
}

// end ends the list.
func (w *pieceWriter) end() error {
	if w.pieces == 0 {
		w.out.Buf = append(w.out.Buf, '[')
	}
	w.out.Buf = append(w.out.Buf, ']')
	return nil
}
