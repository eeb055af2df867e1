package alarm

import (
	"math"
	"slices"
	"time"

	"tilth/internal/domain/reading"
)

const (
	// MaxNoticesPerHour is how many notices a rule may begin within an hour, by the readings' own
	// times, before the next one is unsteady.
	MaxNoticesPerHour = 12
	// openingsOver is how long an opening counts.
	openingsOver = time.Hour
	// calmPeriod is for how long the conditions must have been false for an unsteady notice to end.
	calmPeriod = 10 * time.Minute
	// changesWritten is at how many changes their number is first written before the notice ends.
	// After that it is written whenever it has doubled, and every changesEvery.
	changesWritten = 8
	changesEvery   = time.Hour
)

// oscillation is what a rule remembers of a value that swings about its threshold.
type oscillation struct {
	Openings []int64 // when the newest notices began, epoch ms, ascending; at most as many as an hour may have
	Unsteady bool    // the open notice is unsteady
	Start    int64   // of the unsteady notice, epoch ms
	Changes  int     // how often the conditions turned true or false during it

	lastHeld bool  // the conditions were true for the newest sample that counted for Changes
	written  int   // Changes when they were written last
	writeAt  int64 // time of a sample from which on they are written again, epoch ms
	// calmSince is the time of the first false sample after the last true one, of those that
	// are no longer kept; never: the last one was true.
	calmSince   int64
	droppedUpTo int64 // time of the newest sample that was dropped because there were too many
}

func newOscillation() oscillation { return oscillation{calmSince: never, droppedUpTo: never} }

// emptyCopy is a state that has to learn its samples anew.
func (s *State) emptyCopy(t *Predicate) *State {
	fresh := newState(t, s.Floor)
	fresh.Open, fresh.Waiting, fresh.oscillation = s.Open, s.Waiting, s.carryOver()
	return fresh
}

// carryOver is the part that a state keeps which learns its samples anew.
func (s *oscillation) carryOver() oscillation {
	c := *s
	c.Openings, c.calmSince, c.droppedUpTo = slices.Clone(s.Openings), never, never
	return c
}

// open notes that a notice begins. The notice is unsteady where the most notices that an hour
// allows began within the hour before.
func (s *State) open(maxPerHour int, at int64) {
	s.Open = true
	if maxPerHour == 0 {
		return
	}
	within := 0
	for _, earlier := range s.Openings {
		if earlier > at-openingsOver.Milliseconds() {
			within++
		}
	}
	i, _ := slices.BinarySearch(s.Openings, at)
	s.Openings = slices.Insert(s.Openings, i, at)
	s.Openings = slices.Delete(s.Openings, 0, max(0, len(s.Openings)-maxPerHour))
	if s.Unsteady = within >= maxPerHour; s.Unsteady {
		s.Start, s.Changes, s.lastHeld, s.written, s.writeAt = at, 0, true, 0, at+changesEvery.Milliseconds()
		s.calmSince, s.droppedUpTo = never, never
	}
}

// decideUnsteady is decide while an unsteady notice is open.
func (s *State) decideUnsteady(t *Predicate, now sample) (Event, bool) {
	if now.holds != s.lastHeld {
		s.lastHeld = now.holds
		s.Changes++
	}
	if !now.holds && !t.holds(now.values, true) && s.isCalm(t, now.time) {
		e := Event{Kind: Resolved, Time: now.time, Samples: []Sample{now.export()}, Unsteady: true}
		s.Open, s.Unsteady = false, false
		s.clearUpTo(now.time)
		return e, true
	}
	if s.takeChangesDue(now.time) {
		return Event{Kind: floorMoved, Time: now.time, Unsteady: true}, true
	}
	return Event{}, false
}

// takeChangesDue tells whether the number of changes has to be written at a time, and marks it as
// written if so.
func (s *oscillation) takeChangesDue(at int64) bool {
	if s.Changes < max(changesWritten, 2*s.written) && at < s.writeAt {
		return false
	}
	s.written, s.writeAt = s.Changes, at+changesEvery.Milliseconds()
	return true
}

// isCalm tells whether the conditions have been false for long enough since the notice began,
// without a break, up to a sample of that time, for which they are false.
func (s *State) isCalm(t *Predicate, at int64) bool {
	edge := at - calmPeriod.Milliseconds()
	if s.Start > edge {
		return false
	}
	first := int64(math.MaxInt64) // false sample since the last true one
	for i := len(s.samples) - 1; i >= 0 && s.samples[i].time >= s.Start; i-- {
		if s.samples[i].holds {
			return first <= edge
		}
		first = s.samples[i].time
	}
	if s.droppedUpTo > edge {
		return first <= edge || s.calmSince != never && s.calmSince <= edge
	}
	// All other samples since it began are older than that.
	return first <= edge || s.lastDropped() >= s.Start && !t.holds(s.older(), false)
}

// lastDropped is the time of the newest sample that is no longer kept; older gives the values as of
// then.
func (s *State) lastDropped() int64 {
	last := int64(never)
	for _, k := range s.priorValues {
		last = max(last, k.time)
	}
	return last
}

func (s *State) older() []reading.Value {
	values := make([]reading.Value, len(s.priorValues))
	for p := range s.priorValues {
		values[p] = s.priorValues[p].value
	}
	return values
}

// noteDropped notes that the oldest sample is dropped because there are too many.
func (s *oscillation) noteDropped(one *sample) {
	s.droppedUpTo = max(s.droppedUpTo, one.time)
	switch {
	case one.holds:
		s.calmSince = never
	case s.calmSince == never:
		s.calmSince = one.time
	}
}

// retention is how much of the past is kept sample by sample, ms.
func (s *State) retention(t *Predicate) int64 {
	if s.Unsteady {
		return max(t.window, calmPeriod.Milliseconds())
	}
	return t.window
}

// sampleLimit is how many samples are kept.
func (s *State) sampleLimit(t *Predicate) int {
	if t.hits == 1 && !s.Unsteady {
		return keptOfOne
	}
	return keptSamples
}
