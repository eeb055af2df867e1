package alarm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// Start takes over the running rules as the previous process left them, with their open notices.
// Their windows are rebuilt from the stored readings afterwards: those of a device before its next reading
// is evaluated, the others when no reading waits. What the journal holds
// after each tenant's evaluated position is evaluated then. Start comes before the first Take.
func (e *Engine) Start(ctx context.Context) error {
	e.lockWriting(ctx)
	defer e.writeMu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	// Devices may have moved just before the previous process ended. That covers what Regroup has been told
	// of so far: the devices that were loaded.
	e.regroupTenants.take()
	if err := e.updateAllMembers(ctx); err != nil {
		return err
	}
	rules, states, err := e.runningRules(ctx)
	if err != nil {
		return err
	}
	open, facts, err := e.loadOpenNotices(ctx)
	if err != nil {
		return err
	}
	if err := e.loadHistory(ctx); err != nil {
		return err
	}
	var lost []*activeRule
	for _, rule := range rules {
		r, err := e.prepare(rule)
		if err != nil {
			e.opts.Logger.Warn("an alarm rule leaves a device out: the device or an attribute is gone",
				"tenant", rule.Tenant, "rule", rule.ID, "device", rule.Device, "error", err)
			r = &activeRule{Rule: rule, state: newState(nil, 0), notice: open[rule.pair()]}
			lost = append(lost, r)
		} else if err := e.restore(r, states[rule.pair()], open[rule.pair()]); err != nil {
			return err
		}
		delete(open, rule.pair())
		e.put(r)
	}
	e.startReplay()
	if err := e.dropRules(ctx, lost, AttributeGone); err != nil {
		return err
	}
	if len(lost) > 0 {
		if err := e.updateAllMembers(ctx); err != nil { // of rules that were stopped above
			return err
		}
	}
	if err := e.endOrphans(ctx, open, facts); err != nil {
		return err
	}
	e.followClock()
	return nil
}

// updateAllMembers gives every tenant's rules the devices that their targets name now.
func (e *Engine) updateAllMembers(ctx context.Context) error {
	tenants, err := e.opts.Rules.TenantsWithDynamicRules(ctx)
	if err != nil {
		return err
	}
	for _, t := range tenants {
		ids, err := e.opts.Rules.outdatedRules(ctx, t)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			continue
		}
		if err := e.updateMembersAudited(ctx, t, ids); err != nil {
			return err
		}
	}
	return nil
}

// endOrphans ends notices whose rule was deleted with its device, or whose device left the rule.
func (e *Engine) endOrphans(ctx context.Context, open map[Pair]*Notice, facts map[int64]orphan) error {
	return e.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		existing, err := existingRules(ctx, tx, open)
		if err != nil {
			return err
		}
		for pair, n := range open {
			why := Deleted
			if existing[pair.Rule] && e.opts.Registry.Get(pair.Device) != nil {
				why = Left
			}
			how := resolution{at: e.now(), status: ResolvedAutomatically, reason: why}
			ended, err := e.resolveNotice(ctx, facts[n.ID].tenant, n, how)
			if err != nil {
				return err
			}
			a := &alertmsg.Alarm{
				Event:               alertmsg.Resolved,
				Notice:              n.ID,
				Rule:                int64(n.Rule),
				Title:               n.Title,
				Level:               int(n.Level),
				DeviceName:          n.DeviceName,
				NoteName:            n.NoteName,
				Start:               ended.Start,
				End:                 ended.End,
				HoldsSince:          n.HoldsSince,
				HoldsSincePrecision: n.HoldsSincePrecision,
				Description:         facts[n.ID].description,
				Ack:                 n.Ack.alertAck(),
			}
			if err := e.opts.Notifier.NoticeClosed(ctx, facts[n.ID].tenant, a, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// existingRules tells which rules of notices still exist.
func existingRules(ctx context.Context, tx bun.IDB, open map[Pair]*Notice) (map[RuleID]bool, error) {
	asked := make([]RuleID, 0, len(open))
	for p := range open {
		asked = append(asked, p.Rule)
	}
	found := map[RuleID]bool{}
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(asked))), lookupBatchSize) {
		var ids []RuleID
		if err := tx.NewSelect().Table("alarm_rules").Column("id").Where("id IN (?)", bun.List(some)).
			Scan(ctx, &ids); err != nil {
			return nil, err
		}
		for _, id := range ids {
			found[id] = true
		}
	}
	return found, nil
}

// runningRules reads the running rules, once for each of their devices, and what they remember of them.
func (e *Engine) runningRules(ctx context.Context) ([]Rule, map[Pair]stateRow, error) {
	rules, err := e.opts.Rules.Running(ctx)
	if err != nil {
		return nil, nil, err
	}
	states, err := e.states(ctx)
	return rules, states, err
}

// states reads what rules remember of their devices.
func (e *Engine) states(ctx context.Context) (map[Pair]stateRow, error) {
	var rows []stateRow
	if err := e.opts.DB.Read(ctx).NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, wrap("read rule states", err)
	}
	by := make(map[Pair]stateRow, len(rows))
	for _, r := range rows {
		by[Pair{r.RuleID, r.DeviceID}] = r
	}
	return by, nil
}

// oscillation is what a rule stored of its openings, and of the changes of the open notice (nil:
// none).
func (r *stateRow) oscillation(open *Notice) (oscillation, error) {
	s := newOscillation()
	if r.Openings != "" {
		if err := json.Unmarshal([]byte(r.Openings), &s.Openings); err != nil {
			return s, fmt.Errorf("alarm: openings of rule %d: %w", r.RuleID, err)
		}
	}
	if open != nil && open.Unsteady {
		s.Unsteady, s.Start, s.Changes, s.written = true, open.Start, open.Changes, open.Changes
	}
	return s, nil
}

// orphan is what the end of a notice needs where its rule is gone.
type orphan struct {
	tenant      tenant.ID
	description string // of the rule, when the notice began
}

// loadOpenNotices reads every tenant's open notices, and what each would need as an orphan.
func (e *Engine) loadOpenNotices(ctx context.Context) (map[Pair]*Notice, map[int64]orphan, error) {
	var rows []noticeRow
	if err := e.opts.DB.Read(ctx).NewSelect().Model(&rows).Where("n.resolve_status = 0").Scan(ctx); err != nil {
		return nil, nil, wrap("read open notices", err)
	}
	by, facts := make(map[Pair]*Notice, len(rows)), make(map[int64]orphan, len(rows))
	for i := range rows {
		n := rows[i].notice()
		var then RuleCopy
		if err := json.Unmarshal([]byte(rows[i].Rule), &then); err != nil {
			return nil, nil, fmt.Errorf("alarm: notice %d: %w", n.ID, err)
		}
		n.NoteName = then.NoteName
		by[Pair{n.Rule, rows[i].DeviceID}], facts[n.ID] = &n, orphan{rows[i].TenantID, rows[i].AlarmDesc}
	}
	return by, facts, nil
}

// prepare makes an activeRule with its predicate. It fails where the device or one of the
// properties is gone.
func (e *Engine) prepare(rule Rule) (*activeRule, error) {
	entry := e.opts.Registry.Get(rule.Device)
	if entry == nil || entry.Tenant != rule.Tenant {
		return nil, fmt.Errorf("alarm: rule %d: its device is gone", rule.ID)
	}
	r := &activeRule{
		Rule:       rule,
		queue:      e.queueOf(rule.Tenant),
		product:    entry.Product,
		attributes: e.attributes(&rule, entry.Product),
	}
	if rule.Trigger == DeviceOffline {
		return r, nil
	}
	var err error
	r.predicate, err = NewPredicate(rule, entry.Product, e.opts.MaxNoticesPerHour)
	return r, err
}

// attributes are those of a rule's conditions as a product has them.
func (e *Engine) attributes(rule *Rule, p *device.Product) (list []AttributeCopy) {
	for _, c := range rule.Conditions {
		property := p.Property(c.Attribute)
		if property == nil ||
			slices.ContainsFunc(list, func(a AttributeCopy) bool { return a.Identifier == c.Attribute }) {
			continue
		}
		list = append(list, AttributeCopy{
			Identifier:   c.Attribute,
			FunctionName: property.FunctionName,
			Unit:         e.opts.Catalog.Unit(property),
			Precision:    property.Precision,
		})
	}
	return list
}

// newState is NewState for rules of both kinds. A rule on being offline uses only Open, Waiting and
// Floor.
func newState(t *Predicate, floor int64) *State {
	if t == nil {
		t = &Predicate{}
	}
	return NewState(t, floor)
}

// restore gives r the stored part of the state that it had when its tenant was evaluated last. The
// readings of its window are still missing.
func (e *Engine) restore(r *activeRule, kept stateRow, open *Notice) (err error) {
	if kept.RuleID == 0 || kept.Revision != r.Revision {
		kept = stateRow{Floor: r.published()}
	}
	r.state = newState(r.predicate, kept.Floor)
	r.state.Waiting, r.state.Open, r.notice = kept.Waiting, open != nil, open
	if r.state.oscillation, err = kept.oscillation(open); err != nil {
		return err
	}
	if r.predicate != nil {
		r.needsReplay = true
		r.queue.replay = append(r.queue.replay, r)
		return nil
	}
	if open != nil {
		r.state.raise(open.Start - r.Window.Milliseconds())
	}
	e.catchUp(r)
	return nil
}

// catchUp ends a notice on being offline whose device returned when that could no longer be
// recorded.
func (e *Engine) catchUp(r *activeRule) {
	if r.state.Unsteady {
		return // LetIn schedules its end
	}
	if st := e.opts.Presence.Status(r.Tenant, r.Device); st.Online {
		e.applyPresence(r, device.StatusChange{Ref: device.Ref{Tenant: r.Tenant, ID: r.Device}, Online: true,
			At: st.OnlineTime, Since: st.OnlineTime})
	}
}

// readingSource gives readings on disk: all, or those of a view.
type readingSource interface {
	AsOf(ctx context.Context, t tenant.ID, d device.ID, at int64, props []device.PropertyID) ([]reading.Last, error)
	Range(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
		fn func(t int64, fields []reading.Field) error) error
}

// loadWindow gives a new state the stored readings that its window needs, and its properties'
// values before the window, up to the given time (epoch ms). It leaves out those that are still to
// be evaluated. Deferred readings wait, whatever their time, so the others determine which is the
// newest.
func (e *Engine) loadWindow(
	ctx context.Context,
	from readingSource,
	r *activeRule,
	stamps stampIndex,
	upTo int64,
	later []pendingValue,
) error {
	if r.predicate == nil {
		return nil
	}
	r.state.publishedAt = r.published()
	if stamps.status(r.state.Floor) != stampRight {
		r.state.confirmedUpTo = min(r.state.confirmedUpTo, r.published())
	}
	newest, err := newestConfirmed(ctx, from, r, upTo, later, stamps)
	if err != nil {
		return err
	}
	edge := newest - r.state.retention(r.predicate)
	before, err := asOf(ctx, from, r, edge, later)
	if err != nil {
		return err
	}
	slices.SortFunc(before, func(a, b reading.Last) int { return cmp.Compare(a.Time, b.Time) })
	for _, l := range before {
		r.state.Learn(r.predicate, l.Time, []reading.Field{{Property: l.Property, Value: l.Value}})
	}
	var fields []reading.Field
	return from.Range(ctx, r.Tenant, r.Device, edge+1, stamps.last(), r.predicate.properties,
		func(at int64, own []reading.Field) error {
			fields = fields[:0]
			for _, f := range own {
				if !isPendingValue(later, at, f.Property) {
					fields = append(fields, f)
				}
			}
			switch kind := stamps.status(at); {
			case kind == stampDeferred:
				r.state.LearnDeferred(r.predicate, at, fields)
			case at > upTo:
			case kind == stampAhead:
				r.state.LearnAhead(r.predicate, at, fields)
			case kind == stampRight:
				r.state.Learn(r.predicate, at, fields)
			}
			return nil
		})
}

// asOf is reading.Store.AsOf for a rule's properties, without the values that are still to be
// evaluated.
func asOf(
	ctx context.Context,
	from readingSource,
	r *activeRule,
	at int64,
	later []pendingValue,
) (found []reading.Last, err error) {
	missing := r.predicate.properties
	for len(missing) > 0 {
		list, err := from.AsOf(ctx, r.Tenant, r.Device, at, missing)
		if err != nil {
			return nil, err
		}
		missing = nil
		newest := int64(math.MinInt64)
		for _, l := range list {
			if isPendingValue(later, l.Time, l.Property) {
				missing = append(missing, l.Property)
				newest = max(newest, l.Time)
			} else {
				found = append(found, l)
			}
		}
		// Each property has a value at or before the newest of them; older ones are found again.
		at = newest - 1
	}
	return found, nil
}

// pendingValues are, by device that has rules, the values that the journal holds after the
// evaluated position of the device's tenant.
type pendingValues map[device.ID][]pendingValue

// pendingValue is a value that is still to be evaluated.
type pendingValue struct {
	time     int64 // epoch ms
	property device.PropertyID
}

func (b pendingValues) add(f *reading.Frame) {
	list := b[f.Device]
	for _, field := range f.Fields {
		list = append(list, pendingValue{time: f.Time, property: field.Property})
	}
	b[f.Device] = list
}

func (b pendingValues) sort() {
	for _, list := range b {
		slices.SortFunc(list, pendingValue.compare)
	}
}

func (a pendingValue) compare(b pendingValue) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.property, b.property))
}

func isPendingValue(list []pendingValue, at int64, p device.PropertyID) bool {
	_, found := slices.BinarySearchFunc(list, pendingValue{at, p}, pendingValue.compare)
	return found
}

// uses tells whether the rule has a condition on a property.
func (t *Predicate) uses(p device.PropertyID) bool {
	_, found := slices.BinarySearch(t.properties, p)
	return found
}

// valueOf is the value of a property in a sample.
func (t *Predicate) valueOf(s Sample, p *device.Product, identifier string) reading.Value {
	if property := p.Property(identifier); property != nil {
		if i, found := slices.BinarySearch(t.properties, property.ID); found {
			return s.Values[i]
		}
	}
	return reading.Value{}
}
