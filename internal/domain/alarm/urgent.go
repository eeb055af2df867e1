package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/comparator"
)

// UrgentNotice is an open notice with what it takes to say how its cause has moved since it began.
type UrgentNotice struct {
	Notice
	Device    device.ID
	SceneName string // empty: in no scene, or the device is gone
	Rule      RuleCopy
	Began     NoticeSample // the newest sample that counted; zero in a notice on being offline
}

// Urgent gives a tenant's open notices, at most limit: by level, those that nobody acknowledged
// first, then the newest; and how many there are.
func (s *NoticeStore) Urgent(ctx context.Context, t tenant.ID, limit int64) ([]UrgentNotice, int64, error) {
	type urgentRow struct {
		noticeRow `bun:",extend"`
		NoteName  *string `bun:",scanonly"`
		SceneName *string `bun:",scanonly"`
	}
	var rows []urgentRow
	total, err := s.db.Read(ctx).NewSelect().Model(&rows).
		Column("n.id", "n.rule_id", "n.title", "n.alarm_level", "n.device_id", "n.device_name", "n.start_time",
			"n.create_time", "n.rule", "n.samples", "n.holds_since", "n.ack_user", "n.ack_time", "n.ack_note",
			"n.ack_remind_at").
		ColumnExpr("d.note_name, s.name AS scene_name").
		Join("LEFT JOIN devices AS d ON d.id = n.device_id AND d.tenant_id = n.tenant_id").
		Join("LEFT JOIN scenes AS s ON s.id = d.scene_id AND s.tenant_id = n.tenant_id").
		Where("n.tenant_id = ? AND n.resolve_status = ?", t, Pending).
		OrderExpr("n.alarm_level DESC, CASE WHEN n.ack_time = 0 THEN 0 ELSE 1 END, n.start_time DESC, n.id DESC").
		Limit(limit).ScanAndCount(ctx)
	if err != nil {
		return nil, 0, wrap("list urgent notices", err)
	}
	list := make([]UrgentNotice, len(rows))
	for i := range rows {
		r, u := &rows[i], &list[i]
		u.Notice, u.Device = r.notice(), r.DeviceID
		if err := json.Unmarshal([]byte(r.Rule), &u.Rule); err != nil {
			return nil, 0, fmt.Errorf("alarm: notice %d: %w", r.ID, err)
		}
		if r.Samples != "" {
			var samples []NoticeSample
			if err := json.Unmarshal([]byte(r.Samples), &samples); err != nil {
				return nil, 0, fmt.Errorf("alarm: notice %d: %w", r.ID, err)
			}
			if len(samples) > 0 {
				u.Began = samples[len(samples)-1]
			}
		}
		u.NoteName = u.Rule.NoteName
		if r.NoteName != nil {
			u.NoteName = *r.NoteName
		}
		if r.SceneName != nil {
			u.SceneName = *r.SceneName
		}
	}
	return list, total, nil
}

// KnownOffline gives the devices of a tenant with an open notice of a rule on being offline.
func (s *NoticeStore) KnownOffline(ctx context.Context, t tenant.ID) (map[device.ID]bool, error) {
	var ids []device.ID
	err := s.db.Read(ctx).NewSelect().Model((*noticeRow)(nil)).ColumnExpr("DISTINCT n.device_id").
		Join("JOIN alarm_rules AS r ON r.id = n.rule_id AND r.tenant_id = n.tenant_id").
		Where("n.tenant_id = ? AND n.resolve_status = ? AND r.trigger_type = ?", t, Pending, DeviceOffline).
		Scan(ctx, &ids)
	known := make(map[device.ID]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	return known, wrap("find known offline devices", err)
}

// Trend is how a number has moved since its notice began.
type Trend string

// The trends. The empty one is not known.
const (
	Rising  Trend = "rising"
	Falling Trend = "falling"
	Steady  Trend = "steady"
)

// Cause is what an open notice is about: the condition that tells most, the newest value of its
// property, and how that has moved since the notice began.
type Cause struct {
	Condition Condition
	Property  *device.Property
	Newest    *reading.Newest // nil: the device has none
	Trend     Trend
}

// CauseOf gives the cause of a notice on readings by its device's newest values: its first condition
// that held when it began, else its first. It returns nil where the notice is on being offline, or
// where the product no longer has the property.
func (u *UrgentNotice) CauseOf(c *device.Catalog, newest []reading.Newest) *Cause {
	product := c.Product(u.Rule.ProductID)
	if len(u.Rule.Conditions) == 0 || product == nil {
		return nil
	}
	chosen := slices.IndexFunc(u.Rule.Conditions, func(condition Condition) bool {
		property := product.Property(condition.Attribute)
		if property == nil {
			return false
		}
		one := comparison{comparator: comparator.Of(condition.Operator), decimals: property.Precision}
		return one.holds(u.Began.Values[condition.Attribute], condition.Value)
	})
	cause := &Cause{Condition: u.Rule.Conditions[max(chosen, 0)]}
	cause.Property = product.Property(cause.Condition.Attribute)
	if cause.Property == nil {
		return nil
	}
	i := slices.IndexFunc(newest, func(n reading.Newest) bool { return n.Property == cause.Property.ID })
	if i < 0 || newest[i].Value.Kind() == reading.KindNone {
		return cause
	}
	cause.Newest = &newest[i]
	if began := u.Began.Values[cause.Condition.Attribute]; began.Kind() == reading.KindNumber &&
		newest[i].Value.Kind() == reading.KindNumber {
		cause.Trend = trendBetween(
			began.Float(), newest[i].Value.Float(), c.LeastSpan(cause.Property), cause.Property.Precision,
		)
	}
	return cause
}

// steadyPart is the part of a property's least span within which a number counts as steady: what
// its chart would show as a flat line.
const steadyPart = .05

// trendBetween compares two numbers. Smaller differences than the last decimal that people see, or
// than a small part of the property's least span, are none.
func trendBetween(began, now float64, span *float64, decimals *int) Trend {
	within := 0.
	if span != nil {
		within = *span * steadyPart
	}
	if decimals != nil {
		within = max(within, math.Pow10(-*decimals))
	}
	const rounding = 1 - 1e-9 // as floating-point numbers, 4.2 and 4.3 differ by a little less than 0.1
	switch difference := now - began; {
	case difference > 0 && difference >= within*rounding:
		return Rising
	case difference < 0 && -difference >= within*rounding:
		return Falling
	default:
		return Steady
	}
}
