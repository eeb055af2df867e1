package alarm

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tilth/internal/domain/reading"
)

// keptSamples bounds the samples of the window that a rule remembers in full. Of older ones in the
// window it keeps only the times of hits, so a late reading among them is evaluated with the values
// known before it.
const keptSamples = 128

// keptOfOne replaces keptSamples for a rule of one hit: it never counts earlier samples.
const keptOfOne = 16

// never is before every time.
const never = math.MinInt64

// State is what a rule on readings remembers between samples: the window, and whether a notice is
// open. It is a function of the samples that it received, in whatever order, of which of them were
// deferred, of Floor, of when notices began, and of the newest sample's time. So it can be
// rebuilt from the stored readings.
type State struct {
	oscillation
	Open    bool  // a notice is open
	Waiting bool  // resolved manually: arms at the first sample for which the conditions are false
	Floor   int64 // samples up to here do not count, epoch ms

	newest        int64      // time of the newest evaluated sample that was not deferred, epoch ms
	confirmedUpTo int64      // up to here nothing can be deferred; before newest where that was stamped ahead
	aheadLimit    int64      // later samples were stamped ahead, by the arrival of the current frame
	publishedAt   int64      // what arrived before passes nothing over: the rule was not published then
	samples       []sample   // of the window, oldest first; see insert
	dirty         dirtyRange // of samples
	room          []sample   // the array that holds samples
	spare         []reading.Value
	// prunedHits are the newest times at which the conditions held, of samples in the window
	// that are no longer kept; ascending.
	prunedHits      []int64
	priorValues     []timedValue    // each property's newest value older than samples
	confirmedPriors []timedValue    // prior values replaced by samples after confirmedUpTo; nil: none
	deferred        []deferredFrame // frames that were deferred, later than newest, oldest first
}

// sample is one frame of the device as a rule sees it.
type sample struct {
	time        int64
	own         uint64          // bit i: it holds property i itself
	values      []reading.Value // of every property as of its time
	holds       bool
	wasDeferred bool // it was deferred before its time came
}

type timedValue struct {
	time  int64
	value reading.Value
}

// Sample is an evaluated frame: its own time (epoch ms) and each property's value as of then, in
// the order of Predicate.Properties; none where there is no value.
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
	Armed                         // the rule can open again after a manual resolution
)

// Event is what a Step led to, at the time of the sample that caused it.
type Event struct {
	Kind EventKind
	Time int64 // epoch ms
	// Samples are, of Opened, the newest samples that counted, as many as the rule requires or as
	// are remembered, oldest first; of Resolved, the sample that ended the notice.
	Samples  []Sample
	Unsteady bool // of an unsteady notice
}

// NewState is a rule's state before any sample. Samples up to floor (epoch ms) do not count, and
// neither open nor resolve.
func NewState(t *Predicate, floor int64) *State {
	before := make([]timedValue, len(t.properties))
	for i := range before {
		before[i].time = never
	}
	return &State{oscillation: newOscillation(), Floor: floor, newest: floor, confirmedUpTo: floor, priorValues: before}
}

// Newest is the time of the newest evaluated sample, epoch ms; Floor before any.
func (s *State) Newest() int64 { return s.newest }

// ResolveManually ends the open notice: the window is empty, and the rule waits for a sample for
// which the conditions are false.
func (s *State) ResolveManually() {
	s.Open, s.Unsteady, s.Waiting = false, false, true
	s.clearUpTo(s.newest)
}

// raise excludes everything up to floor, in a rule on being offline.
func (s *State) raise(floor int64) {
	s.Floor = max(s.Floor, floor)
	s.newest = max(s.newest, s.Floor)
	s.confirmedUpTo = s.newest
}

// lower lets samples after floor count again. A sample that is not newer than an evaluated one
// still leads to nothing.
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

// Learn takes in a frame that was evaluated before: it fills the window, and leads to nothing. A
// frame without any of the properties changes nothing.
func (s *State) Learn(t *Predicate, at int64, fields []reading.Field) {
	s.aheadLimit = math.MaxInt64
	s.ingestFrame(t, at, fields)
}

// Step evaluates one frame of the rule's device, with its own time and its arrival time (epoch ms).
// A frame without any of the properties leads to nothing, and neither does one that is not newer
// than the newest evaluated one; the latter counts in the windows of later ones. A frame with a
// right time first defers the samples after its arrival and its time, so that those have no say in
// whether it is the newest. A value of no kind removes the earlier value, and is no sample.
func Step(t *Predicate, s *State, at, arrival int64, fields []reading.Field) (Event, bool) {
	lowered := false
	s.aheadLimit = arrival
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
		e := Event{Kind: Resolved, Time: now.time, Samples: []Sample{now.export()}}
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
		// Late samples may fill the window, but a sample for which the conditions are false begins
		// no alarm.
		return Event{}, false
	}
	if s.hits(t) < t.hits {
		return Event{}, false
	}
	var counted []Sample
	for _, one := range s.samples {
		if one.holds && s.inWindow(t, one.time) {
			counted = append(counted, one.export())
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

// inWindow tells whether a sample of that time is in the window that ends with the newest sample,
// and after Floor.
func (s *State) inWindow(t *Predicate, at int64) bool { return at > s.Floor && at > s.newest-t.window }

// mayBeInWindow tells whether a sample of that time counts, or may count once samples stamped ahead
// are deferred.
func (s *State) mayBeInWindow(t *Predicate, at int64) bool {
	return at > min(s.Floor, s.confirmedUpTo) && at > s.confirmedUpTo-s.retention(t)
}

func byTime(one sample, at int64) int { return cmp.Compare(one.time, at) }

func (one sample) export() Sample { return Sample{Time: one.time, Values: slices.Clone(one.values)} }

// clearUpTo excludes all samples up to floor. Those that may still be deferred stay among the
// samples.
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

// insertFrame puts a frame among the samples of the window and returns its index there. The index
// is negative when the frame holds no property of the rule, or is older than the window.
func (s *State) insertFrame(t *Predicate, at int64, fields []reading.Field) int {
	var own, gone uint64
	var values [maxConditions]reading.Value
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

// kept copies a value that is remembered: a text may be part of a whole message, which must not
// stay in memory because of it.
func kept(v reading.Value) reading.Value {
	if v.Kind() == reading.KindText {
		return reading.Text(strings.Clone(v.String()))
	}
	return v
}

// removeValues takes in that a frame no longer holds some properties. The value before a removed
// one is known within the window only; before the window the property has no value until it is
// measured again.
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

// insertOld takes in a frame that is older than every kept sample.
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

// prune folds the samples that left the window.
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

// remember keeps the time of a hit whose sample is not kept, for as many hits as a rule can
// require.
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

// fold keeps of a sample what later ones may need: its own values.
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
