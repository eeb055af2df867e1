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

// sendFrosts lets frosts come and go on one device.
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

func (a *stampedAhead) compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var want []expectedNotice
	for d, device := range a.tenant.Devices {
		rule := referenceRule{
			title: frost, device: device.Name, hits: 1, window: time.Minute.Milliseconds(),
			conditions: []referenceCondition{{property: 0, limit: frostAt}},
		}
		spells := rule.expectedNotices(a.sent[d])
		if len(spells) != aheadFrosts {
			return fmt.Errorf("%s had %d frosts, %d were to come", device.Name, len(spells), aheadFrosts)
		}
		want = append(want, spells...)
		if err := r.readBack(ctx, a.person, device.Name, a.tenant.Properties, a.sent[d]); err != nil {
			return err
		}
	}
	return r.compareNotices(ctx, a.person, want, t.options.Size.Patience)
}
