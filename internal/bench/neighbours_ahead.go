package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	aheadDevices = 4
	aheadFrosts  = 6 // of each
	// aheadBy is by how much the reading's clock is ahead: just less than what
	// a server refuses.
	aheadBy = 9*time.Minute + 50*time.Second
	frost   = "frost"
	frostAt = 1 // below this
)

// stampedAhead is loggers whose clocks were ahead once: one reading far ahead, and
// then, at the right times, frosts. It takes nobody's share; it must not silence
// its own rules.
type stampedAhead struct {
	world  World
	person *console
	sent   [][]frame // acknowledged, by device
}

func newStampedAhead() *stampedAhead {
	return &stampedAhead{world: attackers("ahead", aheadDevices), sent: make([][]frame, aheadDevices)}
}

func (a *stampedAhead) worlds() []World { return []World{a.world} }

func (a *stampedAhead) prepare(ctx context.Context, t *town, _ *NeighbourRow) (err error) {
	if a.person, err = t.signIn(ctx, a.world); err != nil {
		return err
	}
	id, err := a.person.makeRule(ctx, map[string]any{
		"alarmName": frost, "executionId": a.world.Devices[0].Name, "hitCounts": 1, "durations": time.Minute.Milliseconds(),
		"conditions": []map[string]any{{"andor": "and", "tslAttribute": a.world.Properties[0], "subconditions": "<", "value": frostAt}},
	})
	if err != nil {
		return err
	}
	rules, err := a.person.copyRule(ctx, id, a.world.Devices[1:])
	if err != nil {
		return err
	}
	return a.person.runRules(ctx, append(rules, id))
}

func (a *stampedAhead) press(ctx context.Context, t *town, r *NeighbourRow) error {
	var all errgroup.Group
	for d := range a.world.Devices {
		all.Go(func() error { return a.freeze(ctx, t, d) })
	}
	r.remark("%d frosts on each of %d devices after a reading %s ahead", aheadFrosts, aheadDevices, aheadBy)
	return all.Wait()
}

// freeze lets frosts come and go on one device.
func (a *stampedAhead) freeze(ctx context.Context, t *town, d int) error {
	every := t.options.Size.Attack / (2*aheadFrosts + 2)
	send := func(at time.Time, value float64) error {
		f := only(at.UnixMilli(), 0, value)
		err := deliver(ctx, t.server.Console, a.world.Devices[d], payloadOf(a.world.Properties, []frame{f}))
		if err == nil {
			a.sent[d] = append(a.sent[d], f)
		}
		return err
	}
	if err := send(time.Now().Add(aheadBy), frostAt+1); err != nil {
		return err
	}
	turn := time.NewTicker(every)
	defer turn.Stop()
	for n := range 2 * aheadFrosts {
		select {
		case <-turn.C:
		case <-ctx.Done():
			return errors.New("the frosts took longer than the attack")
		}
		if err := send(time.Now(), float64(frostAt-1+2*(n%2))); err != nil {
			return err
		}
	}
	return nil
}

func (a *stampedAhead) compare(ctx context.Context, t *town, r *NeighbourRow) error {
	var want []spell
	for d, device := range a.world.Devices {
		rule := watchRule{
			title: frost, device: device.Name, hits: 1, window: time.Minute.Milliseconds(),
			conditions: []watchCondition{{property: 0, limit: frostAt}},
		}
		spells := rule.spells(a.sent[d])
		if len(spells) != aheadFrosts {
			return fmt.Errorf("%s had %d frosts, %d were to come", device.Name, len(spells), aheadFrosts)
		}
		want = append(want, spells...)
		if err := r.readBack(ctx, a.person, device.Name, a.world.Properties, a.sent[d]); err != nil {
			return err
		}
	}
	return r.noticed(ctx, a.person, want, t.options.Size.Patience)
}
