package notify

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/tenant"
)

const (
	// atOnce is how many letters of a lane are in flight at most, those counted
	// of which it is not written yet what became of them; mailsAtOnce how many
	// mails: they wait for each other less the more there are.
	atOnce      = 4
	mailsAtOnce = 16
	// longestFlight is when a carrier is given up, and leased how long nobody
	// else takes a letter in flight.
	longestFlight = 2 * time.Minute
	leased        = 10 * time.Minute
	// dueSoon is how soon a lane looks again for what became due behind its look:
	// not at once, so that it never spins.
	dueSoon = 100 * time.Millisecond
	// oldEvery is how often letters are looked for that waited too long, and
	// oldAtOnce how many are ended in one transaction.
	oldEvery  = time.Minute
	oldAtOnce = 1000
)

// lane is one way of telling people. Lanes do not wait for each other. One
// goroutine works on a lane; letters fly in others.
type lane struct {
	*Outbox
	mode    Mode
	carrier Carrier       // nil: this way is not set up
	wake    chan struct{} // holds one
	landed  chan *attempt // holds all that can be in flight

	most    int // letters in flight at most
	flying  int // letters
	flights map[tenant.ID]flight
	turns   turns
	aloft   map[string]int // letters by destination
	ended   []*attempt     // and what became of it is not on disk yet
	looked  int64          // when what is too old was looked for, epoch ms
	seen    int64          // the clock when it was looked at last, epoch ms; 0: not yet
	ruling  map[*attempt]outcome
	airline context.Context // letters fly under it

	mu        sync.Mutex
	down      pause
	places    map[string]pause  // by destination
	newcomers map[tenant.ID]int // who had a letter queued since the last look, by its highest level
}

func newLane(o *Outbox, m Mode, c Carrier) *lane {
	return &lane{
		Outbox: o, mode: m, carrier: c, wake: make(chan struct{}, 1), landed: make(chan *attempt, slots(m)), most: slots(m), aloft: map[string]int{},
		flights: map[tenant.ID]flight{},
		ruling:  map[*attempt]outcome{}, places: map[string]pause{}, newcomers: map[tenant.ID]int{},
	}
}

func (l *lane) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// work does all that is due, and answers when to look again; the zero time:
// when woken. After an error it is to be called again: nothing is forgotten.
func (l *lane) work(ctx context.Context) (time.Time, error) {
	for {
		if l.held.Load() {
			return time.Time{}, nil
		}
		if err := l.followClock(ctx); err != nil {
			return time.Time{}, err
		}
		more, err := l.turn(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if more {
			continue
		}
		if l.flying == 0 {
			return l.next(ctx)
		}
		if err := l.await(ctx); err != nil {
			return time.Time{}, err
		}
	}
}

// turn is one transaction: what became of letters is written, and the next are
// taken. More is to be done at once where so many had to wait that it stopped.
func (l *lane) turn(ctx context.Context) (more bool, err error) {
	if idle, err := l.idle(ctx); idle || err != nil {
		return false, err
	}
	var taken *taking
	err = l.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		l.reap() // what landed while others wrote
		if err := l.settle(ctx); err != nil {
			return err
		}
		if err := l.giveUpOld(ctx); err != nil {
			return err
		}
		taken, err = l.take(ctx)
		return err
	})
	if err != nil {
		return false, err
	}
	l.ended = nil
	clear(l.ruling)
	for _, a := range taken.attempts {
		l.start(a.letter.Tenant, a.level)
		l.aloft[a.rows[0].Destination]++
		go l.carry(a)
	}
	return taken.more, nil
}

// idle tells whether there is nothing to do, without keeping others from the
// database.
func (l *lane) idle(ctx context.Context) (bool, error) {
	now := l.Now().UnixMilli()
	switch {
	case len(l.ended) > 0:
		return false, nil
	case l.room() == 0 && !l.looksForOld(now):
		return true, nil
	}
	due, err := l.butLate(l.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil))).
		Where("d.state = 'queued' AND d.mode = ? AND d.alarm_level IN (0, 1, 2) AND d.next_time <= ?", l.mode, now).
		Where("d.lease_until <= ?", now).Exists(ctx)
	return !due, err
}

func (l *lane) carry(a *attempt) {
	ctx, cancel := context.WithTimeout(l.airline, longestFlight)
	defer cancel()
	defer func() {
		if fault := recover(); fault != nil { // it would do so again after every start
			l.Log.Error("a letter cannot be brought", "mode", l.mode, "delivery", a.rows[0].ID, "fault", fault, "stack", string(debug.Stack()))
			a.err = &Failure{Trouble: Refused, Answer: "a fault of the server, see its log"}
		}
		l.landed <- a
	}()
	a.letter.refresh = func(ctx context.Context) {
		if err := l.since(ctx, a.letter.Tenant, a.letter.Alarms); err != nil && ctx.Err() == nil {
			l.Log.Warn("a letter without since when its alarms hold", "mode", l.mode, "tenant", a.letter.Tenant, "delivery", a.rows[0].ID, "error", err)
		}
	}
	a.letter.Refresh(ctx)
	a.answer, a.err = l.carrier.Carry(ctx, a.letter)
}

// await waits until a letter has landed, and takes all that have; or until
// there is something to take for which there is room.
func (l *lane) await(ctx context.Context) error {
	var wake chan struct{}
	if l.room() > 0 {
		wake = l.wake
	}
	select {
	case a := <-l.landed:
		l.land(a)
	case <-wake:
	case <-ctx.Done():
		return ctx.Err()
	}
	l.reap()
	return nil
}

// reap takes all letters that have landed.
func (l *lane) reap() {
	for {
		select {
		case a := <-l.landed:
			l.land(a)
		default:
			return
		}
	}
}

func (l *lane) land(a *attempt) {
	l.end(a.letter.Tenant)
	if d := a.rows[0].Destination; l.aloft[d] > 1 {
		l.aloft[d]--
	} else {
		delete(l.aloft, d)
	}
	l.ended = append(l.ended, a)
	l.ruling[a] = l.outcome(a)
}

// room is how many letters may be taken now: one, to try a far end that was
// down.
func (l *lane) room() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.down.until > l.Now().UnixMilli():
		return 0
	case l.down.failures > 0:
		return max(0, 1-l.flying)
	}
	return l.most - l.flying
}

// giveUpOld ends the waiting of letters that the far end had no room for in
// all the time that one is tried.
func (l *lane) giveUpOld(ctx context.Context) error {
	now := l.Now().UnixMilli()
	edge := now - triedFor.Milliseconds()
	if !l.looksForOld(now) || l.triableSince() > edge { // while no server ran, nothing was tried
		return nil
	}
	var rows []*deliveryRow
	err := l.DB.Read(ctx).NewSelect().Model(&rows).Column("id", "tenant_id", "notice_id", "event", "attempts").
		Where("d.state = 'queued' AND d.mode = ? AND d.lease_until <= ?", l.mode, now).
		Where("d.first_time = 0 AND d.next_time <= ? OR d.first_time > 0 AND d.first_time <= ? AND d.reason = ?", edge, edge, ForServer).
		OrderExpr("d.id").Limit(oldAtOnce).Scan(ctx)
	if err != nil {
		return err
	}
	if len(rows) < oldAtOnce {
		l.looked = now
	}
	return l.finishEach(ctx, rows, outcome{state: Failed, reason: TooOld, step: stepFailed, at: now})
}

func (l *lane) looksForOld(now int64) bool {
	return now < l.looked || now-l.looked >= oldEvery.Milliseconds()
}

// next is when the lane has to look again, were it not woken.
func (l *lane) next(ctx context.Context) (time.Time, error) {
	now := l.Now().UnixMilli()
	var earliest int64
	note := func(at int64) {
		if at > now && at != whenItHappens && (earliest == 0 || at < earliest) {
			earliest = at
		}
	}
	down := l.downUntil()
	resting, place := l.paused(now)
	for level := range serious + 1 {
		later, err := l.first(ctx, "next_time", level, func(q *bun.SelectQuery) { q.Where("d.next_time > ?", now) })
		if err != nil {
			return time.Time{}, err
		}
		due, err := l.first(ctx, "next_time", level, func(q *bun.SelectQuery) { q.Where("d.next_time <= ?", now) })
		if err != nil {
			return time.Time{}, err
		}
		for _, at := range later {
			note(at)
		}
		if len(due) == 0 {
			continue
		}
		note(down)
		if down > now {
			continue
		}
		note(place)
		// Held up by nothing: due since a moment ago; or leased, where it is not
		// known whether that was written.
		free, err := l.first(ctx, "lease_until", level, func(q *bun.SelectQuery) {
			l.butLate(q).Where("d.next_time <= ?", now)
			if len(resting) > 0 {
				q.Where("d.destination NOT IN (?)", bun.List(resting))
			}
		})
		if err != nil {
			return time.Time{}, err
		}
		for _, lease := range free {
			note(max(now+dueSoon.Milliseconds(), lease))
		}
	}
	if earliest == 0 {
		return time.Time{}, nil
	}
	return time.UnixMilli(earliest), nil
}

// first is the least that a column holds of some of a level's deliveries that
// are queued; none where there are none.
func (l *lane) first(ctx context.Context, column string, level int, of func(q *bun.SelectQuery)) (least []int64, err error) {
	q := l.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).Column(column).
		Where("d.state = 'queued' AND d.mode = ? AND d.alarm_level = ?", l.mode, level).OrderExpr("?", bun.Ident("d."+column)).Limit(1)
	of(q)
	err = q.Scan(ctx, &least)
	return least, err
}
