package alarm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

const (
	// targetWriteTime is about how long one transaction of events takes: others wait for the
	// database meanwhile.
	targetWriteTime = 50 * time.Millisecond
	// fewestAtOnce and mostAtOnce bound how many events one transaction writes.
	fewestAtOnce = 32
	mostAtOnce   = 2000
	// fewestEach is how many events of each tenant it writes at least, while there are any.
	fewestEach = 4
)

// flushUnlessBackground is flush where Run does not write.
func (e *Engine) flushUnlessBackground(ctx context.Context) error {
	e.mu.Lock()
	background := e.backgroundWrites
	e.mu.Unlock()
	if background {
		return nil
	}
	return e.flush(ctx)
}

// flush writes all pending events to disk, round robin over the tenants. Evaluation goes on
// meanwhile.
func (e *Engine) flush(ctx context.Context) error {
	for {
		more, err := e.flushBatch(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// lockWriting locks writeMu. With a transaction in ctx it would wait for a goroutine that may wait
// for that transaction, so this panics where lockOrder is set.
func (e *Engine) lockWriting(ctx context.Context) {
	if lockOrder != nil {
		if _, inTx := e.opts.DB.Read(ctx).(bun.Tx); inTx {
			panic("alarm: lock order violated: writeMu is locked in a transaction")
		}
	}
	e.writeMu.Lock()
}

func (e *Engine) flushBatch(ctx context.Context) (more bool, err error) {
	e.lockWriting(ctx)
	defer e.writeMu.Unlock()
	return e.writeBatch(ctx)
}

// lock is for a caller that changes rules of a tenant, or of all tenants (allTenants): all of their
// events are on disk, and no further ones occur until unlock. After an error nothing is locked.
// Callers hold neither lock and no transaction.
func (e *Engine) lock(ctx context.Context, t tenant.ID) error {
	e.lockWriting(ctx)
	err := e.flushTenant(ctx, t)
	if err == nil {
		return nil
	}
	e.writeMu.Unlock()
	return err
}

// flushTenant writes all pending events of a tenant and leaves mu locked. After an error it
// releases mu. Callers hold writeMu.
func (e *Engine) flushTenant(ctx context.Context, t tenant.ID) error {
	// Most events are written while evaluation goes on, the rest while it waits.
	e.mu.Lock()
	list := e.takeAllPending(t)
	e.mu.Unlock()
	s, err := e.writeEvents(ctx, list)
	e.mu.Lock()
	if err = e.commitBatch(&s, list, err); err == nil {
		list = e.takeAllPending(t)
		s, err = e.writeEvents(ctx, list)
		err = e.commitBatch(&s, list, err)
	}
	if err != nil {
		e.mu.Unlock()
	}
	return err
}

func (e *Engine) unlock() {
	e.mu.Unlock()
	e.writeMu.Unlock()
}

// writeBatch writes some of the pending events, in one transaction with the positions of their
// tenants, and publishes them. more is true when events are left. Events that could not be written
// stay pending: the next call tries again. Callers hold writeMu.
func (e *Engine) writeBatch(ctx context.Context) (more bool, err error) {
	e.mu.Lock()
	list := e.takePending()
	e.mu.Unlock()
	began := time.Now()
	s, err := e.writeEvents(ctx, list)
	took := time.Since(began)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.commitBatch(&s, list, err); err != nil {
		return false, err
	}
	switch {
	case took > targetWriteTime:
		e.batchSize = max(fewestAtOnce, e.batchSize/2)
	case took < targetWriteTime/2 && len(e.dirtyQueues) > 0:
		e.batchSize = min(mostAtOnce, e.batchSize*2)
	}
	return len(e.dirtyQueues) > 0, nil
}

// tenantBatch is what one transaction writes of a tenant: events, oldest first, and how far the
// tenant is evaluated with them.
type tenantBatch struct {
	queue    *tenantQueue
	events   []pendingEvent
	position Position
}

// takePending takes the events that are written next, round robin over the tenants. Callers hold
// mu.
func (e *Engine) takePending() (list []tenantBatch) {
	e.followClock()
	if len(e.dirtyQueues) == 0 {
		return nil
	}
	left := e.batchSize
	each := max(fewestEach, left/len(e.dirtyQueues))
	for _, tq := range e.dirtyQueues {
		p := e.takeOf(tq, each)
		list = append(list, p)
		if left -= len(p.events); left <= 0 {
			break
		}
	}
	e.dirtyQueues = e.dirtyQueues[len(list):]
	return list
}

// takeAllPending takes all events of a tenant, or of all tenants (allTenants). Callers hold mu.
func (e *Engine) takeAllPending(t tenant.ID) (list []tenantBatch) {
	e.followClock()
	e.dirtyQueues = slices.DeleteFunc(e.dirtyQueues, func(tq *tenantQueue) bool {
		mine := t == allTenants || tq.tenant == t
		if mine {
			list = append(list, e.takeOf(tq, len(tq.pending)))
		}
		return mine
	})
	return list
}

// takeOf takes up to most of a tenant's events. It does not separate events of the same reading.
func (e *Engine) takeOf(tq *tenantQueue, most int) tenantBatch {
	n := min(most, len(tq.pending))
	sameReading := func(a, b *pendingEvent) bool {
		return a.fromReading && b.fromReading && a.position == b.position
	}
	for n > 0 && n < len(tq.pending) && sameReading(&tq.pending[n-1], &tq.pending[n]) {
		n++
	}
	p := tenantBatch{queue: tq, events: tq.pending[:n:n]}
	if tq.pending = tq.pending[n:]; len(tq.pending) > 0 {
		p.position = tq.pending[0].position
	} else {
		tq.pending, p.position = nil, e.positionOf(tq)
	}
	tq.writing = p.events
	return p
}

// writeEvents writes events. Callers hold writeMu.
func (e *Engine) writeEvents(ctx context.Context, list []tenantBatch) (s eventTx, err error) {
	if len(list) == 0 {
		return s, nil
	}
	var events []pendingEvent
	positions := make(map[tenant.ID]Position, len(list))
	for _, p := range list {
		events = append(events, p.events...)
		positions[p.queue.tenant] = p.position
	}
	if e.opts.FlushPresence != nil && slices.ContainsFunc(events, pendingEvent.byPresence) {
		if err := e.opts.FlushPresence(ctx); err != nil {
			return s, err
		}
	}
	err = e.opts.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		s = eventTx{
			Engine: e,
			open:   map[*activeRule]*Notice{},
			over:   map[*activeRule]bool{},
			states: map[Pair]stateRow{},
		}
		if err := s.prefetch(ctx, events); err != nil {
			return err
		}
		for i := range events {
			if err := s.writeEvent(ctx, &events[i]); err != nil {
				return err
			}
		}
		if err := saveStates(ctx, e.opts.DB, slices.Collect(maps.Values(s.states))); err != nil {
			return err
		}
		return e.opts.Positions.SaveTenants(ctx, positions)
	})
	return s, err
}

// byPresence tells whether a presence change led to the event. A kill must not leave the event on
// disk without that change: a device that was back would count as away.
func (ev pendingEvent) byPresence() bool { return ev.rule.predicate == nil && ev.kind != floorMoved }

// commitBatch takes over that events are on disk, or that writing them failed. Callers hold both
// locks.
func (e *Engine) commitBatch(s *eventTx, list []tenantBatch, err error) error {
	for _, p := range list {
		tq := p.queue
		tq.writing = nil
		if err != nil {
			tq.pending = append(p.events, tq.pending...)
		}
		if len(tq.pending) > 0 {
			e.dirtyQueues = append(e.dirtyQueues, tq)
		}
	}
	if err != nil {
		return fmt.Errorf("alarm: write events: %w", err)
	}
	for _, p := range list {
		e.goOn(p.queue)
	}
	for r, n := range s.open {
		e.forgetNotice(r) // one may have ended and another begun
		if n != nil {
			r.notice = n
			e.openByNotice[n.ID] = r
		}
	}
	e.clearOver(s.over)
	e.count()
	e.opened.Add(uint64(s.opened))
	e.publishNotices(s.events)
	return nil
}

// clearOver resets rules whose notice turned out to be over when it was to begin, unless an end for
// it is pending: the next opening begins another notice, at a time of its own. Callers hold both
// locks.
func (e *Engine) clearOver(over map[*activeRule]bool) {
	for r := range over {
		ends := func(ev pendingEvent) bool { return ev.rule == r && ev.kind == Resolved }
		if slices.ContainsFunc(r.queue.pending, ends) {
			continue
		}
		r.state.Open, r.state.Unsteady = false, false
		if r.predicate == nil {
			e.schedule(r)
		}
	}
}

// forgetNotice takes over that a rule's notice is over.
func (e *Engine) forgetNotice(r *activeRule) {
	if r.notice != nil {
		delete(e.openByNotice, r.notice.ID)
	}
	r.notice = nil
	e.count()
}
