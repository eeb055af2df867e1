package alarm

import (
	"context"
	"errors"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

const (
	// maxSlice is how long a tenant's time slice lasts while others wait.
	maxSlice = 50 * time.Millisecond
	// lockedAtMost is for how long evaluation holds the lock while callers wait to change or read
	// rules.
	lockedAtMost = time.Millisecond
	// steppedAtOnce is how many frames are evaluated under one lock at most.
	steppedAtOnce = 256
)

// Work evaluates what Take took over, round robin over the tenants, until ctx ends. It returns nil
// then, otherwise the error that stops it. One Work runs at a time.
func (e *Engine) Work(ctx context.Context) error {
	defer e.releaseHistory()
	for ctx.Err() == nil {
		tq := e.next()
		if tq == nil {
			select {
			case <-e.queues.work:
			case <-ctx.Done():
			}
			continue
		}
		if err := e.runSlice(ctx, tq); err != nil && ctx.Err() == nil {
			if errors.Is(err, reading.ErrCorrupt) || errors.Is(err, reading.ErrClosed) {
				return err
			}
			e.opts.Logger.Warn("readings could not be evaluated, trying again", "tenant", tq.tenant, "error", err)
			e.hold(tq)
			time.AfterFunc(retryPause, func() { e.release(tq) })
		}
	}
	return nil
}

// Evaluate takes over a batch and evaluates everything that waits before it returns. It is for
// tests, where no Work runs. The resulting events are on disk then, unless Run writes in the
// background. After an error the next Evaluate writes them.
func (e *Engine) Evaluate(ctx context.Context, position uint64, batch []reading.Arrival) error {
	e.Take(position, batch)
	for {
		tq := e.next()
		if tq == nil {
			return e.flushUnlessBackground(ctx)
		}
		if err := e.runSlice(ctx, tq); err != nil {
			return err
		}
		if e.holds(tq) {
			if _, err := e.flushBatch(ctx); err != nil {
				return err
			}
		}
	}
}

// runSlice evaluates a tenant's readings until its time slice is over or nothing is left.
func (e *Engine) runSlice(ctx context.Context, tq *tenantQueue) error {
	until := time.Now().Add(maxSlice)
	defer e.endSlice(tq)
	for ctx.Err() == nil {
		// What still waits in the journal is left out of the windows.
		if known, err := e.readPendingValues(ctx, tq, until); err != nil || !known {
			return err
		}
		list := e.queues.head(tq, steppedAtOnce)
		if len(list) == 0 {
			refilled, err := e.refillFromJournal(ctx, tq, until)
			if err != nil {
				return err
			}
			if list = e.queues.head(tq, steppedAtOnce); len(list) == 0 && !refilled {
				if more, err := e.replayQueue(ctx, tq, until); err != nil || !more {
					return err
				}
				continue
			}
		}
		missing, goOn := e.evaluateBatch(tq, list)
		if missing != 0 {
			if err := e.replayDevice(ctx, missing); err != nil {
				return err
			}
		}
		if !goOn || e.sliceOver(until) {
			return nil
		}
	}
	return nil
}

// sliceOver tells whether a slice that ends at until is over.
func (e *Engine) sliceOver(until time.Time) bool { return e.singleStep || !time.Now().Before(until) }

// evaluateBatch evaluates the oldest of a tenant's frames for as long as others may wait for the
// lock. It stops before the frame of a device that has a rule whose window is not rebuilt yet, and
// returns that device; 0: there is none. It returns false when the database must be written first.
func (e *Engine) evaluateBatch(tq *tenantQueue, list []arrived) (missing device.ID, goOn bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.followClock()
	began, n := time.Now(), 0
	for n < len(list) && len(tq.pending)+len(tq.writing) < mostPending {
		if e.lacksWindow(list[n].Device) {
			missing = list[n].Device
			break
		}
		e.evaluateFrame(&list[n])
		n++
		if e.singleStep || time.Since(began) > lockedAtMost {
			break
		}
	}
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	if n > 0 {
		tq.position = list[n-1].after()
		q.drop(tq, n)
	}
	if len(tq.pending)+len(tq.writing) >= mostPending {
		tq.blocked = true
		return missing, false
	}
	return missing, true
}

// endSlice lets a tenant wait for its next slice, if it has anything left.
func (e *Engine) endSlice(tq *tenantQueue) {
	now := e.now()
	e.mu.Lock()
	q := &e.queues
	q.mu.Lock()
	idle := tq.idle()
	if !idle {
		q.schedule(tq)
	}
	q.updateThrottle(tq, now)
	caughtUp := !tq.waits() && tq.late && len(tq.pending)+len(tq.writing) == 0
	tq.late = tq.late && !caughtUp
	q.mu.Unlock()
	e.dropQueue(tq)
	e.mu.Unlock()
	if caughtUp {
		e.opts.OnCaughtUp(tq.tenant)
	}
}

// holds tells whether a tenant gets no slices.
func (e *Engine) holds(tq *tenantQueue) bool {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	return tq.blocked
}

// hold keeps a tenant from its slices, release lets it have them again.
func (e *Engine) hold(tq *tenantQueue) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	tq.blocked = true
}

func (e *Engine) release(tq *tenantQueue) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	tq.blocked = false
	e.queues.schedule(tq)
}

// goOn lets a tenant have slices again whose events are written now. Callers hold Engine.mu.
func (e *Engine) goOn(tq *tenantQueue) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	if tq.blocked || tq.late {
		tq.blocked = false
		e.queues.schedule(tq)
	}
}

// errStopReading ends a reading of the journal.
var errStopReading = errors.New("alarm: reading of the journal stopped")

// refillFromJournal fills, from the journal, the queues for which memory had no room: all of those
// at once that have evaluated what they had, beginning with the tenant whose slice it is. It
// returns false when that tenant has nothing left in the journal.
func (e *Engine) refillFromJournal(ctx context.Context, tq *tenantQueue, until time.Time) (some bool, err error) {
	q := &e.queues
	q.mu.Lock()
	if !tq.inJournal {
		q.mu.Unlock()
		return false, nil
	}
	from, end := tq.rereadFrom.Entry, q.taken
	filling := map[*tenantQueue]bool{}
	for _, other := range q.byTenant {
		if other.inJournal && other.rereadFrom.Entry >= from {
			filling[other] = true
		}
	}
	q.mu.Unlock()
	if from < end {
		err = e.opts.Readings.Backlog(ctx, from, func(position uint64, batch []reading.Arrival) error {
			if position > end {
				return errStopReading
			}
			q.mu.Lock()
			defer q.mu.Unlock()
			q.refill(filling, position, batch)
			if len(filling) == 0 || !filling[tq] && len(tq.waiting) > 0 || e.sliceOver(until) {
				return errStopReading
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopReading) {
			return true, err
		}
	}
	ended := err == nil || from >= end
	q.mu.Lock()
	defer q.mu.Unlock()
	for other := range filling {
		if ended && other.rereadFrom.Entry < end {
			// The journal ends before this position.
			other.rereadFrom = Position{Entry: end}
		}
		if other.rereadFrom == (Position{Entry: q.taken}) {
			other.inJournal = false // from here on Take adds to it
		}
		if len(other.waiting) > 0 {
			q.schedule(other)
		}
	}
	if len(tq.waiting) == 0 && !tq.inJournal {
		q.drop(tq, 0)
	}
	return true, nil
}

// refill hands an entry of the journal to the tenants in filling, and removes from filling those
// that are full. Callers hold mu.
func (q *tenantQueues) refill(filling map[*tenantQueue]bool, position uint64, batch []reading.Arrival) {
	for i := range batch {
		a := &batch[i]
		tq := q.byTenant[a.Tenant]
		if tq == nil || !filling[tq] || q.watched[a.Device] == 0 || !tq.rereadFrom.reaches(position, i) {
			continue
		}
		if !q.put(tq, position, i, a) {
			tq.rereadFrom = Position{Entry: position - 1, Index: i}
			delete(filling, tq)
		}
	}
	for tq := range filling {
		if tq.rereadFrom.Entry < position {
			tq.rereadFrom = Position{Entry: position}
		}
	}
}

// reaches tells whether the frame at an index of an entry is behind p.
func (p Position) reaches(position uint64, index int) bool {
	return position > p.Entry+1 || position == p.Entry+1 && index >= p.Index
}
