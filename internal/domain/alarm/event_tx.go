package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

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
			return fmt.Errorf("alarm: read devices of notices: %w", err)
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
			Set("rule_id = EXCLUDED.rule_id").
			Returning("id, resolve_status, end_time, holds_since, holds_since_precision").Exec(ctx)
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
