package alarm

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

const (
	// recent is over how long a list counts a rule's notices.
	recent = 30 * 24 * time.Hour
	// idsAStatement is well below SQLite's limit of variables.
	idsAStatement = 500
)

// RuleQuery selects the rules of a tenant that a list shows.
type RuleQuery struct {
	Name    string   // any part, any case; empty: all
	Devices []string // device names; empty: all
	Level   *Level   // nil: all
	Running *bool    // true: running rules, false: the others; nil: all
	Offset  int64
	Limit   int64
}

// RuleCard is a rule as a list shows it.
type RuleCard struct {
	Rule
	DeviceName string // of Device, which may be left out; empty: the rule has none now
	NoteName   string
	ProductID  int64    // the device's; 0: none
	Named      []string // the names of the devices in Targets, in that order
	Members    int      // number of devices on which the rule is evaluated while it runs
	LeftOut    LeftOut
	Last       *NoticeRef // its newest notice; nil: none
	Open       *NoticeRef // its newest open notice
	OpenCount  int
	Recent     int64 // notices that began in the last 30 days
}

// LeftOut counts the devices of a rule's targets that are left out.
type LeftOut struct{ AtLimit, Misfit int }

// NoticeRef refers to a notice.
type NoticeRef struct {
	ID                  int64
	Start               int64 // epoch ms
	HoldsSince          int64 // as of a Notice
	HoldsSincePrecision alertmsg.Precision
}

func (r *noticeRow) ref() *NoticeRef {
	n := r.notice()
	return &NoticeRef{n.ID, n.Start, n.HoldsSince, n.HoldsSincePrecision}
}

// Page gives a tenant's rules that q selects, their total number, and how many of these run: those
// with open notices first, then the others that run, then those that do not; each part the newest
// first.
func (s *RuleStore) Page(
	ctx context.Context,
	t tenant.ID,
	q RuleQuery,
) (cards []RuleCard, total, running int64, err error) {
	wanted := func(sel *bun.SelectQuery) *bun.SelectQuery {
		sel.Where("r.tenant_id = ?", t)
		if q.Name != "" {
			sel.Where(`r.folded_name LIKE ? ESCAPE '\'`, text.ContainsPattern(q.Name))
		}
		if len(q.Devices) > 0 {
			sel.Where(`r.id IN (SELECT m.rule_id FROM alarm_rule_devices AS m JOIN devices AS d ON d.id = m.device_id
				WHERE d.tenant_id = ? AND d.name IN (?))`, t, bun.List(q.Devices))
		}
		if q.Level != nil {
			sel.Where("r.alarm_level = ?", *q.Level)
		}
		switch {
		case q.Running == nil:
		case *q.Running:
			sel.Where("r.deploy_state = ?", Running)
		default:
			sel.Where("r.deploy_state <> ?", Running)
		}
		return sel
	}
	err = wanted(s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil))).
		ColumnExpr("COUNT(*)").ColumnExpr("COALESCE(SUM(CASE WHEN r.deploy_state = ? THEN 1 ELSE 0 END), 0)", Running).
		Scan(ctx, &total, &running)
	if err != nil || total <= q.Offset {
		return []RuleCard{}, total, running, wrap("count rules", err)
	}
	const urgency = `CASE
		WHEN r.id IN (SELECT n.rule_id FROM notices AS n WHERE n.tenant_id = ? AND n.resolve_status = ?) THEN 0
		WHEN r.deploy_state = ? THEN 1 ELSE 2 END`
	cards, err = s.cards(ctx, t, func(sel *bun.SelectQuery) *bun.SelectQuery {
		return wanted(sel).OrderExpr(urgency, t, Pending, Running).OrderExpr("r.create_time DESC, r.id DESC").
			Offset(q.Offset).Limit(q.Limit)
	})
	if err == nil {
		err = s.addNotices(ctx, t, cards)
	}
	return cards, total, running, wrap("list rules", err)
}

// Cards finds a tenant's rules of the given ids, by id, without those that do not exist.
func (s *RuleStore) Cards(ctx context.Context, t tenant.ID, ids []RuleID) ([]RuleCard, error) {
	all, err := s.CardsWithoutNotices(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	return all, wrap("read notices of rules", s.addNotices(ctx, t, all))
}

// CardsWithoutNotices is Cards without the fields about notices.
func (s *RuleStore) CardsWithoutNotices(ctx context.Context, t tenant.ID, ids []RuleID) (all []RuleCard, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for part := range slices.Chunk(ids, idsAStatement) {
		some, err := s.cards(ctx, t, func(sel *bun.SelectQuery) *bun.SelectQuery {
			return sel.Where("r.tenant_id = ? AND r.id IN (?)", t, bun.List(part)).OrderExpr("r.id")
		})
		if err != nil {
			return nil, wrap("read rules", err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// Get finds a tenant's rule.
func (s *RuleStore) Get(ctx context.Context, t tenant.ID, id RuleID) (*RuleCard, error) {
	cards, err := s.Cards(ctx, t, []RuleID{id})
	if err != nil {
		return nil, err
	}
	if len(cards) == 0 {
		return nil, errs.Missing()
	}
	return &cards[0], nil
}

// Rules finds a tenant's rules of the given ids, by id, without those that do not exist.
func (s *RuleStore) Rules(ctx context.Context, t tenant.ID, ids []RuleID) ([]Rule, error) {
	cards, err := s.CardsWithoutNotices(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	all := make([]Rule, len(cards))
	for i := range cards {
		all[i] = cards[i].Rule
	}
	return all, nil
}

// Pairs gives a tenant's rules of the given ids once for each device on which they are evaluated,
// by rule and device. They have no Targets.
func (s *RuleStore) Pairs(ctx context.Context, t tenant.ID, ids []RuleID) (all []Rule, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for part := range slices.Chunk(ids, idsAStatement) {
		some, err := s.pairs(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery {
			return sel.Where("r.tenant_id = ? AND r.id IN (?)", t, bun.List(part))
		})
		if err != nil {
			return nil, wrap("read rules by device", err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// Running gives every tenant's running rules once for each of their devices, by rule and device,
// for the engine. They have no Targets.
func (s *RuleStore) Running(ctx context.Context) ([]Rule, error) {
	all, err := s.pairs(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery {
		return sel.Where("r.deploy_state = ?", Running)
	})
	return all, wrap("read running rules", err)
}

// TenantsWithDynamicRules are the tenants that have dynamic rules.
func (s *RuleStore) TenantsWithDynamicRules(ctx context.Context) (tenants []tenant.ID, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil)).ColumnExpr("DISTINCT r.tenant_id").
		Where(`r.id IN (SELECT x.rule_id FROM alarm_rule_targets AS x WHERE x.device_id IS NULL
			UNION SELECT m.rule_id FROM alarm_rule_devices AS m WHERE m.state <> 0)`).
		OrderExpr("r.tenant_id").Scan(ctx, &tenants)
	return tenants, wrap("list tenants with dynamic rules", err)
}

// loadRules reads rules without targets, devices and channels.
func (s *RuleStore) loadRules(ctx context.Context, wanted func(*bun.SelectQuery) *bun.SelectQuery) ([]Rule, error) {
	var rows []ruleRow
	if err := wanted(s.db.Read(ctx).NewSelect().Model(&rows)).OrderExpr("r.id").Scan(ctx); err != nil {
		return nil, err
	}
	rules := make([]Rule, len(rows))
	for i := range rows {
		var err error
		if rules[i], err = rows[i].rule(); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

func (s *RuleStore) pairs(ctx context.Context, wanted func(*bun.SelectQuery) *bun.SelectQuery) ([]Rule, error) {
	rules, err := s.loadRules(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var channels []ruleChannelRow
	err = wanted(s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil))).Column("c.rule_id", "c.channel_id").
		Join("JOIN alarm_rule_channels AS c ON c.rule_id = r.id").OrderExpr("c.rule_id, c.channel_id").
		Scan(ctx, &channels)
	if err != nil {
		return nil, err
	}
	var members []memberRow
	err = wanted(s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil))).Column("m.rule_id", "m.device_id", "m.join_time").
		Join("JOIN alarm_rule_devices AS m ON m.rule_id = r.id").Where("m.state = ?", Member).
		OrderExpr("m.rule_id, m.device_id").Scan(ctx, &members)
	if err != nil {
		return nil, err
	}
	pairs := make([]Rule, 0, len(members))
	for _, r := range rules {
		for len(channels) > 0 && channels[0].RuleID == r.ID {
			r.Channels = append(r.Channels, channels[0].ChannelID)
			channels = channels[1:]
		}
		for len(members) > 0 && members[0].RuleID == r.ID {
			r.Device, r.JoinTime = members[0].DeviceID, members[0].JoinTime
			pairs = append(pairs, r)
			members = members[1:]
		}
	}
	return pairs, nil
}

// cards reads rules with their targets, devices and channels, in about five statements for any
// number of rules.
func (s *RuleStore) cards(
	ctx context.Context,
	t tenant.ID,
	wanted func(*bun.SelectQuery) *bun.SelectQuery,
) ([]RuleCard, error) {
	var rows []ruleRow
	if err := wanted(s.db.Read(ctx).NewSelect().Model(&rows)).Scan(ctx); err != nil || len(rows) == 0 {
		return []RuleCard{}, err
	}
	cards, at, ids := make([]RuleCard, len(rows)), make(map[RuleID]*RuleCard, len(rows)), make([]RuleID, len(rows))
	for i := range rows {
		rule, err := rows[i].rule()
		if err != nil {
			return nil, err
		}
		cards[i] = RuleCard{Rule: rule}
		at[rule.ID], ids[i] = &cards[i], rule.ID
	}
	var channels []ruleChannelRow
	if err := s.db.Read(ctx).NewSelect().Model(&channels).Where("c.rule_id IN (?)", bun.List(ids)).
		OrderExpr("c.rule_id, c.channel_id").Scan(ctx); err != nil {
		return nil, err
	}
	for _, c := range channels {
		at[c.RuleID].Channels = append(at[c.RuleID].Channels, c.ChannelID)
	}
	return cards, s.addDevices(ctx, t, at, ids)
}

// addDevices adds the targets of rules, the numbers of their devices, and the first device.
func (s *RuleStore) addDevices(ctx context.Context, t tenant.ID, at map[RuleID]*RuleCard, ids []RuleID) error {
	targets, err := s.targetsOf(ctx, t, ids)
	if err != nil {
		return err
	}
	var counts []struct {
		RuleID RuleID
		State  MemberState
		Some   int
		First  device.ID
	}
	err = s.db.Read(ctx).NewSelect().Model((*memberRow)(nil)).
		ColumnExpr("m.rule_id, m.state, COUNT(*) AS some, MIN(m.device_id) AS first").
		Where("+m.tenant_id = ? AND m.rule_id IN (?)", t, bun.List(ids)).GroupExpr("m.rule_id, m.state").
		OrderExpr("m.rule_id, m.state").Scan(ctx, &counts)
	if err != nil {
		return err
	}
	asked := map[device.ID]bool{}
	for id, named := range targets {
		at[id].Targets = *named
		for i, d := range named.Devices {
			asked[d] = true
			if i == 0 {
				at[id].Device = d
			}
		}
	}
	for _, c := range counts {
		card := at[c.RuleID]
		switch c.State {
		case Member:
			card.Members = c.Some
		case AtLimit:
			card.LeftOut.AtLimit = c.Some
		case Misfit:
			card.LeftOut.Misfit = c.Some
		}
		if card.Device == 0 { // counts come in the order of the states
			card.Device, asked[c.First] = c.First, true
		}
	}
	return s.nameDevices(ctx, t, at, asked)
}

// nameDevices adds the names of the rules' devices.
func (s *RuleStore) nameDevices(
	ctx context.Context,
	t tenant.ID,
	at map[RuleID]*RuleCard,
	asked map[device.ID]bool,
) error {
	type called struct {
		ID        device.ID
		Name      string
		NoteName  string
		ProductID int64
	}
	by := make(map[device.ID]called, len(asked))
	for part := range slices.Chunk(slices.Sorted(maps.Keys(asked)), idsAStatement) {
		var rows []called
		err := s.db.Read(ctx).NewSelect().Table("devices").Column("id", "name", "note_name", "product_id").
			Where("tenant_id = ? AND id IN (?)", t, bun.List(part)).Scan(ctx, &rows)
		if err != nil {
			return err
		}
		for _, d := range rows {
			by[d.ID] = d
		}
	}
	for _, card := range at {
		d := by[card.Device]
		card.DeviceName, card.NoteName, card.ProductID = d.Name, d.NoteName, d.ProductID
		for _, id := range card.Targets.Devices {
			card.Named = append(card.Named, by[id].Name)
		}
	}
	return nil
}

// addNotices adds the number of recent notices of rules, and their newest and open ones.
func (s *RuleStore) addNotices(ctx context.Context, t tenant.ID, cards []RuleCard) error {
	at, all := make(map[RuleID]*RuleCard, len(cards)), make([]RuleID, len(cards))
	for i := range cards {
		all[i] = cards[i].ID
		at[all[i]] = &cards[i]
	}
	for ids := range slices.Chunk(all, idsAStatement) {
		if err := s.addNoticeCounts(ctx, t, at, ids); err != nil {
			return err
		}
	}
	return nil
}

func (s *RuleStore) addNoticeCounts(ctx context.Context, t tenant.ID, at map[RuleID]*RuleCard, ids []RuleID) error {
	var counts []struct {
		RuleID RuleID
		Some   int64
	}
	if err := s.db.Read(ctx).NewSelect().Model((*noticeRow)(nil)).ColumnExpr("n.rule_id, COUNT(*) AS some").
		Where("n.tenant_id = ? AND n.rule_id IN (?) AND n.start_time >= ?", t, bun.List(ids), s.now().Add(-recent).
			UnixMilli()).
		GroupExpr("n.rule_id").Scan(ctx, &counts); err != nil {
		return err
	}
	for _, c := range counts {
		at[c.RuleID].Recent = c.Some
	}
	return s.addNoticeRefs(ctx, t, at, ids)
}

// noticeRefs begins a query for what a rule's card says of a notice of the tenant.
func (s *RuleStore) noticeRefs(ctx context.Context, t tenant.ID, into *[]noticeRow) *bun.SelectQuery {
	return s.db.Read(ctx).NewSelect().Model(into).
		Column("n.id", "n.rule_id", "n.start_time", "n.holds_since", "n.holds_since_precision").
		Where("n.tenant_id = ?", t)
}

// addNoticeRefs adds the newest notices of rules, and the newest open ones.
func (s *RuleStore) addNoticeRefs(ctx context.Context, t tenant.ID, at map[RuleID]*RuleCard, ids []RuleID) error {
	// Revisions only rise, and within one the notices follow each other. The plus leaves SQLite
	// only the index that holds them in this order.
	var newest []noticeRow
	if err := s.noticeRefs(ctx, t, &newest).
		Where(
			`n.id IN (SELECT (SELECT x.id FROM notices AS x WHERE x.rule_id = r.id AND +x.tenant_id = r.tenant_id
			ORDER BY x.rule_revision DESC, x.start_time DESC LIMIT 1)
			FROM alarm_rules AS r WHERE r.tenant_id = ? AND r.id IN (?))`,
			t,
			bun.List(ids),
		).Scan(ctx); err != nil {
		return err
	}
	for _, n := range newest {
		at[RuleID(n.RuleID)].Last = n.ref()
	}
	var open []noticeRow
	if err := s.noticeRefs(ctx, t, &open).
		Where("n.rule_id IN (?) AND n.resolve_status = 0", bun.List(ids)).
		OrderExpr("n.rule_revision, n.start_time, n.id").Scan(ctx); err != nil {
		return err
	}
	for _, n := range open {
		card := at[RuleID(n.RuleID)]
		card.Open, card.OpenCount = n.ref(), card.OpenCount+1
	}
	return nil
}

// requireOneRow checks the result of a statement about one row of the tenant's.
func requireOneRow(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return errs.Missing()
	}
	return err
}

// RuleDevice is one of a rule's devices, as a list shows it.
type RuleDevice struct {
	Name     string
	NoteName string
	Scene    string // the scene's name; empty: the default one
	State    MemberState
	Open     *NoticeRef // its open notice; nil: none
}

// Devices gives a page of the devices of a tenant's rule, and their total number: those with open
// notices first, then those on which the rule is evaluated, then those that are left out, each by
// their titles.
func (s *RuleStore) Devices(
	ctx context.Context,
	t tenant.ID,
	id RuleID,
	offset, limit int64,
) ([]RuleDevice, int64, error) {
	found, err := s.db.Read(
		ctx,
	).NewSelect().Model(
		(*ruleRow)(nil),
	).Where(
		"r.tenant_id = ? AND r.id = ?",
		t,
		id,
	).Exists(
		ctx,
	)
	if err != nil {
		return nil, 0, wrap("find rule", err)
	}
	if !found {
		return nil, 0, errs.Missing()
	}
	total, err := s.db.Read(ctx).NewSelect().Model((*memberRow)(nil)).
		Where("+m.tenant_id = ? AND m.rule_id = ?", t, id).Count(ctx)
	if err != nil || total <= offset {
		return []RuleDevice{}, total, wrap("count devices of rule", err)
	}
	var rows []struct {
		Name      string
		NoteName  string
		Scene     string
		State     MemberState
		NoticeID  int64
		StartTime int64

		HoldsSince          int64
		HoldsSincePrecision alertmsg.Precision
	}
	err = s.db.Read(ctx).NewSelect().Model((*memberRow)(nil)).
		ColumnExpr("d.name, d.note_name, COALESCE(p.name, '') AS scene, m.state").
		ColumnExpr("COALESCE(n.id, 0) AS notice_id, COALESCE(n.start_time, 0) AS start_time").
		ColumnExpr("COALESCE(n.holds_since, 0) AS holds_since").
		ColumnExpr("COALESCE(n.holds_since_precision, '') AS holds_since_precision").
		Join("JOIN devices AS d ON d.id = m.device_id").
		Join("LEFT JOIN scenes AS p ON p.id = d.scene_id").
		Join("LEFT JOIN notices AS n ON n.rule_id = m.rule_id AND n.device_id = m.device_id AND n.resolve_status = 0").
		Where("+m.tenant_id = ? AND m.rule_id = ?", t, id).
		OrderExpr("CASE WHEN n.id IS NULL THEN 1 ELSE 0 END, m.state").
		OrderExpr("CASE WHEN d.note_name = '' THEN d.name ELSE d.note_name END, d.id").
		Offset(offset).Limit(limit).Scan(ctx, &rows)
	list := make([]RuleDevice, len(rows))
	for i, r := range rows {
		list[i] = RuleDevice{Name: r.Name, NoteName: r.NoteName, Scene: r.Scene, State: r.State}
		if r.NoticeID != 0 {
			list[i].Open = &NoticeRef{r.NoticeID, r.StartTime, r.HoldsSince, r.HoldsSincePrecision}
		}
	}
	return list, total, wrap("list devices of rule", err)
}

// MembersByRule are the devices on which a tenant's rules are evaluated while they run, by rule.
func (s *RuleStore) MembersByRule(ctx context.Context, t tenant.ID, ids []RuleID) (map[RuleID][]device.ID, error) {
	by := make(map[RuleID][]device.ID, len(ids))
	for part := range slices.Chunk(ids, idsAStatement) {
		var rows []memberRow
		err := s.db.Read(ctx).NewSelect().Model(&rows).Column("m.rule_id", "m.device_id").
			Where("+m.tenant_id = ? AND m.rule_id IN (?) AND m.state = ?", t, bun.List(part), Member).
			OrderExpr("m.rule_id, m.device_id").Scan(ctx)
		if err != nil {
			return nil, wrap("read devices of rules", err)
		}
		for _, m := range rows {
			by[m.RuleID] = append(by[m.RuleID], m.DeviceID)
		}
	}
	return by, nil
}
