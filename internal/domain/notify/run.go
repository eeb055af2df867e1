package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"

	"tilth/internal/domain/tenant"
)

const (
	// dbRetryDelay is how long the outbox waits after it failed to read or write the database.
	dbRetryDelay = time.Second
	// drainTimeout is how long Run waits for notifications in flight when it stops, and
	// finalWriteTimeout how long it then waits for the database to store their outcomes.
	drainTimeout      = 2 * time.Second
	finalWriteTimeout = 2 * time.Second
	// deliveryYears is how long deliveries are kept, and deliverySweepBatch how many older ones one
	// transaction removes.
	deliveryYears      = 1
	deliverySweepBatch = 1000
)

// Step sends everything that is due now, and gives when to call it again; the zero time: when
// something is queued.
func (o *Outbox) Step(ctx context.Context) (next time.Time, err error) {
	if err := o.begin(ctx); err != nil {
		return next, wrap("start outbox", err)
	}
	for _, k := range kinds {
		l := o.workers[k.Name]
		l.sendCtx = ctx
		at, err := l.runDue(ctx)
		if err != nil {
			return next, wrap("send due deliveries", err)
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next, nil
}

// Run sends until ctx ends, and then waits up to DrainTimeout for notifications in flight.
func (o *Outbox) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := o.begin(ctx)
		if err == nil {
			break
		}
		o.Logger.Warn("the outbox cannot start, trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(dbRetryDelay):
		}
	}
	var workers errgroup.Group
	for _, l := range o.workers {
		workers.Go(func() error { return l.run(ctx) })
	}
	return workers.Wait()
}

// begin takes over, once, the state that an earlier process left: it clears the leases, since only
// one process at a time owns the data folder.
func (o *Outbox) begin(ctx context.Context) error {
	o.startMu.Lock()
	defer o.startMu.Unlock()
	if o.started {
		return nil
	}
	err := o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("lease_until = 0").
			Where("d.state = 'queued' AND d.lease_until > 0").Exec(ctx)
		return err
	})
	o.started = err == nil
	return err
}

func (l *worker) run(ctx context.Context) error {
	sendCtx, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	l.sendCtx = sendCtx
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		next, err := l.runDue(ctx)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			l.Logger.Warn("the outbox cannot be read or written, trying again", "mode", l.kind, "error", err)
			next = l.Now().Add(dbRetryDelay)
		}
		var due <-chan time.Time
		if !next.IsZero() {
			timer.Reset(max(next.Sub(l.Now()), time.Millisecond))
			due = timer.C
		}
		select {
		case <-ctx.Done():
		case <-l.wake:
		case <-due:
		}
	}
	return l.close(context.WithoutCancel(ctx), abort)
}

// close waits for the notifications in flight, aborts those that take too long, and stores the
// outcomes. The next process sends an aborted notification again, so the recipient may get it
// twice.
func (l *worker) close(ctx context.Context, abort context.CancelFunc) error {
	late := time.AfterFunc(l.DrainTimeout, abort)
	defer late.Stop()
	for l.inFlight > 0 {
		a := <-l.done
		if a.err != nil && l.sendCtx.Err() != nil {
			l.sendEnded(a.notification.Tenant)
			continue
		}
		l.onDone(a)
	}
	if len(l.finished) == 0 {
		return nil // there is nothing to store
	}
	ctx, cancel := context.WithTimeout(ctx, finalWriteTimeout)
	defer cancel()
	err := l.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error { return l.persistResults(ctx) })
	if err != nil {
		l.Logger.Warn("the outcomes of the last notifications are not stored, they may be sent twice", "mode", l.kind,
			"notifications", len(l.finished), "error", err)
	}
	return nil
}

// Unmute makes deliveries that wait for the end of a rule's mute due, so that sending checks the
// changed mute again.
func (o *Outbox) Unmute(ctx context.Context, t tenant.ID, rule int64) error {
	err := o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		now := o.Now().UnixMilli()
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("next_time = ?, update_time = ?", now, now).
			Where("d.tenant_id = ? AND d.rule_id = ? AND d.state = 'queued' AND d.reason = ?", t, rule, ForMute).
			Exec(ctx)
		o.DB.AfterCommit(ctx, o.Wake)
		return err
	})
	return wrap("unmute deliveries", err)
}

// Sweep removes deliveries that were queued more than a year before now.
func (o *Outbox) Sweep(ctx context.Context, now time.Time) error {
	if err := o.sweepMinutes(ctx, now); err != nil {
		return wrap("sweep recipient minutes", err)
	}
	if err := o.sweepSentDays(ctx, now); err != nil {
		return wrap("sweep sent days", err)
	}
	oldest := now.AddDate(-deliveryYears, 0, 0).UnixMilli()
	for {
		var removed int64
		err := o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			old := tx.NewSelect().Model((*deliveryRow)(nil)).Column("id").Where("d.create_time < ?", oldest).
				OrderExpr("d.create_time").Limit(deliverySweepBatch)
			res, err := tx.NewDelete().Model((*deliveryRow)(nil)).Where("d.id IN (?)", old).Exec(ctx)
			if err != nil {
				return err
			}
			removed, err = res.RowsAffected()
			return err
		})
		if err != nil || removed < deliverySweepBatch {
			return wrap("sweep deliveries", err)
		}
	}
}

// Stats are the counters of an Outbox since the process started.
type Stats struct {
	Sent, Logged, Failed, Skipped uint64               // finished deliveries; Sent excludes Logged
	Down                          map[ChannelKind]bool // kinds whose remote server accepts nothing now
}

// Stats gives the counters so far.
func (o *Outbox) Stats() Stats {
	s := Stats{Sent: o.sent.Load(), Logged: o.logged.Load(), Failed: o.failed.Load(), Skipped: o.skipped.Load(),
		Down: map[ChannelKind]bool{}}
	for kind, l := range o.workers {
		s.Down[kind] = l.downUntil() > 0
	}
	return s
}

// Waiting describes the queued deliveries of a kind.
type Waiting struct {
	Deliveries int
	Due        time.Duration // for how long the first of them has been due
}

// Waiting counts the queued deliveries of all tenants.
func (o *Outbox) Waiting(ctx context.Context) (map[ChannelKind]Waiting, error) {
	var rows []struct {
		Mode   ChannelKind
		Queued int
		First  int64
	}
	err := o.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).
		ColumnExpr("d.mode, COUNT(*) AS queued, MIN(d.next_time) AS first").
		Where("d.state = 'queued'").GroupExpr("d.mode").Scan(ctx, &rows)
	if err != nil {
		return nil, wrap("count queued deliveries", err)
	}
	now, by := o.Now().UnixMilli(), map[ChannelKind]Waiting{}
	for _, k := range kinds {
		by[k.Name] = Waiting{}
	}
	for _, r := range rows {
		by[r.Mode] = Waiting{Deliveries: r.Queued, Due: time.Duration(max(0, now-r.First)) * time.Millisecond}
	}
	return by, nil
}
