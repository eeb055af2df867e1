package alarm

import (
	"math"
	"slices"
	"time"

	"tilth/internal/reading"
)

const (
	// NoticesAnHour is how many notices a rule may begin within an hour, by the
	// readings' own times, before the next one is unsteady.
	NoticesAnHour = 12
	// openingsOver is how long an opening counts.
	openingsOver = time.Hour
	// calmFor is for how long the conditions must have been false for an unsteady
	// notice to end.
	calmFor = 10 * time.Minute
	// changesWritten is how many changes are written first, before the end of the
	// notice; after that they are whenever they have doubled, and every
	// changesEvery.
	changesWritten = 8
	changesEvery   = time.Hour
)

// swing is what a rule remembers of a value that swings about its threshold.
type swing struct {
	Openings []int64 // when the newest notices began, epoch ms, ascending; as many as an hour may have
	Unsteady bool    // the open notice is unsteady
	Start    int64   // of the unsteady notice, epoch ms
	Changes  int     // how often the conditions turned true or false during it

	held     bool  // they were true for the newest sample that counted for Changes
	written  int   // Changes when they were written last
	writeAt  int64 // time of a sample from which on they are written again, epoch ms
	calm     int64 // first false sample behind the last true one, of those that are no longer kept; never: the last was true
	unkeptTo int64 // time of the newest sample that left because there were too many
}

func newSwing() swing { return swing{calm: never, unkeptTo: never} }

// anew is a state that is to learn its samples anew.
func (s *State) anew(t *Test) *State {
	fresh := newState(t, s.Floor)
	fresh.Open, fresh.Waiting, fresh.swing = s.Open, s.Waiting, s.carried()
	return fresh
}

// carried is what of it a state takes over that learns its samples anew.
func (s *swing) carried() swing {
	c := *s
	c.Openings, c.calm, c.unkeptTo = slices.Clone(s.Openings), never, never
	return c
}

// open notes that a notice begins: an unsteady one, where as many as may have begun
// within the hour before.
func (s *State) open(anHour int, at int64) {
	s.Open = true
	if anHour == 0 {
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
	s.Openings = slices.Delete(s.Openings, 0, max(0, len(s.Openings)-anHour))
	if s.Unsteady = within >= anHour; s.Unsteady {
		s.Start, s.Changes, s.held, s.written, s.writeAt = at, 0, true, 0, at+changesEvery.Milliseconds()
		s.calm, s.unkeptTo = never, never
	}
}

// decideUnsteady is decide while an unsteady notice is open.
func (s *State) decideUnsteady(t *Test, now sample) (Event, bool) {
	if now.holds != s.held {
		s.held = now.holds
		s.Changes++
	}
	if !now.holds && !t.holds(now.values, true) && s.isCalm(t, now.time) {
		e := Event{Kind: Resolved, Time: now.time, Samples: []Sample{now.told()}, Unsteady: true}
		s.Open, s.Unsteady = false, false
		s.empty(now.time)
		return e, true
	}
	if s.writes(now.time) {
		return Event{Kind: moved, Time: now.time, Unsteady: true}, true
	}
	return Event{}, false
}

// writes tells whether the number of changes is to be written at a time, and takes
// it for written then.
func (s *swing) writes(at int64) bool {
	if s.Changes < max(changesWritten, 2*s.written) && at < s.writeAt {
		return false
	}
	s.written, s.writeAt = s.Changes, at+changesEvery.Milliseconds()
	return true
}

// isCalm tells whether the conditions have been false for long enough, without a
// break since the notice began, up to a sample of that time, for which they are false.
func (s *State) isCalm(t *Test, at int64) bool {
	edge := at - calmFor.Milliseconds()
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
	if s.unkeptTo > edge {
		return first <= edge || s.calm != never && s.calm <= edge
	}
	// What else there was since it began is older than that.
	return first <= edge || s.lastUnkept() >= s.Start && !t.holds(s.older(), false)
}

// lastUnkept is the time of the newest sample that is not kept any more, and older the
// values as of then.
func (s *State) lastUnkept() int64 {
	last := int64(never)
	for _, k := range s.before {
		last = max(last, k.time)
	}
	return last
}

func (s *State) older() []reading.Value {
	values := make([]reading.Value, len(s.before))
	for p := range s.before {
		values[p] = s.before[p].value
	}
	return values
}

// unkept notes that the oldest sample leaves because there are too many.
func (s *swing) unkept(one *sample) {
	s.unkeptTo = max(s.unkeptTo, one.time)
	switch {
	case one.holds:
		s.calm = never
	case s.calm == never:
		s.calm = one.time
	}
}

// span is how much of the past is kept sample by sample, ms.
func (s *State) span(t *Test) int64 {
	if s.Unsteady {
		return max(t.window, calmFor.Milliseconds())
	}
	return t.window
}

// keeps is how many samples of it are.
func (s *State) keeps(t *Test) int {
	if t.hits == 1 && !s.Unsteady {
		return keptOfOne
	}
	return keptSamples
}
