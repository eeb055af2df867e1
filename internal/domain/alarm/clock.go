package alarm

import "time"

// aheadAtMost is how far a floor may lie ahead of the clock. The server takes in no reading that
// lies further ahead.
const aheadAtMost = 10 * time.Minute

// floorMoved is the kind of an event with which no notice begins or ends: only the rule's floor
// changes.
const floorMoved EventKind = -1

// followClock returns the current time. It handles a clock that was set since the last call or, at
// a start, perhaps before it. Callers hold mu.
func (e *Engine) followClock() (now int64) {
	shown := e.opts.Now()
	now = shown.UnixMilli()
	if jump := e.clockJumps.Jump(shown); jump > 0 && e.letIn {
		e.excludeOfflineTime(now-jump.Milliseconds(), now)
		e.scheduleAll()
	}
	if now < e.lastClock {
		e.handleClockSetBack(now)
	}
	e.lastClock = now
	return now
}

// excludeOfflineTime keeps the time from one moment to another, in which devices could not come
// back, from counting as offline: rules on being offline go on counting where they stood at the
// first moment. Callers hold mu.
func (e *Engine) excludeOfflineTime(from, to int64) {
	for _, list := range e.offlineRules {
		for _, r := range list {
			since, offline := e.offlineSince(r)
			lost := to - max(from, since)
			if !offline || r.state.Open || r.state.Waiting || lost <= 0 {
				continue
			}
			r.state.raise(since + lost - 1)
			e.addEvent(pendingEvent{rule: r, kind: floorMoved, time: to})
		}
	}
}

// handleClockSetBack lowers the floors that lie in the future since the clock was set back:
// otherwise those rules would stay silent until that time comes. Callers hold mu.
func (e *Engine) handleClockSetBack(now int64) {
	for _, list := range e.rules {
		for _, r := range list {
			ahead := aheadAtMost
			if r.predicate == nil { // readings do not trigger this rule
				ahead = 0
			}
			if r.state.Floor > now+ahead.Milliseconds() {
				r.state.lower(now)
				e.addEvent(pendingEvent{rule: r, kind: floorMoved, time: now})
			}
			if r.predicate == nil {
				e.schedule(r)
			}
		}
	}
}
