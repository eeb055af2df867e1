package notify

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

const (
	// sendTimeout bounds one call of a sender, and leaseTime is how long no other process takes a
	// delivery in flight.
	sendTimeout = 2 * time.Minute
	leaseTime   = 10 * time.Minute
	// recheckDelay is how soon a worker checks again for deliveries that became due after its
	// check: not at once, so that it never spins.
	recheckDelay = 100 * time.Millisecond
	// expiryCheckEvery is how often the worker looks for deliveries that waited too long, and
	// expiryBatch how many of them one transaction fails.
	expiryCheckEvery = time.Minute
	expiryBatch      = 1000
)

// worker sends the notifications of one channel kind. Workers do not wait for each other. One
// goroutine runs a worker; each notification in flight has a goroutine of its own.
type worker struct {
	*Outbox
	kind   ChannelKind
	spec   *Kind
	pace   *pacer        // nil: it has none
	sender Sender        // nil: this kind is not set up
	wake   chan struct{} // holds one
	done   chan *attempt // has room for all that can be in flight

	inFlight          int // notifications
	inFlightByTenant  map[tenant.ID]tenantInFlight
	rotation          rotation
	inFlightByAddress map[address]int
	finished          []*attempt // attempts whose outcome is not stored yet
	expiryCheckedAt   int64      // when failExpired last looked for all expired deliveries, epoch ms
	clockSeen         int64      // the clock when followClock last read it, epoch ms; 0: not yet
	results           map[*attempt]outcome
	sendCtx           context.Context // the context of notifications in flight
	// unsureLeases are deliveries of a transaction that failed and may have taken effect all the same,
	// as when its answer was lost. Nobody sends them.
	unsureLeases []int64

	mu       sync.Mutex
	down     backoff             // of the remote server as a whole
	failed   map[address]backoff // addresses whose last notification failed
	newlyDue map[tenant.ID]int   // highest level of what became due since the last mergeNewlyDue
}

func newWorker(o *Outbox, k *Kind, c Sender) *worker {
	return &worker{
		Outbox: o, kind: k.Name, spec: k, pace: newPacer(k, o.Now), sender: c, wake: make(chan struct{}, 1),
		done: make(chan *attempt, k.MaxInFlight), inFlightByAddress: map[address]int{},
		inFlightByTenant: map[tenant.ID]tenantInFlight{},
		results:          map[*attempt]outcome{}, failed: map[address]backoff{}, newlyDue: map[tenant.ID]int{},
	}
}

func (l *worker) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// runDue sends all that is due, and gives when to call it again; the zero time: when the worker is
// woken. After an error the caller calls it again; it loses nothing.
func (l *worker) runDue(ctx context.Context) (time.Time, error) {
	for {
		if !l.Tenants.AnyActs() {
			return time.Time{}, nil
		}
		if err := l.followClock(ctx); err != nil {
			return time.Time{}, err
		}
		more, err := l.runOnce(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if more {
			continue
		}
		if l.inFlight == 0 {
			return l.nextWake(ctx)
		}
		if err := l.awaitDone(ctx); err != nil {
			return time.Time{}, err
		}
	}
}

// runOnce runs one transaction, which stores the outcomes of finished attempts and takes the next
// deliveries. more tells that the transaction stopped early because it scanned many deliveries that
// have to wait: the caller calls runOnce again at once.
func (l *worker) runOnce(ctx context.Context) (more bool, err error) {
	if idle, err := l.idle(ctx); idle || err != nil {
		return false, err
	}
	var taken *batch
	err = l.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		l.collectDone() // attempts that finished while the transaction waited for its lock
		if err := l.endUnsureLeases(ctx); err != nil {
			return err
		}
		if err := l.persistResults(ctx); err != nil {
			return err
		}
		if err := l.failExpired(ctx); err != nil {
			return err
		}
		taken, err = l.takeDue(ctx)
		return err
	})
	if err != nil {
		if taken != nil {
			l.unsureLeases = append(l.unsureLeases, deliveriesOf(taken.attempts)...)
		}
		return false, err
	}
	l.finished, l.unsureLeases = nil, nil
	clear(l.results)
	for _, a := range taken.attempts {
		l.sendStarted(a.notification.Tenant, a.level)
		l.inFlightByAddress[a.to]++
		l.pace.take(a.to.destination)
		go l.send(a)
	}
	return taken.more, nil
}

// endUnsureLeases makes deliveries due again that a transaction of unknown end may have leased.
func (l *worker) endUnsureLeases(ctx context.Context) error {
	if len(l.unsureLeases) == 0 {
		return nil
	}
	return l.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("lease_until = 0").
			Where("d.state = 'queued' AND d.id IN (?)", bun.List(l.unsureLeases)).Exec(ctx)
		return err
	})
}

// idle tells whether there is nothing to do; it only reads, so it does not block writers of the
// database.
func (l *worker) idle(ctx context.Context) (bool, error) {
	now := l.Now().UnixMilli()
	switch {
	case len(l.finished) > 0 || len(l.unsureLeases) > 0:
		return false, nil
	case l.freeSlots() == 0 && !l.expiryCheckDue(now):
		return true, nil
	}
	due, err := l.excludeNotReady(l.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil))).
		Where("d.state = 'queued' AND d.mode = ? AND d.alarm_level IN (0, 1, 2) AND d.next_time <= ?", l.kind, now).
		Where("d.lease_until <= ?", now).Exists(ctx)
	return !due, err
}

func (l *worker) send(a *attempt) {
	ctx, cancel := context.WithTimeout(l.sendCtx, sendTimeout)
	defer cancel()
	defer func() {
		if fault := recover(); fault != nil { // a retry would panic again, after every start too
			l.Logger.Error("a notification cannot be sent: its sender panicked", "mode", l.kind,
				"delivery", a.rows[0].ID, "fault", fault, "stack", string(debug.Stack()))
			a.err = &Failure{Kind: Permanent, Answer: "a fault of the server, see its log"}
		}
		l.done <- a
	}()
	a.notification.refresh = func(ctx context.Context) {
		if err := l.loadHoldsSince(ctx, a.notification.Tenant, a.notification.Alarms); err != nil && ctx.Err() == nil {
			l.Logger.Warn("a notification lacks since when its alarms hold", "mode", l.kind,
				"tenant", a.notification.Tenant, "delivery", a.rows[0].ID, "error", err)
		}
		if err := l.loadSilence(ctx, a.notification.Tenant, a.notification.Alarms); err != nil && ctx.Err() == nil {
			l.Logger.Warn("a notification lacks why its devices are silent", "mode", l.kind,
				"tenant", a.notification.Tenant, "delivery", a.rows[0].ID, "error", err)
		}
	}
	a.notification.Refresh(ctx)
	a.answer, a.err = l.sender.Send(ctx, a.notification)
}

// awaitDone waits until an attempt finishes, and collects all that have; or, while there are free
// slots, until the worker is woken or the pace lets a destination have its next notification.
func (l *worker) awaitDone(ctx context.Context) error {
	var wake chan struct{}
	if l.freeSlots() > 0 {
		wake = l.wake
	}
	var ready <-chan time.Time
	if _, first := l.waiting(l.Now().UnixMilli()); wake != nil && l.pace != nil && first > 0 {
		ready = time.After(max(time.UnixMilli(first).Sub(l.Now()), time.Millisecond))
	}
	select {
	case a := <-l.done:
		l.onDone(a)
	case <-ready:
	case <-wake:
	case <-ctx.Done():
		return ctx.Err()
	}
	l.collectDone()
	return nil
}

// collectDone collects all finished attempts without waiting.
func (l *worker) collectDone() {
	for {
		select {
		case a := <-l.done:
			l.onDone(a)
		default:
			return
		}
	}
}

func (l *worker) onDone(a *attempt) {
	l.sendEnded(a.notification.Tenant)
	if l.inFlightByAddress[a.to]--; l.inFlightByAddress[a.to] == 0 {
		delete(l.inFlightByAddress, a.to)
	}
	l.finished = append(l.finished, a)
	l.results[a] = l.outcome(a)
}

// freeSlots gives how many notifications the worker may take now: only one, as a probe, if the
// remote server was down.
func (l *worker) freeSlots() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.down.until > l.Now().UnixMilli():
		return 0
	case l.down.failures > 0:
		return max(0, 1-l.inFlight)
	}
	free := l.spec.MaxInFlight - l.inFlight
	if l.pace != nil {
		room, _ := l.pace.room()
		free = min(free, room)
	}
	return free
}

// failExpired fails the deliveries that the worker could not send within expireAfter.
func (l *worker) failExpired(ctx context.Context) error {
	now := l.Now().UnixMilli()
	edge := now - expireAfter.Milliseconds()
	if !l.expiryCheckDue(now) || l.upSince() > edge { // the server has not been able to send for that long
		return nil
	}
	var rows []*deliveryRow
	err := l.DB.Read(ctx).NewSelect().Model(&rows).Column("id", "tenant_id", "notice_id", "event", "attempts").
		Where("d.state = 'queued' AND d.mode = ? AND d.lease_until <= ?", l.kind, now).
		Where("d.first_time = 0 AND d.next_time <= ? OR d.first_time > 0 AND d.first_time <= ? AND d.reason = ?", edge,
			edge, ForServer).
		OrderExpr("d.id").Limit(expiryBatch).Scan(ctx)
	if err != nil {
		return err
	}
	if len(rows) < expiryBatch {
		l.expiryCheckedAt = now
	}
	return l.finishByEvent(ctx, rows, outcome{state: Failed, reason: Expired, step: stepFailed, at: now})
}

func (l *worker) expiryCheckDue(now int64) bool {
	return now < l.expiryCheckedAt || now-l.expiryCheckedAt >= expiryCheckEvery.Milliseconds()
}

// nextWake gives when the worker has to run again if nothing wakes it earlier.
func (l *worker) nextWake(ctx context.Context) (time.Time, error) {
	now := l.Now().UnixMilli()
	var earliest int64
	note := func(at int64) {
		if at > now && at != untilEvent && (earliest == 0 || at < earliest) {
			earliest = at
		}
	}
	down := l.downUntil()
	paused, pauseEnd := l.waiting(now)
	for level := range serious + 1 {
		later, err := l.firstQueued(ctx, "next_time", level,
			func(q *bun.SelectQuery) { q.Where("d.next_time > ?", now) })
		if err != nil {
			return time.Time{}, err
		}
		due, err := l.firstQueued(ctx, "next_time", level,
			func(q *bun.SelectQuery) { q.Where("d.next_time <= ?", now) })
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
		note(pauseEnd)
		// The rest is not held back: it became due a moment ago, or it is leased by a transaction
		// whose outcome is unknown.
		free, err := l.firstQueued(ctx, "lease_until", level, func(q *bun.SelectQuery) {
			l.except(l.excludeNotReady(q).Where("d.next_time <= ?", now), paused)
		})
		if err != nil {
			return time.Time{}, err
		}
		for _, lease := range free {
			note(max(now+recheckDelay.Milliseconds(), lease))
		}
	}
	if earliest == 0 {
		return time.Time{}, nil
	}
	return time.UnixMilli(earliest), nil
}

// firstQueued gives the least value of a column among the queued deliveries of a level that of
// selects; an empty list if there are none.
func (l *worker) firstQueued(
	ctx context.Context,
	column string,
	level int,
	of func(q *bun.SelectQuery),
) (least []int64, err error) {
	q := l.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).Column(column).
		Where("d.state = 'queued' AND d.mode = ? AND d.alarm_level = ?", l.kind, level).
		OrderExpr("?", bun.Ident("d."+column)).Limit(1)
	of(q)
	err = q.Scan(ctx, &least)
	return least, err
}
