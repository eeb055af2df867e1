package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

type stateRow struct {
	bun.BaseModel `bun:"table:alarm_states,alias:s"`
	RuleID        RuleID    `bun:",pk"`
	DeviceID      device.ID `bun:",pk"`
	Revision      int64
	Floor         int64
	Waiting       bool
	Openings      string // JSON of oscillation.Openings; empty: none
}

func newStateRow(r *activeRule, floor int64, waiting bool, openings []int64) stateRow {
	row := stateRow{RuleID: r.ID, DeviceID: r.Device, Revision: r.Revision, Floor: floor, Waiting: waiting}
	if len(openings) > 0 {
		b, err := json.Marshal(openings)
		if err != nil {
			return row // numbers always marshal
		}
		row.Openings = string(b)
	}
	return row
}

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
	beside := e.backgroundWrites
	e.mu.Unlock()
	if beside {
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

func (e *Engine) flushBatch(ctx context.Context) (more bool, err error) {
	e.writeMu.Lock()
	defer e.writeMu.Unlock()
	return e.writeBatch(ctx)
}

// lock is for a caller that changes rules of a tenant, or of all tenants (allTenants): all of their
// events are on disk, and no further ones occur until unlock. After an error nothing is locked.
// Callers hold neither lock and no transaction.
func (e *Engine) lock(ctx context.Context, t tenant.ID) error {
	e.writeMu.Lock()
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
	for n > 0 && n < len(tq.pending) && tq.pending[n].fromReading && tq.pending[n-1].fromReading && tq.pending[n].position == tq.pending[n-1].position {
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
		return fmt.Errorf("alarm: what the newest readings led to is not recorded: %w", err)
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
		if slices.ContainsFunc(r.queue.pending, func(ev pendingEvent) bool {
			return ev.rule == r &&
				ev.kind == Resolved
		}) {
			continue
		}
		r.state.Open, r.state.Unsteady = false, false
		if r.predicate == nil {
			e.schedule(r)
		}
	}
}

// eventTx is what one transaction records.
type eventTx struct {
	*Engine
	pairs   map[Pair]bool                // those whose device is a member of the rule
	devices map[device.ID]*device.Device // of notices that begin
	states  map[Pair]stateRow            // to be written

	open   map[*activeRule]*Notice // of rules whose notice began or ended (nil)
	over   map[*activeRule]bool    // of rules whose notice turned out to be over when it was to begin
	events []noticeEvent
	opened int
}

// noticeEvent is what a tenant's screens receive: a notice that began or ended.
type noticeEvent struct {
	tenant tenant.ID
	Notice
}

// writeEvent writes one event, and hands its notification to the notifier.
func (s *eventTx) writeEvent(ctx context.Context, ev *pendingEvent) error {
	r := ev.rule
	current, touched := s.open[r]
	if !touched {
		current = r.notice
	}
	// A deleted device leaves its rules before Reload notices.
	if !s.pairs[r.pair()] {
		return nil
	}
	s.states[r.pair()] = newStateRow(r, ev.floor, ev.waiting, ev.openings)
	switch ev.kind {
	case Opened:
		n, err := s.insertNotice(ctx, ev)
		if err != nil {
			return err
		}
		s.events = append(s.events, noticeEvent{r.Tenant, n})
		if n.Status != Pending {
			s.open[r], s.over[r] = nil, true
			return nil
		}
		s.open[r] = &n
		s.opened++
		return s.notifyOpened(ctx, ev, &n)
	case Resolved:
		delete(s.over, r)
		if current == nil {
			break // the notice was over when it was to begin
		}
		how := resolution{at: ev.time, status: ResolvedAutomatically, reason: ev.reason, changes: ev.changes}
		n, err := s.resolveNotice(ctx, r.Tenant, current, how)
		if err != nil {
			return err
		}
		if err := s.notifyClosed(ctx, r, &n, how, ev.samples); err != nil {
			return err
		}
		s.open[r] = nil
		s.events = append(s.events, noticeEvent{r.Tenant, n})
	case floorMoved:
		if ev.unsteady && current != nil {
			n, err := s.saveChanges(ctx, r.Tenant, current, ev.changes)
			if err != nil {
				return err
			}
			s.open[r] = &n
		}
	}
	return nil
}

// prefetch reads in few statements what all the events need of rules and devices.
func (s *eventTx) prefetch(ctx context.Context, events []pendingEvent) error {
	pairs, devices := map[tenant.ID][]Pair{}, map[tenant.ID][]device.ID{}
	s.pairs, s.devices = map[Pair]bool{}, map[device.ID]*device.Device{}
	for i := range events {
		r := events[i].rule
		if _, listed := s.pairs[r.pair()]; !listed {
			s.pairs[r.pair()] = false
			pairs[r.Tenant] = append(pairs[r.Tenant], r.pair())
		}
		if _, listed := s.devices[r.Device]; !listed && events[i].kind == Opened {
			s.devices[r.Device] = nil
			devices[r.Tenant] = append(devices[r.Tenant], r.Device)
		}
	}
	for t, all := range pairs {
		for some := range slices.Chunk(all, lookupBatchSize) {
			list := make([]any, 0, 2*len(some))
			for _, p := range some {
				list = append(list, p.Rule, p.Device)
			}
			// Two separate IN conditions would match rules and devices crosswise.
			values := "(?, ?)" + strings.Repeat(", (?, ?)", len(some)-1)
			var found []memberRow
			err := s.opts.DB.Read(ctx).NewSelect().Model(&found).Column("m.rule_id", "m.device_id").
				Where("+m.tenant_id = ? AND m.state = ?", t, Member).
				Where("(m.rule_id, m.device_id) IN (VALUES "+values+")", list...).Scan(ctx)
			if err != nil {
				return err
			}
			for _, m := range found {
				s.pairs[m.pair()] = true
			}
		}
	}
	for t, all := range devices {
		found, err := s.opts.Devices.ByIDs(ctx, t, all)
		if err != nil {
			return fmt.Errorf("alarm: devices of notices: %w", err)
		}
		for _, d := range found {
			s.devices[d.ID] = d
		}
	}
	return nil
}

// lookupBatchSize is how many rules one statement looks up.
const lookupBatchSize = 500

// insertNotice writes a notice that begins. A notice that exists already was written by a
// transaction whose outcome was unknown; it may be over.
func (s *eventTx) insertNotice(ctx context.Context, ev *pendingEvent) (Notice, error) {
	r := ev.rule
	d := s.devices[r.Device]
	if d == nil {
		return Notice{}, fmt.Errorf("alarm: device of rule %d: %w", r.ID, errs.Missing())
	}
	rule, err := json.Marshal(NewRuleCopy(&r.Rule, d.NoteName, d.ProductID, r.attributes))
	if err != nil {
		return Notice{}, err
	}
	samples, err := json.Marshal(r.samples(ev.samples))
	if err != nil {
		return Notice{}, err
	}
	row := noticeRow{
		TenantID:      r.Tenant,
		RuleID:        int64(r.ID),
		RuleRevision:  r.Revision,
		DeviceID:      r.Device,
		DeviceName:    d.Name,
		Title:         r.Name,
		FoldedTitle:   text.Fold(r.Name),
		AlarmLevel:    r.Level,
		ResolveStatus: Pending,
		StartTime:     ev.time,
		CreateTime:    s.now(),
		AlarmDesc:     r.Description,
		Rule:          string(rule),
		Samples:       string(samples),
		Unsteady:      ev.unsteady,
	}
	if r.Trigger == DeviceOffline {
		row.HoldsSince = new(ev.silentSince) // of other rules the onsetFinder finds it
	}
	err = s.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// The update changes nothing. With it the statement returns the row's id in either case.
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (rule_id, device_id, rule_revision, start_time) DO UPDATE").
			Set("rule_id = EXCLUDED.rule_id").Returning("id, resolve_status, end_time, holds_since").Exec(ctx)
		return err
	})
	n := row.notice()
	n.NoteName = d.NoteName
	return n, err
}

// samples names the values of an event's samples by attribute.
func (r *activeRule) samples(list []Sample) []NoticeSample {
	named := make([]NoticeSample, len(list))
	for i, one := range list {
		named[i] = NoticeSample{Time: one.Time, Values: map[string]reading.Value{}}
		for _, c := range r.Conditions {
			if v := r.predicate.valueOf(one, r.product, c.Attribute); v.Kind() != reading.KindNone {
				named[i].Values[c.Attribute] = v
			}
		}
	}
	return named
}

// resolution is how a notice ends.
type resolution struct {
	at           int64 // epoch ms
	status       ResolveStatus
	reason       Reason
	attribute    string // of AttributeGone
	user, remark string
	changes      int // of an unsteady notice
}

// saveChanges writes how often the conditions of a tenant's open unsteady notice have changed.
func (e *Engine) saveChanges(ctx context.Context, t tenant.ID, open *Notice, changes int) (Notice, error) {
	n := *open
	n.Changes = changes
	err := e.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*noticeRow)(nil)).Set("changes = ?", changes).
			Where("n.tenant_id = ? AND n.id = ?", t, n.ID).Exec(ctx)
		return err
	})
	return n, err
}

// resolveNotice writes that a tenant's open notice is over. Its end is not before its start,
// whatever the clocks say.
func (e *Engine) resolveNotice(ctx context.Context, t tenant.ID, open *Notice, how resolution) (Notice, error) {
	n := *open
	n.Status, n.End = how.status, max(how.at, n.Start)
	if n.Unsteady {
		n.Changes = max(n.Changes, how.changes)
	}
	err := e.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*noticeRow)(nil)).
			Set("resolve_status = ?, end_time = ?, resolve_reason = ?, resolve_attribute = ?", how.status, n.End,
				how.reason, how.attribute).
			Set("resolve_user = ?, remark = ?, changes = ?", how.user, how.remark, n.Changes).
			Where("n.tenant_id = ? AND n.id = ? AND n.resolve_status = ?", t, n.ID, Pending).Exec(ctx)
		return err
	})
	return n, err
}

// forgetNotice takes over that a rule's notice is over.
func (e *Engine) forgetNotice(r *activeRule) {
	if r.notice != nil {
		delete(e.openByNotice, r.notice.ID)
	}
	r.notice = nil
	e.count()
}

// publishNotices publishes notices that began or ended to the screens. It wakes the archiver for
// those that are over and the onsetFinder for those that began.
func (e *Engine) publishNotices(news []noticeEvent) {
	for _, n := range news {
		if n.Status != Pending {
			e.resolved.Add(1)
			e.archiver.wakeUp()
		} else {
			e.onsets.wakeUp()
		}
		e.publishNotice(n.tenant, &n.Notice)
	}
}

// liveNotice is a notice as screens receive it.
func liveNotice(n *Notice) []byte {
	var ack *liveAck
	if n.Ack != nil {
		ack = &liveAck{n.Ack.User, n.Ack.Time, n.Ack.Note, n.Ack.RemindAt}
	}
	b, err := json.Marshal(struct {
		ID         int64         `json:"id"`
		RuleID     RuleID        `json:"ruleId"`
		Title      string        `json:"title"`
		Status     ResolveStatus `json:"resolveStatus"`
		Level      Level         `json:"alarmLevel"`
		DeviceName string        `json:"deviceName"`
		NoteName   string        `json:"noteName"`
		Start      int64         `json:"startTime"`
		End        int64         `json:"endTime,omitempty"`
		CreateTime int64         `json:"createTime"`
		Unsteady   bool          `json:"unsteady,omitempty"`
		Changes    int           `json:"changes,omitempty"`
		HoldsSince int64         `json:"holdsSince,omitempty"`
		Ack        *liveAck      `json:"ack,omitempty"`
	}{n.ID, n.Rule, n.Title, n.Status, n.Level, n.DeviceName, n.NoteName, n.Start, n.End, n.CreateTime, n.Unsteady, n.Changes, n.HoldsSince, ack})
	if err != nil {
		return nil // numbers and strings always marshal
	}
	return b
}

// liveAck is an Ack as screens receive it.
type liveAck struct {
	User     string `json:"user"`
	Time     int64  `json:"time"`
	Note     string `json:"note"`
	RemindAt int64  `json:"remindAt"`
}

// markTakenDown writes that the server stopped a rule; no user did.
func markTakenDown(ctx context.Context, d *db.DB, t tenant.ID, id RuleID, now int64) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*ruleRow)(nil)).
			Set("revision = revision + 1, deploy_state = ?, deploy_time = ?, deploy_user = ''", TakenDown, now).
			Where("r.tenant_id = ? AND r.id = ?", t, id).Exec(ctx)
		return err
	})
}
