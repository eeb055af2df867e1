package alarm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

// RuleUsage are the rules that use a channel or name a scene.
type RuleUsage struct {
	Count int
	Names []string // of the newest of them, limited by the caller
}

// UsageByChannel gives, for each of a tenant's channels, the rules that use it, the newest first,
// with at most names of their names. A channel that no rule uses is absent.
func (s *RuleStore) UsageByChannel(
	ctx context.Context,
	t tenant.ID,
	channels []int64,
	names int,
) (map[int64]RuleUsage, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	ranked := s.db.Read(ctx).NewSelect().Model((*ruleChannelRow)(nil)).
		ColumnExpr("c.channel_id, r.alarm_name").
		ColumnExpr("ROW_NUMBER() OVER (PARTITION BY c.channel_id ORDER BY r.create_time DESC, r.id DESC) AS place").
		ColumnExpr("COUNT(*) OVER (PARTITION BY c.channel_id) AS rules").
		Join("JOIN alarm_rules AS r ON r.id = c.rule_id").
		Where("r.tenant_id = ? AND c.channel_id IN (?)", t, bun.List(channels))
	var rows []struct {
		ChannelID int64
		AlarmName string
		Rules     int
	}
	err := s.db.Read(ctx).NewSelect().TableExpr("(?) AS ranked", ranked).Column("channel_id", "alarm_name", "rules").
		Where("place <= ?", max(1, names)).OrderExpr("channel_id, place").Scan(ctx, &rows)
	if err != nil {
		return nil, wrap("read rules of channels", err)
	}
	by := make(map[int64]RuleUsage, len(channels))
	for _, row := range rows {
		entry := by[row.ChannelID]
		entry.Count = row.Rules
		entry.Names = append(entry.Names, row.AlarmName)
		by[row.ChannelID] = entry
	}
	return by, nil
}

// RunningOnlyOn counts a tenant's running rules that have channels, all of which are among the
// given ones, and names the most serious of them, the oldest of equals.
func (s *RuleStore) RunningOnlyOn(
	ctx context.Context,
	t tenant.ID,
	channels []int64,
) (count int, name string, err error) {
	if len(channels) == 0 {
		return 0, "", nil
	}
	var rows []struct {
		AlarmName string
		Rules     int
	}
	of := func(condition string) *bun.SelectQuery {
		return s.db.Read(ctx).NewSelect().Model((*ruleChannelRow)(nil)).ColumnExpr("1").
			Where("c.rule_id = r.id AND c.channel_id "+condition, bun.List(channels))
	}
	err = s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil)).Column("r.alarm_name").
		ColumnExpr("COUNT(*) OVER () AS rules").Where("r.tenant_id = ? AND r.deploy_state = ?", t, Running).
		Where("EXISTS (?)", of("IN (?)")).Where("NOT EXISTS (?)", of("NOT IN (?)")).
		OrderExpr("r.alarm_level DESC, r.id").Limit(1).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return 0, "", wrap("read rules of channels", err)
	}
	return rows[0].Rules, rows[0].AlarmName, nil
}
