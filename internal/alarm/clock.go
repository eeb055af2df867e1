package alarm

import "time"

// aheadAtMost is how far a floor may lie ahead of the clock: no reading is taken
// in that lies further ahead.
const aheadAtMost = 10 * time.Minute

// lowered is of an event that no Step leads to: the rule's floor is another.
const lowered Kind = -1

// followClock notices that the clock was set since it was looked at last, or, at a
// start, perhaps before that, and answers what it shows. Callers hold mu.
func (e *Engine) followClock() (now int64) {
	shown := e.o.Now()
	now = shown.UnixMilli()
	if e.leaps.Ahead(shown) > 0 {
		e.leapt(now)
	}
	if now < e.seen {
		e.wentBack(now)
	}
	e.seen = now
	return now
}

// leapt lets devices that are offline come back before they are told of, as after
// a start: the time that the clock leapt over was none in which they could. Callers
// hold mu.
func (e *Engine) leapt(now int64) {
	if e.letIn == 0 {
		return
	}
	e.letIn = now
	e.scheduleAll()
}

// wentBack lets no rule be silent until it will be as late as the clock once said.
// Callers hold mu.
func (e *Engine) wentBack(now int64) {
	e.letIn = min(e.letIn, now)
	for _, r := range e.rules {
		if r.state.Floor > now+aheadAtMost.Milliseconds() {
			r.state.lower(now)
			e.pending = append(e.pending, event{rule: r, kind: lowered, time: now, floor: now, waiting: r.state.Waiting})
		}
		if r.test == nil {
			e.schedule(r)
		}
	}
}
