package alarm

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"tilth/internal/domain/device"
)

const (
	// retryPause is how soon a failed write is tried again.
	retryPause = time.Second
	// writePause is the pause between two writes: what happens meanwhile shares a transaction, and
	// the disk is left to the readings.
	writePause = 20 * time.Millisecond
	// lastWrite is how long a stop waits for the database.
	lastWrite = 5 * time.Second
	// aliveEvery is how far behind a kill may leave the record of how long devices were let in. It
	// equals that of their last contact.
	aliveEvery = 8 * time.Second
)

// presenceInbox collects the presence changes of watched devices since they were handled last.
type presenceInbox struct {
	mu      orderedMutex[leafRank]
	watched map[device.ID]bool
	changes []device.StatusChange
	wake    chan struct{} // holds one
}

func newPresenceInbox() presenceInbox {
	return presenceInbox{watched: map[device.ID]bool{}, wake: make(chan struct{}, 1)}
}

// watch says whether a device's presence matters.
func (c *presenceInbox) watch(id device.ID, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on {
		c.watched[id] = true
	} else {
		delete(c.watched, id)
	}
}

// add is called by Presence and does not wait.
func (c *presenceInbox) add(change device.StatusChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watched[change.ID] {
		return
	}
	c.changes = append(c.changes, change)
	c.wakeUp()
}

func (c *presenceInbox) wakeUp() { signal(c.wake) }

func (c *presenceInbox) take() []device.StatusChange {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.changes
	c.changes = nil
	return taken
}

// Run evaluates rules by the clock and takes over changes, until ctx ends. The caller starts it
// when devices are let in.
func (e *Engine) Run(ctx context.Context) error {
	e.LetIn()
	runCtx, stop := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { e.archiver.run(runCtx) })
	keeping.Go(func() { e.onsets.run(runCtx) })
	keeping.Go(func() { e.writeLoop(runCtx) })
	keeping.Go(func() { e.stayAlive(runCtx) })
	defer keeping.Wait()
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.changed:
			if err := e.reloadChanged(ctx); err != nil && ctx.Err() == nil {
				e.opts.Logger.Error("alarm rules did not take over changes of devices, trying again", "error", err)
				time.AfterFunc(retryPause, func() { signal(e.changed) })
			}
		case <-e.presenceInbox.wake:
		case <-timer.C:
		}
		next, err := e.Tick(ctx)
		if err != nil && ctx.Err() == nil {
			e.opts.Logger.Warn("alarms of presence changes are not recorded, trying again", "error", err)
			next = e.opts.Now().Add(retryPause)
		}
		if !next.IsZero() {
			timer.Reset(max(next.Sub(e.opts.Now()), time.Millisecond))
		}
	}
}

// writeLoop writes what readings lead to, until ctx ends. From then on evaluation writes by itself.
func (e *Engine) writeLoop(ctx context.Context) {
	e.setBackgroundWrites(true)
	again, pause := time.NewTimer(0), time.NewTimer(writePause)
	defer again.Stop()
	defer pause.Stop()
	for ctx.Err() == nil {
		select {
		case <-e.wakeWriter:
		case <-again.C:
		case <-ctx.Done():
		}
		more, err := e.flushBatch(ctx)
		if err != nil && ctx.Err() == nil {
			e.opts.Logger.Warn("alarm notices are not recorded, trying again", "error", err)
			again.Reset(retryPause)
		}
		if more {
			signal(e.wakeWriter)
			continue
		}
		pause.Reset(writePause)
		select {
		case <-pause.C:
		case <-ctx.Done():
		}
	}
	e.setBackgroundWrites(false)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	if err := e.flush(last); err != nil {
		// The next start evaluates it again.
		e.opts.Logger.Warn("the newest alarm notices are not recorded", "error", err)
	}
}

func (e *Engine) setBackgroundWrites(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.backgroundWrites = on
}

// stayAlive records every few seconds that devices are let in, until ctx ends. It first writes the
// state of rules on being offline: otherwise the next start would take the time before this one for
// time that they counted.
func (e *Engine) stayAlive(ctx context.Context) {
	if e.opts.SaveAlive == nil {
		return
	}
	again := time.NewTicker(aliveEvery)
	defer again.Stop()
	failing := false
	for ctx.Err() == nil {
		err := e.sayAlive(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			e.opts.Logger.Warn("the time until which devices were let in is not saved, trying again: "+
				"after a restart rules on being offline count less", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-again.C:
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	if err := e.sayAlive(last); err != nil {
		e.opts.Logger.Warn("the time until which devices were let in is not saved: "+
			"after the restart rules on being offline count less", "error", err)
	}
}

func (e *Engine) sayAlive(ctx context.Context) error {
	if err := e.flush(ctx); err != nil {
		return err
	}
	return e.opts.SaveAlive()
}

// LetIn says that devices can connect from now on. The engine opens no notice on being offline
// before that. A device that was offline when the previous process stopped goes on counting where
// it stood.
func (e *Engine) LetIn() {
	e.mu.Lock()
	defer e.mu.Unlock()
	from := int64(0)
	if !e.opts.PreviousStop.IsZero() {
		from = e.opts.PreviousStop.UnixMilli()
	}
	e.excludeOfflineTime(from, e.now())
	e.letIn = true
	e.scheduleAll()
}

// scheduleAll schedules every rule on being offline. Callers hold mu.
func (e *Engine) scheduleAll() {
	for _, list := range e.offlineRules {
		for _, r := range list {
			e.schedule(r)
		}
	}
}

// Tick evaluates presence changes and due rules, and returns when to look again. It returns the
// zero time when nothing is waiting.
func (e *Engine) Tick(ctx context.Context) (time.Time, error) {
	next := e.evaluateDue()
	return next, e.flush(ctx)
}

func (e *Engine) evaluateDue() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.followClock()
	for _, c := range e.presenceInbox.take() {
		for _, r := range e.offlineRules[c.ID] {
			e.applyPresence(r, c)
		}
	}
	for len(e.deadlines) > 0 && e.deadlines[0].at <= now {
		d := heap.Pop(&e.deadlines).(deadline)
		if e.lookup(d.rule.pair()) == d.rule && d.rule.due == d.at {
			d.rule.due = 0
			e.expired(d.rule, now)
		}
	}
	if len(e.deadlines) == 0 {
		return time.Time{}
	}
	return time.UnixMilli(e.deadlines[0].at)
}

// applyPresence handles a presence change of a rule's device. A device that is back ends the
// notice, and arms a rule whose notice was resolved manually. What was before its return no longer
// counts: a start may know of the return from here alone.
func (e *Engine) applyPresence(r *activeRule, c device.StatusChange) {
	if r.state.Unsteady {
		r.state.Changes++
		if r.state.takeChangesDue(c.At) {
			e.addEvent(pendingEvent{rule: r, kind: floorMoved, time: c.At, unsteady: true})
		}
		e.schedule(r)
		return
	}
	if !c.Online {
		e.schedule(r)
		return
	}
	r.due = 0
	switch {
	case r.state.Open:
		r.state.Open = false
		r.state.raise(c.At)
		e.addEvent(pendingEvent{rule: r, kind: Resolved, time: c.At, reason: Online})
	case r.state.Waiting:
		r.state.Waiting = false
		r.state.raise(c.At)
		e.addEvent(pendingEvent{rule: r, kind: Armed, time: c.At})
	}
}

// offlineSince is since when a rule's device is offline, as far as that counts: not before the
// rule's floor. False: the device is online.
func (e *Engine) offlineSince(r *activeRule) (int64, bool) {
	st := e.opts.Presence.Status(r.Tenant, r.Device)
	return max(st.OfflineTime, r.state.Floor+1), !st.Online
}

// schedule sets the time at which a rule is looked at.
func (e *Engine) schedule(r *activeRule) {
	r.due = 0
	since, offline := e.offlineSince(r)
	switch {
	case !e.letIn:
		return
	case r.state.Unsteady:
		if offline {
			return
		}
		r.due = e.opts.Presence.Status(r.Tenant, r.Device).OnlineTime + calmPeriod.Milliseconds()
	case !offline, r.state.Open, r.state.Waiting:
		return
	default:
		r.due = since + r.Window.Milliseconds()
	}
	heap.Push(&e.deadlines, deadline{at: r.due, rule: r})
	if e.deadlines[0].rule == r {
		e.presenceInbox.wakeUp()
	}
}

// expired opens a notice when its device has been offline for the rule's window. Contact that came
// in late may have postponed that.
func (e *Engine) expired(r *activeRule, now int64) {
	if r.state.Unsteady {
		e.resolveIfCalm(r, now)
		return
	}
	since, offline := e.offlineSince(r)
	if !offline || r.state.Open || r.state.Waiting {
		return
	}
	start := since + r.Window.Milliseconds()
	if start > now {
		e.schedule(r)
		return
	}
	r.state.open(e.opts.MaxNoticesPerHour, start)
	r.state.raise(since) // late contact may end the notice, with a time before the device went offline
	silent := silentSince(e.opts.Presence.Status(r.Tenant, r.Device), start)
	e.addEvent(pendingEvent{rule: r, kind: Opened, time: start, unsteady: r.state.Unsteady, silentSince: silent})
}

// resolveIfCalm ends an unsteady notice when its device has been online for long enough.
func (e *Engine) resolveIfCalm(r *activeRule, now int64) {
	st := e.opts.Presence.Status(r.Tenant, r.Device)
	end := st.OnlineTime + calmPeriod.Milliseconds()
	if !st.Online || end > now {
		e.schedule(r)
		return
	}
	r.state.Open, r.state.Unsteady = false, false
	r.state.raise(st.OnlineTime)
	e.addEvent(pendingEvent{rule: r, kind: Resolved, time: end, reason: Online, unsteady: true})
}

// deadline is when a rule is looked at. It is valid while the rule's own due is the same.
type deadline struct {
	at   int64 // epoch ms
	rule *activeRule
}

// deadlineHeap is a heap, earliest first.
type deadlineHeap []deadline

func (d deadlineHeap) Len() int { return len(d) }
func (d deadlineHeap) Less(i, j int) bool {
	if d[i].at != d[j].at {
		return d[i].at < d[j].at
	}
	// Deadlines of the same time come in the same order every time.
	return d[i].rule.pair().compare(d[j].rule.pair()) < 0
}
func (d deadlineHeap) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *deadlineHeap) Push(x any)   { *d = append(*d, x.(deadline)) }
func (d *deadlineHeap) Pop() any {
	old := *d
	last := old[len(old)-1]
	old[len(old)-1] = deadline{}
	*d = old[:len(old)-1]
	return last
}
