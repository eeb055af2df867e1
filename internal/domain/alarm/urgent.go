package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/comparator"
)

// UrgentNotice is an open notice with what it takes to say what it is about.
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
			"n.create_time", "n.rule", "n.samples", "n.holds_since", "n.holds_since_precision",
			"n.ack_user", "n.ack_time", "n.ack_note", "n.ack_remind_at").
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

// Cause is what an open notice is about: the condition that tells most, and the newest value of its
// property.
type Cause struct {
	Condition Condition
	Property  *device.Property
	Newest    *reading.Newest // nil: the device has none
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
	return cause
}
