package bench

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
)

// The reference: what notices the rules of a run must have opened, given what its
// devices sent. It is written from docs/alarms.md, plainly, and knows nothing of
// how the server judges; rules are those that a run makes, on readings, whose
// conditions are all wanted.

// referenceRule is a rule as the reference knows it.
type referenceRule struct {
	title, device string
	conditions    []referenceCondition
	hits          int
	window        int64 // ms
	since         int64 // samples up to then do not count, epoch ms
}

// referenceCondition holds while a property's value is above its limit, or below it.
type referenceCondition struct {
	property int
	above    bool
	limit    float64
}

// frame is what a device measured at one instant.
type frame struct {
	time, arrived int64     // epoch ms
	values        []float64 // by property; NaN: not measured
}

// expectedNotice is a notice: from the reading that began it to the one that ended it.
type expectedNotice struct {
	title, device string
	begin, end    int64 // epoch ms; end 0: open
	unsteady      bool
}

// ruleSample is a sample of a rule that looks at one property: one hit and no window
// but the sample itself.
type ruleSample struct {
	time  int64 // epoch ms
	holds bool
}

const (
	// noticesAnHour is how many notices a rule begins within an hour before the next
	// is unsteady, as servers are delivered.
	noticesAnHour = 12
	hourLong      = int64(time.Hour / time.Millisecond)
	calmLong      = int64(10 * time.Minute / time.Millisecond)
)

// expectedSwings are the notices of such a rule, given its samples in order of time, where
// it begins so many within an hour; 0: any number.
func expectedSwings(title, device string, samples iter.Seq[ruleSample], anHour int) []expectedNotice {
	var all []expectedNotice
	var calm int64 // time of the first false sample since the last true one; 0: there is none
	open := false
	for s := range samples {
		if s.holds {
			calm = 0
		} else if calm == 0 {
			calm = s.time
		}
		switch {
		case !open && s.holds:
			one := expectedNotice{title: title, device: device, begin: s.time}
			within := 0
			for i := len(all) - 1; i >= 0 && all[i].begin > s.time-hourLong; i-- {
				within++
			}
			one.unsteady = anHour > 0 && within >= anHour
			all, open = append(all, one), true
		case open && !s.holds:
			last := &all[len(all)-1]
			if !last.unsteady || s.time-calm >= calmLong {
				last.end, open = s.time, false
			}
		}
	}
	return all
}

// maxAhead is by how much a clock may be ahead, or a reading late, before a
// rule's newest time is not believed, in ms.
const maxAhead = int64(time.Minute / time.Millisecond)

// expectedNotices are the notices that frames lead to, in the order of their arrival.
func (r *referenceRule) expectedNotices(arrived []frame) []expectedNotice {
	var all []expectedNotice
	var kept []frame
	newest, floor, open := r.since, r.since, false
	for _, f := range arrived {
		if !r.concerns(f) {
			continue
		}
		kept = insertFrame(kept, f)
		if newest > f.time+maxAhead && max(f.arrived-f.time, f.time-f.arrived) <= maxAhead {
			newest = f.time - 1 // what was newest was stamped ahead
		}
		if f.time <= newest {
			continue
		}
		newest = f.time
		holds, hits := r.evaluate(kept, floor, newest)
		switch {
		case open && !holds:
			all[len(all)-1].end, open, floor = f.time, false, f.time
		case !open && holds && hits >= r.hits:
			all, open = append(all, expectedNotice{title: r.title, device: r.device, begin: f.time}), true
		}
	}
	return all
}

func (r *referenceRule) concerns(f frame) bool {
	return slices.ContainsFunc(
		r.conditions,
		func(c referenceCondition) bool { return !math.IsNaN(f.values[c.property]) },
	)
}

// evaluate tells whether the conditions hold at the newest sample, and for how many
// samples of the window that ends with it.
func (r *referenceRule) evaluate(kept []frame, floor, newest int64) (holds bool, hits int) {
	asOf := make([]float64, len(r.conditions))
	for i := range asOf {
		asOf[i] = math.NaN()
	}
	for _, f := range kept {
		if f.time > newest {
			break
		}
		holds = true
		for i, c := range r.conditions {
			if v := f.values[c.property]; !math.IsNaN(v) {
				asOf[i] = v
			}
			// Of what was never measured neither holds.
			holds = holds && (c.above && asOf[i] > c.limit || !c.above && asOf[i] < c.limit)
		}
		if holds && f.time > floor && f.time > newest-r.window {
			hits++
		}
	}
	return holds, hits
}

// insertFrame puts a frame among those that are sorted by time. What is measured again
// for the same time replaces what was.
func insertFrame(sorted []frame, f frame) []frame {
	i, there := slices.BinarySearchFunc(
		sorted,
		f.time,
		func(one frame, at int64) int { return cmp.Compare(one.time, at) },
	)
	if !there {
		return slices.Insert(sorted, i, f)
	}
	both := slices.Clone(sorted[i].values)
	for p, v := range f.values {
		if !math.IsNaN(v) {
			both[p] = v
		}
	}
	sorted[i].values = both
	return sorted
}

// diffNotices counts the notices that are wanted and not there, or there and not
// wanted, and gives an example.
func diffNotices(want, got []expectedNotice) (n int, example string) {
	left := map[expectedNotice]int{}
	for _, s := range want {
		left[s]++
	}
	for _, s := range got {
		left[s]--
	}
	for s, times := range left {
		n += max(times, -times)
		what := fmt.Sprintf("%q of %s from %d to %d ", s.title, s.device, s.begin, s.end)
		if s.unsteady {
			what = "unsteady " + what
		}
		switch {
		case times > 0 && (example == "" || what+"is missing" < example):
			example = what + "is missing"
		case times < 0 && (example == "" || what+"should not be" < example):
			example = what + "should not be"
		}
	}
	return n, example
}

// readBack compares what a device has in the server with what of it was
// acknowledged, and counts into v.
func readBack(v *Verification, device string, properties []string, acknowledged []frame, got map[string][]point) {
	var want []frame
	for _, f := range acknowledged {
		want = insertFrame(want, f)
	}
	for p, name := range properties {
		had := map[int64]float64{}
		for _, one := range got[name] {
			if _, twice := had[one.Time]; twice {
				v.addFault(&v.Extra, device, name, one.Time, "there twice")
			}
			had[one.Time] = one.Value
		}
		for _, f := range want {
			if math.IsNaN(f.values[p]) {
				continue
			}
			v.Checked++
			value, there := had[f.time]
			switch {
			case !there:
				v.addFault(&v.Lost, device, name, f.time, "acknowledged and not there")
			case value != f.values[p]:
				v.addFault(&v.Wrong, device, name, f.time, fmt.Sprintf("%v, sent as %v", value, f.values[p]))
			}
			delete(had, f.time)
		}
		for at := range had {
			v.addFault(&v.Extra, device, name, at, "never sent")
		}
	}
}
