package alarm

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/errs"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

const (
	// recent is over how long a rule's notices are counted beside it.
	recent = 30 * 24 * time.Hour
	// idsAStatement is well below SQLite's limit of variables.
	idsAStatement = 500
)

// RuleQuery is which rules of a tenant a list shows.
type RuleQuery struct {
	Name    string   // any part, any case; empty: all
	Devices []string // device names; empty: all
	Level   *Level   // nil: all
	Running *bool    // those that run, those that do not; nil: all
	Offset  int64
	Limit   int64
}

// Card is a rule as a list shows it.
type Card struct {
	Rule
	DeviceName string
	NoteName   string
	ProductID  int64 // the device's
	Last       *Mark // its newest notice; nil: none
	Open       *Mark // the same, while it is open
	Recent     int64 // notices that began in the last 30 days
}

// Mark names a notice.
type Mark struct {
	ID    int64
	Start int64 // epoch ms
}

type cardRow struct {
	ruleRow    `bun:",extend"`
	DeviceName string `bun:",scanonly"`
	NoteName   string `bun:",scanonly"`
	ProductID  int64  `bun:",scanonly"`
}

// Page gives a tenant's rules as q wants them, the newest first, how many there
// are in all, and how many of these run.
func (s *RuleStore) Page(ctx context.Context, t tenant.ID, q RuleQuery) (cards []Card, total, running int64, err error) {
	wanted := func(sel *bun.SelectQuery) *bun.SelectQuery {
		sel.Where("r.tenant_id = ?", t)
		if q.Name != "" {
			sel.Where(`r.folded_name LIKE ? ESCAPE '\'`, text.Contains(q.Name))
		}
		if len(q.Devices) > 0 {
			sel.Where("r.device_id IN (SELECT id FROM devices WHERE tenant_id = ? AND name IN (?))", t, bun.List(q.Devices))
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
		return []Card{}, total, running, err
	}
	cards, err = s.cards(ctx, t, func(sel *bun.SelectQuery) *bun.SelectQuery {
		return wanted(sel).OrderExpr("r.create_time DESC, r.id DESC").Offset(q.Offset).Limit(q.Limit)
	})
	return cards, total, running, err
}

// Cards finds a tenant's rules of the given ids, by id; those that are not there
// are left out.
func (s *RuleStore) Cards(ctx context.Context, t tenant.ID, ids []RuleID) (all []Card, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for part := range slices.Chunk(ids, idsAStatement) {
		some, err := s.cards(ctx, t, func(sel *bun.SelectQuery) *bun.SelectQuery {
			return sel.Where("r.tenant_id = ? AND r.id IN (?)", t, bun.List(part)).OrderExpr("r.id")
		})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// Get finds a tenant's rule.
func (s *RuleStore) Get(ctx context.Context, t tenant.ID, id RuleID) (*Card, error) {
	cards, err := s.Cards(ctx, t, []RuleID{id})
	if err != nil {
		return nil, err
	}
	if len(cards) == 0 {
		return nil, errs.Missing()
	}
	return &cards[0], nil
}

// Rules finds a tenant's rules of the given ids, by id; those that are not
// there are left out.
func (s *RuleStore) Rules(ctx context.Context, t tenant.ID, ids []RuleID) (all []Rule, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for part := range slices.Chunk(ids, idsAStatement) {
		some, err := s.rules(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery {
			return sel.Where("r.tenant_id = ? AND r.id IN (?)", t, bun.List(part))
		})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// Running gives every tenant's rules that run, by id: the engine judges them
// all.
func (s *RuleStore) Running(ctx context.Context) ([]Rule, error) {
	return s.rules(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery { return sel.Where("r.deploy_state = ?", Running) })
}

func (s *RuleStore) rules(ctx context.Context, wanted func(*bun.SelectQuery) *bun.SelectQuery) ([]Rule, error) {
	var rows []ruleRow
	if err := wanted(s.db.Read(ctx).NewSelect().Model(&rows)).OrderExpr("r.id").Scan(ctx); err != nil {
		return nil, err
	}
	var named []struct {
		RuleID    RuleID
		ChannelID int64
	}
	err := wanted(s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil))).Column("c.rule_id", "c.channel_id").
		Join("JOIN alarm_rule_channels AS c ON c.rule_id = r.id").OrderExpr("c.rule_id, c.channel_id").Scan(ctx, &named)
	if err != nil {
		return nil, err
	}
	channels := make(map[RuleID][]int64)
	for _, c := range named {
		channels[c.RuleID] = append(channels[c.RuleID], c.ChannelID)
	}
	rules := make([]Rule, len(rows))
	for i := range rows {
		if rules[i], err = rows[i].rule(); err != nil {
			return nil, err
		}
		rules[i].Channels = channels[rules[i].ID]
	}
	return rules, nil
}

// cards reads rules with their devices' names, channels and notices: four
// statements, however many.
func (s *RuleStore) cards(ctx context.Context, t tenant.ID, wanted func(*bun.SelectQuery) *bun.SelectQuery) ([]Card, error) {
	var rows []cardRow
	sel := s.db.Read(ctx).NewSelect().Model(&rows).ColumnExpr("r.*").ColumnExpr("d.name AS device_name, d.note_name, d.product_id").
		Join("JOIN devices AS d ON d.id = r.device_id")
	if err := wanted(sel).Scan(ctx); err != nil || len(rows) == 0 {
		return []Card{}, err
	}
	cards, at, ids := make([]Card, len(rows)), make(map[RuleID]*Card, len(rows)), make([]RuleID, len(rows))
	for i := range rows {
		rule, err := rows[i].rule()
		if err != nil {
			return nil, err
		}
		cards[i] = Card{Rule: rule, DeviceName: rows[i].DeviceName, NoteName: rows[i].NoteName, ProductID: rows[i].ProductID}
		at[rule.ID], ids[i] = &cards[i], rule.ID
	}
	var channels []ruleChannelRow
	if err := s.db.Read(ctx).NewSelect().Model(&channels).Where("c.rule_id IN (?)", bun.List(ids)).OrderExpr("c.rule_id, c.channel_id").Scan(ctx); err != nil {
		return nil, err
	}
	for _, c := range channels {
		at[c.RuleID].Channels = append(at[c.RuleID].Channels, c.ChannelID)
	}
	return cards, s.addNotices(ctx, t, at, ids)
}

func (s *RuleStore) addNotices(ctx context.Context, t tenant.ID, at map[RuleID]*Card, ids []RuleID) error {
	var counts []struct {
		RuleID RuleID
		Some   int64
	}
	if err := s.db.Read(ctx).NewSelect().Model((*noticeRow)(nil)).ColumnExpr("n.rule_id, COUNT(*) AS some").
		Where("n.tenant_id = ? AND n.rule_id IN (?) AND n.start_time >= ?", t, bun.List(ids), s.now().Add(-recent).UnixMilli()).
		GroupExpr("n.rule_id").Scan(ctx, &counts); err != nil {
		return err
	}
	for _, c := range counts {
		at[c.RuleID].Recent = c.Some
	}
	// A rule has at most one open notice, and that is the newest: revisions only
	// rise, and within one the notices follow each other. The plus leaves the
	// index that holds them in this order as the only one.
	var newest []noticeRow
	if err := s.db.Read(ctx).NewSelect().Model(&newest).Column("n.id", "n.rule_id", "n.start_time", "n.resolve_status").
		Where(`n.id IN (SELECT (SELECT x.id FROM notices AS x WHERE x.rule_id = r.id AND +x.tenant_id = r.tenant_id
			ORDER BY x.rule_revision DESC, x.start_time DESC LIMIT 1)
			FROM alarm_rules AS r WHERE r.tenant_id = ? AND r.id IN (?))`, t, bun.List(ids)).Scan(ctx); err != nil {
		return err
	}
	for _, n := range newest {
		card := at[RuleID(n.RuleID)]
		card.Last = &Mark{ID: n.ID, Start: n.StartTime}
		if n.ResolveStatus == Pending {
			card.Open = card.Last
		}
	}
	return nil
}

// changedOne is the answer to a statement about one row of the tenant's.
func changedOne(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return errs.Missing()
	}
	return err
}
