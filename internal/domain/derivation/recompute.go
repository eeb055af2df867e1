package derivation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/agronomy"
)

// maxRecomputed is how many values of instants are recomputed at a time, however many a day has.
const maxRecomputed = 4096

// Recomputed is a recomputed part of a day.
type Recomputed struct {
	Frames []reading.Arrival // values that differ from the stored ones, by time
	More   bool              // the day is not finished
	Next   int64             // if More: the time at which to continue, epoch ms
}

// Recompute recomputes the derived values of one day from a device's readings: of the day, at the
// device's site, that contains at (epoch ms), starting at from (epoch ms; math.MinInt64: at the
// day's begin). It returns the values that differ from the stored ones, as frames received at now
// (epoch ms): values of formulas that the product did not have then, or had otherwise. The caller
// recomputes days oldest first, because each depends on the previous one.
//
// The caller must write the frames before anything else of the device is derived, and call Forget
// if that fails.
func (e *Engine) Recompute(ctx context.Context, entry *device.Entry, at, from, now int64) (Recomputed, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	// These frames may change the newest values.
	delete(e.devices, entry.Ref)
	s, err := e.load(ctx, entry)
	if err != nil || s.newest == math.MinInt64 {
		return Recomputed{}, err
	}
	w := derivationRun{engine: e, ctx: ctx, state: s, now: now, maxChanges: e.maxRecomputed}
	if err := w.redo(dayOf(at, s.site.Zone), from); err != nil {
		e.seasons.forget(s.ref)
		return Recomputed{}, fmt.Errorf("derivation: device %d: %w", s.ref.ID, err)
	}
	frames := make([]reading.Arrival, 0, len(w.frames)+len(w.extras))
	for _, f := range w.frames {
		frames = append(frames, *f)
	}
	for _, x := range w.extras {
		frames = append(frames, x.Arrival)
	}
	slices.SortFunc(frames, func(a, b reading.Arrival) int { return int(a.Time - b.Time) })
	return Recomputed{Frames: frames, More: w.stopped, Next: w.resumeAt}, nil
}

func (w *derivationRun) redo(d civilDay, from int64) error {
	s := w.state
	if len(s.plan.instants) > 0 {
		changes, err := w.changes(max(from, d.begin(s.site.Zone)), d.lastMilli(s.site.Zone))
		if err != nil {
			return err
		}
		w.addChanges(changes)
		if w.stopped {
			return nil
		}
	}
	if len(s.plan.days) == 0 || d >= dayOf(s.newest, s.site.Zone) {
		return nil
	}
	of, err := w.load(d, s.plan.dayInputs())
	if err != nil {
		return err
	}
	w.engine.seasons.replace(s.ref, d, of)
	for i := range s.plan.days {
		r := &s.plan.days[i]
		if r.formula.Kind == agronomy.Season {
			if err := w.deriveSeason(r, map[civilDay]*dayReadings{d: of}, d, d); err != nil {
				return err
			}
			continue
		}
		v, ok := s.daily(r, d, of)
		w.addIfChanged(r, d, of.stored[r.property], v, ok)
	}
	return nil
}

// addChanges converts changes, which are sorted by time, to frames.
func (w *derivationRun) addChanges(changes []change) {
	for _, c := range changes {
		if n := len(w.frames); n > 0 && w.frames[n-1].Time == c.at {
			w.frames[n-1].Fields = withField(w.frames[n-1].Fields, c.field)
			continue
		}
		w.frames = append(w.frames, &reading.Arrival{
			Frame: reading.Frame{
				Tenant: w.state.ref.Tenant,
				Device: w.state.ref.ID,
				Time:   c.at,
				Fields: []reading.Field{c.field},
			},
			At: w.now,
		})
	}
	w.pendingRows, w.frameIndex = nil, nil
}
