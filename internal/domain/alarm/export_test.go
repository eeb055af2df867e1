package alarm

import (
	"context"

	"tilth/internal/domain/tenant"
)

// SetSingleStep has a turn judge one frame and a transaction write one tenant's newest
// reading, and memory hold so many bytes of a tenant.
func (e *Engine) SetSingleStep(bytes int) {
	e.singleStep, e.batchSize = true, 1
	e.queues.most = bytes
}

// RunSlice gives the next tenant its turn, as Work does; false: none has anything to
// do.
func (e *Engine) RunSlice(ctx context.Context) (bool, error) {
	tq := e.next()
	if tq == nil {
		return false, nil
	}
	return true, e.runSlice(ctx, tq)
}

// FlushBatch writes a part of what happened, as Run does.
func (e *Engine) FlushBatch(ctx context.Context) error {
	_, err := e.flushBatch(ctx)
	return err
}

// UpdateThrottle sees to whether a tenant's devices wait, as after each turn.
func (e *Engine) UpdateThrottle(t tenant.ID) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	e.queues.updateThrottle(e.queues.byTenant[t], e.now())
}

// WritesInBackground tells whether Run writes beside judging.
func (e *Engine) WritesInBackground() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.backgroundWrites
}

// DeltaQuantile is the round number that such a share of the moves of some readings do not
// exceed; 0: nothing moved.
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
