package alarm

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tilth/internal/domain/reading"
)

// keptSamples bounds what a rule remembers of its window sample by sample. Of
// older ones in the window only the times that count are kept, so a reading
// that comes in late among them is judged by what was known before it.
const keptSamples = 128

// keptOfOne is keptSamples of a rule for which one sample is enough: what was
// before it is never counted.
const keptOfOne = 16

// never is before every time.
const never = math.MinInt64

// State is what a rule on readings remembers between samples: the window, and
// whether a notice is open. It is a function of the samples it was given, in
// whatever order they came, of which of them were passed over, of Floor, of when
// notices began, and of the newest one's time; so it can be made again from the
// stored readings.
type State struct {
	oscillation
	Open    bool  // a notice is open
	Waiting bool  // resolved by hand: arms at the first sample for which the condition is false
	Floor   int64 // samples up to here do not count, epoch ms

	newest          int64      // of the samples judged, but for those passed over, epoch ms
	confirmedUpTo   int64      // up to here nothing can be passed over; before newest where that was stamped ahead
	aheadLimit      int64      // what is later than this was stamped ahead, by the arrival of the frame that is taken
	publishedAt     int64      // what arrived before this passes nothing over: the rule was not published then
	samples         []sample   // of the window, oldest first; see insert
	dirty           dirtyRange // of samples
	room            []sample   // what samples is part of
	spare           []reading.Value
	prunedHits      []int64         // newest times at which the condition held, of samples in the window but no longer kept; ascending
	priorValues     []timedValue    // each property's newest value older than samples
	confirmedPriors []timedValue    // of before, what values after sure have replaced; nil: none have
	deferred        []deferredFrame // frames that were passed over, after newest, oldest first
}

// sample is one frame of the device as a rule sees it.
type sample struct {
	time        int64
	own         uint64          // bit i: it holds property i itself
	values      []reading.Value // of every property as of its time
	holds       bool
	wasDeferred bool // it was passed over before its time came
}

type timedValue struct {
	time  int64
	value reading.Value
}

// Sample is a judged frame: its own time (epoch ms) and each property's value
// as of then, in the order of Test.Properties; none where there is no value.
type Sample struct {
	Time   int64
	Values []reading.Value
}

// EventKind is what a Step can lead to.
type EventKind int

// What a Step can lead to.
const (
	Opened   EventKind = iota + 1 // a notice begins
	Resolved                      // the open notice ends by itself
	Armed                         // after one resolved by hand, the rule can open again
)

// Event is what a Step led to, at the time of the sample that did.
type Event struct {
	Kind EventKind
	Time int64 // epoch ms
	// Samples are, of Opened, the newest of those that counted, as many as the
	// rule asks for or as are remembered, oldest first; of Resolved, the one that
	// ended it.
	Samples  []Sample
	Unsteady bool // of an unsteady notice
}

// NewState is a rule's state before any sample: those up to floor (epoch ms) do
// not count, and neither open nor resolve.
func NewState(t *Predicate, floor int64) *State {
	before := make([]timedValue, len(t.properties))
	for i := range before {
		before[i].time = never
	}
	return &State{oscillation: newOscillation(), Floor: floor, newest: floor, confirmedUpTo: floor, priorValues: before}
}

// Newest is the time of the newest sample judged, epoch ms; Floor before any.
func (s *State) Newest() int64 { return s.newest }

// ResolveManually ends the open notice: the window is empty, and the rule waits
// for a sample for which the condition is false.
func (s *State) ResolveManually() {
	s.Open, s.Unsteady, s.Waiting = false, false, true
	s.clearUpTo(s.newest)
}

// raise lets nothing up to floor count any more, of a rule on being offline.
func (s *State) raise(floor int64) {
	s.Floor = max(s.Floor, floor)
	s.newest = max(s.newest, s.Floor)
	s.confirmedUpTo = s.newest
}

// lower lets samples after floor count again; those that are not newer than one
// that was judged still lead to nothing.
func (s *State) lower(floor int64) {
	s.Floor, s.newest = floor, floor
	for _, k := range s.priorValues {
		s.newest = max(s.newest, k.time)
	}
	if n := len(s.samples); n > 0 {
		s.newest = max(s.newest, s.samples[n-1].time)
	}
	s.confirmedUpTo = s.newest
}

// Learn takes in a frame that was judged before: it fills the window, and
// leads to nothing. Frames that hold none of the properties change nothing.
func (s *State) Learn(t *Predicate, at int64, fields []reading.Field) {
	s.aheadLimit = math.MaxInt64
	s.ingestFrame(t, at, fields)
}

// Step judges one frame of the rule's device, with its own time and the one at
// which it arrived (epoch ms). A frame that holds none of the properties, and one
// not newer than the newest judged, leads to nothing; the latter counts in the
// windows of later ones. What lies more than a minute after the arrival of a
// frame with a right time is passed over first, so that the frame is the newest.
// A value of no kind takes away the one that was there, and is no sample.
func Step(t *Predicate, s *State, at, arrival int64, fields []reading.Field) (Event, bool) {
	lowered := false
	s.aheadLimit = arrival + stampedAhead.Milliseconds()
	if s.confirmedUpTo != s.newest || s.newest > s.aheadLimit {
		lowered = s.reviewAhead(t, at, arrival)
	}
	newest := s.newest
	i := s.ingestFrame(t, at, fields)
	if i >= 0 && at > newest {
		s.reevaluate(t)
		if e, ok := s.decide(t, s.samples[i]); ok {
			return e, true
		}
	}
	return Event{Kind: floorMoved, Time: at}, lowered
}

func (s *State) decide(t *Predicate, now sample) (Event, bool) {
	switch {
	case s.Unsteady:
		return s.decideUnsteady(t, now)
	case s.Open:
		if t.holds(now.values, true) {
			return Event{}, false
		}
		s.Open = false
		e := Event{Kind: Resolved, Time: now.time, Samples: []Sample{now.told()}}
		s.clearUpTo(now.time)
		return e, true
	case s.Waiting:
		if now.holds {
			return Event{}, false
		}
		s.Waiting = false
		s.clearUpTo(now.time)
		return Event{Kind: Armed, Time: now.time}, true
	case !now.holds:
		// What came in late may fill the window, but a sample that is as it
		// should be begins no alarm.
		return Event{}, false
	}
	if s.hits(t) < t.hits {
		return Event{}, false
	}
	var counted []Sample
	for _, one := range s.samples {
		if one.holds && s.inWindow(t, one.time) {
			counted = append(counted, one.told())
		}
	}
	s.open(t.maxPerHour, now.time)
	return Event{
		Kind:     Opened,
		Time:     now.time,
		Samples:  counted[max(0, len(counted)-t.hits):],
		Unsteady: s.Unsteady,
	}, true
}

// hits is how many samples of the window count.
func (s *State) hits(t *Predicate) int {
	s.reevaluate(t)
	count := 0
	for _, early := range s.prunedHits {
		if s.inWindow(t, early) {
			count++
		}
	}
	for _, one := range s.samples {
		if one.holds && s.inWindow(t, one.time) {
			count++
		}
	}
	return count
}

// inWindow tells whether a sample of that time is in the window that ends with
// the newest one, and not used up.
func (s *State) inWindow(t *Predicate, at int64) bool { return at > s.Floor && at > s.newest-t.window }

// mayBeInWindow tells whether a sample of that time counts, or may once what is
// stamped ahead is passed over.
func (s *State) mayBeInWindow(t *Predicate, at int64) bool {
	return at > min(s.Floor, s.confirmedUpTo) && at > s.confirmedUpTo-s.retention(t)
}

func byTime(one sample, at int64) int { return cmp.Compare(one.time, at) }

func (one sample) told() Sample { return Sample{Time: one.time, Values: slices.Clone(one.values)} }

// clearUpTo lets no sample up to floor count any more. Those that may be passed over
// yet stay among the samples.
func (s *State) clearUpTo(floor int64) {
	s.Floor = floor
	s.prunedHits = s.prunedHits[:0]
	n := 0
	for n < len(s.samples) && s.samples[n].time <= min(floor, s.confirmedUpTo) {
		s.fold(s.samples[n])
		n++
	}
	s.dropFront(n)
}

// insertFrame puts a frame among the samples of the window and gives its place there;
// negative when it holds no property of the rule, or is older than the window.
func (s *State) insertFrame(t *Predicate, at int64, fields []reading.Field) int {
	var own, gone uint64
	var values [mostTerms]reading.Value
	for _, f := range fields {
		i, ok := slices.BinarySearch(t.properties, f.Property)
		switch {
		case !ok:
		case f.Value.Kind() == reading.KindNone:
			gone |= 1 << i
		default:
			own |= 1 << i
			values[i] = kept(f.Value)
		}
	}
	if gone != 0 {
		s.removeValues(t, at, gone)
	}
	if own == 0 {
		return -1
	}
	s.newest = max(s.newest, at)
	if at > s.confirmedUpTo && at <= s.aheadLimit {
		s.confirmedUpTo = at
		s.prune(t)
	}
	i, found := slices.BinarySearchFunc(s.samples, at, byTime)
	switch {
	case found:
		for p := range t.properties {
			if own&(1<<p) != 0 {
				s.samples[i].values[p] = values[p]
			}
		}
		s.samples[i].own |= own
		s.samples[i].wasDeferred = false
	case i == 0 && (!s.mayBeInWindow(t, at) || len(s.samples) == s.sampleLimit(t)):
		return s.insertOld(t, at, own, values[:len(t.properties)])
	default:
		s.insert(i, sample{time: at, own: own, values: append(s.spare[:0], values[:len(t.properties)]...)})
		if len(s.samples) > s.sampleLimit(t) {
			s.foldOldest(t)
			i--
		}
	}
	s.markDirty(t, i)
	return i
}

// kept is a value to be remembered: a text may be part of a whole message,
// which must not stay in memory because of it.
func kept(v reading.Value) reading.Value {
	if v.Kind() == reading.KindText {
		return reading.Text(strings.Clone(v.String()))
	}
	return v
}

// removeValues takes in that a frame does not hold some properties any more. What
// stood before a value that was taken away is known within the window only;
// before it the property has no value until it is measured again.
func (s *State) removeValues(t *Predicate, at int64, gone uint64) {
	if s.removeDeferred(at, gone) {
		return
	}
	i, found := slices.BinarySearchFunc(s.samples, at, byTime)
	if !found {
		i = 0
		for p := range s.priorValues {
			if gone&(1<<p) != 0 && s.priorValues[p].time == at {
				s.priorValues[p] = timedValue{time: never}
			}
		}
	} else if s.samples[i].own &^= gone; s.samples[i].own == 0 {
		s.samples = slices.Delete(s.samples, i, i+1)
		s.dirty.removed(i)
	}
	s.markDirty(t, i)
}

// insertOld is of a frame that is older than every sample that is kept.
func (s *State) insertOld(t *Predicate, at int64, own uint64, values []reading.Value) int {
	old := sample{time: at, own: own, values: values}
	for p := range s.priorValues {
		if own&(1<<p) == 0 && s.priorValues[p].time <= at {
			old.values[p] = s.priorValues[p].value
		}
	}
	old.holds = t.holds(old.values, false)
	s.fold(old)
	if s.mayBeInWindow(t, at) {
		s.remember(old)
	}
	s.markDirty(t, 0)
	return -1
}

// prune folds away what the window has left behind.
func (s *State) prune(t *Predicate) {
	edge := s.confirmedUpTo - s.retention(t)
	n := 0
	for n < len(s.samples) && s.samples[n].time <= edge {
		s.fold(s.samples[n])
		n++
	}
	s.dropFront(n)
	n = 0
	for n < len(s.prunedHits) && s.prunedHits[n] <= edge {
		n++
	}
	s.prunedHits = slices.Delete(s.prunedHits, 0, n)
}

// foldOldest makes room where a window holds more samples than are kept.
func (s *State) foldOldest(t *Predicate) {
	s.reevaluateFirst(t)
	oldest := s.samples[0]
	s.noteDropped(&oldest)
	s.fold(oldest)
	if s.mayBeInWindow(t, oldest.time) {
		s.remember(oldest)
	}
	s.dropFront(1)
}

// remember keeps the time of a sample that counts though it is not kept; as
// many as a rule can ask for.
func (s *State) remember(one sample) {
	i, found := slices.BinarySearch(s.prunedHits, one.time)
	switch {
	case found && !one.holds:
		s.prunedHits = slices.Delete(s.prunedHits, i, i+1)
	case !found && one.holds:
		s.prunedHits = slices.Insert(s.prunedHits, i, one.time)
		if len(s.prunedHits) > mostHits {
			s.prunedHits = slices.Delete(s.prunedHits, 0, 1)
		}
	}
}

// fold keeps of a sample what later ones may still need: its own values.
func (s *State) fold(one sample) {
	for p := range s.priorValues {
		if one.own&(1<<p) != 0 && one.time >= s.priorValues[p].time {
			if one.time > s.confirmedUpTo {
				s.savePrior(p)
			}
			s.priorValues[p] = timedValue{time: one.time, value: one.values[p]}
		}
	}
}
