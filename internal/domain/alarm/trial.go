package alarm

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// trial is a rule that is tried on stored readings, with the outcome.
type trial struct {
	predicate *Predicate
	state     *State
	notices   int
	openTime  int64 // for how long a notice was open, in all, ms
	since     int64 // when the newest began, epoch ms
	ended     int64 // when the newest that ended did, epoch ms
}

// stillTold is how long people know of a notice that stays open. What happens later is news to them.
const stillTold = 12 * time.Hour

// episode is a stretch with notices of a rule that are at most calmPeriod apart: to people it is
// one, however often the value crosses the threshold.
type episode struct {
	any      bool // there is one
	open     bool // its newest notice is
	from, to int64
}

// isOver tells whether nothing at a time (epoch ms) or later belongs to it.
func (e *episode) isOver(at int64) bool {
	return e.any && !e.open && at-e.to > calmPeriod.Milliseconds()
}

// apply takes in the begin or the end of a notice.
func (e *episode) apply(of Event) {
	e.open = of.Kind == Opened
	if !e.any {
		e.any, e.from = true, of.Time
	}
	e.to = of.Time
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
		t.ended = e.Time
	}
	return e, true
}

// covers tells whether a notice was open at some time of an episode that began at from (epoch ms)
// and has just ended, and began at most stillTold before it.
func (t *trial) covers(from int64) bool {
	return (t.state.Open || t.ended > from) && t.since >= from-stillTold.Milliseconds()
}

// end adds the time of a notice that is still open, up to a time (epoch ms).
func (t *trial) end(at int64) {
	if t.state.Open {
		t.openTime += at - t.since
	}
}

// runTrials evaluates several rules of a device, which use the same properties, on its stored
// readings, in one pass for any number of rules. Unless it is nil, seen gets each episode of the
// first rule when it is over, or at the end, with what the trials found until then. Its errors are
// those of Rehearse.
func runTrials(
	ctx context.Context,
	o *RehearsalOptions,
	rules []Rule,
	p *device.Product,
	seen func(e episode, trials []trial),
) ([]trial, error) {
	trials, err := newTrials(ctx, o, rules, p)
	if err != nil {
		return nil, err
	}
	t, d, properties := rules[0].Tenant, rules[0].Device, trials[0].predicate.Properties()
	var now episode
	last := o.From
	err = o.Readings.Range(ctx, t, d, o.From, o.To, properties, func(at int64, fields []reading.Field) error {
		last = at
		if now.isOver(at) {
			if seen != nil {
				seen(now, trials)
			}
			now = episode{}
		}
		for i := range trials {
			if e, ok := trials[i].step(at, fields); ok && i == 0 {
				now.apply(e)
			}
		}
		return nil
	})
	if now.any && seen != nil {
		if now.open {
			now.to = last
		}
		seen(now, trials)
	}
	for i := range trials {
		trials[i].end(last)
	}
	return trials, err
}
