package alarm

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"tilth/internal/device"
)

const (
	// settleAgain is how soon what could not be recorded is tried again.
	settleAgain = time.Second
	// writePause is from one writing to the next: what happens meanwhile shares
	// a transaction, and the disk is left to the readings.
	writePause = 20 * time.Millisecond
	// lastWrite is how long a stop waits for the database.
	lastWrite = 5 * time.Second
	// aliveEvery is how far behind a kill may leave what is known of how long
	// devices were let in; as far as their last contact.
	aliveEvery = 8 * time.Second
)

// comings are devices that came and went since they were looked at last.
type comings struct {
	mu      sync.Mutex
	watched map[device.ID]bool
	waiting []device.Change
	wake    chan struct{} // holds one
}

func newComings() comings {
	return comings{watched: map[device.ID]bool{}, wake: make(chan struct{}, 1)}
}

// watch says whether a device's coming and going matters.
func (c *comings) watch(id device.ID, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on {
		c.watched[id] = true
	} else {
		delete(c.watched, id)
	}
}

// note is called by Presence and does not wait.
func (c *comings) note(change device.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watched[change.ID] {
		return
	}
	c.waiting = append(c.waiting, change)
	c.nudge()
}

func (c *comings) nudge() { signal(c.wake) }

func (c *comings) take() []device.Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.waiting
	c.waiting = nil
	return taken
}

// Run judges by the clock and takes up what changes, until ctx ends. It is to
// be called when devices are let in.
func (e *Engine) Run(ctx context.Context) error {
	e.LetIn()
	beside, stop := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { e.keep.run(beside) })
	keeping.Go(func() { e.find.run(beside) })
	keeping.Go(func() { e.writeBeside(beside) })
	keeping.Go(func() { e.stayAlive(beside) })
	defer keeping.Wait()
	defer stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.changed:
			if err := e.takeUp(ctx); err != nil && ctx.Err() == nil {
				e.o.Log.Error("alarm rules do not know what changed of devices, trying again", "error", err)
				time.AfterFunc(settleAgain, func() { signal(e.changed) })
			}
		case <-e.comings.wake:
		case <-timer.C:
		}
		next, err := e.Tick(ctx)
		if err != nil && ctx.Err() == nil {
			e.o.Log.Warn("alarms of devices that came or went are not recorded, trying again", "error", err)
			next = e.o.Now().Add(settleAgain)
		}
		if !next.IsZero() {
			timer.Reset(max(next.Sub(e.o.Now()), time.Millisecond))
		}
	}
}

// writeBeside writes what readings lead to, until ctx ends; from then on
// judging does it itself.
func (e *Engine) writeBeside(ctx context.Context) {
	e.writtenBeside(true)
	again, pause := time.NewTimer(0), time.NewTimer(writePause)
	defer again.Stop()
	defer pause.Stop()
	for ctx.Err() == nil {
		select {
		case <-e.write:
		case <-again.C:
		case <-ctx.Done():
		}
		more, err := e.flushSome(ctx)
		if err != nil && ctx.Err() == nil {
			e.o.Log.Warn("alarm notices are not recorded, trying again", "error", err)
			again.Reset(settleAgain)
		}
		if more {
			signal(e.write)
			continue
		}
		pause.Reset(writePause)
		select {
		case <-pause.C:
		case <-ctx.Done():
		}
	}
	e.writtenBeside(false)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	if err := e.flush(last); err != nil {
		// The next start judges it again.
		e.o.Log.Warn("the newest alarm notices are not recorded", "error", err)
	}
}

func (e *Engine) writtenBeside(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beside = on
}

// stayAlive writes down every now and then that devices are let in, until ctx
// ends: first when it is on disk where rules on being offline go on counting, or
// the next start would take the time before this one for time that they counted.
func (e *Engine) stayAlive(ctx context.Context) {
	if e.o.Alive == nil {
		return
	}
	again := time.NewTicker(aliveEvery)
	defer again.Stop()
	failing := false
	for ctx.Err() == nil {
		err := e.sayAlive(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			e.o.Log.Warn("how long devices are let in is not written down, trying again: after a restart rules on being offline count less", "error", err)
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
		e.o.Log.Warn("how long devices were let in is not written down: rules on being offline count less", "error", err)
	}
}

func (e *Engine) sayAlive(ctx context.Context) error {
	if err := e.flush(ctx); err != nil {
		return err
	}
	return e.o.Alive()
}

// LetIn says that devices can come back from now on. Nobody is told before that
// they are offline; who was so when the process before this one stopped goes on
// counting where it stood.
func (e *Engine) LetIn() {
	e.mu.Lock()
	defer e.mu.Unlock()
	from := int64(0)
	if !e.o.Stopped.IsZero() {
		from = e.o.Stopped.UnixMilli()
	}
	e.passOver(from, e.now())
	e.letIn = true
	e.scheduleAll()
}

// scheduleAll schedules every rule on being offline. Callers hold mu.
func (e *Engine) scheduleAll() {
	for _, list := range e.offline {
		for _, r := range list {
			e.schedule(r)
		}
	}
}

// Tick judges what came and went and whose time has come, and answers when to
// look again; the zero time when nothing is waiting.
func (e *Engine) Tick(ctx context.Context) (time.Time, error) {
	next := e.look()
	return next, e.flush(ctx)
}

func (e *Engine) look() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.followClock()
	for _, c := range e.comings.take() {
		for _, r := range e.offline[c.ID] {
			e.came(r, c)
		}
	}
	for len(e.dues) > 0 && e.dues[0].at <= now {
		d := heap.Pop(&e.dues).(due)
		if e.at(d.rule.pair()) == d.rule && d.rule.due == d.at {
			d.rule.due = 0
			e.expired(d.rule, now)
		}
	}
	if len(e.dues) == 0 {
		return time.Time{}
	}
	return time.UnixMilli(e.dues[0].at)
}

// came takes a device's coming or going. One that is back ends the notice, and
// arms what was resolved by hand. What was before it came does not count any
// more: a start may know of its coming from here alone.
func (e *Engine) came(r *running, c device.Change) {
	if r.state.Unsteady {
		r.state.Changes++
		if r.state.writes(c.At) {
			e.happenBeside(event{rule: r, kind: moved, time: c.At, unsteady: true})
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
		e.happenBeside(event{rule: r, kind: Resolved, time: c.At, reason: Online})
	case r.state.Waiting:
		r.state.Waiting = false
		r.state.raise(c.At)
		e.happenBeside(event{rule: r, kind: Armed, time: c.At})
	}
}

// offlineSince is since when a rule's device is offline as far as it counts;
// it counts from after the rule's floor. False: it is online.
func (e *Engine) offlineSince(r *running) (int64, bool) {
	st := e.o.Presence.Status(r.Tenant, r.Device)
	return max(st.OfflineTime, r.state.Floor+1), !st.Online
}

// schedule sets the time at which a rule is to be looked at.
func (e *Engine) schedule(r *running) {
	r.due = 0
	since, offline := e.offlineSince(r)
	switch {
	case !e.letIn:
		return
	case r.state.Unsteady:
		if offline {
			return
		}
		r.due = e.o.Presence.Status(r.Tenant, r.Device).OnlineTime + calmFor.Milliseconds()
	case !offline, r.state.Open, r.state.Waiting:
		return
	default:
		r.due = since + r.Window.Milliseconds()
	}
	heap.Push(&e.dues, due{at: r.due, rule: r})
	if e.dues[0].rule == r {
		e.comings.nudge()
	}
}

// expired opens a notice when its device has been offline for so long; contact
// that came in late may have moved that.
func (e *Engine) expired(r *running, now int64) {
	if r.state.Unsteady {
		e.calmed(r, now)
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
	r.state.open(e.o.NoticesAnHour, start)
	r.state.raise(since) // late contact may end the notice from before the device went
	silent := silentSince(e.o.Presence.Status(r.Tenant, r.Device), start)
	e.happenBeside(event{rule: r, kind: Opened, time: start, unsteady: r.state.Unsteady, silent: silent})
}

// calmed ends an unsteady notice when its device has been online for long enough.
func (e *Engine) calmed(r *running, now int64) {
	st := e.o.Presence.Status(r.Tenant, r.Device)
	end := st.OnlineTime + calmFor.Milliseconds()
	if !st.Online || end > now {
		e.schedule(r)
		return
	}
	r.state.Open, r.state.Unsteady = false, false
	r.state.raise(st.OnlineTime)
	e.happenBeside(event{rule: r, kind: Resolved, time: end, reason: Online, unsteady: true})
}

// due is when a rule is to be looked at. The entry counts while the rule's own
// due is the same.
type due struct {
	at   int64 // epoch ms
	rule *running
}

// dues is a heap, earliest first.
type dues []due

func (d dues) Len() int { return len(d) }
func (d dues) Less(i, j int) bool {
	if d[i].at != d[j].at {
		return d[i].at < d[j].at
	}
	return d[i].rule.pair().compare(d[j].rule.pair()) < 0 // what has the same time comes in the same order every time
}
func (d dues) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)   { *d = append(*d, x.(due)) }
func (d *dues) Pop() any {
	old := *d
	last := old[len(old)-1]
	old[len(old)-1] = due{}
	*d = old[:len(old)-1]
	return last
}
