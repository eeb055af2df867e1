package alarm

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Pair is a rule and one of its devices, the unit of evaluation.
type Pair struct {
	Rule   RuleID
	Device device.ID
}

func (r *Rule) pair() Pair { return Pair{r.ID, r.Device} }

func (p Pair) compare(o Pair) int {
	return cmp.Or(cmp.Compare(p.Rule, o.Rule), cmp.Compare(p.Device, o.Device))
}

// MemberState says whether a rule is evaluated on a device of its targets.
type MemberState int

// The states of a device of a rule.
const (
	Member  MemberState = 0 // evaluated while the rule runs
	AtLimit MemberState = 1 // left out: the device, or the tenant, has the maximum of rules
	Misfit  MemberState = 2 // left out: its product lacks a property of the conditions
)

// memberRow is a device that belongs to a rule through its targets. A statement that names rules or
// devices has +tenant_id: otherwise SQLite would go through all rows of the tenant.
type memberRow struct {
	bun.BaseModel `bun:"table:alarm_rule_devices,alias:m"`
	RuleID        RuleID
	DeviceID      device.ID
	TenantID      tenant.ID
	State         MemberState
	JoinTime      int64 // readings from before do not count, epoch ms; 0: it joined with the rule
}

func (m *memberRow) pair() Pair { return Pair{m.RuleID, m.DeviceID} }

// MemberChanges are the changes of a rule's devices that follow from its targets.
type MemberChanges struct {
	Rule    RuleID
	Joined  []device.ID
	Left    []device.ID
	AtLimit []device.ID // left out since they have the maximum of rules
}

// targetDeviceRow is a device that a rule's targets name.
type targetDeviceRow struct {
	RuleID    RuleID
	DeviceID  device.ID
	ProductID int64
}

// updateMembers makes the devices of a tenant's rules those that their targets name now: new
// devices join, others leave, and left-out ones join once they can. fresh says that the rules are
// created or changed as a whole: then devices join with the rule. It returns the changes by rule.
// It joins the transaction of ctx.
func (s *RuleStore) updateMembers(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	ids []RuleID,
	fresh bool,
) (moves []MemberChanges, err error) {
	for some := range slices.Chunk(ids, idsAStatement) {
		part, err := s.updateMemberBatch(ctx, tx, t, some, fresh)
		if err != nil {
			return nil, err
		}
		moves = append(moves, part...)
	}
	return moves, nil
}

func (s *RuleStore) updateMemberBatch(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	ids []RuleID,
	fresh bool,
) ([]MemberChanges, error) {
	d, err := s.memberDiff(ctx, tx, t, ids, fresh)
	if err != nil || d.none() {
		return nil, err
	}
	by := map[RuleID]*MemberChanges{}
	changesOf := func(p Pair) *MemberChanges {
		if by[p.Rule] == nil {
			by[p.Rule] = &MemberChanges{Rule: p.Rule}
		}
		return by[p.Rule]
	}
	for _, p := range d.gone {
		changesOf(p).Left = append(changesOf(p).Left, p.Device)
		if err := dropMember(ctx, tx, t, p); err != nil {
			return nil, err
		}
	}
	room, err := s.remainingCapacity(ctx, tx, t, d.candidates)
	if err != nil {
		return nil, err
	}
	var come []memberRow
	for _, m := range d.candidates {
		was := m.State
		if m.State = Misfit; m.fits {
			m.State = room.take(m.DeviceID)
		}
		if !m.existing {
			m.JoinTime = s.now().UnixMilli()
			if fresh {
				m.JoinTime = 0
			}
			come = append(come, m.memberRow)
		} else if m.State == was {
			continue
		} else if err := s.restate(ctx, tx, &m.memberRow); err != nil {
			return nil, err
		}
		switch m.State {
		case Member:
			changesOf(m.pair()).Joined = append(changesOf(m.pair()).Joined, m.DeviceID)
		case AtLimit:
			changesOf(m.pair()).AtLimit = append(changesOf(m.pair()).AtLimit, m.DeviceID)
		case Misfit:
			if m.existing && was == Member {
				changesOf(m.pair()).Left = append(changesOf(m.pair()).Left, m.DeviceID)
			}
		}
	}
	for len(come) > 0 {
		some := append([]memberRow{}, come[:min(len(come), idsAStatement)]...)
		come = come[len(some):]
		if _, err := tx.NewInsert().Model(&some).Exec(ctx); err != nil {
			return nil, err
		}
	}
	moves := make([]MemberChanges, 0, len(by))
	for _, m := range by {
		moves = append(moves, *m)
	}
	slices.SortFunc(moves, func(a, b MemberChanges) int { return cmp.Compare(a.Rule, b.Rule) })
	return moves, nil
}

// restate records that a device of a rule is evaluated from now on, or is left out.
func (s *RuleStore) restate(ctx context.Context, tx bun.IDB, m *memberRow) error {
	if m.State == Member {
		m.JoinTime = s.now().UnixMilli()
	}
	_, err := tx.NewUpdate().Model((*memberRow)(nil)).Set("state = ?, join_time = ?", m.State, m.JoinTime).
		Where("+m.tenant_id = ? AND m.rule_id = ? AND m.device_id = ?", m.TenantID, m.RuleID, m.DeviceID).Exec(ctx)
	return err
}

func dropMember(ctx context.Context, tx bun.IDB, t tenant.ID, p Pair) error {
	_, err := tx.NewDelete().Model((*memberRow)(nil)).
		Where("+m.tenant_id = ? AND m.rule_id = ? AND m.device_id = ?", t, p.Rule, p.Device).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewDelete().Model((*stateRow)(nil)).Where("s.rule_id = ? AND s.device_id = ?", p.Rule, p.Device).
		Exec(ctx)
	return err
}

// memberDiff is the difference between the devices that rules have and those that their targets
// name.
type memberDiff struct {
	gone       []Pair
	candidates []memberCandidate // that join, or may get another state, in order
}

// memberCandidate is a device whose state has to be determined.
type memberCandidate struct {
	memberRow
	existing bool // it belongs to the rule already
	fits     bool // its product has the properties of the conditions
}

func (d *memberDiff) none() bool { return len(d.gone)+len(d.candidates) == 0 }

// memberDiff computes the work of updateMembers. For a running rule that does not change (not
// fresh), it leaves a device whose product lost a property of the rule to the engine, which ends
// its notice for that reason.
func (s *RuleStore) memberDiff(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	ids []RuleID,
	fresh bool,
) (d memberDiff, err error) {
	rules, err := s.loadRules(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery {
		return sel.Where("r.tenant_id = ? AND r.id IN (?)", t, bun.List(ids))
	})
	if err != nil {
		return d, err
	}
	byID := make(map[RuleID]*Rule, len(rules))
	for i := range rules {
		byID[rules[i].ID] = &rules[i]
	}
	wanted, err := s.targetDevices(ctx, tx, t, ids)
	if err != nil {
		return d, err
	}
	var have []memberRow
	if err := tx.NewSelect().Model(&have).Where("+m.tenant_id = ? AND m.rule_id IN (?)", t, bun.List(ids)).
		Scan(ctx); err != nil {
		return d, err
	}
	is := make(map[Pair]memberRow, len(have))
	for _, m := range have {
		is[m.pair()] = m
	}
	fits := s.productFits()
	for _, w := range wanted {
		p, rule := Pair{w.RuleID, w.DeviceID}, byID[w.RuleID]
		if rule == nil {
			continue
		}
		m := memberCandidate{
			memberRow: memberRow{RuleID: p.Rule, DeviceID: p.Device, TenantID: t},
			fits:      fits(rule, w.ProductID),
		}
		if row, found := is[p]; found {
			delete(is, p)
			m.memberRow, m.existing = row, true
			asItIs := m.fits == (row.State == Member) && row.State != AtLimit
			if asItIs || row.State == Member && !fresh && rule.Deploy == Running {
				continue
			}
		}
		d.candidates = append(d.candidates, m)
	}
	for p := range is {
		d.gone = append(d.gone, p)
	}
	slices.SortFunc(d.gone, Pair.compare)
	slices.SortFunc(d.candidates, func(a, b memberCandidate) int { return a.pair().compare(b.pair()) })
	return d, nil
}

// productFits returns a function that tells whether devices of a product can have a rule.
func (s *RuleStore) productFits() func(r *Rule, product int64) bool {
	type asked struct {
		rule    RuleID
		product int64
	}
	known := map[asked]bool{}
	return func(r *Rule, product int64) bool {
		key := asked{r.ID, product}
		fits, is := known[key]
		if !is {
			p := s.catalog.Product(product)
			fits = p != nil && len(AttributesGone(r, p)) == 0
			known[key] = fits
		}
		return fits
	}
}

// targetDevices are the devices that rules' targets name now, each once.
func (s *RuleStore) targetDevices(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	ids []RuleID,
) (rows []targetDeviceRow, err error) {
	// In this order: a rule has few targets, a tenant may have many devices.
	const those = `SELECT x.rule_id, d.id AS device_id, d.product_id FROM alarm_rule_targets AS x CROSS JOIN devices AS d
		WHERE d.tenant_id = ? AND x.rule_id IN (?) AND `
	list := bun.List(ids)
	err = tx.NewRaw(those+`d.id = x.device_id
		UNION `+those+`d.scene_id = x.scene_id
		UNION `+those+`d.product_id = x.product_id
		UNION `+those+`d.scene_id IS NULL AND x.device_id IS NULL AND x.scene_id IS NULL AND x.product_id IS NULL`,
		t, list, t, list, t, list, t, list).Scan(ctx, &rows)
	return rows, err
}

// capacity is how many more rules the devices and the tenant may have.
type capacity struct {
	devices map[device.ID]int
	tenant  int
}

// take gives a device one more rule, if it can have one.
func (r *capacity) take(id device.ID) MemberState {
	if r.tenant <= 0 || r.devices[id] <= 0 {
		return AtLimit
	}
	r.tenant--
	r.devices[id]--
	return Member
}

func (s *RuleStore) remainingCapacity(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	open []memberCandidate,
) (capacity, error) {
	r := capacity{devices: make(map[device.ID]int, len(open)), tenant: MaxRulesPerTenant}
	if len(open) == 0 {
		return r, nil
	}
	pairs, err := tx.NewSelect().Model((*memberRow)(nil)).Where("m.tenant_id = ? AND m.state = ?", t, Member).Count(ctx)
	if err != nil {
		return r, err
	}
	r.tenant -= int(pairs)
	ids := make([]device.ID, len(open))
	for i := range open {
		ids[i] = open[i].DeviceID
		r.devices[ids[i]] = MaxRulesPerDevice
		if s.legacy {
			r.devices[ids[i]], r.tenant = len(open), len(open)
		}
	}
	if s.legacy {
		return r, nil
	}
	for part := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), idsAStatement) {
		var rows []struct {
			DeviceID device.ID
			Rules    int
		}
		err := tx.NewSelect().Model((*memberRow)(nil)).ColumnExpr("m.device_id, COUNT(*) AS rules").
			Where("+m.tenant_id = ? AND m.device_id IN (?) AND m.state = ?", t, bun.List(part), Member).
			GroupExpr("m.device_id").Scan(ctx, &rows)
		if err != nil {
			return r, err
		}
		for _, row := range rows {
			r.devices[row.DeviceID] -= row.Rules
		}
	}
	return r, nil
}

// dynamicRules are a tenant's rules whose devices can change without a change of the rule: they
// name scenes or products, or have left-out devices.
func (s *RuleStore) dynamicRules(ctx context.Context, t tenant.ID) (ids []RuleID, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil)).Column("r.id").Where("+r.tenant_id = ?", t).
		Where(`r.id IN (SELECT x.rule_id FROM alarm_rule_targets AS x WHERE x.device_id IS NULL
			UNION SELECT m.rule_id FROM alarm_rule_devices AS m WHERE m.tenant_id = ? AND m.state <> 0)`, t).
		OrderExpr("r.id").Scan(ctx, &ids)
	return ids, err
}

// outdatedRules are those of a tenant's rules whose devices have to change. It writes nothing.
func (s *RuleStore) outdatedRules(ctx context.Context, t tenant.ID) (ids []RuleID, err error) {
	all, err := s.dynamicRules(ctx, t)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(all, idsAStatement) {
		d, err := s.memberDiff(ctx, s.db.Read(ctx), t, some, false)
		if err != nil {
			return nil, err
		}
		room, err := s.remainingCapacity(ctx, s.db.Read(ctx), t, d.candidates)
		if err != nil {
			return nil, err
		}
		for _, p := range d.gone {
			ids = append(ids, p.Rule)
		}
		for _, m := range d.candidates {
			if m.existing && m.State == AtLimit && m.fits && room.take(m.DeviceID) == AtLimit {
				continue // unchanged
			}
			ids = append(ids, m.RuleID)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(ids))), nil
}

// markMisfit records that a device of a tenant's rule is left out, since its product no longer has
// a property of the rule.
func (s *RuleStore) markMisfit(ctx context.Context, t tenant.ID, of Pair) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return s.restate(ctx, tx, &memberRow{RuleID: of.Rule, DeviceID: of.Device, TenantID: t, State: Misfit})
	})
}
