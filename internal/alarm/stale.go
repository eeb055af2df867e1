package alarm

// stale are the samples that are to be judged anew before anybody asks what they
// hold, from a place to a place; those after them as far as it changes what they
// carry on. So many late readings together cost one look at the window, not one
// each.
type stale struct {
	some     bool
	from, to int
}

// judgeFrom notes that the sample at place i is to be judged, and those after it as
// far as what they did not measure themselves has changed.
func (s *State) judgeFrom(t *Test, i int) {
	if s.stale.some && i > s.stale.to+1 {
		s.refresh(t) // those between need no look
	}
	if !s.stale.some {
		s.stale = stale{true, i, i}
		return
	}
	s.stale.from, s.stale.to = min(s.stale.from, i), max(s.stale.to, i)
}

// refresh judges what is to be judged anew.
func (s *State) refresh(t *Test) {
	if !s.stale.some {
		return
	}
	s.stale.some = false
	for i := s.stale.from; i < len(s.samples); i++ {
		if changed := s.judgeOne(t, i); !changed && i > s.stale.to {
			return // nor has anything after it
		}
		s.samples[i].holds = t.holds(s.samples[i].values, false)
	}
}

// judgeOne takes over what a sample carries on, and tells whether that is another.
func (s *State) judgeOne(t *Test, i int) (changed bool) {
	one := &s.samples[i]
	for p := range t.properties {
		if one.own&(1<<p) != 0 {
			continue
		}
		carried := s.before[p].value
		if i > 0 {
			carried = s.samples[i-1].values[p]
		}
		if one.values[p] != carried {
			one.values[p], changed = carried, true
		}
	}
	return changed
}

// refreshFirst judges the oldest sample, if it is to be judged anew.
func (s *State) refreshFirst(t *Test) {
	if !s.stale.some || s.stale.from > 0 {
		return
	}
	s.judgeOne(t, 0)
	s.samples[0].holds = t.holds(s.samples[0].values, false)
	s.stale.from, s.stale.to = 1, max(1, s.stale.to)
}

// inserted and removed move the places with the samples.
func (r *stale) inserted(i int) {
	switch {
	case !r.some:
	case i <= r.from:
		r.from, r.to = r.from+1, r.to+1
	case i <= r.to:
		r.to++
	}
}

func (r *stale) removed(i int) {
	switch {
	case !r.some:
	case i < r.from:
		r.from, r.to = r.from-1, r.to-1
	case i <= r.to:
		r.to = max(r.from, r.to-1)
	}
}

// dropped moves the places after the n oldest samples went: what they would have
// changed is to be seen in the one that is the oldest now.
func (r *stale) dropped(n int) {
	if r.some {
		r.from, r.to = max(0, r.from-n), max(0, r.to-n)
	}
}
