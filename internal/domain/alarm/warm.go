package alarm

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// Warm is what a standby of a cluster has read of all tenants' running rules, so that it need not read all
// of them when it begins to lead. It takes about 1 KiB a rule and 250 bytes a pair of a rule and a device.
type Warm struct {
	catalog  *device.Catalog
	store    *RuleStore
	rules    *db.WarmTable[RuleID, ruleRow, Rule]
	channels *db.WarmTable[ruleChannel, ruleChannelRow, struct{}]
	members  *db.WarmTable[Pair, memberRow, int64] // when the device joined
	states   *db.WarmTable[Pair, stateRow, stateRow]

	// At this moment the rules of all tenants but those in outdated had the devices that their targets name.
	checked  db.Mark
	outdated map[tenant.ID]struct{}
}

type ruleChannel struct {
	rule    RuleID
	channel int64
}

// NewWarm makes an empty Warm; Refresh fills it. d is the database as a standby reads it.
func NewWarm(d *db.DB) *Warm {
	catalog := device.NewCatalog(d)
	return &Warm{
		catalog: catalog,
		store:   NewRuleStore(d, catalog, nil), // it writes nothing, so it asks for no time
		rules: db.NewWarmTable([]string{"id"},
			func(sel *bun.SelectQuery) *bun.SelectQuery { return sel.Where("r.deploy_state = ?", Running) },
			func(r *ruleRow) RuleID { return r.ID },
			(*ruleRow).rule),
		channels: db.NewWarmTable([]string{"rule_id", "channel_id"}, nil,
			func(r *ruleChannelRow) ruleChannel { return ruleChannel{r.RuleID, r.ChannelID} },
			func(*ruleChannelRow) (struct{}, error) { return struct{}{}, nil }),
		members: db.NewWarmTable([]string{"rule_id", "device_id"},
			func(sel *bun.SelectQuery) *bun.SelectQuery { return sel.Where("m.state = ?", Member) },
			(*memberRow).pair,
			func(m *memberRow) (int64, error) { return m.JoinTime, nil }),
		states: db.NewWarmTable([]string{"rule_id", "device_id"}, nil,
			func(r *stateRow) Pair { return Pair{r.RuleID, r.DeviceID} },
			func(r *stateRow) (stateRow, error) { return *r, nil }),
	}
}

// Refresh reads what changed since the last Refresh, while another node writes.
func (w *Warm) Refresh(ctx context.Context) error {
	if err := w.readRows(ctx, w.store.db.Read(ctx)); err != nil {
		return err
	}
	return wrap("check the devices of rules", w.checkMembers(ctx))
}

// readRows brings the rows up to date.
func (w *Warm) readRows(ctx context.Context, q bun.IDB) error {
	for _, refresh := range []func(context.Context, bun.IDB) error{
		w.rules.Refresh, w.channels.Refresh, w.members.Refresh, w.states.Refresh,
	} {
		if err := refresh(ctx, q); err != nil {
			return wrap("read what changed of rules", err)
		}
	}
	return nil
}

// running is what RuleStore.Running reads.
func (w *Warm) running() []Rule {
	channels := map[RuleID][]int64{}
	for c := range w.channels.Rows() {
		channels[c.rule] = append(channels[c.rule], c.channel)
	}
	members := make([]Pair, 0, len(w.members.Rows()))
	for p := range w.members.Rows() {
		if _, runs := w.rules.Rows()[p.Rule]; runs {
			members = append(members, p)
		}
	}
	slices.SortFunc(members, Pair.compare)
	list := make([]Rule, len(members))
	for i, p := range members {
		list[i] = w.rules.Rows()[p.Rule]
		if i > 0 && list[i-1].ID == p.Rule {
			list[i].Channels = list[i-1].Channels
		} else {
			list[i].Channels = channels[p.Rule]
			slices.Sort(list[i].Channels)
		}
		list[i].Device, list[i].JoinTime = p.Device, w.members.Rows()[p]
	}
	return list
}

// checkMembers finds the tenants whose rules do not have the devices that their targets name.
func (w *Warm) checkMembers(ctx context.Context) error {
	q := w.store.db.Read(ctx)
	now, err := db.ReadMark(ctx, q) // before anything is read
	if err != nil {
		return err
	}
	if err := w.catalog.Load(ctx); err != nil {
		return err
	}
	tenants, err := w.store.TenantsWithDynamicRules(ctx)
	if err != nil {
		return err
	}
	if tenants, err = w.unchecked(ctx, q, tenants); err != nil {
		return err
	}
	outdated := map[tenant.ID]struct{}{}
	for _, t := range tenants {
		ids, err := w.store.outdatedRules(ctx, t)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			outdated[t] = struct{}{}
		}
	}
	w.checked, w.outdated = now, outdated
	return nil
}

// unchecked leaves, of tenants, those whose rules may have other devices than their targets name: something
// changed since they were checked, or they were outdated then.
func (w *Warm) unchecked(ctx context.Context, q bun.IDB, tenants []tenant.ID) ([]tenant.ID, error) {
	now, err := db.ReadMark(ctx, q)
	if err != nil {
		return nil, err
	}
	if !now.SameHistory(w.checked) {
		return tenants, nil
	}
	since := w.checked.WrittenSince
	var ofProducts bool
	err = q.NewRaw(
		"SELECT EXISTS (SELECT FROM products AS p WHERE ?) OR EXISTS (SELECT FROM product_properties AS p WHERE ?)",
		since("p"),
		since("p"),
	).Scan(
		ctx,
		&ofProducts,
	)
	if err != nil || ofProducts {
		return tenants, err
	}
	// A device that is left out for lack of room may join when another rule or device is deleted.
	var ids []tenant.ID
	err = q.NewRaw(`SELECT tenant_id FROM devices AS d WHERE ?
		UNION SELECT tenant_id FROM alarm_rules AS r WHERE ?
		UNION SELECT tenant_id FROM alarm_rule_devices AS m WHERE ? OR state = ?
		UNION SELECT r.tenant_id FROM alarm_rule_targets AS x JOIN alarm_rules AS r ON r.id = x.rule_id WHERE ?`,
		since("d"), since("r"), since("m"), AtLimit, since("x")).Scan(ctx, &ids)
	if err != nil {
		return nil, err
	}
	changed := maps.Clone(w.outdated)
	for _, t := range ids {
		changed[t] = struct{}{}
	}
	return slices.DeleteFunc(tenants, func(t tenant.ID) bool { _, is := changed[t]; return !is }), nil
}
