package alarm

// dirtyRange are the samples that are to be judged anew before anybody asks what they
// hold, from a place to a place; those after them as far as it changes what they
// carry on. So many late readings together cost one look at the window, not one
// each.
type dirtyRange struct {
	set      bool
	from, to int
}

// markDirty notes that the sample at place i is to be judged, and those after it as
// far as what they did not measure themselves has changed.
func (s *State) markDirty(t *Predicate, i int) {
	if s.dirty.set && i > s.dirty.to+1 {
		s.reevaluate(t) // those between need no look
	}
	if !s.dirty.set {
		s.dirty = dirtyRange{true, i, i}
		return
	}
	s.dirty.from, s.dirty.to = min(s.dirty.from, i), max(s.dirty.to, i)
}

// reevaluate judges what is to be judged anew.
func (s *State) reevaluate(t *Predicate) {
	if !s.dirty.set {
		return
	}
	s.dirty.set = false
	for i := s.dirty.from; i < len(s.samples); i++ {
		if changed := s.inheritValues(t, i); !changed && i > s.dirty.to {
			return // nor has anything after it
		}
		s.samples[i].holds = t.holds(s.samples[i].values, false)
	}
}

// inheritValues takes over what a sample carries on, and tells whether that is another.
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

// reevaluateFirst judges the oldest sample, if it is to be judged anew.
func (s *State) reevaluateFirst(t *Predicate) {
	if !s.dirty.set || s.dirty.from > 0 {
		return
	}
	s.inheritValues(t, 0)
	s.samples[0].holds = t.holds(s.samples[0].values, false)
	s.dirty.from, s.dirty.to = 1, max(1, s.dirty.to)
}

// inserted and removed move the places with the samples.
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

// dropped moves the places after the n oldest samples went: what they would have
// changed is to be seen in the one that is the oldest now.
func (r *dirtyRange) dropped(n int) {
	if r.set {
		r.from, r.to = max(0, r.from-n), max(0, r.to-n)
	}
}
