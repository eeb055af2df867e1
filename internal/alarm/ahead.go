package alarm

import (
	"slices"

	"tilth/internal/reading"
)

// stampedAhead is how far a reading's time may be after its arrival, and before
// it, for its device's clock to count as right.
const stampedAhead = reading.StampedAhead

// aside is a frame that was passed over, and waits until its time is past.
type aside struct {
	time   int64
	own    uint64
	values []reading.Value
}

// heed looks, before a frame is taken, which samples its arrival makes sure, and
// which it passes over; lowered is true when Floor has come down with them.
func (s *State) heed(t *Test, at, arrival int64) (lowered bool) {
	for i := len(s.samples) - 1; i >= 0 && s.samples[i].time > s.sure; i-- {
		if one := &s.samples[i]; one.time <= s.limit && !one.over {
			s.sure = one.time
			s.prune(t)
			break
		}
	}
	if s.newest <= s.limit || at < arrival-stampedAhead.Milliseconds() || at > s.limit || arrival < s.since {
		return false
	}
	if s.sure > s.limit {
		if s.sure <= arrival+aheadAtMost.Milliseconds() {
			return false
		}
		// What the rule knows came while the server's clock was ahead.
		s.sure = at - 1
		if s.Floor <= s.limit {
			s.sure = max(s.sure, s.Floor)
		}
	}
	s.refresh(t)
	s.passOver()
	if s.Floor > s.limit {
		s.Floor = s.sure
		return true
	}
	return false
}

// passOver puts aside what is after sure, as if it had not come yet.
func (s *State) passOver() {
	s.newest = s.sure
	n := len(s.samples)
	for n > 0 && s.samples[n-1].time > s.sure {
		n--
	}
	over := make([]aside, 0, len(s.samples)-n)
	for _, one := range s.samples[n:] {
		over = append(over, aside{one.time, one.own, one.values})
	}
	clear(s.samples[n:])
	s.samples = s.samples[:n]
	s.aside = append(over, s.aside...)
	s.aside = s.aside[:min(len(s.aside), keptSamples)] // what is furthest off matters last
	for len(s.early) > 0 && s.early[len(s.early)-1] > s.sure {
		s.early = s.early[:len(s.early)-1]
	}
	for p := range s.before {
		switch {
		case s.before[p].time <= s.sure:
		case s.base != nil:
			s.before[p] = s.base[p]
		default:
			s.before[p].time = s.sure // nothing older is known: it stays in force
		}
	}
	s.base = nil
}

// keepBase keeps what before holds of a property, for when what replaces it is
// passed over.
func (s *State) keepBase(p int) {
	if s.before[p].time > s.sure {
		return // kept when that came
	}
	if s.base == nil {
		s.base = slices.Clone(s.before)
	}
	s.base[p] = s.before[p]
}

// takeAll is take, of a frame with which the time of some that were passed over
// may be past: these are taken first. One that comes again is passed over no
// more, whatever it holds.
func (s *State) takeAll(t *Test, at int64, fields []reading.Field) int {
	if len(s.aside) > 0 && s.aside[0].time <= at {
		again := slices.ContainsFunc(s.aside, func(one aside) bool { return one.time == at })
		if again || t.samples(fields) {
			s.takeUp(t, at)
		}
	}
	if s.sure != s.newest {
		s.again(t, at)
	}
	return s.take(t, at, fields)
}

// again takes in that a frame of that time came, perhaps not for the first time.
func (s *State) again(t *Test, at int64) {
	i, there := slices.BinarySearchFunc(s.samples, at, byTime)
	if !there {
		return
	}
	s.samples[i].over = false
	if at > s.sure && at <= s.limit {
		s.sure = at
		s.prune(t)
	}
}

// takeUp takes in the frames that were passed over, up to a time.
func (s *State) takeUp(t *Test, to int64) {
	limit := s.limit
	s.limit = never // they make nothing sure
	var fields [mostTerms]reading.Field
	n := 0
	for ; n < len(s.aside) && s.aside[n].time <= to; n++ {
		one := &s.aside[n]
		own := fields[:0]
		for p, property := range t.properties {
			if one.own&(1<<p) != 0 {
				own = append(own, reading.Field{Property: property, Value: one.values[p]})
			}
		}
		if i := s.take(t, one.time, own); i >= 0 {
			s.samples[i].over = true
		}
	}
	s.aside = slices.Delete(s.aside, 0, n)
	s.limit = limit
}

// samples tells whether a frame is a sample: it holds one of the properties.
func (t *Test) samples(fields []reading.Field) bool {
	return slices.ContainsFunc(fields, func(f reading.Field) bool {
		return f.Value.Kind() != reading.KindNone && t.looksAt(f.Property)
	})
}

// takeAside takes values away from a frame that was passed over; false when
// there is none of that time.
func (s *State) takeAside(at int64, gone uint64) bool {
	i := slices.IndexFunc(s.aside, func(one aside) bool { return one.time == at })
	if i < 0 {
		return false
	}
	if s.aside[i].own &^= gone; s.aside[i].own == 0 {
		s.aside = slices.Delete(s.aside, i, i+1)
	}
	return true
}

// LearnAhead is Learn of a frame that was stamped ahead and has not been passed
// over.
func (s *State) LearnAhead(t *Test, at int64, fields []reading.Field) {
	s.limit = never
	s.takeAll(t, at, fields)
}

// LearnOver is Learn of a frame that was passed over: it waits until its time is
// past. Such frames come in the order of their times.
func (s *State) LearnOver(t *Test, at int64, fields []reading.Field) {
	if len(s.aside) == keptSamples || !t.samples(fields) {
		return
	}
	one := aside{time: at, values: make([]reading.Value, len(t.properties))}
	for _, f := range fields {
		if i, ok := slices.BinarySearch(t.properties, f.Property); ok && f.Value.Kind() != reading.KindNone {
			one.own |= 1 << i
			one.values[i] = kept(f.Value)
		}
	}
	s.aside = append(s.aside, one)
	s.takeUp(t, s.newest)
}
