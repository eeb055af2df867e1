package alarm

import (
	"context"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// trial is a rule that is tried on stored readings, with the outcome.
type trial struct {
	predicate *Predicate
	state     *State
	notices   int
	openTime  int64 // for how long a notice was open, in all, ms
	since     int64 // when the open one began, epoch ms
}

// newTrials prepares rules of one device which use the same properties, as if they had been
// published at o.From: earlier readings are known, and do not count.
func newTrials(ctx context.Context, o *RehearsalOptions, rules []Rule, p *device.Product) ([]trial, error) {
	trials := make([]trial, len(rules))
	for i, r := range rules {
		predicate, err := NewPredicate(r, p, o.MaxPerHour)
		if err != nil {
			return nil, err
		}
		trials[i] = trial{predicate: predicate, state: NewState(predicate, o.From-1)}
	}
	before, err := o.Readings.AsOf(ctx, rules[0].Tenant, rules[0].Device, o.From-1, trials[0].predicate.Properties())
	if err != nil {
		return nil, err
	}
	for i := range trials {
		for _, l := range before {
			trials[i].state.Learn(trials[i].predicate, l.Time, []reading.Field{{Property: l.Property, Value: l.Value}})
		}
	}
	return trials, nil
}

// step evaluates one frame. It returns true when a notice begins or ends.
func (t *trial) step(at int64, fields []reading.Field) (Event, bool) {
	e, ok := Step(t.predicate, t.state, at, at, fields)
	if !ok || e.Kind != Opened && e.Kind != Resolved {
		return e, false
	}
	if e.Kind == Opened {
		t.notices++
		t.since = e.Time
	} else {
		t.openTime += e.Time - t.since
	}
	return e, true
}

// end adds the time of a notice that is still open, up to a time (epoch ms).
func (t *trial) end(at int64) {
	if t.state.Open {
		t.openTime += at - t.since
	}
}

// runTrials evaluates several rules of a device, which use the same properties, on its stored
// readings, in one pass for any number of rules. Its errors are those of Rehearse.
func runTrials(ctx context.Context, o *RehearsalOptions, rules []Rule, p *device.Product) ([]trial, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	trials, err := newTrials(ctx, o, rules, p)
	if err != nil {
		return nil, err
	}
	t, d, properties := rules[0].Tenant, rules[0].Device, trials[0].predicate.Properties()
	last := o.From
	err = o.Readings.Range(ctx, t, d, o.From, o.To, properties, func(at int64, fields []reading.Field) error {
		last = at
		for i := range trials {
			trials[i].step(at, fields)
		}
		return nil
	})
	for i := range trials {
		trials[i].end(last)
	}
	return trials, err
}
