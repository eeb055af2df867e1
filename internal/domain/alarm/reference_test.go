package alarm

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// reference evaluates as docs/alarms.md describes, without regard for speed: it keeps every frame
// and computes everything anew at every step.
type reference struct {
	rule    Rule
	product *device.Product
	frames  []frame // of the device, oldest first
	floor   int64
	from    int64 // the floor with which it was published
	newest  int64
	open    bool
	waiting bool

	maxPerHour int // notices that may begin within an hour; 0: any number
	openings   []int64
	unsteady   bool
	start      int64 // of the unsteady notice
}

// frame is what the device measured at one time, by identifier. Numbers are rounded to their
// property's precision.
type frame struct {
	time    int64
	values  map[string]reading.Value
	arrival int64
	over    bool // deferred
}

// ahead tells whether the frame was stamped ahead.
func (f frame) ahead() bool { return f.time > f.arrival }

// right tells whether the frame's time shows that the device's clock is right.
func (f frame) right() bool { return f.time <= f.arrival+60_000 && f.time >= f.arrival-60_000 }

// publish starts anew, with the existing frames.
func (r *reference) publish(rule Rule, floor int64) {
	rule.Conditions = slices.Clone(rule.Conditions)
	for i, c := range rule.Conditions {
		rule.Conditions[i].Value = r.round(c.Attribute, c.Value)
		if c.Recovery != nil {
			rule.Conditions[i].Recovery = new(r.round(c.Attribute, reading.Number(*c.Recovery)).Float())
		}
	}
	r.rule, r.floor, r.from, r.open, r.waiting = rule, floor, floor, false, false
	r.openings, r.unsteady = nil, false
	r.newest = r.newestUpTo(math.MaxInt64)
}

// newestUpTo is the newest sample's time up to a limit, without those that were deferred.
func (r *reference) newestUpTo(limit int64) int64 {
	newest := r.from
	for _, f := range r.frames {
		if r.isSample(f) && !f.over && f.time <= limit {
			newest = max(newest, f.time)
		}
	}
	return newest
}

// passOver lets a frame with a right time pass over the frames after its arrival and its time.
func (r *reference) passOver(f frame) {
	limit := max(f.arrival, f.time)
	for i := range r.frames {
		if r.frames[i].time > limit {
			r.frames[i].over = true
		}
	}
	r.newest = r.newestUpTo(limit)
	if r.floor > limit {
		r.floor = r.newest
	}
}

func (r *reference) step(f frame) (k EventKind, counted []int64) {
	if f.right() {
		r.passOver(f)
	}
	newest := r.newest
	r.learn(f)
	r.newest = r.newestUpTo(math.MaxInt64)
	if !r.isSample(f) || f.time <= newest {
		return 0, nil
	}
	switch {
	case r.unsteady && !r.isCalm(f.time):
		return 0, nil
	case r.open && !r.holds(f.time, true):
		r.open, r.unsteady, r.floor = false, false, f.time
		return Resolved, nil
	case r.open:
		return 0, nil
	case r.waiting && !r.holds(f.time, false):
		r.waiting, r.floor = false, f.time
		return Armed, nil
	case r.waiting, !r.holds(f.time, false):
		return 0, nil
	}
	for _, old := range r.frames {
		inWindow := old.time > r.newest-r.rule.Window.Milliseconds() && old.time <= r.newest
		if inWindow && old.time > r.floor && r.isSample(old) && r.holds(old.time, false) {
			counted = append(counted, old.time)
		}
	}
	if len(counted) < r.rule.Hits {
		return 0, nil
	}
	within := 0
	for _, earlier := range r.openings {
		if earlier > f.time-3_600_000 {
			within++
		}
	}
	r.open, r.unsteady = true, r.maxPerHour > 0 && within >= r.maxPerHour
	r.openings, r.start = append(r.openings, f.time), f.time
	return Opened, counted[len(counted)-r.rule.Hits:]
}

// isCalm tells whether the conditions have been false for ten minutes without a break since the
// notice began, up to a sample for which they are false.
func (r *reference) isCalm(at int64) bool {
	calm := int64(math.MaxInt64)
	for _, f := range r.frames {
		switch {
		case !r.isSample(f) || f.time > at || f.time < r.start:
		case r.holds(f.time, false):
			calm = math.MaxInt64
		default:
			calm = min(calm, f.time)
		}
	}
	return calm <= at-600_000
}

func (r *reference) resolveManually() {
	r.open, r.unsteady, r.waiting, r.floor = false, false, true, r.newest
}

// learn adds a frame to the others. It merges a frame into one of the same time: new values replace
// existing ones, and remove them where the new value is none.
func (r *reference) learn(f frame) {
	i := slices.IndexFunc(r.frames, func(old frame) bool { return old.time >= f.time })
	if i < 0 {
		i = len(r.frames)
	}
	if i == len(r.frames) || r.frames[i].time != f.time {
		r.frames = slices.Insert(r.frames, i, frame{time: f.time, values: map[string]reading.Value{}})
	}
	r.frames[i].over = false
	for name, v := range f.values {
		if v.Kind() == reading.KindNone {
			delete(r.frames[i].values, name)
			continue
		}
		r.frames[i].values[name] = r.round(name, v)
	}
}

func (r *reference) isSample(f frame) bool {
	for _, c := range r.rule.Conditions {
		if f.values[c.Attribute].Kind() != reading.KindNone {
			return true
		}
	}
	return false
}

// holds folds the conditions from left to right, as of a time.
func (r *reference) holds(at int64, open bool) bool {
	result := true
	for i, c := range r.rule.Conditions {
		threshold := c.Value
		if open && c.Recovery != nil {
			threshold = reading.Number(*c.Recovery)
		}
		one := related(r.asOf(c.Attribute, at), c.Operator, threshold)
		if i > 0 && c.Join == "or" {
			result = result || one
		} else {
			result = result && one
		}
	}
	return result
}

// asOf is the newest value of a property up to a time.
func (r *reference) asOf(name string, at int64) reading.Value {
	for _, f := range slices.Backward(r.frames) {
		if f.time <= at && f.values[name].Kind() != reading.KindNone {
			return f.values[name]
		}
	}
	return reading.Value{}
}

func related(v reading.Value, op comparator.Operator, threshold reading.Value) bool {
	if v.Kind() == reading.KindNone {
		return false
	}
	switch op {
	case comparator.Above:
		return v.Float() > threshold.Float()
	case comparator.AtLeast:
		return v.Float() >= threshold.Float()
	case comparator.Below:
		return v.Float() < threshold.Float()
	case comparator.AtMost:
		return v.Float() <= threshold.Float()
	case comparator.Equal:
		return v == threshold
	default:
		return v != threshold
	}
}

// round rounds a number half away from zero, in its decimal form.
func (r *reference) round(name string, v reading.Value) reading.Value {
	precision := r.product.Property(name).Precision
	if v.Kind() != reading.KindNumber || precision == nil {
		return v
	}
	exact, _ := new(big.Rat).SetString(strconv.FormatFloat(v.Float(), 'f', -1, 64))
	near, _ := strconv.ParseFloat(exact.FloatString(*precision), 64) // halves round away from zero
	return reading.Number(near + 0)                                  // never -0
}
