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
				if !outlined(prop) {
					if err := s.outlinePieces(ctx, &pieces, &h, prop, *p.Points); err != nil {
						return err
					}
					continue
				}
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

// outlinePieces writes the outline of a property that is not of numbers: as many
// pieces as it takes to hold few of its readings at a time.
func (s *server) outlinePieces(ctx context.Context, w *pieceWriter, h *history, prop *device.Property, points int) error {
	run := pieceRun{w: w, key: key(prop)}
	err := s.Readings.OutlineRows(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, []device.PropertyID{prop.ID}, points,
		func(bucket int64) { run.bucket = bucket }, run.add)
	if err != nil {
		return err
	}
	return run.pass()
}

// runBytes is from which length on the values of a run are passed on.
const runBytes = 16 << 10

// pieceRun are readings of one property that are gathered for a piece.
type pieceRun struct {
	w      *pieceWriter
	key    []byte
	bucket int64 // the length of a bucket, ms; 0: there are none
	times  []int64
	values []byte // as JSON
}

func (r *pieceRun) add(at int64, fields []reading.Field) error {
	if len(r.times) > 0 {
		r.values = append(r.values, ',')
	}
	r.times, r.values = append(r.times, at), fields[0].Value.AppendJSON(r.values)
	if len(r.times) < outlineRun && len(r.values) < runBytes {
		return nil
	}
	return r.pass()
}

// pass writes what was gathered as a piece.
func (r *pieceRun) pass() error {
	if len(r.times) == 0 {
		return nil
	}
	r.w.times(r.times)
	r.w.column(r.key)
	r.w.out.Buf = append(r.w.out.Buf, r.values...)
	r.times, r.values = r.times[:0], r.values[:0]
	return r.w.close(r.bucket)
}

// end ends the list.
func (w *pieceWriter) end() error {
	if w.pieces == 0 {
		w.out.Buf = append(w.out.Buf, '[')
	}
	w.out.Buf = append(w.out.Buf, ']')
	return nil
}
