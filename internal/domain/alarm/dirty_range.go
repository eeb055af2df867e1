package alarm

// dirtyRange marks the samples, by first and last index, that must be evaluated anew before anybody
// reads their result. Samples after the range are evaluated as far as their inherited values
// change. So many late readings together cost one pass over the window instead of one each.
type dirtyRange struct {
	set      bool
	from, to int
}

// markDirty marks the sample at index i for evaluation, and those after it as far as their
// inherited values change.
func (s *State) markDirty(t *Predicate, i int) {
	if s.dirty.set && i > s.dirty.to+1 {
		s.reevaluate(t) // the samples between the two ranges need no evaluation
	}
	if !s.dirty.set {
		s.dirty = dirtyRange{true, i, i}
		return
	}
	s.dirty.from, s.dirty.to = min(s.dirty.from, i), max(s.dirty.to, i)
}

// reevaluate evaluates the dirty samples.
func (s *State) reevaluate(t *Predicate) {
	if !s.dirty.set {
		return
	}
	s.dirty.set = false
	for i := s.dirty.from; i < len(s.samples); i++ {
		if changed := s.inheritValues(t, i); !changed && i > s.dirty.to {
			return // no sample after it changes either
		}
		s.samples[i].holds = t.holds(s.samples[i].values, false)
	}
}

// inheritValues gives a sample the values that it does not hold itself, and tells whether one of
// them changed.
func (s *State) inheritValues(t *Predicate, i int) (changed bool) {
	one := &s.samples[i]
	for p := range t.properties {
		if one.own&(1<<p) != 0 {
			continue
		}
		carried := s.priorValues[p].value
		if i > 0 {
			carried = s.samples[i-1].values[p]
		}
		if one.values[p] != carried {
			one.values[p], changed = carried, true
		}
	}
	return changed
}

// reevaluateFirst evaluates the oldest sample, if it is dirty.
func (s *State) reevaluateFirst(t *Predicate) {
	if !s.dirty.set || s.dirty.from > 0 {
		return
	}
	s.inheritValues(t, 0)
	s.samples[0].holds = t.holds(s.samples[0].values, false)
	s.dirty.from, s.dirty.to = 1, max(1, s.dirty.to)
}

// inserted and removed shift the range when a sample is inserted or removed.
func (r *dirtyRange) inserted(i int) {
	switch {
	case !r.set:
	case i <= r.from:
		r.from, r.to = r.from+1, r.to+1
	case i <= r.to:
		r.to++
	}
}

func (r *dirtyRange) removed(i int) {
	switch {
	case !r.set:
	case i < r.from:
		r.from, r.to = r.from-1, r.to-1
	case i <= r.to:
		r.to = max(r.from, r.to-1)
	}
}

// dropped shifts the range after the n oldest samples left. The sample that is the oldest now shows
// what they would have changed.
func (r *dirtyRange) dropped(n int) {
	if r.set {
		r.from, r.to = max(0, r.from-n), max(0, r.to-n)
	}
}
