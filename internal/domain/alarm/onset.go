package alarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

const (
	// onsetBatchSize is how many notices' onsets one transaction writes. foundWithin is the time
	// after which those found so far are written.
	onsetBatchSize = 50
	foundWithin    = time.Second
	// onsetRetry is how soon a failed search is tried again.
	onsetRetry = 10 * time.Second
	// finderUser stands in for a user where work is attributed to one.
	finderUser = 0
)

// errTenantQueueFull is the error for a tenant whose queue of work on readings is full.
var errTenantQueueFull = errors.New("alarm: too much work on the tenant's readings is waiting")

// onsetFinder finds, in parallel with the evaluation, since when the conditions of notices had held before
// they began. It finds its work in the database, so a restart loses nothing.
//
// A storm of notices slows nobody: one goroutine searches for one notice after the other, round
// robin over the tenants, in the slices that all work over readings takes (see
// reading.NewWorkScheduler). So it uses one processor at most and lets others go on every 20 ms.
// While it reads it holds neither a lock of the engine nor a transaction. It writes what it has
// found in batches.
type onsetFinder struct {
	e    *Engine
	wake chan struct{} // holds one

	mu    orderedMutex[leafRank]
	found map[int64]onset // found and not on disk yet, by notice
}

// onset is a notice with the time since when it holds.
type onset struct {
	ID     int64
	Tenant tenant.ID `bun:"tenant_id"`
	onsetTime
}

func newOnsetFinder(e *Engine) *onsetFinder {
	return &onsetFinder{e: e, wake: make(chan struct{}, 1), found: map[int64]onset{}}
}

// wakeUp says that a notice began.
func (f *onsetFinder) wakeUp() { signal(f.wake) }

func (f *onsetFinder) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-timer.C:
		}
		switch err := f.pass(ctx); {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, errTenantQueueFull):
			timer.Reset(reading.HistoryRetry)
		default:
			f.e.opts.Logger.Warn("the time since when alarm notices hold was not found, trying again", "error", err)
			timer.Reset(onsetRetry)
		}
	}
}

// pass finds all onsets that are missing. A failure does not stop the search for others; the error
// describes one of the failures.
func (f *onsetFinder) pass(ctx context.Context) error {
	left := deferredNotices{notices: map[int64]bool{}, tenants: map[tenant.ID]bool{}}
	for {
		list, err := f.noticesWithoutOnset(ctx)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, left.has)
		if len(list) == 0 {
			return left.why
		}
		some, err := f.findBatch(ctx, list, &left)
		if err != nil {
			return err
		}
		if err := f.write(ctx, some); err != nil {
			return err
		}
	}
}

// deferredNotices is what a pass leaves to the next one.
type deferredNotices struct {
	notices map[int64]bool
	tenants map[tenant.ID]bool // errTenantQueueFull
	why     error
}

func (l *deferredNotices) has(n onset) bool { return l.notices[n.ID] || l.tenants[n.Tenant] }

func (l *deferredNotices) add(n onset, why error) {
	l.notices[n.ID] = true
	if errors.Is(why, errTenantQueueFull) {
		l.tenants[n.Tenant] = true
	}
	if l.why == nil || errors.Is(l.why, errTenantQueueFull) {
		l.why = fmt.Errorf("alarm: find onset of notice %d: %w", n.ID, why)
	}
}

// findBatch finds the onsets of the first notices of a list, as many as one transaction writes.
func (f *onsetFinder) findBatch(ctx context.Context, list []onset, left *deferredNotices) (found []onset, err error) {
	began := time.Now()
	for _, n := range list {
		if left.has(n) {
			continue
		}
		switch err := f.find(ctx, &n); {
		case err == nil:
			found = append(found, n)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		default:
			left.add(n, err)
		}
		if len(found) == onsetBatchSize || time.Since(began) >= foundWithin {
			break
		}
	}
	return found, nil
}

// noticesWithoutOnset lists the notices whose onset was not looked for yet, round robin over the
// tenants, each tenant's oldest first.
func (f *onsetFinder) noticesWithoutOnset(ctx context.Context) ([]onset, error) {
	var all []onset
	err := f.e.opts.DB.Read(ctx).NewSelect().Model((*noticeRow)(nil)).Column("n.id", "n.tenant_id").
		Where("n.holds_since IS NULL").OrderExpr("n.id").Scan(ctx, &all)
	rounds, ofTenant := map[int64]int{}, map[tenant.ID]int{}
	for _, n := range all {
		rounds[n.ID] = ofTenant[n.Tenant]
		ofTenant[n.Tenant]++
	}
	slices.SortStableFunc(all, func(a, b onset) int { return rounds[a.ID] - rounds[b.ID] })
	return all, err
}

// find finds since when a notice holds. HoldsSince returns it at once.
func (f *onsetFinder) find(ctx context.Context, n *onset) (err error) {
	if before, known := f.get(n.ID); known { // an earlier write failed
		*n = before
		return nil
	}
	if n.onsetTime, err = f.since(ctx, n.Tenant, n.ID); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found[n.ID] = *n
	return nil
}

func (f *onsetFinder) get(id int64) (n onset, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, known = f.found[id]
	return n, known
}

// since is since when a tenant's notice holds; the zero value: not known, or the notice is gone.
func (f *onsetFinder) since(ctx context.Context, t tenant.ID, id int64) (none onsetTime, err error) {
	o := &f.e.opts
	var rows []noticeRow
	if err := o.DB.Read(ctx).NewSelect().Model(&rows).Column("id", "device_id", "start_time", "rule").
		Where("n.tenant_id = ? AND n.id = ?", t, id).Scan(ctx); err != nil || len(rows) == 0 {
		return none, err
	}
	n := &rows[0]
	var was RuleCopy
	if err := json.Unmarshal([]byte(n.Rule), &was); err != nil {
		o.Logger.Warn("the time since when an alarm notice holds is not known: its rule cannot be read",
			"tenant", t, "notice", id, "error", err)
		return none, nil // a later search cannot read it either
	}
	entry := o.Registry.Get(n.DeviceID)
	switch {
	case entry == nil || entry.Tenant != t:
		return none, nil
	case was.Trigger == DeviceOffline: // from before the onset was written with the notice
		return onsetTime{since: silentSince(o.Presence.Status(t, n.DeviceID), n.StartTime)}, nil
	case len(was.Conditions) == 0:
		return none, nil
	}
	predicate, err := predicateOfCopy(&was, o.Catalog)
	if err != nil || predicate == nil {
		return none, err
	}
	if o.Turns != nil {
		turn, full := o.Turns.Enter(ctx, t, finderUser)
		switch {
		case full != limit.NotFull:
			return none, errTenantQueueFull
		case turn == nil:
			return none, ctx.Err()
		}
		defer turn.Leave()
		ctx = limit.WithTask(ctx, turn)
	}
	return findOnset(ctx, o.Readings, predicate, t, n.DeviceID, n.StartTime, o.Retention)
}

// write puts on disk what was found, and publishes it.
func (f *onsetFinder) write(ctx context.Context, list []onset) error {
	if len(list) == 0 {
		return nil
	}
	err := f.e.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, n := range list {
			if _, err := tx.NewUpdate().Model((*noticeRow)(nil)).
				Set("holds_since = ?", n.since).Set("holds_since_precision = ?", n.precision).
				Where("n.tenant_id = ? AND n.id = ?", n.Tenant, n.ID).
				Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	f.mu.Lock()
	for _, n := range list {
		delete(f.found, n.ID)
	}
	f.mu.Unlock()
	return f.e.publishOnsets(ctx, list)
}

// publishOnsets takes over the onsets of notices, which are on disk, and publishes them to the
// screens.
func (e *Engine) publishOnsets(ctx context.Context, list []onset) error {
	var over []onset
	e.lockWriting(ctx)
	e.mu.Lock()
	for _, n := range list {
		r := e.openByNotice[n.ID]
		switch {
		case n.since == 0: // unchanged
		case r == nil || r.Tenant != n.Tenant:
			over = append(over, n)
		default:
			own := *r.notice // others may be reading the current one
			own.HoldsSince, own.HoldsSincePrecision = n.since, n.precision
			r.notice = &own
			e.publishNotice(n.Tenant, &own)
		}
	}
	e.mu.Unlock()
	e.writeMu.Unlock()
	// Screens received a notice that is over without its onset: no later event would bring it.
	store := NewNoticeStore(e.opts.DB)
	for _, n := range over {
		if !e.opts.Screens.Watched(n.Tenant) {
			continue
		}
		found, err := store.GetListed(ctx, n.Tenant, n.ID)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		e.publishNotice(n.Tenant, &found.Notice)
	}
	return nil
}

// HoldsSince is since when a tenant's notice holds, epoch ms, where that was found a moment ago and
// is not on disk yet. Otherwise it is 0.
func (e *Engine) HoldsSince(t tenant.ID, notice int64) (int64, alertmsg.Precision) {
	if n, known := e.onsets.get(notice); known && n.Tenant == t {
		return n.since, n.precision
	}
	return 0, alertmsg.ToTheMinute
}
