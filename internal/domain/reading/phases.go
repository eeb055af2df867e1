package reading

import (
	"context"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// SwitchState is what is known of a boolean property at a time.
type SwitchState uint8

// The states. Nothing is known before the first value and while the device is silent.
const (
	SwitchUnknown SwitchState = iota
	SwitchOff
	SwitchOn
)

// Phase is a time, From <= time < To (epoch ms), in which a boolean property has one state.
type Phase struct {
	From, To int64
	State    SwitchState
}

const (
	// phaseLead is how long before a range its device's usual interval is looked for.
	phaseLead = 24 * time.Hour
	// phaseLookback is how long before a range the value with which it begins is looked for.
	phaseLookback = 31 * 24 * time.Hour
	// A pause of this many usual intervals, the median of the pauses before, is silence.
	silentIntervals = 3
	usualPauses     = 50
)

// Phases calls fn for the phases of a boolean property in from <= time < to (epoch ms), oldest first;
// together they are the range, and neighbours differ. A value holds until the next one while the device
// reports anything. The device is silent where it pauses for longer than silentAfter and three of its
// usual intervals. Memory does not grow with the range.
func (s *Store) Phases(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	p device.PropertyID,
	from, to int64,
	silentAfter time.Duration,
	fn func(Phase) error,
) (err error) {
	from, to = clampTime(from), clampTime(to)
	if from >= to {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	ref, props := device.Ref{Tenant: t, ID: d}, []device.PropertyID{p}
	lead := clampTime(from - phaseLead.Milliseconds())
	f := &phaseFinder{from: from, silentAfter: silentAfter.Milliseconds(), last: lead, begin: lead, fn: fn}
	if f.state, err = s.switchBefore(ctx, ref, lead, props); err != nil {
		return err
	}
	times, err := s.newRows(ctx, ref, lead, to-1, nil)
	if err != nil {
		return err
	}
	defer closeInto(&err, times)
	times.query.timesOnly = true
	values, err := s.newRows(ctx, ref, lead, to-1, props)
	if err != nil {
		return err
	}
	defer closeInto(&err, values)
	if err := f.read(times, values); err != nil {
		return err
	}
	return f.finish(to)
}

// switchBefore returns the state of a property by its last value before a time.
func (s *Store) switchBefore(
	ctx context.Context,
	ref device.Ref,
	at int64,
	props []device.PropertyID,
) (SwitchState, error) {
	r, err := s.newRows(ctx, ref, at-phaseLookback.Milliseconds(), at-1, slices.Clone(props))
	if err != nil {
		return SwitchUnknown, err
	}
	found, err := searchBack(r, nil)
	if err != nil || len(found) == 0 {
		return SwitchUnknown, err
	}
	return stateOf(found[0].Value), nil
}

func stateOf(v Value) SwitchState {
	switch {
	case v.kind != KindBoolean:
		return SwitchUnknown
	case v.Bool():
		return SwitchOn
	}
	return SwitchOff
}

// nextTime is next for rows of times only.
func (r *rows) nextTime() (bool, error) {
	if len(r.active) == 0 {
		if ok, err := r.nextDay(); err != nil || !ok {
			return false, err
		}
	}
	if r.frameCount++; r.frameCount%yieldEvery == 0 {
		if err := r.yieldOrStop(); err != nil {
			return false, err
		}
	}
	return true, r.takeFrame()
}

// phaseFinder finds phases from a device's frames, oldest first.
type phaseFinder struct {
	from        int64 // of the range; what is before is left out
	silentAfter int64
	fn          func(Phase) error

	last   int64              // time of the last frame
	pauses [usualPauses]int64 // the last ones between frames
	paused int                // how many there were
	state  SwitchState
	begin  int64 // of the state
	ready  Phase // not passed on yet: the next one may continue it
}

// read takes the times of all frames and the values of the property.
func (f *phaseFinder) read(times, values *rows) error {
	some, err := values.next()
	if err != nil {
		return err
	}
	for {
		ok, err := times.nextTime()
		if err != nil || !ok {
			return err
		}
		if err := f.frame(times.time); err != nil {
			return err
		}
		for some && values.time <= times.time {
			if err := f.set(values.time, stateOf(values.frame[0].Value)); err != nil {
				return err
			}
			if some, err = values.next(); err != nil {
				return err
			}
		}
	}
}

// frame notes that the device reported.
func (f *phaseFinder) frame(at int64) error {
	if err := f.silence(at); err != nil {
		return err
	}
	if at > f.last {
		f.pauses[f.paused%usualPauses] = at - f.last
		f.paused++
		f.last = at
	}
	return nil
}

// silence ends what is known with the last frame if the device was silent from then to at.
func (f *phaseFinder) silence(at int64) error {
	pause := at - f.last
	if pause <= f.silentAfter || pause <= silentIntervals*f.usualPause() {
		return nil
	}
	return f.set(f.last, SwitchUnknown)
}

// usualPause returns the median of the last pauses; 0: there were none.
func (f *phaseFinder) usualPause() int64 {
	if f.paused == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(f.pauses[:min(f.paused, usualPauses)]))
	return sorted[len(sorted)/2]
}

// set begins a state.
func (f *phaseFinder) set(at int64, state SwitchState) error {
	if state == f.state {
		return nil
	}
	err := f.add(Phase{From: f.begin, To: at, State: f.state})
	f.state, f.begin = state, at
	return err
}

// add passes on the phases that are complete.
func (f *phaseFinder) add(p Phase) error {
	if p.From = max(p.From, f.from); p.From >= p.To {
		return nil
	}
	if f.ready.To == p.From && f.ready.State == p.State {
		f.ready.To = p.To
		return nil
	}
	before := f.ready
	f.ready = p
	if before.From == before.To {
		return nil
	}
	return f.fn(before)
}

func (f *phaseFinder) finish(to int64) error {
	if err := f.silence(to); err != nil {
		return err
	}
	if err := f.add(Phase{From: f.begin, To: to, State: f.state}); err != nil {
		return err
	}
	return f.fn(f.ready)
}
