package alarm

import (
	"context"

	"tilth/internal/device"
	"tilth/internal/reading"
)

// trial is a rule that is tried on stored readings, and what it led to.
type trial struct {
	test    *Test
	state   *State
	notices int
	lasted  int64 // for how long one was open, in all, ms
	since   int64 // when the open one began, epoch ms
}

// newTrials prepares rules of one device which look at the same properties, as if
// they had been published at o.From: what was measured before is known, and does
// not count.
func newTrials(ctx context.Context, o *RehearsalOptions, rules []Rule, p *device.Product) ([]trial, error) {
	trials := make([]trial, len(rules))
	for i, r := range rules {
		test, err := NewTest(r, p, o.AnHour)
		if err != nil {
			return nil, err
		}
		trials[i] = trial{test: test, state: NewState(test, o.From-1)}
	}
	before, err := o.Readings.AsOf(ctx, rules[0].Tenant, rules[0].Device, o.From-1, trials[0].test.Properties())
	if err != nil {
		return nil, err
	}
	for i := range trials {
		for _, l := range before {
			trials[i].state.Learn(trials[i].test, l.Time, []reading.Field{{Property: l.Property, Value: l.Value}})
		}
	}
	return trials, nil
}

// step judges one frame; true when a notice begins or ends.
func (t *trial) step(at int64, fields []reading.Field) (Event, bool) {
	e, some := Step(t.test, t.state, at, at, fields)
	if !some || e.Kind != Opened && e.Kind != Resolved {
		return e, false
	}
	if e.Kind == Opened {
		t.notices++
		t.since = e.Time
	} else {
		t.lasted += e.Time - t.since
	}
	return e, true
}

// end counts a notice that is open still, up to a time (epoch ms).
func (t *trial) end(at int64) {
	if t.state.Open {
		t.lasted += at - t.since
	}
}

// try judges the stored readings of a device by several rules of it which look at
// the same properties. They are passed over once, however many rules there are. The
// error is as of Rehearse.
func try(ctx context.Context, o *RehearsalOptions, rules []Rule, p *device.Product) ([]trial, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	trials, err := newTrials(ctx, o, rules, p)
	if err != nil {
		return nil, err
	}
	t, d, properties := rules[0].Tenant, rules[0].Device, trials[0].test.Properties()
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
