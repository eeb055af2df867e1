package bench

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
)

// The reference: the notices that the rules of a run must open for what its devices sent. It
// follows docs/alarms.md in simple code and does not use the server's. It covers the rules that the
// runs make: on readings, with conditions that must all hold.

// referenceRule is a rule for the reference.
type referenceRule struct {
	title, device string
	conditions    []referenceCondition
	hits          int
	window        int64 // ms
	since         int64 // samples up to this time do not count, epoch ms
}

// referenceCondition holds while a property's value is above its limit, or below it.
type referenceCondition struct {
	property int
	above    bool
	limit    float64
}

// frame is all values that a device measured at one time.
type frame struct {
	time, arrived int64     // epoch ms
	values        []float64 // by property; NaN: not measured
}

// expectedNotice is a notice, from the reading that opened it to the one that closed it.
type expectedNotice struct {
	title, device string
	begin, end    int64 // epoch ms; end 0: open
	unsteady      bool
}

// ruleSample is a sample of a rule on one property that needs one hit.
type ruleSample struct {
	time  int64 // epoch ms
	holds bool
}

const (
	// noticesAnHour is how many notices a rule opens within an hour before the next one is unsteady, by
	// the default settings.
	noticesAnHour = 12
	hourLong      = int64(time.Hour / time.Millisecond)
	calmLong      = int64(10 * time.Minute / time.Millisecond)
)

// expectedSwings returns the notices of such a rule for its samples in order of time. anHour is how
// many notices a rule opens within an hour before the next is unsteady; 0 means any number.
func expectedSwings(title, device string, samples iter.Seq[ruleSample], anHour int) []expectedNotice {
	var all []expectedNotice
	var calm int64 // time of the first false sample since the last true one; 0 if there is none
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

// maxAhead is how many ms a clock may be ahead, or a reading late, before the rule drops its newest
// time.
const maxAhead = int64(time.Minute / time.Millisecond)

// expectedNotices returns the notices to which frames lead, in the order of their arrival.
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
			newest = f.time - 1 // the newest frame had a time ahead
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

// evaluate tells whether the conditions hold at the newest sample, and for how many samples of the
// window that ends with it.
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
			// A condition on a property that was never measured does not hold: comparisons with NaN
			// are false.
			holds = holds && (c.above && asOf[i] > c.limit || !c.above && asOf[i] < c.limit)
		}
		if holds && f.time > floor && f.time > newest-r.window {
			hits++
		}
	}
	return holds, hits
}

// insertFrame inserts a frame into frames that are sorted by time. Values for a time that exists
// already replace the earlier ones.
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

// diffNotices counts the notices that are missing or that should not exist, and returns an example.
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

// readBack compares the values of a device in the server with the acknowledged frames, and counts
// into v.
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
