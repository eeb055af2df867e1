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
	// swingAge is how long before now the first reading is: each is a millisecond
	// after the one before, and as many are sent as are taken.
	swingAge = 12 * time.Hour
	// swingCalm and swingAfter are how long after the last swing the value is still
	// low, and when it is high once more, in an hour that has no notice yet.
	swingCalm  = 10 * time.Minute
	swingAfter = 2 * time.Hour
	// swingRead is how many readings are read back at once.
	swingRead = 200_000
)

// swings is a device whose value swings about the threshold of ten rules, with every
// reading: thousands in a message.
type swings struct {
	once   int // values of the only message; 0: messages as fast as they are taken
	anHour int // notices that a rule begins within an hour; 0: any number
	world  World
	person *console
	from   int64 // time of the first reading, epoch ms
	taken  int   // readings that were acknowledged
	tail   []frame
}

func newSwings(once, anHour int) *swings {
	return &swings{once: once, anHour: anHour, world: attackers("swings", 1)}
}

func (a *swings) worlds() []World { return []World{a.world} }

//nolint:unparam // others can fail
func (a *swings) arrange(_ context.Context, o *Own) error {
	o.Steady = a.anHour > 0
	return nil
}

func (a *swings) clear() error { return nil }

// reading is the n'th of the device.
func (a *swings) reading(n int) frame { return only(a.from+int64(n), 0, float64(n%2*swingTop)) }

func (a *swings) prepare(ctx context.Context, t *town, _ *NeighbourRow) (err error) {
	if a.person, err = t.signIn(ctx, a.world); err != nil {
		return err
	}
	begin := time.Now().Add(-swingAge)
	a.from = begin.UnixMilli()
	id, err := a.person.makeRule(ctx, map[string]any{
		"alarmName": swingTitle, "executionId": a.world.Devices[0].Name, "hitCounts": 1, "durations": time.Minute.Milliseconds(),
		"conditions": []map[string]any{{"andor": "and", "tslAttribute": a.world.Properties[0], "subconditions": ">", "value": swingLimit}},
	})
	if err != nil {
		return err
	}
	return t.give(ctx, []RuleGift{{Tenant: a.world.Tenant, Rule: id, Devices: a.world.Names(), Each: swingRules, Since: begin.Add(-time.Hour)}})
}

// send hands in the next readings, so many.
func (a *swings) send(ctx context.Context, t *town, values int) error {
	frames := make([]frame, values)
	for i := range frames {
		frames[i] = a.reading(a.taken + i)
	}
	err := deliver(ctx, t.server.Console, a.world.Devices[0], payloadOf(a.world.Properties, frames))
	if err == nil {
		a.taken += values
	}
	return err
}

func (a *swings) press(ctx context.Context, t *town, r *NeighbourRow) error {
	before, err := t.server.figures(ctx)
	if err != nil {
		return err
	}
	messages := 0
	for a.once == 0 && ctx.Err() == nil {
		if err := a.send(ctx, t, lateMost); err != nil && !errors.Is(err, context.Canceled) {
			return err
		} else if err == nil {
			messages++
		}
	}
	if a.once > 0 {
		messages = 1
		if err := a.send(ctx, t, a.once); err != nil {
			return err
		}
		<-ctx.Done()
	}
	r.remark("%d messages of %s values to %d rules", messages, thousands(float64(a.taken/max(1, messages))), swingRules)
	after, err := t.server.figures(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	r.remark("%s notices began meanwhile", thousands(after[openedTotal]-before[openedTotal]))
	return nil
}

// compare ends with a value that is calm, so that what is unsteady ends, and one
// that is high and low once more.
func (a *swings) compare(ctx context.Context, t *town, r *NeighbourRow) error {
	last := a.from + int64(a.taken)
	for _, f := range []frame{
		only(last, 0, 0), only(last+swingCalm.Milliseconds(), 0, 0),
		only(last+swingAfter.Milliseconds(), 0, swingTop), only(last+swingAfter.Milliseconds()+1, 0, 0),
	} {
		if err := deliver(ctx, t.server.Console, a.world.Devices[0], payloadOf(a.world.Properties, []frame{f})); err != nil {
			return err
		}
		a.tail = append(a.tail, f)
	}
	if err := a.readBack(ctx, r); err != nil {
		return err
	}
	spells := swinging(swingTitle, a.world.Devices[0].Name, a.samples(), a.anHour)
	var want []spell
	for range swingRules {
		want = append(want, spells...)
	}
	return r.noticed(ctx, a.person, want, t.options.Size.Patience)
}

// samples are those that each rule had.
func (a *swings) samples() iter.Seq[sighting] {
	return func(yield func(sighting) bool) {
		for n := range a.taken {
			if !yield(sighting{time: a.from + int64(n), holds: n%2 == 1}) {
				return
			}
		}
		for _, f := range a.tail {
			if !yield(sighting{time: f.time, holds: f.values[0] > swingLimit}) {
				return
			}
		}
	}
}

// readBack reads what the device has and compares it with what was acknowledged: a
// part at a time, since it may be millions.
func (a *swings) readBack(ctx context.Context, r *NeighbourRow) error {
	device, property := a.world.Devices[0].Name, a.world.Properties[0]
	for begin := 0; begin < a.taken; begin += swingRead {
		some := min(swingRead, a.taken-begin)
		from := a.from + int64(begin)
		got, err := a.person.history(ctx, device, a.world.Properties[:1], from, from+int64(some)-1)
		if err != nil {
			return fmt.Errorf("read back %s: %w", device, err)
		}
		points := got[property]
		r.Checked += some
		for i := range some {
			at, value := from+int64(i), float64((begin+i)%2*swingTop)
			switch {
			case i >= len(points):
				r.fault(&r.Lost, device, property, at, "acknowledged and not there")
			case points[i].Time != at || points[i].Value != value:
				r.fault(&r.Wrong, device, property, at, "another reading is in its place")
			}
		}
		r.Extra += max(0, len(points)-some)
	}
	got, err := a.person.history(ctx, device, a.world.Properties, a.tail[0].time, a.tail[len(a.tail)-1].time)
	if err != nil {
		return fmt.Errorf("read back %s: %w", device, err)
	}
	readBack(&r.Verdict, device, a.world.Properties, a.tail, got)
	return nil
}
