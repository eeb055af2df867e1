package notify

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"

	"tilth/internal/domain/tenant"
)

const (
	// dbRetryDelay is how soon an outbox tries again that could not read or write
	// the database.
	dbRetryDelay = time.Second
	// drainTimeout is how long a stop waits for letters in flight, and finalWriteTimeout
	// for the database to take what became of them.
	drainTimeout      = 2 * time.Second
	finalWriteTimeout = 2 * time.Second
	// deliveryYears is for how long deliveries are kept, deliverySweepBatch how many
	// older ones go in one transaction.
	deliveryYears      = 1
	deliverySweepBatch = 1000
)

// Step does everything that is due now, and answers when to look again; the
// zero time: when something is queued.
func (o *Outbox) Step(ctx context.Context) (next time.Time, err error) {
	if err := o.begin(ctx); err != nil {
		return next, err
	}
	for _, kind := range channelKinds {
		l := o.workers[kind]
		l.sendCtx = ctx
		at, err := l.runDue(ctx)
		if err != nil {
			return next, err
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next, nil
}

// Run tells people until ctx ends, and then waits a little for letters that
// are in flight.
func (o *Outbox) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := o.begin(ctx)
		if err == nil {
			break
		}
		o.Logger.Warn("the outbox cannot begin, trying again", "error", err)
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

// begin takes up, once, what an earlier process left: what was in flight is
// given back, since one process owns the data folder, and a hold is kept.
func (o *Outbox) begin(ctx context.Context) error {
	o.startMu.Lock()
	defer o.startMu.Unlock()
	if o.started {
		return nil
	}
	err := o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("lease_until = 0").
			Where("d.state = 'queued' AND d.lease_until > 0").Exec(ctx)
		if err != nil {
			return err
		}
		held, err := tx.NewSelect().Model((*holdRow)(nil)).Exists(ctx)
		o.held.Store(held)
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

// close waits for the letters in flight, cuts off those that take too long, and
// writes what became of them. One that was cut off is tried again after the
// next start, as if it had not been: it may come twice.
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
		return nil // nothing is to be written
	}
	ctx, cancel := context.WithTimeout(ctx, finalWriteTimeout)
	defer cancel()
	err := l.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error { return l.persistResults(ctx) })
	if err != nil {
		l.Logger.Warn("what became of the last letters is not known, they may come twice", "mode", l.kind,
			"letters", len(l.finished), "error", err)
	}
	return nil
}

// Unmute lets what waits for the end of a rule's mute look again, since it is
// another one now.
func (o *Outbox) Unmute(ctx context.Context, t tenant.ID, rule int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		now := o.Now().UnixMilli()
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("next_time = ?, update_time = ?", now, now).
			Where("d.tenant_id = ? AND d.rule_id = ? AND d.state = 'queued' AND d.reason = ?", t, rule, ForMute).
			Exec(ctx)
		o.DB.AfterCommit(ctx, o.Wake)
		return err
	})
}

// Sweep removes deliveries that were queued more than a year before now.
func (o *Outbox) Sweep(ctx context.Context, now time.Time) error {
	if err := o.sweepMinutes(ctx, now); err != nil {
		return err
	}
	if err := o.sweepSentDays(ctx, now); err != nil {
		return err
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
			return err
		}
	}
}

// Stats is what an Outbox has counted since the process began.
type Stats struct {
	Sent, Logged, Failed, Skipped uint64               // deliveries that came to that end; Logged are not among those Sent
	Down                          map[ChannelKind]bool // far ends that take nothing now
}

// Stats is what the outbox has counted so far.
func (o *Outbox) Stats() Stats {
	s := Stats{Sent: o.sent.Load(), Logged: o.logged.Load(), Failed: o.failed.Load(), Skipped: o.skipped.Load(),
		Down: map[ChannelKind]bool{}}
	for kind, l := range o.workers {
		s.Down[kind] = l.downUntil() > 0
	}
	return s
}

// Waiting is what is queued in a mode.
type Waiting struct {
	Deliveries int
	Due        time.Duration // for how long the first of them that could go has been due
}

// Waiting counts what is queued, of all tenants.
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
		return nil, errors.Join(errors.New("notify: what is queued cannot be counted"), err)
	}
	now, by := o.Now().UnixMilli(), map[ChannelKind]Waiting{KindEmail: {}, KindSMS: {}, KindWebhook: {}}
	for _, r := range rows {
		by[r.Mode] = Waiting{Deliveries: r.Queued, Due: time.Duration(max(0, now-r.First)) * time.Millisecond}
	}
	return by, nil
}
