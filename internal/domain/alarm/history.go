package alarm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// history is what the windows of rules are rebuilt from after a start: the readings that were
// stored at that moment, without those that the journal holds for evaluation.
type history struct {
	view       *reading.View
	now        int64                  // the moment of the view, epoch ms
	positions  map[tenant.ID]Position // evaluated positions of the tenants; allTenants for those without one
	allTenants uint64
	next       uint64 // journal position from which on pending is still to be filled
	pending    pendingValues
	complete   bool          // pending is; written under Engine.mu
	rulesLeft  int           // whose windows are not rebuilt yet
	cache      *readingCache // of the device whose rules are being rebuilt
}

// loadHistory reads how far the tenants are evaluated, and opens a view of the current readings.
// Callers hold mu.
func (e *Engine) loadHistory(ctx context.Context) error {
	all, err := e.opts.Positions.Load(ctx)
	if err != nil {
		return err
	}
	positions, err := e.opts.Positions.LoadTenants(ctx)
	if err != nil {
		return err
	}
	view, err := e.opts.Readings.View()
	if err != nil {
		return err
	}
	e.history = &history{
		view:       view,
		now:        e.now(),
		positions:  positions,
		allTenants: all,
		next:       all,
		pending:    pendingValues{},
	}
	// The journal may be an older copy than the positions: evaluation goes on after them.
	taken := max(all, view.Position())
	for _, p := range positions {
		if p.Index > 0 {
			p.Entry++
		}
		taken = max(taken, p.Entry)
	}
	e.queues.taken = taken
	return nil
}

// evaluatedUpTo is up to where a tenant was evaluated.
func (p *history) evaluatedUpTo(t tenant.ID) Position {
	if at, known := p.positions[t]; known && !at.before(Position{Entry: p.allTenants}) {
		return at
	}
	return Position{Entry: p.allTenants}
}

// deviceStamps are those of a rule's device as of the start.
func (p *history) deviceStamps(ctx context.Context, e *Engine, r *activeRule) stampIndex {
	return e.deviceStamps(ctx, r, p.evaluatedUpTo(r.Tenant).Entry, p.now)
}

// startReplay schedules every tenant that has something to evaluate. Callers hold mu.
func (e *Engine) startReplay() {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	for t, tq := range q.byTenant {
		slices.SortStableFunc(tq.replay, func(a, b *activeRule) int { return cmp.Compare(a.Device, b.Device) })
		tq.position = e.history.evaluatedUpTo(t)
		e.history.rulesLeft += len(tq.replay)
		if end := (Position{Entry: q.taken}); tq.position.before(end) {
			tq.inJournal, tq.late, tq.rereadFrom = true, true, tq.position
		}
		if !tq.idle() {
			q.schedule(tq)
		}
	}
	if e.history.rulesLeft == 0 {
		e.closeHistory()
	}
}

// closeHistory closes the view of the start. Callers hold mu.
func (e *Engine) closeHistory() {
	if e.history == nil {
		return
	}
	if err := e.history.view.Close(); err != nil {
		e.opts.Logger.Warn("the view of the readings at the start was not closed", "error", err)
	}
	e.history = nil
}

// releaseHistory is closeHistory for a caller that holds no lock.
func (e *Engine) releaseHistory() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closeHistory()
}

// lacksWindow tells whether a device has a rule whose window is not rebuilt yet. Callers hold mu.
func (e *Engine) lacksWindow(id device.ID) bool {
	if e.history == nil {
		return false
	}
	return slices.ContainsFunc(e.readingRules[id], func(r *activeRule) bool { return r.needsReplay })
}

// replayDevice rebuilds the windows of a device's rules, whose next reading is to be evaluated. The
// other windows are rebuilt when no reading waits.
func (e *Engine) replayDevice(ctx context.Context, id device.ID) error {
	e.mu.Lock()
	p, list := e.history, slices.Clone(e.readingRules[id])
	e.mu.Unlock()
	if p == nil {
		return nil
	}
	for _, r := range list {
		if err := e.replayRule(ctx, p, r); err != nil {
			return err
		}
	}
	return nil
}

// replayQueue rebuilds the windows of a tenant's rules, until its slice ends or a reading waits. It
// returns true if one does.
func (e *Engine) replayQueue(ctx context.Context, tq *tenantQueue, until time.Time) (waits bool, err error) {
	for {
		e.mu.Lock()
		p := e.history
		var r *activeRule
		if len(tq.replay) > 0 {
			r = tq.replay[0]
		}
		e.mu.Unlock()
		if r == nil {
			return false, nil
		}
		if err := e.replayRule(ctx, p, r); err != nil {
			return false, err
		}
		e.mu.Lock()
		if len(tq.replay) > 0 && tq.replay[0] == r && !r.needsReplay {
			tq.replay = tq.replay[1:]
			e.countReplayed(p)
		}
		e.queues.mu.Lock()
		waits = tq.waits()
		e.queues.mu.Unlock()
		e.mu.Unlock()
		if waits || e.sliceOver(until) || ctx.Err() != nil {
			return waits, ctx.Err()
		}
	}
}

// backlogUnknown tells whether it is not known yet which readings waited at the start. Callers hold
// mu.
func (e *Engine) backlogUnknown() bool { return e.history != nil && !e.history.complete }

// countReplayed counts a rebuilt window. Callers hold mu.
func (e *Engine) countReplayed(p *history) {
	if p.rulesLeft--; p.rulesLeft == 0 {
		e.closeHistory()
	}
}

// readPendingValues reads from the journal which values are still to be evaluated, until the slice
// of a tenant ends that has windows to rebuild. It returns true when it has read all.
func (e *Engine) readPendingValues(ctx context.Context, tq *tenantQueue, until time.Time) (known bool, err error) {
	e.mu.Lock()
	p := e.history
	known = len(tq.replay) == 0 || p.complete
	e.mu.Unlock()
	if known {
		return true, nil
	}
	end, cut := p.view.Position(), false
	err = e.opts.Readings.Backlog(ctx, p.next, func(position uint64, batch []reading.Arrival) error {
		if position > end {
			return errStopReading
		}
		p.addPending(e, position, batch)
		p.next = position
		if cut = e.sliceOver(until) && !e.singleStep; cut {
			return errStopReading
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStopReading) {
		return false, err
	}
	if cut {
		return false, nil
	}
	p.pending.sort()
	e.mu.Lock()
	defer e.mu.Unlock()
	p.complete = true
	return true, nil
}

func (p *history) addPending(e *Engine, position uint64, batch []reading.Arrival) {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range batch {
		a := &batch[i]
		if q.watched[a.Device] == 0 || !p.evaluatedUpTo(a.Tenant).reaches(position, i) {
			continue
		}
		if tq := q.byTenant[a.Tenant]; tq != nil {
			if tq.count == 0 {
				tq.since = a.At
			}
			tq.count++
			p.pending.add(&a.Frame)
		}
	}
}

// replayRule rebuilds a rule's window.
func (e *Engine) replayRule(ctx context.Context, p *history, r *activeRule) error {
	for {
		e.mu.Lock()
		if !r.needsReplay || e.lookup(r.pair()) != r {
			r.needsReplay = false
			e.mu.Unlock()
			return nil
		}
		floor := r.state.Floor
		fresh := &activeRule{Rule: r.Rule, predicate: r.predicate, state: r.state.emptyCopy(r.predicate)}
		e.mu.Unlock()
		if p.cache == nil || p.cache.device != r.Device {
			p.cache = newReadingCache(p.view, r.Device, p.pending[r.Device])
		}
		stamps := p.deviceStamps(ctx, e, r)
		if err := e.loadWindow(ctx, p.cache, fresh, stamps, math.MaxInt64, p.pending[r.Device]); err != nil {
			return err
		}
		e.mu.Lock()
		done := r.state.Floor == floor && r.predicate == fresh.predicate // both may have changed meanwhile
		if done {
			e.finishReplay(ctx, p, r, fresh.state)
		}
		e.mu.Unlock()
		if done {
			return nil
		}
	}
}

// finishReplay gives a rule a state with the rebuilt window. Callers hold mu.
func (e *Engine) finishReplay(ctx context.Context, p *history, r *activeRule, s *State) {
	s.Open, s.Waiting = r.state.Open, r.state.Waiting
	s.reevaluate(r.predicate)
	s.lastHeld = len(s.samples) > 0 && s.samples[len(s.samples)-1].holds
	if r.notice != nil {
		s.noteOpened(r.notice.Start, p.deviceStamps(ctx, e, r))
	}
	r.state, r.needsReplay = s, false
}

// replayNow is for a caller that changes a rule before its window is rebuilt. Callers hold both
// locks.
func (e *Engine) replayNow(ctx context.Context, r *activeRule) error {
	if !r.needsReplay {
		return nil
	}
	later := pendingValues{}
	p := e.history
	from := p.evaluatedUpTo(r.Tenant)
	// Other devices' readings may have been evaluated since the start, and removed from the journal.
	if at := e.positionOf(r.queue); from.before(at) {
		from = at
	}
	err := e.opts.Readings.Backlog(ctx, from.Entry, func(position uint64, batch []reading.Arrival) error {
		for i := range batch {
			if batch[i].Device == r.Device && from.reaches(position, i) {
				later.add(&batch[i].Frame)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	later.sort()
	fresh := &activeRule{Rule: r.Rule, predicate: r.predicate, state: r.state.emptyCopy(r.predicate)}
	cache, stamps := newReadingCache(p.view, r.Device, later[r.Device]), p.deviceStamps(ctx, e, r)
	if err := e.loadWindow(ctx, cache, fresh, stamps, math.MaxInt64, later[r.Device]); err != nil {
		return err
	}
	e.finishReplay(ctx, p, r, fresh.state)
	return nil
}
