package alarm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// ErrUnchanged is what the function given to Change returns where nothing has to change, such as
// for a rule to be published that runs already.
var ErrUnchanged = errors.New("alarm: nothing changed")

// Change changes rules of a tenant. It runs change in a transaction, which writes the rules through
// the RuleStore, and in the same transaction resolves their open notices for the given reason.
// After that the engine evaluates the running ones in their new form, from now on, and no longer
// evaluates the others. Either all of that happens or nothing. A rule that still has its revision
// continues undisturbed on each device that is still its own. Where change returns ErrUnchanged,
// all rules continue so, and Change returns nil. The context must not carry a transaction.
func (e *Engine) Change(
	ctx context.Context,
	t tenant.ID,
	rules []RuleID,
	why Reason,
	change func(ctx context.Context) error,
) error {
	if err := e.lock(ctx, t); err != nil {
		return err
	}
	defer e.unlock()
	c := ruleChange{Engine: e, tenant: t, why: why}
	err := e.opts.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := change(ctx); err != nil {
			return err
		}
		return c.replace(ctx, rules)
	})
	if errors.Is(err, ErrUnchanged) {
		return nil
	}
	if err != nil {
		return wrap("change rules", err)
	}
	for _, r := range c.removed {
		e.remove(r)
	}
	for _, r := range c.added {
		e.put(r)
	}
	e.publishNotices(c.events)
	if why != Left {
		e.Regroup(t) // there may be capacity now for devices that were left out
	}
	return nil
}

// ruleChange collects the effects of one Change.
type ruleChange struct {
	*Engine
	tenant  tenant.ID
	why     Reason
	removed []*activeRule // no longer evaluated
	added   []*activeRule // evaluated from now on
	events  []noticeEvent
}

// replace prepares the active rules for the time after the commit, and writes the consequences for
// notices and states.
func (c *ruleChange) replace(ctx context.Context, ids []RuleID) error {
	list, err := c.opts.Rules.Pairs(ctx, c.tenant, ids)
	if err != nil {
		return err
	}
	now := make(map[Pair]bool, len(list))
	goesOn := func(rule *Rule) bool {
		old := c.lookupOwned(c.tenant, rule.pair())
		return old != nil && old.Revision == rule.Revision
	}
	for i := range list {
		now[list[i].pair()] = list[i].Deploy == Running && goesOn(&list[i])
	}
	for _, id := range ids {
		for _, old := range c.rules[id] {
			if old.Tenant != c.tenant || now[old.pair()] {
				continue
			}
			c.removed = append(c.removed, old)
			if err := c.closeNotice(ctx, old, ""); err != nil {
				return err
			}
		}
	}
	if err := forgetStates(ctx, c.opts.DB, c.removed); err != nil {
		return err
	}
	states := []stateRow{}
	for _, rule := range list {
		if rule.Deploy != Running || goesOn(&rule) {
			continue
		}
		r, err := c.startRule(ctx, rule)
		if err != nil {
			return err
		}
		states = append(states, newStateRow(r, r.state.Floor, false, r.state.Openings))
		c.added = append(c.added, r)
	}
	return saveStates(ctx, c.opts.DB, states)
}

// closeNotice ends the notice of a rule that is no longer evaluated. attribute is the missing
// attribute where that is the reason. The caller forgets the rule's state.
func (c *ruleChange) closeNotice(ctx context.Context, r *activeRule, attribute string) error {
	if r.notice != nil {
		how := resolution{
			at:        c.now(),
			status:    ResolvedAutomatically,
			reason:    c.why,
			attribute: attribute,
			changes:   r.state.Changes,
		}
		n, err := c.resolveNotice(ctx, r.Tenant, r.notice, how)
		if err != nil {
			return err
		}
		if err := c.notifyClosed(ctx, r, &n, how, nil); err != nil {
			return err
		}
		c.events = append(c.events, noticeEvent{r.Tenant, n})
	}
	return nil
}

// lookupOwned finds the active rule of a tenant for a rule and a device.
func (e *Engine) lookupOwned(t tenant.ID, pair Pair) *activeRule {
	if r := e.lookup(pair); r != nil && r.Tenant == t {
		return r
	}
	return nil
}

// startRule prepares a rule that is evaluated on a device from now on: what arrived before does not
// count. That includes readings stamped ahead: a device whose clock is fast has readings from
// before that seem to be from after. The first reading with a right time passes those over, so they
// silence nothing.
func (e *Engine) startRule(ctx context.Context, rule Rule) (*activeRule, error) {
	r, err := e.prepare(rule)
	if err != nil {
		return nil, err
	}
	r.state = newState(r.predicate, e.now()-1)
	stamps := e.deviceStamps(ctx, r, e.positionOf(r.queue).Entry, e.now())
	if err := e.loadWindow(ctx, e.opts.Readings, r, stamps, math.MaxInt64, nil); err != nil {
		return nil, err
	}
	r.state.clearUpTo(r.state.newest)
	return r, nil
}

// ResolveManually resolves a tenant's open notice for a user (by display name), with a remark. Its
// rule arms again once its conditions have been false. It refuses a rule that does not allow manual
// resolving, and a notice that is over.
func (e *Engine) ResolveManually(ctx context.Context, t tenant.ID, notice int64, user, remark string) error {
	if err := e.lock(ctx, t); err != nil {
		return err
	}
	defer e.unlock()
	r, err := e.findOpen(ctx, t, notice)
	if err != nil {
		return err
	}
	if !r.ManualRelease {
		return errs.New(errs.Refused, "notice.notByHand")
	}
	var resolved Notice
	if err := e.replayNow(ctx, r); err != nil {
		return err
	}
	err = e.opts.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) (err error) {
		how := resolution{
			at:      e.now(),
			status:  ResolvedManually,
			reason:  Manual,
			user:    user,
			remark:  remark,
			changes: r.state.Changes,
		}
		if resolved, err = e.resolveNotice(ctx, t, r.notice, how); err != nil {
			return err
		}
		if err := e.notifyClosed(ctx, r, &resolved, how, nil); err != nil {
			return err
		}
		changes := []audit.Change{{Field: "remark", After: remark}}
		action := audit.Action{Name: "notice.resolve", Thing: resolved.auditThing(), Changes: changes}
		if err := audit.Log(ctx, t, action); err != nil {
			return err
		}
		return saveState(ctx, e.opts.DB, r, r.state.Newest(), true)
	})
	if err != nil {
		return wrap("resolve notice", err)
	}
	r.state.ResolveManually()
	e.forgetNotice(r)
	e.publishNotices([]noticeEvent{{t, resolved}})
	return nil
}

// auditThing is the notice as the audit log names it.
func (n *Notice) auditThing() audit.Thing {
	return audit.Thing{ID: n.ID, Name: n.Title, SearchAlias: n.DeviceName + "\n" + n.NoteName}
}

// Reload takes over the provider's changes of devices and products, and the devices that rules have
// now. A rule ends on devices that are gone: their notices end. A rule leaves out a device that
// lacks a property of it or has it in another type. A rule without any device left is stopped.
func (e *Engine) Reload(ctx context.Context) error {
	if err := e.reload(ctx); err != nil {
		return err
	}
	return e.regroup(ctx)
}

// reloadChanged is Reload as far as something changed.
func (e *Engine) reloadChanged(ctx context.Context) error {
	if e.registryChanged.Swap(false) {
		if err := e.reload(ctx); err != nil {
			e.registryChanged.Store(true)
			return err
		}
	}
	return e.regroup(ctx)
}

func (e *Engine) reload(ctx context.Context) error {
	lacking, err := e.refreshProducts(ctx, false)
	if err != nil || len(lacking) == 0 {
		return err
	}
	// Before that, devices that their rules no longer name leave, and others join: whether a rule
	// is stopped depends on the devices that it has then.
	for t := range lacking {
		e.regroupTenants.add(t)
	}
	if err := e.regroup(ctx); err != nil {
		return err
	}
	_, err = e.refreshProducts(ctx, true)
	for t := range lacking {
		e.Regroup(t)
	}
	return err
}

// refreshProducts gives the active rules the current devices and products. Rules end on devices
// that are gone and, with dropLacking, on devices that lack an attribute. It returns the tenants
// that have such devices.
func (e *Engine) refreshProducts(ctx context.Context, dropLacking bool) (lacking map[tenant.ID]bool, err error) {
	if err := e.lock(ctx, allTenants); err != nil {
		return nil, err
	}
	defer e.unlock()
	lacking = map[tenant.ID]bool{}
	var gone, lost []*activeRule
	for _, list := range e.rules {
		for _, r := range list {
			entry := e.opts.Registry.Get(r.Device)
			if entry == nil || entry.Tenant != r.Tenant {
				gone = append(gone, r)
				continue
			}
			if entry.Product == r.product {
				continue
			}
			fresh, err := e.prepare(r.Rule)
			if err != nil {
				lacking[r.Tenant] = true
				if dropLacking {
					e.opts.Logger.Warn("an alarm rule leaves a device out: one of its attributes is gone",
						"tenant", r.Tenant, "rule", r.ID, "device", r.Device, "error", err)
					lost = append(lost, r)
				}
				continue
			}
			if err := e.adopt(ctx, r, fresh); err != nil {
				return nil, err
			}
		}
	}
	if err := e.dropRules(ctx, gone, Deleted); err != nil {
		return nil, err
	}
	return lacking, e.dropRules(ctx, lost, AttributeGone)
}

// adopt gives a rule its device's current product.
func (e *Engine) adopt(ctx context.Context, r, fresh *activeRule) error {
	if r.predicate != nil && !reflect.DeepEqual(r.predicate, fresh.predicate) {
		if err := e.replayNow(ctx, r); err != nil {
			return err
		}
		state := r.state.emptyCopy(fresh.predicate)
		fresh.state = state
		stamps := e.deviceStamps(ctx, r, e.positionOf(r.queue).Entry, e.now())
		if err := e.loadWindow(ctx, e.opts.Readings, fresh, stamps, r.state.newest, nil); err != nil {
			return err
		}
		state.newest, state.confirmedUpTo = r.state.newest, r.state.confirmedUpTo
		r.state, r.predicate = state, fresh.predicate
	}
	r.product, r.attributes = fresh.product, fresh.attributes
	return nil
}

// dropRules ends rules on devices, together with their open notices.
func (e *Engine) dropRules(ctx context.Context, list []*activeRule, why Reason) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *activeRule) int { return a.pair().compare(b.pair()) })
	c := ruleChange{Engine: e, why: why}
	err := e.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, r := range list {
			attribute := ""
			if why == AttributeGone {
				attribute = c.gone(&r.Rule)
			}
			if err := c.closeNotice(ctx, r, attribute); err != nil {
				return err
			}
		}
		if err := forgetStates(ctx, e.opts.DB, list); err != nil || why != AttributeGone {
			return err
		}
		return c.leaveOutDevices(ctx, tx, list)
	})
	if err != nil {
		return fmt.Errorf("alarm: end %d rules: %w", len(list), err)
	}
	for _, r := range list {
		e.remove(r)
	}
	e.publishNotices(c.events)
	return nil
}

// leaveOutDevices records that devices lack an attribute of their rules and are left out. A rule
// without other devices is stopped. list is sorted by rule.
func (c *ruleChange) leaveOutDevices(ctx context.Context, tx bun.IDB, list []*activeRule) error {
	for len(list) > 0 {
		first, n := list[0], 1
		for n < len(list) && list[n].ID == first.ID {
			n++
		}
		group := list[:n]
		list = list[n:]
		if n == len(c.rules[first.ID]) {
			if err := c.unpublishRule(ctx, first, c.gone(&first.Rule)); err != nil {
				return err
			}
			continue
		}
		moves := MemberChanges{Rule: first.ID}
		for _, r := range group {
			if err := c.opts.Rules.markMisfit(ctx, r.Tenant, r.pair()); err != nil {
				return err
			}
			moves.Left = append(moves.Left, r.Device)
		}
		if err := c.opts.Rules.auditChanges(ctx, tx, first.Tenant, []MemberChanges{moves}); err != nil {
			return err
		}
	}
	return nil
}

// unpublishRule stops a rule that cannot be evaluated any more, since an attribute is gone. The
// audit entry names no user.
func (c *ruleChange) unpublishRule(ctx context.Context, r *activeRule, attribute string) error {
	if err := markTakenDown(ctx, c.opts.DB, r.Tenant, r.ID, c.now()); err != nil {
		return err
	}
	return audit.Log(ctx, r.Tenant, audit.Action{
		Name:  "rule.unpublish",
		Thing: audit.Thing{ID: int64(r.ID), Name: r.Name},
		Changes: []audit.Change{
			{Field: "deployState", Before: Running, After: TakenDown},
			{Field: "attributeGone", After: attribute},
		},
	})
}

// gone is the first attribute of a rule that its device no longer has. It is empty where the device
// has all of them again.
func (e *Engine) gone(rule *Rule) string {
	if entry := e.opts.Registry.Get(rule.Device); entry != nil && entry.Product != nil {
		if list := AttributesGone(rule, entry.Product); len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

func (e *Engine) now() int64 { return e.opts.Now().UnixMilli() }
