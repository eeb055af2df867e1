package alarm

import (
	"context"

	"tilth/internal/tenant"
)

// SetShort has a turn judge one frame and a transaction write one tenant's newest
// reading, and memory hold so many bytes of a tenant.
func (e *Engine) SetShort(bytes int) {
	e.short, e.atOnce = true, 1
	e.queues.most = bytes
}

// Turn gives the next tenant its turn, as Work does; false: none has anything to
// do.
func (e *Engine) Turn(ctx context.Context) (bool, error) {
	of := e.next()
	if of == nil {
		return false, nil
	}
	return true, e.turn(ctx, of)
}

// Settle writes a part of what happened, as Run does.
func (e *Engine) Settle(ctx context.Context) error {
	_, err := e.flushSome(ctx)
	return err
}

// Look sees to whether a tenant's devices wait, as after each turn.
func (e *Engine) Look(t tenant.ID) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	e.queues.look(e.queues.of[t], e.now())
}

// Beside tells whether Run writes beside judging.
func (e *Engine) Beside() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.beside
}

// MoveWithin is the round number that such a share of the moves of some readings do not
// exceed; 0: nothing moved.
func MoveWithin(share float64, readings ...float64) float64 {
	var m moves
	for _, v := range readings {
		m.add(v)
	}
	if i := m.within(share); i >= 0 {
		return rungs[i]
	}
	return 0
}
