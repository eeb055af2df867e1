package alarm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// history is what the windows of rules are made again from after a start: the
// readings that were stored then, without those that the journal holds for
// judging.
type history struct {
	view       *reading.View
	now        int64                  // when that was, epoch ms
	positions  map[tenant.ID]Position // up to where each was judged; another: up to everyone
	allTenants uint64
	next       uint64 // journal position from which on backlog is to be filled
	pending    pendingValues
	sorted     bool          // backlog is complete
	rulesLeft  int           // whose windows are not made again yet
	cache      *readingCache // of the device whose rules are being taught
}

// loadHistory finds how far the tenants were judged, and holds on to the readings of
// this moment. Callers hold mu.
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
	// The journal may be an older copy than the positions: it goes on behind them.
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

// evaluatedUpTo is up to where a tenant was judged.
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

// startReplay has every tenant begin with what it has to judge yet. Callers hold mu.
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

// closeHistory lets go of the readings of the start.
func (e *Engine) closeHistory() {
	if e.history == nil {
		return
	}
	if err := e.history.view.Close(); err != nil {
		e.opts.Logger.Warn("the readings of the start are held on to", "error", err)
	}
	e.history = nil
}

// releaseHistory is closeHistory of whoever holds no lock.
func (e *Engine) releaseHistory() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closeHistory()
}

// replayQueue makes again the windows of a tenant's rules, for as long as its turn
// lasts; true when all are.
func (e *Engine) replayQueue(ctx context.Context, tq *tenantQueue, until time.Time) (bool, error) {
	for {
		e.mu.Lock()
		p := e.history
		var r *activeRule
		if len(tq.replay) > 0 {
			r = tq.replay[0]
		}
		e.mu.Unlock()
		if r == nil {
			return true, nil
		}
		complete, err := e.readPendingValues(ctx, p, until)
		if err != nil || !complete {
			return false, err
		}
		if err := e.replayRule(ctx, p, r); err != nil {
			return false, err
		}
		e.mu.Lock()
		if len(tq.replay) > 0 && tq.replay[0] == r && !r.needsReplay {
			tq.replay = tq.replay[1:]
			e.learned(p)
		}
		left := len(tq.replay)
		e.mu.Unlock()
		if left > 0 && e.sliceOver(until) || ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
}

// learned counts a window that is made again. Callers hold mu.
func (e *Engine) learned(p *history) {
	if p.rulesLeft--; p.rulesLeft == 0 {
		e.closeHistory()
	}
}

// readPendingValues reads what the journal holds for judging, until then; true when it
// has all. Only one goroutine at a time may do so: that of Work, or one that
// holds both locks while Work does not.
func (e *Engine) readPendingValues(ctx context.Context, p *history, until time.Time) (complete bool, err error) {
	if p.sorted {
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
	p.sorted = true
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

// replayRule makes a rule's window again.
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
		if err := e.loadWindow(
			ctx,
			p.cache,
			fresh,
			p.deviceStamps(ctx, e, r),
			math.MaxInt64,
			p.pending[r.Device],
		); err != nil {
			return err
		}
		e.mu.Lock()
		done := r.state.Floor == floor && r.predicate == fresh.predicate // neither is another meanwhile
		if done {
			e.finishReplay(ctx, p, r, fresh.state)
		}
		e.mu.Unlock()
		if done {
			return nil
		}
	}
}

// finishReplay gives a rule a state that knows the window. Callers hold mu.
func (e *Engine) finishReplay(ctx context.Context, p *history, r *activeRule, s *State) {
	s.Open, s.Waiting = r.state.Open, r.state.Waiting
	s.reevaluate(r.predicate)
	s.lastHeld = len(s.samples) > 0 && s.samples[len(s.samples)-1].holds
	if r.notice != nil {
		s.noteOpened(r.notice.Start, p.deviceStamps(ctx, e, r))
	}
	r.state, r.needsReplay = s, false
}

// replayNow is for who changes a rule before its window is made again. Callers
// hold both locks.
func (e *Engine) replayNow(ctx context.Context, r *activeRule) error {
	if !r.needsReplay {
		return nil
	}
	later := pendingValues{}
	p := e.history
	err := e.opts.Readings.Backlog(
		ctx,
		p.evaluatedUpTo(r.Tenant).Entry,
		func(position uint64, batch []reading.Arrival) error {
			for i := range batch {
				if batch[i].Device == r.Device && p.evaluatedUpTo(r.Tenant).reaches(position, i) {
					later.add(&batch[i].Frame)
				}
			}
			return nil
		},
	)
	if err != nil {
		return err
	}
	later.sort()
	fresh := &activeRule{Rule: r.Rule, predicate: r.predicate, state: r.state.emptyCopy(r.predicate)}
	if err := e.loadWindow(
		ctx,
		newReadingCache(p.view, r.Device, later[r.Device]),
		fresh,
		p.deviceStamps(ctx, e, r),
		math.MaxInt64,
		later[r.Device],
	); err != nil {
		return err
	}
	e.finishReplay(ctx, p, r, fresh.state)
	return nil
}
