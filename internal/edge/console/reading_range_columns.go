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

// GetTimeIntervalDataColumns answers a device's readings over a range, by
// columns.
func (s *server) GetTimeIntervalDataColumns(
	ctx context.Context,
	r wire.GetTimeIntervalDataColumnsRequestObject,
) (wire.GetTimeIntervalDataColumnsResponseObject, error) {
	p := r.Params
	ctx = withValues(ctx, p.Values)
	h, err := s.cachedHistory(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	if p.Points == nil {
		return s.columns(ctx, &h), nil
	}
	ds := s.newDownsampler(&h, *p.Points)
	return streamedResponse(func(w http.ResponseWriter) error {
		defer ds.release()
		return s.sendJSON(ctx, w, func(out *httpbase.StreamWriter) error {
			pieces := pieceWriter{out: out}
			for _, prop := range h.props {
				if !isBuffered(prop) {
					if err := s.writeDownsampledPieces(ctx, &pieces, &h, prop, *p.Points); err != nil {
						return err
					}
					continue
				}
				o, err := ds.downsampled(ctx, prop)
				if err != nil {
					return err
				}
				if len(o.Times) == 0 {
					continue
				}
				raws, err := s.rawAt(ctx, &h, prop, &o)
				if err != nil {
					return err
				}
				if err := pieces.writeDownsampled(columnKey(prop), &o, raws); err != nil {
					return err
				}
			}
			return pieces.finish()
		})
	}), nil
}

// columns writes every reading, as the store reads it.
func (s *server) columns(ctx context.Context, h *historyQuery) streamedResponse {
	return streamedResponse(func(w http.ResponseWriter) error {
		return s.sendAllJSON(ctx, w, func(out *httpbase.StreamWriter) error { return s.writePieces(ctx, out, h) })
	})
}

// writePieces writes every reading as pieces.
func (s *server) writePieces(ctx context.Context, out *httpbase.StreamWriter, h *historyQuery) error {
	ids := h.ids()
	keys := make(map[device.PropertyID][]byte, len(ids))
	for _, prop := range h.props {
		keys[prop.ID] = columnKey(prop)
	}
	pieces := pieceWriter{out: out}
	curves := s.curvesIn(ctx, h)
	ctx = reading.WithRaw(ctx) // corrected below, where both are at hand
	err := s.Readings.Columns(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, ids, func(c *reading.Columns) error {
		pieces.beginPiece(c.Times)
		for i := range c.Columns {
			column := &c.Columns[i]
			pieces.beginColumn(keys[column.Property])
			if curve := curves[column.Property]; curve != nil {
				pieces.writeCorrected(keys[column.Property], c.Times, column, curve)
			} else {
				out.Buf = column.AppendJSON(out.Buf)
			}
			if err := out.FlushIfFull(); err != nil {
				return err
			}
		}
		return pieces.endPiece(0)
	})
	if err != nil {
		return err
	}
	return pieces.finish()
}

// columnKey returns the beginning of a property's values.
func columnKey(p *device.Property) []byte {
	return slices.Concat(jsonString(p.Identifier), []byte(":["))
}

// pieceWriter writes a list of pieces. Each piece has its times, then its columns one by one, then
// its end.
type pieceWriter struct {
	out       *httpbase.StreamWriter
	pieces    int
	hasColumn bool   // the piece has a column
	raw       []byte // the member raw of the piece, but for its end; empty: it has none
}

func (w *pieceWriter) beginPiece(times []int64) {
	w.out.Buf = append(append(w.out.Buf, "[,"[min(w.pieces, 1)]), `{"times":[`...)
	w.pieces++
	w.hasColumn = false
	w.out.Buf = append(reading.AppendTimes(w.out.Buf, times), `],"values":`...)
}

// beginColumn begins a property's values, which the caller appends to the buffer next.
func (w *pieceWriter) beginColumn(key []byte) {
	if w.hasColumn {
		w.out.Buf = append(w.out.Buf, "],"...)
	} else {
		w.out.Buf = append(w.out.Buf, '{')
	}
	w.hasColumn = true
	w.out.Buf = append(w.out.Buf, key...)
}

// endPiece ends a piece that has a column, and writes the length of its buckets.
func (w *pieceWriter) endPiece(bucket int64) error {
	w.out.Buf = append(w.out.Buf, "]}"...)
	if len(w.raw) > 0 {
		w.out.Buf = append(append(w.out.Buf, w.raw...), '}')
		w.raw = w.raw[:0]
	}
	if bucket > 0 {
		w.out.Buf = append(w.out.Buf, `,"bucket":`...)
		w.out.Buf = strconv.AppendInt(w.out.Buf, bucket, 10)
	}
	w.out.Buf = append(w.out.Buf, '}')
	return w.out.FlushIfFull()
}

// maxBatchReadings is how many downsampled readings are written before the buffer is flushed.
const maxBatchReadings = 1 << 10

// writeDownsampled writes a property's downsampled readings as one piece, with what corrected ones arrived
// as (see rawAt).
func (w *pieceWriter) writeDownsampled(key []byte, o *reading.Downsampled, raws []reading.Value) error {
	w.beginPiece(o.Times)
	w.beginColumn(key)
	for from := 0; from < len(o.Times); from += maxBatchReadings {
		if from > 0 {
			w.out.Buf = append(w.out.Buf, ',')
		}
		w.out.Buf = o.AppendJSON(w.out.Buf, from, min(from+maxBatchReadings, len(o.Times)))
		if err := w.out.FlushIfFull(); err != nil {
			return err
		}
	}
	w.addRaw(key, raws)
	return w.endPiece(o.Bucket)
}

// writeDownsampledPieces writes the downsampled readings of a property that is not a number: in as
// many pieces as it takes to hold few readings at a time.
func (s *server) writeDownsampledPieces(
	ctx context.Context,
	w *pieceWriter,
	h *historyQuery,
	prop *device.Property,
	points int,
) error {
	batch := pieceBatch{w: w, key: columnKey(prop)}
	err := s.Readings.DownsampleRows(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, []device.PropertyID{prop.ID}, points,
		func(bucket int64) { batch.bucket = bucket }, batch.add)
	if err != nil {
		return err
	}
	return batch.flush()
}

// maxBatchBytes is the length of the values from which on a batch is flushed.
const maxBatchBytes = 16 << 10

// pieceBatch gathers readings of one property for a piece.
type pieceBatch struct {
	w      *pieceWriter
	key    []byte
	bucket int64 // the length of a bucket, ms; 0: there are none
	times  []int64
	values []byte // as JSON
}

func (r *pieceBatch) add(at int64, fields []reading.Field) error {
	if len(r.times) > 0 {
		r.values = append(r.values, ',')
	}
	r.times, r.values = append(r.times, at), fields[0].Value.AppendJSON(r.values)
	if len(r.times) < maxBatchReadings && len(r.values) < maxBatchBytes {
		return nil
	}
	return r.flush()
}

// flush writes the gathered readings as a piece.
func (r *pieceBatch) flush() error {
	if len(r.times) == 0 {
		return nil
	}
	r.w.beginPiece(r.times)
	r.w.beginColumn(r.key)
	r.w.out.Buf = append(r.w.out.Buf, r.values...)
	r.times, r.values = r.times[:0], r.values[:0]
	return r.w.endPiece(r.bucket)
}

// finish ends the list.
func (w *pieceWriter) finish() error {
	if w.pieces == 0 {
		w.out.Buf = append(w.out.Buf, '[')
	}
	w.out.Buf = append(w.out.Buf, ']')
	return nil
}
