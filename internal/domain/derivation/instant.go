package derivation

import (
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// deriveInstant adds the derived values to a frame that is newer than everything before it.
func (w *derivationRun) deriveInstant(f *reading.Arrival) {
	s := w.state
	for _, field := range f.Fields {
		if _, watched := slices.BinarySearch(s.plan.watched, field.Property); watched {
			s.setLast(field.Property, f.Time, field.Value)
		}
	}
	// Allocate once for all values: the frame's own fields have no spare capacity.
	fields := make([]reading.Field, len(f.Fields), len(f.Fields)+len(s.plan.instants))
	copy(fields, f.Fields)
	for i := range s.plan.instants {
		r := &s.plan.instants[i]
		if v, ok := s.value(r, s.last, f.Time); ok {
			at, _ := slices.BinarySearchFunc(fields, r.property, byProperty)
			fields = slices.Insert(fields, at, reading.Field{Property: r.property, Value: reading.Number(v)})
			s.setLast(r.property, f.Time, reading.Number(v))
		}
	}
	f.Fields = fields
}

// value returns the value of a computation at an instant, from the newest values up to then. There
// is none if no input was measured at that instant, if an input is missing, or if one is older than
// the plan allows.
func (s *deviceState) value(r *computation, last []reading.Last, at int64) (float64, bool) {
	var inputs [8]float64
	x, fresh := inputs[:0], false
	for _, id := range r.inputs {
		i, known := findLast(last, id)
		if !known || last[i].Value.Kind() != reading.KindNumber || at-last[i].Time > s.plan.maxInputAge {
			return 0, false
		}
		fresh = fresh || last[i].Time == at
		x = append(x, last[i].Value.Float())
	}
	if !fresh {
		return 0, false
	}
	v, ok := r.formula.InstantValue(x, r.parameters, s.site.Place)
	return r.roundAndCheck(v, ok)
}

// recomputeLate recomputes from the store what late frames change, including the newer instants
// that use their values because they have none of their own. It returns the times at which a value
// changed: they may lie after a midnight.
func (w *derivationRun) recomputeLate(touched []int64) (changed []int64, err error) {
	s := w.state
	maxReach := s.plan.maxInputAge * s.plan.depth
	times := slices.Clone(touched)
	slices.Sort(times)
	for len(times) > 0 && len(s.plan.instants) > 0 {
		n := 1
		for n < len(times) && times[n]-times[n-1] <= maxReach {
			n++
		}
		changes, err := w.changes(times[0], times[n-1]+maxReach)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			w.add(c.at, c.field)
			changed = append(changed, c.at)
		}
		times = times[n:]
	}
	// Last, because only now the pending rows are complete.
	for _, p := range w.pending() {
		for _, f := range p.fields {
			if _, watched := slices.BinarySearch(s.plan.watched, f.Property); watched {
				s.setLast(f.Property, p.time, f.Value)
			}
		}
	}
	return changed, nil
}

// change is a value that differs from the stored one.
type change struct {
	at    int64
	field reading.Field
}

// changes recomputes the instants from..to and returns the values that differ, by time.
func (w *derivationRun) changes(from, to int64) (changes []change, err error) {
	s := w.state
	var last []reading.Last
	note := func(p device.PropertyID, at int64, v reading.Value) {
		i, known := findLast(last, p)
		if !known {
			last = slices.Insert(last, i, reading.Last{})
		}
		last[i] = reading.Last{Property: p, Time: at, Value: v}
	}
	err = w.forEachRow(from-s.plan.maxInputAge, to, s.plan.watched, func(at int64, fields []reading.Field) {
		for _, f := range fields {
			if _, measured := slices.BinarySearch(s.plan.measured, f.Property); measured || at < from {
				note(f.Property, at, f.Value)
			}
		}
		if at < from {
			return
		}
		if w.maxChanges > 0 && len(changes) >= w.maxChanges {
			w.stopped, w.resumeAt = true, at
			return
		}
		for i := range s.plan.instants {
			r := &s.plan.instants[i]
			stored := valueOf(fields, r.property)
			v, ok := s.value(r, last, at)
			switch {
			case ok:
				note(r.property, at, reading.Number(v))
				if stored.Kind() != reading.KindNumber || stored.Float() != v {
					changes = append(changes, change{at, reading.Field{Property: r.property, Value: reading.Number(v)}})
				}
			case stored.Kind() != reading.KindNone:
				changes = append(changes, change{at, reading.Field{Property: r.property}})
			}
		}
	})
	return changes, err
}

// valueOf returns a property's value in a frame; of KindNone if it has none.
func valueOf(fields []reading.Field, p device.PropertyID) reading.Value {
	for _, f := range fields {
		if f.Property == p {
			return f.Value
		}
	}
	return reading.Value{}
}
