package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

const (
	swingRules = 10
	swingTop   = 100
	swingLimit = 50
	swingTitle = "swings"
	// swingAge is how long before now the first reading is. Each reading is a millisecond after the
	// one before, and the attack sends as many as the server takes.
	swingAge = 12 * time.Hour
	// swingCalm is how long after the last swing the value is still low, and swingAfter when it is
	// high once more, in an hour that has no notice yet.
	swingCalm  = 10 * time.Minute
	swingAfter = 2 * time.Hour
	// swingRead is how many readings one call reads back.
	swingRead = 200_000
)

// swings is a device whose value crosses the threshold of ten rules with every reading, with
// thousands of readings in a message.
type swings struct {
	singleMessage  int // values of the only message; 0: messages as fast as the server takes them
	noticesPerHour int // notices that a rule opens within an hour; 0: any number
	tenant         Tenant
	person         *console
	from           int64 // time of the first reading, epoch ms
	taken          int   // number of acknowledged readings
	tail           []frame
}

func newSwings(once, anHour int) *swings {
	return &swings{singleMessage: once, noticesPerHour: anHour, tenant: attackerTenant("swings", 1)}
}

func (a *swings) tenants() []Tenant { return []Tenant{a.tenant} }

//nolint:unparam // others can fail
func (a *swings) setUp(_ context.Context, o *ServerOptions) error {
	o.LimitNotices = a.noticesPerHour > 0
	return nil
}

func (a *swings) tearDown() error { return nil }

// reading returns the device's reading number n.
func (a *swings) reading(n int) frame { return oneValue(a.from+int64(n), 0, float64(n%2*swingTop)) }

func (a *swings) prepare(ctx context.Context, t *neighbourRun, _ *NeighbourRow) (err error) {
	if a.person, err = t.signIn(ctx, a.tenant); err != nil {
		return err
	}
	begin := time.Now().Add(-swingAge)
	a.from = begin.UnixMilli()
	id, err := a.person.makeRule(ctx, map[string]any{
		"alarmName":   swingTitle,
		"executionId": a.tenant.Devices[0].Name,
		"hitCounts":   1,
		"durations":   time.Minute.Milliseconds(),
		"conditions": []map[string]any{
			{"andor": "and", "tslAttribute": a.tenant.Properties[0], "subconditions": ">", "value": swingLimit},
		},
	})
	if err != nil {
		return err
	}
	return t.copyRules(ctx, []RuleCopies{{
		Tenant:  a.tenant.Name,
		Rule:    id,
		Devices: a.tenant.DeviceNames(),
		Each:    swingRules,
		Since:   begin.Add(-time.Hour),
	}})
}

// send sends the next values readings.
func (a *swings) send(ctx context.Context, t *neighbourRun, values int) error {
	frames := make([]frame, values)
	for i := range frames {
		frames[i] = a.reading(a.taken + i)
	}
	err := deliver(ctx, t.server.Console, a.tenant.Devices[0], payloadOf(a.tenant.Properties, frames))
	if err == nil {
		a.taken += values
	}
	return err
}

func (a *swings) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	before, err := t.server.metrics(ctx)
	if err != nil {
		return err
	}
	messages := 0
	for a.singleMessage == 0 && ctx.Err() == nil {
		if err := a.send(ctx, t, lateBatch); err != nil && !errors.Is(err, context.Canceled) {
			return err
		} else if err == nil {
			messages++
		}
	}
	if a.singleMessage > 0 {
		messages = 1
		if err := a.send(ctx, t, a.singleMessage); err != nil {
			return err
		}
		<-ctx.Done()
	}
	r.remark("%d messages of %s values to %d rules", messages, thousands(float64(a.taken/max(1, messages))), swingRules)
	after, err := t.server.metrics(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	r.remark("%s notices began meanwhile", thousands(after[openedTotal]-before[openedTotal]))
	return nil
}

// compare first sends a value that stays low, so that an unsteady notice closes, and then one that
// is high and low once more.
func (a *swings) compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	last := a.from + int64(a.taken)
	for _, f := range []frame{
		oneValue(last, 0, 0), oneValue(last+swingCalm.Milliseconds(), 0, 0),
		oneValue(last+swingAfter.Milliseconds(), 0, swingTop), oneValue(last+swingAfter.Milliseconds()+1, 0, 0),
	} {
		payload := payloadOf(a.tenant.Properties, []frame{f})
		if err := deliver(ctx, t.server.Console, a.tenant.Devices[0], payload); err != nil {
			return err
		}
		a.tail = append(a.tail, f)
	}
	if err := a.readBack(ctx, r); err != nil {
		return err
	}
	notices := expectedSwings(swingTitle, a.tenant.Devices[0].Name, a.samples(), a.noticesPerHour)
	var want []expectedNotice
	for range swingRules {
		want = append(want, notices...)
	}
	return r.compareNotices(ctx, a.person, want, t.options.Size.Patience)
}

// samples returns the samples of each rule.
func (a *swings) samples() iter.Seq[ruleSample] {
	return func(yield func(ruleSample) bool) {
		for n := range a.taken {
			if !yield(ruleSample{time: a.from + int64(n), holds: n%2 == 1}) {
				return
			}
		}
		for _, f := range a.tail {
			if !yield(ruleSample{time: f.time, holds: f.values[0] > swingLimit}) {
				return
			}
		}
	}
}

// readBack reads the device's values and compares them with what was acknowledged, in parts, since
// there may be millions.
func (a *swings) readBack(ctx context.Context, r *NeighbourRow) error {
	device, property := a.tenant.Devices[0].Name, a.tenant.Properties[0]
	for begin := 0; begin < a.taken; begin += swingRead {
		some := min(swingRead, a.taken-begin)
		from := a.from + int64(begin)
		got, err := a.person.history(ctx, device, a.tenant.Properties[:1], from, from+int64(some)-1)
		if err != nil {
			return fmt.Errorf("read back %s: %w", device, err)
		}
		points := got[property]
		r.Checked += some
		for i := range some {
			at, value := from+int64(i), float64((begin+i)%2*swingTop)
			switch {
			case i >= len(points):
				r.addFault(&r.Lost, device, property, at, "acknowledged and not there")
			case points[i].Time != at || points[i].Value != value:
				r.addFault(&r.Wrong, device, property, at, "another reading is in its place")
			}
		}
		r.Extra += max(0, len(points)-some)
	}
	got, err := a.person.history(ctx, device, a.tenant.Properties, a.tail[0].time, a.tail[len(a.tail)-1].time)
	if err != nil {
		return fmt.Errorf("read back %s: %w", device, err)
	}
	readBack(&r.Verification, device, a.tenant.Properties, a.tail, got)
	return nil
}
