package alarm

import "context"

// FindSince finds, once, since when notices hold, as Run does beside judging.
func (e *Engine) FindSince(ctx context.Context) error { return e.onsets.pass(ctx) }
