package alarm

import (
	"context"

	"tilth/internal/domain/tenant"
)

// SetSingleStep makes a slice evaluate one frame, and the first transaction write the fewest events
// that one may; the engine adapts the number afterwards. It limits a tenant's readings in memory to so
// many bytes.
func (e *Engine) SetSingleStep(bytes int) {
	e.singleStep, e.batchSize = true, 1
	e.queues.most = bytes
}

// RunSlice gives the next tenant its slice, as Work does. It returns false when no tenant has
// anything to do.
func (e *Engine) RunSlice(ctx context.Context) (bool, error) {
	tq := e.next()
	if tq == nil {
		return false, nil
	}
	return true, e.runSlice(ctx, tq)
}

// FlushBatch writes some of the pending events, as Run does.
func (e *Engine) FlushBatch(ctx context.Context) error {
	_, err := e.flushBatch(ctx)
	return err
}

// UpdateThrottle updates whether a tenant's devices wait, as after each slice.
func (e *Engine) UpdateThrottle(t tenant.ID) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	e.queues.updateThrottle(e.queues.byTenant[t], e.now())
}

// WritesInBackground tells whether Run writes in parallel with evaluation.
func (e *Engine) WritesInBackground() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.backgroundWrites
}

// DeltaQuantile is the round number that a given share of the changes between some readings do not
// exceed; 0: nothing changed.
func DeltaQuantile(share float64, readings ...float64) float64 {
	var m deltaHistogram
	for _, v := range readings {
		m.add(v)
	}
	if i := m.quantile(share); i >= 0 {
		return buckets[i]
	}
	return 0
}

// Ahead is what a node would begin to lead with: the pairs of running rules and devices, and what is stored of
// them.
type Ahead struct {
	Rules  []Rule
	states map[Pair]stateRow
}

// States is how many pairs have something stored.
func (a Ahead) States() int { return len(a.states) }

// LoadAhead loads it as Start does: from the database, but for what w holds; nil: from the database alone.
func (e *Engine) LoadAhead(ctx context.Context, w *Warm) (a Ahead, err error) {
	cold := Engine{opts: EngineOptions{DB: e.opts.DB, Rules: e.opts.Rules, Warm: w}}
	a.Rules, a.states, err = cold.runningRules(ctx)
	return a, err
}

// Unchecked gives the tenants whose rules' devices a node would check that begins to lead.
func (w *Warm) Unchecked(ctx context.Context, of *RuleStore) ([]tenant.ID, error) {
	all, err := of.TenantsWithDynamicRules(ctx)
	if err != nil {
		return nil, err
	}
	return w.unchecked(ctx, of.db.Read(ctx), all)
}

// OutdatedRules gives the rules of a tenant whose devices have to change.
func (s *RuleStore) OutdatedRules(ctx context.Context, t tenant.ID) ([]RuleID, error) {
	return s.outdatedRules(ctx, t)
}
