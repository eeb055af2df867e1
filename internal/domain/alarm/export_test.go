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
