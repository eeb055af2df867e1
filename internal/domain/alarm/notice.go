// Package alarm keeps alarm rules and their notices, and evaluates the rules on the readings and
// the presence of devices.
package alarm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
)

// Level is how much an alarm matters.
type Level int

// The levels of an alarm.
const (
	LevelGeneral   Level = 0
	LevelImportant Level = 1
	LevelSerious   Level = 2
)

// ResolveStatus says whether a notice is open, and how it ended.
type ResolveStatus int

// The states of a notice.
const (
	Pending               ResolveStatus = 0
	ResolvedAutomatically ResolveStatus = 1
	ResolvedManually      ResolveStatus = 2
)

type noticeRow struct {
	bun.BaseModel `bun:"table:notices,alias:n"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	RuleID        int64
	RuleRevision  int64
	DeviceID      device.ID
	DeviceName    string
	Title         string
	FoldedTitle   string
	AlarmLevel    Level
	ResolveStatus ResolveStatus
	StartTime     int64
	EndTime       int64
	CreateTime    int64
	AlarmDesc     string
	Rule          string // JSON of RuleCopy
	Samples       string // JSON of a list of NoticeSample
	ResolveReason Reason
	// ResolveAttribute is the identifier of the missing attribute, where that is the reason.
	ResolveAttribute string
	ResolveUser      string
	Remark           string
	Unsteady         bool
	Changes          int    // of an unsteady notice: how often its conditions changed, at least
	Kept             string // JSON of Chart; empty while there is no chart
	HoldsSince       *int64 // epoch ms; nil: not looked for yet, 0: not known
	// HoldsSincePrecision is how exactly HoldsSince is known.
	HoldsSincePrecision alertmsg.Precision
	AckUser             string
	AckTime             int64 // epoch ms; 0: nobody acknowledged it
	AckNote             string
	AckRemindAt         int64 // epoch ms
}

// NoticeStore keeps alarm notices.
type NoticeStore struct{ db *db.DB }

// NewNoticeStore makes a store.
func NewNoticeStore(d *db.DB) *NoticeStore { return &NoticeStore{db: d} }

// Counts is what the home page shows of notices.
type Counts struct {
	Today   int64 // recorded at or after the given midnight
	Pending int64 // still open, whenever recorded
	Last    int64 // when the newest of today began, epoch milliseconds; 0 when none
}

// Count counts a tenant's notices; midnight is epoch milliseconds.
func (s *NoticeStore) Count(ctx context.Context, t tenant.ID, midnight int64) (Counts, error) {
	var c Counts
	err := s.db.Read(ctx).NewSelect().Model((*noticeRow)(nil)).
		ColumnExpr("COALESCE(SUM(CASE WHEN n.create_time >= ? THEN 1 ELSE 0 END), 0) AS today", midnight).
		ColumnExpr("COALESCE(SUM(CASE WHEN n.resolve_status = ? THEN 1 ELSE 0 END), 0) AS pending", Pending).
		ColumnExpr("COALESCE(MAX(CASE WHEN n.create_time >= ? THEN n.start_time END), 0) AS last", midnight).
		Where("n.tenant_id = ? AND (n.create_time >= ? OR n.resolve_status = ?)", t, midnight, Pending).
		Scan(ctx, &c)
	return c, wrap("count notices", err)
}

// OpenSummary summarizes a device's open notices.
type OpenSummary struct {
	Count int
	Level Level // the highest
}

// OpenByDevice gives, for each of a tenant's devices with open notices, their number and highest
// level.
func (s *NoticeStore) OpenByDevice(ctx context.Context, t tenant.ID) (map[device.ID]OpenSummary, error) {
	var rows []struct {
		DeviceID device.ID
		Count    int
		Level    Level
	}
	err := s.db.Read(ctx).NewSelect().Model((*noticeRow)(nil)).
		ColumnExpr("n.device_id, COUNT(*) AS count, MAX(n.alarm_level) AS level").
		Where("n.tenant_id = ? AND n.resolve_status = ?", t, Pending).
		GroupExpr("n.device_id").Scan(ctx, &rows)
	open := make(map[device.ID]OpenSummary, len(rows))
	for _, r := range rows {
		open[r.DeviceID] = OpenSummary{Count: r.Count, Level: r.Level}
	}
	return open, wrap("read open notices", err)
}

// IsOpen tells whether a notice of a tenant's rule is open on a device.
func (s *NoticeStore) IsOpen(ctx context.Context, t tenant.ID, rule RuleID, d device.ID) (bool, error) {
	open, err := s.db.Read(ctx).NewSelect().Model((*noticeRow)(nil)).
		Where("n.rule_id = ? AND n.resolve_status = ? AND n.tenant_id = ? AND n.device_id = ?", rule, Pending, t,
			d).Exists(ctx)
	return open, wrap("find open notice", err)
}
