package alarm

import (
	"context"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
)

// Recalibrate changes how properties of a device are corrected: change writes that, in a transaction, and
// apply lets readers follow it once that is on disk. Rules that watch one of the properties go on as if
// they were published now: older readings leave their windows. Their open notices stay until a newer
// reading ends them. The context must not carry a transaction.
func (e *Engine) Recalibrate(
	ctx context.Context,
	ref device.Ref,
	change func(ctx context.Context) (changed []device.PropertyID, err error),
	apply func(),
) error {
	if err := e.lock(ctx, ref.Tenant); err != nil {
		return err
	}
	defer e.unlock()
	var rules []*activeRule
	floors := map[*activeRule]int64{}
	err := e.opts.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		props, err := change(ctx)
		if err != nil {
			return err
		}
		rules = rules[:0]
		states := []stateRow{}
		for _, r := range e.readingRules[ref.ID] {
			if r.Tenant != ref.Tenant || !r.predicate.watchesAny(props) {
				continue
			}
			if err := e.replayNow(ctx, r); err != nil {
				return err
			}
			rules = append(rules, r)
			floors[r] = max(e.now()-1, r.state.newest)
			states = append(states, newStateRow(r, floors[r], r.state.Waiting, r.state.Openings))
		}
		return saveStates(ctx, e.opts.DB, states)
	})
	if err != nil {
		return wrap("recalibrate", err)
	}
	apply()
	ctx = context.WithoutCancel(ctx) // it is stored, so the rules must follow even if the caller has gone
	for _, r := range rules {
		if err := e.restartWindow(ctx, r, floors[r]); err != nil {
			return wrap("recalibrate", err)
		}
	}
	return nil
}

func (t *Predicate) watchesAny(props []device.PropertyID) bool {
	return slices.ContainsFunc(props, func(p device.PropertyID) bool { return slices.Contains(t.properties, p) })
}

// restartWindow excludes the readings up to floor (epoch ms) from a rule's window, and reads the values
// before them anew.
func (e *Engine) restartWindow(ctx context.Context, r *activeRule, floor int64) error {
	fresh := &activeRule{Rule: r.Rule, queue: r.queue, predicate: r.predicate, state: r.state.emptyCopy(r.predicate)}
	fresh.state.Floor = floor
	// What is in memory must not count any more, even if the values before cannot be read.
	r.state.clearUpTo(floor)
	stamps := e.deviceStamps(ctx, r, e.positionOf(r.queue).Entry, e.now())
	if err := e.loadWindow(ctx, e.opts.Readings, fresh, stamps, math.MaxInt64, nil); err != nil {
		return err
	}
	fresh.state.clearUpTo(floor)
	r.state = fresh.state
	return nil
}
