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
	aheadFrosts  = 6 // of each device
	// aheadBy is how far ahead the reading's clock is: just less than what a server refuses.
	aheadBy = 9*time.Minute + 50*time.Second
	frost   = "frost"
	frostAt = 1 // a frost is below this value
)

// stampedAhead is a set of loggers whose clocks were ahead once: each sends one reading far ahead,
// and then frosts at the right times. They take no more than their share; the reading ahead must
// not silence their rules.
type stampedAhead struct {
	tenant Tenant
	person *console
	sent   [][]frame // acknowledged, by device
}

func newStampedAhead() *stampedAhead {
	return &stampedAhead{tenant: attackerTenant("ahead", aheadDevices), sent: make([][]frame, aheadDevices)}
}

func (a *stampedAhead) tenants() []Tenant { return []Tenant{a.tenant} }

func (a *stampedAhead) prepare(ctx context.Context, t *neighbourRun, _ *NeighbourRow) (err error) {
	if a.person, err = t.signIn(ctx, a.tenant); err != nil {
		return err
	}
	id, err := a.person.makeRule(ctx, map[string]any{
		"alarmName":   frost,
		"executionId": a.tenant.Devices[0].Name,
		"hitCounts":   1,
		"durations":   time.Minute.Milliseconds(),
		"conditions": []map[string]any{
			{"andor": "and", "tslAttribute": a.tenant.Properties[0], "subconditions": "<", "value": frostAt},
		},
	})
	if err != nil {
		return err
	}
	rules, err := a.person.copyRule(ctx, id, a.tenant.Devices[1:])
	if err != nil {
		return err
	}
	return a.person.runRules(ctx, append(rules, id))
}

func (a *stampedAhead) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var all errgroup.Group
	for d := range a.tenant.Devices {
		all.Go(func() error { return a.sendFrosts(ctx, t, d) })
	}
	r.remark("%d frosts on each of %d devices after a reading %s ahead", aheadFrosts, aheadDevices, aheadBy)
	return all.Wait()
}

// sendFrosts begins and ends frosts on one device.
func (a *stampedAhead) sendFrosts(ctx context.Context, t *neighbourRun, d int) error {
	every := t.options.Size.Attack / (2*aheadFrosts + 2)
	send := func(at time.Time, value float64) error {
		f := oneValue(at.UnixMilli(), 0, value)
		err := deliver(ctx, t.server.Console, a.tenant.Devices[d], payloadOf(a.tenant.Properties, []frame{f}))
		if err == nil {
			a.sent[d] = append(a.sent[d], f)
		}
		return err
	}
	if err := send(time.Now().Add(aheadBy), frostAt+1); err != nil {
		return err
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := range 2 * aheadFrosts {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("the frosts took longer than the attack")
		}
		if err := send(time.Now(), float64(frostAt-1+2*(n%2))); err != nil {
			return err
		}
	}
	return nil
}

func (a *stampedAhead) compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var want []expectedNotice
	for d, device := range a.tenant.Devices {
		rule := referenceRule{
			title: frost, device: device.Name, hits: 1, window: time.Minute.Milliseconds(),
			conditions: []referenceCondition{{property: 0, limit: frostAt}},
		}
		notices := rule.expectedNotices(a.sent[d])
		if len(notices) != aheadFrosts {
			return fmt.Errorf("%s had %d frosts, want %d", device.Name, len(notices), aheadFrosts)
		}
		want = append(want, notices...)
		if err := r.readBack(ctx, a.person, device.Name, a.tenant.Properties, a.sent[d]); err != nil {
			return err
		}
	}
	return r.compareNotices(ctx, a.person, want, t.options.Size.Patience)
}
