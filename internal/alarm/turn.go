package alarm

import (
	"context"
	"errors"
	"time"

	"tilth/internal/reading"
)

const (
	// turnAtMost is how long a tenant's turn lasts while others wait for theirs.
	turnAtMost = 50 * time.Millisecond
	// lockedAtMost is for how long judging keeps those waiting who change rules
	// or ask for them.
	lockedAtMost = time.Millisecond
	// steppedAtOnce is how many frames are looked at under one lock at most.
	steppedAtOnce = 256
)

// Work judges what Take took over, tenant by tenant in turn, until ctx ends; nil
// then, else why it cannot go on. One Work runs at a time.
func (e *Engine) Work(ctx context.Context) error {
	defer e.endPast()
	for ctx.Err() == nil {
		of := e.next()
		if of == nil {
			select {
			case <-e.queues.work:
			case <-ctx.Done():
			}
			continue
		}
		if err := e.turn(ctx, of); err != nil && ctx.Err() == nil {
			if errors.Is(err, reading.ErrCorrupt) || errors.Is(err, reading.ErrClosed) {
				return err
			}
			e.o.Log.Warn("readings could not be judged, trying again", "tenant", of.tenant, "error", err)
			e.hold(of)
			time.AfterFunc(settleAgain, func() { e.release(of) })
		}
	}
	return nil
}

// Judge takes over a batch and judges all that waits before it returns; for tests,
// where no Work runs. What it leads to is on disk then, unless Run writes beside.
// After an error the next Judge writes it.
func (e *Engine) Judge(ctx context.Context, position uint64, batch []reading.Arrival) error {
	e.Take(position, batch)
	for {
		of := e.next()
		if of == nil {
			return e.flushUnlessBeside(ctx)
		}
		if err := e.turn(ctx, of); err != nil {
			return err
		}
		if e.holds(of) {
			if _, err := e.flushSome(ctx); err != nil {
				return err
			}
		}
	}
}

// turn judges a tenant's readings until its time is over or nothing is left.
func (e *Engine) turn(ctx context.Context, of *queue) error {
	until := time.Now().Add(turnAtMost)
	defer e.again(of)
	for ctx.Err() == nil {
		learned, err := e.relearn(ctx, of, until)
		if err != nil {
			return err
		}
		if !learned {
			return nil
		}
		list := e.queues.head(of, steppedAtOnce)
		if len(list) == 0 {
			some, err := e.rereadSome(ctx, of, until)
			if err != nil {
				return err
			}
			if list = e.queues.head(of, steppedAtOnce); len(list) == 0 && !some {
				return nil
			}
		}
		if !e.stepSome(of, list) || e.over(until) {
			return nil
		}
	}
	return nil
}

// over tells whether a turn that began in time is over.
func (e *Engine) over(until time.Time) bool { return e.short || !time.Now().Before(until) }

// stepSome judges the oldest of a tenant's frames for as long as others may be
// kept waiting for the lock; false: the database must come first.
func (e *Engine) stepSome(of *queue, list []arrived) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.followClock()
	began, n := time.Now(), 0
	for n < len(list) && len(of.pending)+len(of.writing) < mostPending {
		e.step(&list[n])
		n++
		if e.short || time.Since(began) > lockedAtMost {
			break
		}
	}
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	if n > 0 {
		of.place = list[n-1].after()
		q.drop(of, n)
	}
	if len(of.pending)+len(of.writing) >= mostPending {
		of.held = true
		return false
	}
	return true
}

// again lets a tenant wait for its next turn, if it has anything left.
func (e *Engine) again(of *queue) {
	now := e.now()
	e.mu.Lock()
	q := &e.queues
	q.mu.Lock()
	idle := of.idle()
	if !idle {
		q.list(of)
	}
	q.look(of, now)
	caughtUp := idle && of.late && len(of.pending)+len(of.writing) == 0
	of.late = of.late && !caughtUp
	q.mu.Unlock()
	e.forget(of)
	e.mu.Unlock()
	if caughtUp {
		e.o.CaughtUp(of.tenant)
	}
}

// holds tells whether a tenant is kept from its turns.
func (e *Engine) holds(of *queue) bool {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	return of.held
}

// hold keeps a tenant from its turns, release lets it have them again.
func (e *Engine) hold(of *queue) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	of.held = true
}

func (e *Engine) release(of *queue) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	of.held = false
	e.queues.list(of)
}

// goOn gives a tenant its turn whose events were waited for. Callers hold
// Engine.mu.
func (e *Engine) goOn(of *queue) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	if of.held || of.late {
		of.held = false
		e.queues.list(of)
	}
}

// errEnough ends a reading of the journal.
var errEnough = errors.New("alarm: enough read")

// rereadSome fills, from the journal, the queues of those for which memory had no
// room: of all of them at once that have judged what they had, beginning with a
// tenant whose turn it is. false: that one has nothing left there.
func (e *Engine) rereadSome(ctx context.Context, of *queue, until time.Time) (some bool, err error) {
	q := &e.queues
	q.mu.Lock()
	if !of.onDisk {
		q.mu.Unlock()
		return false, nil
	}
	from, end := of.reread.Entry, q.taken
	filling := map[*queue]bool{}
	for _, other := range q.of {
		if other.onDisk && other.reread.Entry >= from {
			filling[other] = true
		}
	}
	q.mu.Unlock()
	if from < end {
		err = e.o.Readings.Backlog(ctx, from, func(position uint64, batch []reading.Arrival) error {
			if position > end {
				return errEnough
			}
			q.mu.Lock()
			defer q.mu.Unlock()
			q.refill(filling, position, batch)
			if len(filling) == 0 || !filling[of] && len(of.waiting) > 0 || e.over(until) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return true, err
		}
	}
	ended := err == nil || from >= end
	q.mu.Lock()
	defer q.mu.Unlock()
	for other := range filling {
		if ended && other.reread.Entry < end {
			// The journal holds nothing behind what it gave last.
			other.reread = Position{Entry: end}
		}
		if other.reread == (Position{Entry: q.taken}) {
			other.onDisk = false // from here on Take adds to it
		}
		if len(other.waiting) > 0 {
			q.list(other)
		}
	}
	if len(of.waiting) == 0 && !of.onDisk {
		q.drop(of, 0)
	}
	return true, nil
}

// refill hands an entry of the journal to the tenants that are to be filled, and
// takes those out that are full. Callers hold mu.
func (q *queues) refill(filling map[*queue]bool, position uint64, batch []reading.Arrival) {
	for i := range batch {
		a := &batch[i]
		of := q.of[a.Tenant]
		if of == nil || !filling[of] || q.watched[a.Device] == 0 || !of.reread.reaches(position, i) {
			continue
		}
		if !q.put(of, position, i, a) {
			of.reread = Position{Entry: position - 1, Index: i}
			delete(filling, of)
		}
	}
	for of := range filling {
		if of.reread.Entry < position {
			of.reread = Position{Entry: position}
		}
	}
}

// reaches tells whether what stands at an index of an entry is behind p.
func (p Position) reaches(position uint64, index int) bool {
	return position > p.Entry+1 || position == p.Entry+1 && index >= p.Index
}
