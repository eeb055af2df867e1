package console

import (
	"context"
	"math"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
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

// rawReading is as what a corrected number arrived.
type rawReading struct {
	number  float64
	clamped bool // no calibration corrects it
}

// rawReadings are as what a device's newest numbers arrived, of the properties of which they are corrected.
type rawReadings map[device.PropertyID]rawReading

// addTo adds to a reading of a property as what it arrived.
func (r rawReadings) addTo(w *wire.Reading, p device.PropertyID) {
	if raw, corrected := r[p]; corrected {
		w.Raw = &raw.number
		if raw.clamped {
			w.Clamped = &raw.clamped
		}
	}
}

func (s *server) rawLatest(ctx context.Context, ref device.Ref) rawReadings {
	curves := s.Readings.CurvesFor(ctx, ref)
	if curves == nil {
		return nil
	}
	by := rawReadings{}
	for _, n := range s.Readings.Newest(reading.WithRaw(ctx), ref.Tenant, ref.ID) {
		curve := curves[n.Property]
		if _, applies := curve.Correct(n.Time, n.Value); applies {
			by[n.Property] = rawReading{n.Value.Float(), !curve.AppliesTo(n.Time, n.Time, math.Inf(-1))}
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
	shown *reading.Downsampled,
) (raws []reading.Value, err error) {
	curve, times := s.Readings.CurvesFor(ctx, h.ref)[p.ID], shown.Times
	if curve == nil || len(times) == 0 || !curve.AppliesTo(times[0], times[len(times)-1], highestRaw(curve, shown)) {
		return nil, nil
	}
	all, some := make([]reading.Value, len(times)), false
	err = s.Readings.Range(
		reading.WithRaw(ctx), h.ref.Tenant, h.ref.ID, times[0], times[len(times)-1], []device.PropertyID{p.ID},
		func(at int64, fields []reading.Field) error {
			i, found := slices.BinarySearch(times, at)
			if !found {
				return nil
			}
			if _, applies := curve.Correct(at, fields[0].Value); applies {
				all[i], some = fields[0].Value, true
			}
			return nil
		},
	)
	if some {
		raws = all
	}
	return raws, err
}

// highestRaw is the most that readings can have arrived as without a calibration.
func highestRaw(curve *reading.Curve, shown *reading.Downsampled) float64 {
	highest := math.Inf(-1)
	for i := range shown.Times {
		if v := shown.Value(i); v.Kind() == reading.KindNumber {
			highest = max(highest, v.Float())
		}
	}
	if highest >= curve.Max { // it may be clamped
		return math.Inf(1)
	}
	return highest
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
