package alarm

import (
	"slices"

	"tilth/internal/domain/reading"
)

// clockTolerance is how far a reading's time may be after its arrival, or before it, for its device's
// clock to count as right.
const clockTolerance = reading.ClockTolerance

// deferredFrame is a frame that was deferred and waits until its time is past.
type deferredFrame struct {
	time   int64
	own    uint64
	values []reading.Value
}

// reviewAhead runs before a frame is taken in. It finds which samples the frame's arrival confirms
// and which it defers. lowered is true when Floor came down with them.
func (s *State) reviewAhead(t *Predicate, at, arrival int64) (lowered bool) {
	if newest := s.newestRight(s.aheadLimit); newest > s.confirmedUpTo {
		s.confirmedUpTo = newest
		s.prune(t)
	}
	// A clock that is slightly fast defers nothing by itself: its readings come in order.
	limit := max(arrival, at)
	tolerance := clockTolerance.Milliseconds()
	if s.newest <= limit || at < arrival-tolerance || at > arrival+tolerance || arrival < s.publishedAt {
		return false
	}
	if s.confirmedUpTo > arrival+aheadAtMost.Milliseconds() {
		// What the rule knows came while the server's clock was ahead.
		s.confirmedUpTo = at - 1
		if s.Floor <= limit {
			s.confirmedUpTo = max(s.confirmedUpTo, s.Floor)
		}
	}
	s.reevaluate(t)
	s.deferAfter(s.newestRight(limit))
	if s.Floor > limit {
		s.Floor = s.newest
		return true
	}
	return false
}

// newestRight is the time of the newest sample up to limit that was not deferred, and at least
// confirmedUpTo.
func (s *State) newestRight(limit int64) int64 {
	for i := len(s.samples) - 1; i >= 0 && s.samples[i].time > s.confirmedUpTo; i-- {
		if one := &s.samples[i]; one.time <= limit && !one.wasDeferred {
			return one.time
		}
	}
	return s.confirmedUpTo
}

// deferAfter puts aside the samples after newest, as if they had not come yet.
func (s *State) deferAfter(newest int64) {
	s.newest = newest
	n := len(s.samples)
	for n > 0 && s.samples[n-1].time > newest {
		n--
	}
	deferred := make([]deferredFrame, 0, len(s.samples)-n)
	for _, one := range s.samples[n:] {
		deferred = append(deferred, deferredFrame{one.time, one.own, one.values})
	}
	clear(s.samples[n:])
	s.samples = s.samples[:n]
	s.deferred = append(deferred, s.deferred...)
	s.deferred = s.deferred[:min(len(s.deferred), keptSamples)] // the samples furthest ahead matter least
	for len(s.prunedHits) > 0 && s.prunedHits[len(s.prunedHits)-1] > newest {
		s.prunedHits = s.prunedHits[:len(s.prunedHits)-1]
	}
	for p := range s.priorValues {
		switch {
		case s.priorValues[p].time <= newest:
		case s.confirmedPriors != nil:
			s.priorValues[p] = s.confirmedPriors[p]
		default:
			s.priorValues[p].time = s.confirmedUpTo // no older value is known, so this one stays in force
		}
	}
	if newest == s.confirmedUpTo {
		s.confirmedPriors = nil
	}
}

// savePrior keeps the prior value of a property, for the case that the sample which replaces it is
// deferred.
func (s *State) savePrior(p int) {
	if s.priorValues[p].time > s.confirmedUpTo {
		return // it was kept when that value came
	}
	if s.confirmedPriors == nil {
		s.confirmedPriors = slices.Clone(s.priorValues)
	}
	s.confirmedPriors[p] = s.priorValues[p]
}

// ingestFrame is insertFrame for a frame that may put the time of deferred frames in the past:
// those are taken in first. A deferred frame that comes again is no longer deferred, whatever it
// holds.
func (s *State) ingestFrame(t *Predicate, at int64, fields []reading.Field) int {
	if len(s.deferred) > 0 && s.deferred[0].time <= at {
		again := slices.ContainsFunc(s.deferred, func(one deferredFrame) bool { return one.time == at })
		if again || t.isSample(fields) {
			s.applyDeferred(t, at)
		}
	}
	if s.confirmedUpTo != s.newest {
		s.confirmSample(t, at)
	}
	return s.insertFrame(t, at, fields)
}

// confirmSample notes that a frame of that time came, perhaps not for the first time.
func (s *State) confirmSample(t *Predicate, at int64) {
	i, found := slices.BinarySearchFunc(s.samples, at, byTime)
	if !found {
		return
	}
	s.samples[i].wasDeferred = false
	if at > s.confirmedUpTo && at <= s.aheadLimit {
		s.confirmedUpTo = at
		s.prune(t)
	}
}

// applyDeferred takes in the deferred frames up to a time.
func (s *State) applyDeferred(t *Predicate, to int64) {
	limit := s.aheadLimit
	s.aheadLimit = never // deferred frames confirm nothing
	var fields [maxConditions]reading.Field
	n := 0
	for ; n < len(s.deferred) && s.deferred[n].time <= to; n++ {
		one := &s.deferred[n]
		own := fields[:0]
		for p, property := range t.properties {
			if one.own&(1<<p) != 0 {
				own = append(own, reading.Field{Property: property, Value: one.values[p]})
			}
		}
		if i := s.insertFrame(t, one.time, own); i >= 0 {
			s.samples[i].wasDeferred = true
		}
	}
	s.deferred = slices.Delete(s.deferred, 0, n)
	s.aheadLimit = limit
}

// isSample tells whether a frame is a sample: it holds one of the rule's properties.
func (t *Predicate) isSample(fields []reading.Field) bool {
	return slices.ContainsFunc(fields, func(f reading.Field) bool {
		return f.Value.Kind() != reading.KindNone && t.uses(f.Property)
	})
}

// removeDeferred takes values away from a deferred frame. It returns false when no deferred frame
// has that time.
func (s *State) removeDeferred(at int64, gone uint64) bool {
	i := slices.IndexFunc(s.deferred, func(one deferredFrame) bool { return one.time == at })
	if i < 0 {
		return false
	}
	if s.deferred[i].own &^= gone; s.deferred[i].own == 0 {
		s.deferred = slices.Delete(s.deferred, i, i+1)
	}
	return true
}

// LearnAhead is Learn for a frame that was stamped ahead and has not been deferred.
func (s *State) LearnAhead(t *Predicate, at int64, fields []reading.Field) {
	s.aheadLimit = never
	s.ingestFrame(t, at, fields)
}

// LearnDeferred is Learn for a frame that was deferred: it waits until its time is past. The
// caller hands such frames in in the order of their times.
func (s *State) LearnDeferred(t *Predicate, at int64, fields []reading.Field) {
	if len(s.deferred) == keptSamples || !t.isSample(fields) {
		return
	}
	one := deferredFrame{time: at, values: make([]reading.Value, len(t.properties))}
	for _, f := range fields {
		if i, ok := slices.BinarySearch(t.properties, f.Property); ok && f.Value.Kind() != reading.KindNone {
			one.own |= 1 << i
			one.values[i] = kept(f.Value)
		}
	}
	s.deferred = append(s.deferred, one)
	s.applyDeferred(t, s.newest)
}
