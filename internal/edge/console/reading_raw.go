package console

import (
	"context"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// withValues makes readers of the context return numbers as they arrived, if a call asks for that.
func withValues(ctx context.Context, asked *string) context.Context {
	if deref(asked) == "raw" {
		return reading.WithRaw(ctx)
	}
	return ctx
}

// curvesIn gives the curves that correct some of a query's readings; nil: none does.
func (s *server) curvesIn(ctx context.Context, h *historyQuery) reading.Curves {
	if c := s.Readings.CurvesFor(ctx, h.ref); c.ApplyIn(h.ids(), h.from, h.to) {
		return c
	}
	return nil
}

// rawLatest gives as what a device's newest numbers arrived, of the properties of which they are corrected.
func (s *server) rawLatest(ctx context.Context, ref device.Ref) map[device.PropertyID]*float64 {
	curves := s.Readings.CurvesFor(ctx, ref)
	if curves == nil {
		return nil
	}
	by := map[device.PropertyID]*float64{}
	for _, n := range s.Readings.Newest(reading.WithRaw(ctx), ref.Tenant, ref.ID) {
		if _, applies := curves[n.Property].Correct(n.Time, n.Value); applies {
			by[n.Property] = new(n.Value.Float())
		}
	}
	return by
}

// rawAt gives as what a property's readings at some times (ascending) arrived, of no kind where they are not
// corrected; nil: none is.
func (s *server) rawAt(
	ctx context.Context,
	h *historyQuery,
	p *device.Property,
	times []int64,
) (raws []reading.Value, err error) {
	curve := s.Readings.CurvesFor(ctx, h.ref)[p.ID]
	if curve == nil || len(times) == 0 || !curve.AppliesIn(times[0], times[len(times)-1]) {
		return nil, nil
	}
	raws = make([]reading.Value, len(times))
	err = s.Readings.Range(
		reading.WithRaw(ctx), h.ref.Tenant, h.ref.ID, times[0], times[len(times)-1], []device.PropertyID{p.ID},
		func(at int64, fields []reading.Field) error {
			i, found := slices.BinarySearch(times, at)
			if !found {
				return nil
			}
			if _, applies := curve.Correct(at, fields[0].Value); applies {
				raws[i] = fields[0].Value
			}
			return nil
		},
	)
	return raws, err
}

// rawOf is what the reading i arrived as.
func rawOf(raws []reading.Value, i int) reading.Value {
	if raws == nil {
		return reading.Value{}
	}
	return raws[i]
}

// writeCorrected writes the values of a column of numbers as they arrived, corrected, and notes those that a
// curve changes for the piece's raw numbers.
func (w *pieceWriter) writeCorrected(key []byte, times []int64, c *reading.Column, curve *reading.Curve) {
	raws := make([]reading.Value, len(times))
	corrected := false
	c.Values(func(i int, raw reading.Value) bool {
		v, applies := curve.Correct(times[i], raw)
		if applies {
			raws[i], corrected = raw, true
		}
		if i > 0 {
			w.out.Buf = append(w.out.Buf, ',')
		}
		w.out.Buf = appendOrNull(w.out.Buf, v)
		return true
	})
	if corrected {
		w.addRaw(key, raws)
	}
}

// addRaw notes what the values of a column of the piece arrived as; nothing if raws is nil.
func (w *pieceWriter) addRaw(key []byte, raws []reading.Value) {
	if raws == nil {
		return
	}
	if len(w.raw) == 0 {
		w.raw = append(w.raw, `,"raw":{`...)
	} else {
		w.raw = append(w.raw, ',')
	}
	w.raw = append(w.raw, key...)
	for i, v := range raws {
		if i > 0 {
			w.raw = append(w.raw, ',')
		}
		w.raw = appendOrNull(w.raw, v)
	}
	w.raw = append(w.raw, ']')
}

func appendOrNull(dst []byte, v reading.Value) []byte {
	if v.Kind() == reading.KindNone {
		return append(dst, "null"...)
	}
	return v.AppendJSON(dst)
}
