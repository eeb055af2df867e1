package alarm

import "context"

// FindSince finds since when notices hold, in one pass, as Run does.
func (e *Engine) FindSince(ctx context.Context) error { return e.onsets.pass(ctx) }
