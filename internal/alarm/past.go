package alarm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"tilth/internal/reading"
	"tilth/internal/tenant"
)

// past is what the windows of rules are made again from after a start: the
// readings that were stored then, without those that the journal holds for
// judging.
type past struct {
	view    *reading.View
	now     int64                  // when that was, epoch ms
	places  map[tenant.ID]Position // up to where each was judged; another: up to everyone
	all     uint64
	next    uint64 // journal position from which on backlog is to be filled
	backlog backlog
	sorted  bool    // backlog is complete
	rules   int     // whose windows are not made again yet
	recall  *recall // of the device whose rules are being taught
}

// lookBack finds how far the tenants were judged, and holds on to the readings of
// this moment. Callers hold mu.
func (e *Engine) lookBack(ctx context.Context) error {
	all, err := e.o.Positions.Load(ctx)
	if err != nil {
		return err
	}
	places, err := e.o.Positions.OfTenants(ctx)
	if err != nil {
		return err
	}
	view, err := e.o.Readings.View()
	if err != nil {
		return err
	}
	e.past = &past{view: view, now: e.now(), places: places, all: all, next: all, backlog: backlog{}}
	// The journal may be an older copy than the positions: it goes on behind them.
	taken := max(all, view.Position())
	for _, p := range places {
		if p.Index > 0 {
			p.Entry++
		}
		taken = max(taken, p.Entry)
	}
	e.queues.taken = taken
	return nil
}

// judged is up to where a tenant was judged.
func (p *past) judged(t tenant.ID) Position {
	if at, known := p.places[t]; known && !at.before(Position{Entry: p.all}) {
		return at
	}
	return Position{Entry: p.all}
}

// stamps are those of a rule's device as of the start.
func (p *past) stamps(ctx context.Context, e *Engine, r *running) stamps {
	return e.stamps(ctx, r, p.judged(r.Tenant).Entry, p.now)
}

// beginLate has every tenant begin with what it has to judge yet. Callers hold mu.
func (e *Engine) beginLate() {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	for t, of := range q.of {
		slices.SortStableFunc(of.learn, func(a, b *running) int { return cmp.Compare(a.Device, b.Device) })
		of.place = e.past.judged(t)
		e.past.rules += len(of.learn)
		if end := (Position{Entry: q.taken}); of.place.before(end) {
			of.onDisk, of.late, of.reread = true, true, of.place
		}
		if !of.idle() {
			q.list(of)
		}
	}
	if e.past.rules == 0 {
		e.closePast()
	}
}

// closePast lets go of the readings of the start.
func (e *Engine) closePast() {
	if e.past == nil {
		return
	}
	if err := e.past.view.Close(); err != nil {
		e.o.Log.Warn("the readings of the start are held on to", "error", err)
	}
	e.past = nil
}

// endPast is closePast of whoever holds no lock.
func (e *Engine) endPast() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closePast()
}

// relearn makes again the windows of a tenant's rules, for as long as its turn
// lasts; true when all are.
func (e *Engine) relearn(ctx context.Context, of *queue, until time.Time) (bool, error) {
	for {
		e.mu.Lock()
		p := e.past
		var r *running
		if len(of.learn) > 0 {
			r = of.learn[0]
		}
		e.mu.Unlock()
		if r == nil {
			return true, nil
		}
		complete, err := e.readBacklog(ctx, p, until)
		if err != nil || !complete {
			return false, err
		}
		if err := e.relearnOne(ctx, p, r); err != nil {
			return false, err
		}
		e.mu.Lock()
		if len(of.learn) > 0 && of.learn[0] == r && !r.unlearned {
			of.learn = of.learn[1:]
			e.learned(p)
		}
		left := len(of.learn)
		e.mu.Unlock()
		if left > 0 && e.over(until) || ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
}

// learned counts a window that is made again. Callers hold mu.
func (e *Engine) learned(p *past) {
	if p.rules--; p.rules == 0 {
		e.closePast()
	}
}

// readBacklog reads what the journal holds for judging, until then; true when it
// has all. Only one goroutine at a time may do so: that of Work, or one that
// holds both locks while Work does not.
func (e *Engine) readBacklog(ctx context.Context, p *past, until time.Time) (complete bool, err error) {
	if p.sorted {
		return true, nil
	}
	end, cut := p.view.Position(), false
	err = e.o.Readings.Backlog(ctx, p.next, func(position uint64, batch []reading.Arrival) error {
		if position > end {
			return errEnough
		}
		p.fill(e, position, batch)
		p.next = position
		if cut = e.over(until) && !e.short; cut {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return false, err
	}
	if cut {
		return false, nil
	}
	p.backlog.sort()
	p.sorted = true
	return true, nil
}

func (p *past) fill(e *Engine, position uint64, batch []reading.Arrival) {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range batch {
		a := &batch[i]
		if q.watched[a.Device] == 0 || !p.judged(a.Tenant).reaches(position, i) {
			continue
		}
		if of := q.of[a.Tenant]; of != nil {
			if of.count == 0 {
				of.since = a.At
			}
			of.count++
			p.backlog.add(&a.Frame)
		}
	}
}

// relearnOne makes a rule's window again.
func (e *Engine) relearnOne(ctx context.Context, p *past, r *running) error {
	for {
		e.mu.Lock()
		if !r.unlearned || e.at(r.pair()) != r {
			r.unlearned = false
			e.mu.Unlock()
			return nil
		}
		floor := r.state.Floor
		fresh := &running{Rule: r.Rule, test: r.test, state: r.state.anew(r.test)}
		e.mu.Unlock()
		if p.recall == nil || p.recall.device != r.Device {
			p.recall = newRecall(p.view, r.Device, p.backlog[r.Device])
		}
		if err := e.learn(ctx, p.recall, fresh, p.stamps(ctx, e, r), math.MaxInt64, p.backlog[r.Device]); err != nil {
			return err
		}
		e.mu.Lock()
		done := r.state.Floor == floor && r.test == fresh.test // neither is another meanwhile
		if done {
			e.relearned(ctx, p, r, fresh.state)
		}
		e.mu.Unlock()
		if done {
			return nil
		}
	}
}

// relearned gives a rule a state that knows the window. Callers hold mu.
func (e *Engine) relearned(ctx context.Context, p *past, r *running, s *State) {
	s.Open, s.Waiting = r.state.Open, r.state.Waiting
	s.refresh(r.test)
	s.held = len(s.samples) > 0 && s.samples[len(s.samples)-1].holds
	if r.notice != nil {
		s.began(r.notice.Start, p.stamps(ctx, e, r))
	}
	r.state, r.unlearned = s, false
}

// relearnNow is for who changes a rule before its window is made again. Callers
// hold both locks.
func (e *Engine) relearnNow(ctx context.Context, r *running) error {
	if !r.unlearned {
		return nil
	}
	later := backlog{}
	p := e.past
	err := e.o.Readings.Backlog(ctx, p.judged(r.Tenant).Entry, func(position uint64, batch []reading.Arrival) error {
		for i := range batch {
			if batch[i].Device == r.Device && p.judged(r.Tenant).reaches(position, i) {
				later.add(&batch[i].Frame)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	later.sort()
	fresh := &running{Rule: r.Rule, test: r.test, state: r.state.anew(r.test)}
	if err := e.learn(ctx, newRecall(p.view, r.Device, later[r.Device]), fresh, p.stamps(ctx, e, r), math.MaxInt64, later[r.Device]); err != nil {
		return err
	}
	e.relearned(ctx, p, r, fresh.state)
	return nil
}
