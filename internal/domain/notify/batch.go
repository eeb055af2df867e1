package notify

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

// scanSize is how many deliveries one scan reads, and maxEmptyScans how many scans of one
// transaction may find nothing to send.
const (
	scanSize      = 64
	maxEmptyScans = 8
)

// batch takes the notifications that one transaction sends. It caches what it reads about tenants
// and rules.
type batch struct {
	*worker
	now        int64 // epoch ms
	freeSlots  int
	emptyScans int
	attempts   []*attempt
	leased     int  // how many of attempts are stored as in flight
	more       bool // there are more deliveries to scan

	tenants   map[tenant.ID]*tenant.Tenant
	mutes     map[int64]int64
	addresses map[tenant.ID][]address // of webhooks that are switched on, as far as read
	budgets   map[tenant.ID]Budget
	grouped   map[int64]bool // deliveries of digests that are handled already
}

// takeDue takes the notifications that are due, round robin by tenant, as many as there are free
// slots.
func (l *worker) takeDue(ctx context.Context) (*batch, error) {
	t := &batch{worker: l, now: l.Now().UnixMilli(), freeSlots: l.freeSlots(), tenants: map[tenant.ID]*tenant.Tenant{},
		mutes: map[int64]int64{}, addresses: map[tenant.ID][]address{}, budgets: map[tenant.ID]Budget{},
		grouped: map[int64]bool{}}
	for queried := false; !queried; {
		if queried = !l.rotation.fresh(); queried {
			if err := l.rotation.refresh(ctx, l, t.now); err != nil {
				return t, err
			}
		}
		l.mergeNewlyDue()
		if err := t.takeRoundRobin(ctx, l.rotation.waiting); err != nil || len(t.attempts) > 0 {
			return t, err
		}
		l.rotation.invalidate() // these tenants have nothing more to send now
		if t.more {
			return t, nil
		}
	}
	return t, nil
}

// takeRoundRobin takes notifications round robin by tenant: one per turn or, if only one tenant
// waits, as many as there are free slots.
func (t *batch) takeRoundRobin(ctx context.Context, waiting []waitingTenant) error {
	waiting = t.eligible(waiting)
	for len(waiting) > 0 && t.freeSlots > 0 && !t.more {
		w, most := t.rotation.next(waiting), 1
		if len(waiting) == 1 {
			most = t.freeSlots
		}
		before := len(t.attempts)
		if err := t.takeFrom(ctx, w, most); err != nil {
			return err
		}
		if len(t.attempts) > before {
			t.rotation.advance(w, len(t.attempts)-before)
			continue
		}
		waiting = slices.DeleteFunc(waiting, func(other waitingTenant) bool { return other.ID == w.ID })
	}
	return t.lease(ctx)
}

// takeFrom takes at most most notifications of a tenant, of the highest level that has one that
// may be sent.
func (t *batch) takeFrom(ctx context.Context, w waitingTenant, most int) error {
	if t.spec.MaxPerTenant > 0 {
		most = min(most, t.spec.MaxPerTenant-t.countInFlight(w.ID))
	}
	if err := t.leaseIfTaken(ctx, w.ID); err != nil {
		return err
	}
	for level := w.Level; level >= t.minLevel(w.ID); level-- {
		for some := most; most > 0; some = scanSize { // mostly the first ones are sent
			before := len(t.attempts)
			all, err := t.scan(ctx, w.ID, level, some, most)
			if err != nil || len(t.attempts) > before {
				return err
			}
			if t.emptyScans++; t.emptyScans > maxEmptyScans {
				t.more = true
				return nil
			}
			if all {
				break
			}
		}
	}
	return nil
}

// excludeNotReady excludes deliveries of tenants for which nothing is sent yet.
func (o *Outbox) excludeNotReady(sel *bun.SelectQuery) *bun.SelectQuery {
	if o.NotReady != nil {
		if late := o.NotReady(); len(late) > 0 {
			sel.Where("d.tenant_id NOT IN (?)", bun.List(late))
		}
	}
	return sel
}

// countInFlight gives how many notifications of a tenant are in flight, including those that the
// batch has taken.
func (t *batch) countInFlight(of tenant.ID) int {
	n := t.inFlightByTenant[of].count
	for _, a := range t.attempts {
		if a.notification.Tenant == of {
			n++
		}
	}
	return n
}

// minLevel gives the level below which nothing of a tenant may start: the level of its
// notifications in flight.
func (t *batch) minLevel(of tenant.ID) int {
	lowest := t.worker.minLevel(of)
	if t.spec.Programs {
		return lowest
	}
	for _, a := range t.attempts {
		if a.notification.Tenant == of {
			lowest = a.level
		}
	}
	return lowest
}

// scan reads at most some deliveries of a tenant and a level, those that have been due longest, and
// takes at most most notifications. all tells that it read all due deliveries of the level.
func (t *batch) scan(ctx context.Context, of tenant.ID, level, some, most int) (all bool, err error) {
	if err := t.readAddresses(ctx, of); err != nil {
		return false, err
	}
	var rows []*deliveryRow
	sel := t.DB.Read(ctx).NewSelect().Model(&rows).
		Where("d.state = 'queued' AND d.mode = ? AND d.tenant_id = ? AND d.alarm_level = ? AND d.next_time <= ?",
			t.kind, of, level, t.now).
		Where("d.lease_until <= ?", t.now)
	t.except(sel, t.busy(of))
	if err := sel.OrderExpr("d.next_time, d.id").Limit(int64(some)).Scan(ctx); err != nil {
		return false, err
	}
	var waiting deferrals
	for _, r := range rows {
		if most == 0 || t.freeSlots == 0 {
			break
		}
		if t.grouped[r.ID] || t.full(t.addressOf(r)) {
			continue
		}
		if err := t.groupWaiting(ctx, r); err != nil {
			return false, err
		}
		group := []*deliveryRow{r}
		if r.Digest > 0 {
			if group, err = t.digestRows(ctx, r); err != nil {
				return false, err
			}
		}
		var sending []*deliveryRow
		for _, row := range group {
			v, err := t.decide(ctx, row)
			if err != nil {
				return false, err
			}
			if v.sendNow() {
				sending = append(sending, row)
			} else {
				waiting.add(v, row)
			}
		}
		within := false
		if len(sending) > 0 {
			if within, err = t.withinBudget(ctx, sending, &waiting); err != nil {
				return false, err
			}
		}
		if within {
			if err := t.addAttempt(ctx, level, sending); err != nil {
				return false, err
			}
			most--
		}
	}
	return len(rows) < some, waiting.write(ctx, t.worker)
}

// timedReasons are the reasons to wait for a time at which other deliveries may become due too.
var timedReasons = []Reason{ForPeriod, ForMute, ForBudget}

// groupWaiting treats deliveries that waited together for one of timedReasons (a time of day, the end
// of a mute, tomorrow's budget of reminders) like notices of one minute: it sends the first ones one
// by one and the others as a digest.
// Otherwise the alarms of a night would arrive all at once in the morning.
func (t *batch) groupWaiting(ctx context.Context, r *deliveryRow) error {
	if t.DigestAfter == 0 || r.Digest > 0 || !slices.Contains(timedReasons, r.Reason) {
		return nil
	}
	var waited []int64
	err := together(t.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).Column("id"), r).
		Where("d.state = 'queued' AND d.next_time = ? AND d.digest = 0 AND d.reason IN (?)", r.NextTime,
			bun.List(timedReasons)).
		OrderExpr("d.id").Scan(ctx, &waited)
	if err != nil {
		return err
	}
	if !slices.Contains(waited, r.ID) { // it was grouped since it was read
		r.Digest = r.NextTime
		return nil
	}
	single := t.DigestAfter
	if r.AlarmLevel >= serious {
		single = seriousPerMinute
	}
	if len(waited) <= single {
		return nil
	}
	rest := waited[single:]
	if slices.Contains(rest, r.ID) {
		r.Digest = r.NextTime
	}
	return t.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("digest = ?", r.NextTime).
			Where("d.tenant_id = ? AND d.id IN (?)", r.TenantID, bun.List(rest)).Exec(ctx)
		return err
	})
}

// together selects the deliveries that may share a notification with r: those of the same
// recipient and event and, unless they are serious, of the same channel. Serious ones share a
// notification only with serious ones of the same language.
func together(sel *bun.SelectQuery, r *deliveryRow) *bun.SelectQuery {
	sel.Where("d.tenant_id = ? AND d.mode = ? AND d.recipient = ? AND d.event = ?", r.TenantID, r.Mode, r.Recipient,
		r.Event)
	if r.AlarmLevel >= serious {
		return sel.Where("d.alarm_level = ? AND d.language = ?", serious, r.Language)
	}
	return sel.Where("d.alarm_level IN (0, 1) AND d.channel_id = ?", r.ChannelID)
}

// sameHourlyDigest selects the deliveries that are sent together with r since the budget is used
// up: those of the same recipient and language, of any channel and event.
func sameHourlyDigest(sel *bun.SelectQuery, r *deliveryRow) {
	sel.Where("d.tenant_id = ? AND d.mode = ? AND d.recipient = ? AND d.language = ? AND d.reason = ?", r.TenantID,
		r.Mode, r.Recipient, r.Language, ForBudget).
		Where("(d.alarm_level >= ?) = ?", serious, r.AlarmLevel >= serious)
}

// digestRows gives the due deliveries that are sent in one notification with r.
func (t *batch) digestRows(ctx context.Context, r *deliveryRow) (group []*deliveryRow, err error) {
	sel := t.DB.Read(ctx).NewSelect().Model(&group)
	if r.isHourlyDigest() {
		sameHourlyDigest(sel, r)
	} else {
		together(sel, r)
	}
	err = sel.
		Where("d.state = 'queued' AND d.digest > 0 AND d.digest = ?", r.Digest).
		Where("d.next_time <= ? AND d.lease_until <= ?", t.now, t.now).OrderExpr("d.id").Scan(ctx)
	for _, row := range group {
		t.grouped[row.ID] = true
	}
	return group, err
}

// addAttempt makes the notification of deliveries.
func (t *batch) addAttempt(ctx context.Context, level int, rows []*deliveryRow) error {
	owner, err := t.owner(ctx, rows[0].TenantID)
	if err != nil {
		return err
	}
	t.freeSlots--
	notification := newNotification(rows, owner)
	notification.Hourly = rows[0].isHourlyDigest()
	to := t.addressOf(rows[0])
	t.attempts = append(t.attempts, &attempt{notification: notification, rows: rows, to: to,
		neighbours: t.neighbours(to), level: level, began: t.now})
	return nil
}

// leaseIfTaken stores the leases if the batch has taken deliveries of the tenant, so that the next
// scan does not read them again.
func (t *batch) leaseIfTaken(ctx context.Context, of tenant.ID) error {
	if slices.ContainsFunc(t.attempts[t.leased:], func(a *attempt) bool { return a.notification.Tenant == of }) {
		return t.lease(ctx)
	}
	return nil
}

func deliveriesOf(attempts []*attempt) (ids []int64) {
	for _, a := range attempts {
		for _, r := range a.rows {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// lease stores which deliveries are in flight.
func (t *batch) lease(ctx context.Context) error {
	ids := deliveriesOf(t.attempts[t.leased:])
	t.leased = len(t.attempts)
	if len(ids) == 0 {
		return nil
	}
	return t.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).
			Set("lease_until = ?, reason = ''", t.now+leaseTime.Milliseconds()).
			Where("d.id IN (?)", bun.List(ids)).Exec(ctx)
		return err
	})
}

func (t *batch) owner(ctx context.Context, id tenant.ID) (*tenant.Tenant, error) {
	if owner := t.tenants[id]; owner != nil {
		return owner, nil
	}
	owner, err := t.Tenants.Get(ctx, id)
	t.tenants[id] = owner
	return owner, err
}
