package alarm

import "time"

// aheadAtMost is how far a floor may lie ahead of the clock: no reading is taken
// in that lies further ahead.
const aheadAtMost = 10 * time.Minute

// floorMoved is of an event with which nothing begins or ends: the rule's floor is another.
const floorMoved EventKind = -1

// followClock notices that the clock was set since it was looked at last, or, at a
// start, perhaps before that, and answers what it shows. Callers hold mu.
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

// excludeOfflineTime lets rules on being offline go on counting where they stood at a
// time: until another, devices could not come back. Callers hold mu.
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

// handleClockSetBack lets no rule be silent until it will be as late as the clock once said.
// Callers hold mu.
func (e *Engine) handleClockSetBack(now int64) {
	for _, list := range e.rules {
		for _, r := range list {
			ahead := aheadAtMost
			if r.predicate == nil { // no reading leads to anything
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
