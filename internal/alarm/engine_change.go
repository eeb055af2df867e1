package alarm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/audit"
	"tilth/internal/errs"
	"tilth/internal/tenant"
)

// ErrUnchanged is what the function given to Change returns where there is
// nothing to do, as when a rule that runs is to be run.
var ErrUnchanged = errors.New("alarm: nothing changed")

// Change changes rules of a tenant: it runs change in a transaction, which
// writes them through the RuleStore, and in the same one resolves their open
// notices for the given reason. From then on those that run are judged by what
// they are now, from now on; the others are not judged any more. Either all of
// that happens or nothing. A rule that has its revision still goes on as if
// nothing had been on each device that is its own still; where change returns
// ErrUnchanged, all do, and Change returns nil. The context must not carry a transaction.
func (e *Engine) Change(ctx context.Context, t tenant.ID, rules []RuleID, why Reason, change func(ctx context.Context) error) error {
	if err := e.lock(ctx, t); err != nil {
		return err
	}
	defer e.unlock()
	c := changing{Engine: e, tenant: t, why: why}
	err := e.o.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := change(ctx); err != nil {
			return err
		}
		return c.replace(ctx, rules)
	})
	if errors.Is(err, ErrUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, r := range c.old {
		e.remove(r)
	}
	for _, r := range c.fresh {
		e.put(r)
	}
	e.tell(c.told)
	if why != Left {
		e.Regroup(t) // places may be free that devices wait for
	}
	return nil
}

// changing is what one Change comes to.
type changing struct {
	*Engine
	tenant tenant.ID
	why    Reason
	old    []*running // not judged any more
	fresh  []*running // judged from now on
	told   []tidings
}

// replace makes ready what is to be judged once the transaction is kept, and
// writes what that means for notices and states.
func (c *changing) replace(ctx context.Context, ids []RuleID) error {
	list, err := c.o.Rules.Pairs(ctx, c.tenant, ids)
	if err != nil {
		return err
	}
	now := make(map[Pair]bool, len(list))
	goesOn := func(rule *Rule) bool {
		old := c.mine(c.tenant, rule.pair())
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
			c.old = append(c.old, old)
			if err := c.stop(ctx, old, ""); err != nil {
				return err
			}
		}
	}
	if err := forgetStates(ctx, c.o.DB, c.old); err != nil {
		return err
	}
	states := []stateRow{}
	for _, rule := range list {
		if rule.Deploy != Running || goesOn(&rule) {
			continue
		}
		r, err := c.begin(ctx, rule)
		if err != nil {
			return err
		}
		states = append(states, newStateRow(r, r.state.Floor, false, r.state.Openings))
		c.fresh = append(c.fresh, r)
	}
	return saveStates(ctx, c.o.DB, states)
}

// stop ends the notice of a rule that is not judged any more; attribute is the one
// whose being gone is why. What the rule remembers is for the caller to forget.
func (c *changing) stop(ctx context.Context, r *running, attribute string) error {
	if r.notice != nil {
		how := ending{at: c.now(), status: ResolvedItself, reason: c.why, attribute: attribute, changes: r.state.Changes}
		n, err := c.end(ctx, r.Tenant, r.notice, how)
		if err != nil {
			return err
		}
		if err := c.tellEnded(ctx, r, &n, how, nil); err != nil {
			return err
		}
		c.told = append(c.told, tidings{r.Tenant, n})
	}
	return nil
}

// mine finds what is judged of a tenant's rule and a device.
func (e *Engine) mine(t tenant.ID, of Pair) *running {
	if r := e.at(of); r != nil && r.Tenant == t {
		return r
	}
	return nil
}

// begin makes a rule ready that is to be judged on a device from now on: what arrived
// before does not count. Of times ahead, too: a device whose clock is fast has
// readings from before that seem to be from after. The first with a right time
// passes those over, so they silence nothing.
func (e *Engine) begin(ctx context.Context, rule Rule) (*running, error) {
	r, err := e.prepare(rule)
	if err != nil {
		return nil, err
	}
	r.state = newState(r.test, e.now()-1)
	if err := e.learn(ctx, e.o.Readings, r, e.stamps(ctx, r, e.placeOf(r.queue).Entry, e.now()), math.MaxInt64, nil); err != nil {
		return nil, err
	}
	r.state.empty(r.state.newest)
	return r, nil
}

// ResolveByHand resolves a tenant's open notice, for a user (as people call
// them) and with a remark; its rule arms again once its conditions have been
// false. Refused when the rule does not allow it, or the notice is over.
func (e *Engine) ResolveByHand(ctx context.Context, t tenant.ID, notice int64, user, remark string) error {
	if err := e.lock(ctx, t); err != nil {
		return err
	}
	defer e.unlock()
	r, err := e.openOf(ctx, t, notice)
	if err != nil {
		return err
	}
	if !r.ByHand {
		return errs.New(errs.Refused, "notice.notByHand")
	}
	var told Notice
	if err := e.relearnNow(ctx, r); err != nil {
		return err
	}
	err = e.o.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) (err error) {
		how := ending{at: e.now(), status: ResolvedByHand, reason: ByHand, user: user, remark: remark, changes: r.state.Changes}
		if told, err = e.end(ctx, t, r.notice, how); err != nil {
			return err
		}
		if err := e.tellEnded(ctx, r, &told, how, nil); err != nil {
			return err
		}
		changes := []audit.Change{{Field: "remark", After: remark}}
		if err := audit.Did(ctx, t, audit.Deed{What: "notice.resolve", Thing: told.seen(), Changes: changes}); err != nil {
			return err
		}
		return saveState(ctx, e.o.DB, r, r.state.Newest(), true)
	})
	if err != nil {
		return err
	}
	r.state.ResolveByHand()
	e.close(r)
	e.tell([]tidings{{t, told}})
	return nil
}

// seen is the notice as the audit log knows it.
func (n *Notice) seen() audit.Thing {
	return audit.Thing{ID: n.ID, Name: n.Title, Also: n.DeviceName + "\n" + n.NoteName}
}

// Reload takes up what the provider changed of devices and products, and which
// devices rules have now. Rules of devices that are gone ended for these: their
// notices end. A rule with a property that is gone, or of another type, leaves the
// device out; where none is left, it is stopped.
func (e *Engine) Reload(ctx context.Context) error {
	if err := e.reload(ctx); err != nil {
		return err
	}
	return e.regroup(ctx)
}

// takeUp is Reload as far as something changed.
func (e *Engine) takeUp(ctx context.Context) error {
	if e.stale.Swap(false) {
		if err := e.reload(ctx); err != nil {
			e.stale.Store(true)
			return err
		}
	}
	return e.regroup(ctx)
}

func (e *Engine) reload(ctx context.Context) error {
	lacking, err := e.renew(ctx, false)
	if err != nil || len(lacking) == 0 {
		return err
	}
	// Devices that their rules do not name any more leave before, and others join: what
	// a rule has then decides whether it is stopped.
	for t := range lacking {
		e.moved.add(t)
	}
	if err := e.regroup(ctx); err != nil {
		return err
	}
	_, err = e.renew(ctx, true)
	for t := range lacking {
		e.Regroup(t)
	}
	return err
}

// renew lets rules go on with devices and products as they are now. Those of devices that
// are gone end, and, where it is said so, those of devices that lack an attribute. It
// answers which tenants have such devices.
func (e *Engine) renew(ctx context.Context, dropLacking bool) (lacking map[tenant.ID]bool, err error) {
	if err := e.lock(ctx, everyTenant); err != nil {
		return nil, err
	}
	defer e.unlock()
	lacking = map[tenant.ID]bool{}
	var gone, lost []*running
	for _, list := range e.rules {
		for _, r := range list {
			entry := e.o.Registry.Get(r.Device)
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
					e.o.Log.Warn("an alarm rule is not judged on a device: what it watches is gone", "tenant", r.Tenant, "rule", r.ID, "device", r.Device, "error", err)
					lost = append(lost, r)
				}
				continue
			}
			if err := e.adopt(ctx, r, fresh); err != nil {
				return nil, err
			}
		}
	}
	if err := e.drop(ctx, gone, Deleted); err != nil {
		return nil, err
	}
	return lacking, e.drop(ctx, lost, AttributeGone)
}

// adopt lets a rule go on with its device's product as it is now.
func (e *Engine) adopt(ctx context.Context, r, fresh *running) error {
	if r.test != nil && !reflect.DeepEqual(r.test, fresh.test) {
		if err := e.relearnNow(ctx, r); err != nil {
			return err
		}
		state := r.state.anew(fresh.test)
		fresh.state = state
		if err := e.learn(ctx, e.o.Readings, fresh, e.stamps(ctx, r, e.placeOf(r.queue).Entry, e.now()), r.state.newest, nil); err != nil {
			return err
		}
		state.newest, state.sure = r.state.newest, r.state.sure
		r.state, r.test = state, fresh.test
	}
	r.product, r.attributes = fresh.product, fresh.attributes
	return nil
}

// drop ends the judging of rules together with their open notices.
func (e *Engine) drop(ctx context.Context, list []*running, why Reason) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *running) int { return a.pair().compare(b.pair()) })
	c := changing{Engine: e, why: why}
	err := e.o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, r := range list {
			attribute := ""
			if why == AttributeGone {
				attribute = c.gone(&r.Rule)
			}
			if err := c.stop(ctx, r, attribute); err != nil {
				return err
			}
		}
		if err := forgetStates(ctx, e.o.DB, list); err != nil || why != AttributeGone {
			return err
		}
		return c.lose(ctx, tx, list)
	})
	if err != nil {
		return fmt.Errorf("alarm: %d rules not ended: %w", len(list), err)
	}
	for _, r := range list {
		e.remove(r)
	}
	e.tell(c.told)
	return nil
}

// lose writes that rules, in their order, lack an attribute on devices: these are left
// out; a rule without others is stopped.
func (c *changing) lose(ctx context.Context, tx bun.IDB, list []*running) error {
	for len(list) > 0 {
		first, n := list[0], 1
		for n < len(list) && list[n].ID == first.ID {
			n++
		}
		of := list[:n]
		list = list[n:]
		if n == len(c.rules[first.ID]) {
			if err := c.takeDown(ctx, first, c.gone(&first.Rule)); err != nil {
				return err
			}
			continue
		}
		moves := Moves{Rule: first.ID}
		for _, r := range of {
			if err := c.o.Rules.leaveOut(ctx, r.Tenant, r.pair()); err != nil {
				return err
			}
			moves.Left = append(moves.Left, r.Device)
		}
		if err := c.o.Rules.writeDown(ctx, tx, first.Tenant, []Moves{moves}); err != nil {
			return err
		}
	}
	return nil
}

// takeDown stops a rule that cannot be judged any more, since an attribute is gone;
// nobody did it.
func (c *changing) takeDown(ctx context.Context, r *running, attribute string) error {
	if err := takeDown(ctx, c.o.DB, r.Tenant, r.ID, c.now()); err != nil {
		return err
	}
	return audit.Did(ctx, r.Tenant, audit.Deed{
		What: "rule.unpublish", Thing: audit.Thing{ID: int64(r.ID), Name: r.Name},
		Changes: []audit.Change{{Field: "deployState", Before: Running, After: TakenDown}, {Field: "attributeGone", After: attribute}},
	})
}

// gone is the first attribute of a rule that its device has not any more; empty
// where the device has them all again.
func (e *Engine) gone(rule *Rule) string {
	if entry := e.o.Registry.Get(rule.Device); entry != nil && entry.Product != nil {
		if list := AttributesGone(rule, entry.Product); len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

func (e *Engine) now() int64 { return e.o.Now().UnixMilli() }
