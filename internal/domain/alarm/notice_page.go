package alarm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// newestNotices is how many notices Newest returns.
const newestNotices = 400

// Notice is one event of a rule: from when to when its conditions held.
type Notice struct {
	ID         int64
	Rule       RuleID // may be gone
	Title      string // the rule's name, when the notice began
	Status     ResolveStatus
	Level      Level
	DeviceName string
	NoteName   string // the device's current one; of a deleted device, the one at the begin
	Start      int64  // epoch ms
	End        int64  // epoch ms; 0: open
	CreateTime int64  // epoch ms
	// Unsteady is set on a notice that began when the rule had begun the most notices that an hour
	// allows. Changes is how often the notice's conditions turned true or false since, at least.
	Unsteady bool
	Changes  int
	// HoldsSince is since when the conditions have held by the stored readings, or the device has
	// been silent, epoch ms. 0: not known, or not looked for yet.
	HoldsSince          int64
	HoldsSincePrecision alertmsg.Precision
	Ack                 *Ack // nil: nobody acknowledged it
}

// Ack is the acknowledgement of an open notice.
type Ack struct {
	User     string // display name
	Time     int64  // epoch ms
	Note     string
	RemindAt int64 // nobody is reminded before, epoch ms
}

func (r *noticeRow) notice() Notice {
	n := Notice{
		ID:         r.ID,
		Rule:       RuleID(r.RuleID),
		Title:      r.Title,
		Status:     r.ResolveStatus,
		Level:      r.AlarmLevel,
		DeviceName: r.DeviceName,
		Start:      r.StartTime,
		End:        r.EndTime,
		CreateTime: r.CreateTime,
		Unsteady:   r.Unsteady,
		Changes:    r.Changes,
	}
	if r.HoldsSince != nil {
		n.HoldsSince, n.HoldsSincePrecision = *r.HoldsSince, r.HoldsSincePrecision
	}
	if r.AckTime != 0 {
		n.Ack = &Ack{User: r.AckUser, Time: r.AckTime, Note: r.AckNote, RemindAt: r.AckRemindAt}
	}
	return n
}

// NoticeQuery selects the notices of a tenant that a list shows.
type NoticeQuery struct {
	Title   string         // any part, any case; empty: all
	Devices []string       // device names; empty: all
	Status  *ResolveStatus // nil: all
	Open    *bool          // nil: all
	Level   *Level         // nil: all
	From    *int64         // began at or after, epoch ms
	To      *int64         // began at or before, epoch ms
	Offset  int64
	Limit   int64
}

// ListedNotice is a notice as lists show it, with its rule's description.
type ListedNotice struct {
	Notice
	Description string
}

// NoticeCursor is a position in the order of notices, the newest recorded first.
type NoticeCursor struct {
	CreateTime int64 // epoch ms
	ID         int64
}

// Cursor is the notice's own position.
func (n *Notice) Cursor() NoticeCursor { return NoticeCursor{CreateTime: n.CreateTime, ID: n.ID} }

// listedNoticeRow holds the columns that a list reads of a notice.
type listedNoticeRow struct {
	noticeRow `bun:",extend"`
	NoteName  *string `bun:",scanonly"` // of a device that exists
	Was       string  `bun:",scanonly"` // JSON of RuleCopy, where the device is gone
}

// Page gives a tenant's notices that q selects, the newest recorded first, and their total number.
func (s *NoticeStore) Page(ctx context.Context, t tenant.ID, q NoticeQuery) ([]Notice, int64, error) {
	wanted := q.filter(t)
	total, err := wanted(s.db.Read(ctx).NewSelect().Model((*noticeRow)(nil))).Count(ctx)
	if err != nil || total <= q.Offset {
		return []Notice{}, total, wrap("count notices", err)
	}
	list, err := s.listNotices(ctx, wanted, q.Offset, q.Limit)
	return list, total, err
}

// PageAfter gives q.Limit of a tenant's notices that q selects, the newest recorded first,
// beginning after a cursor; nil begins with the newest. It ignores q.Offset. Notices that are
// recorded meanwhile come before the cursor, so a caller that continues after the last notice of
// one page sees no notice twice.
func (s *NoticeStore) PageAfter(
	ctx context.Context,
	t tenant.ID,
	q NoticeQuery,
	after *NoticeCursor,
) ([]ListedNotice, error) {
	return s.list(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery {
		if after != nil {
			sel.Where("(n.create_time, n.id) < (?, ?)", after.CreateTime, after.ID)
		}
		return q.filter(t)(sel)
	}, 0, q.Limit)
}

// GetListed finds a tenant's notice as lists show it.
func (s *NoticeStore) GetListed(ctx context.Context, t tenant.ID, id int64) (*ListedNotice, error) {
	found, err := s.list(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery {
		return sel.Where("n.tenant_id = ? AND n.id = ?", t, id)
	}, 0, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errs.Missing()
	}
	return &found[0], nil
}

// filter restricts a query to the tenant's notices that q selects.
func (q *NoticeQuery) filter(t tenant.ID) func(sel *bun.SelectQuery) *bun.SelectQuery {
	return func(sel *bun.SelectQuery) *bun.SelectQuery {
		sel.Where("n.tenant_id = ?", t)
		if q.Title != "" {
			sel.Where(`n.folded_title LIKE ? ESCAPE '\'`, text.ContainsPattern(q.Title))
		}
		if len(q.Devices) > 0 {
			sel.Where("n.device_name IN (?)", bun.List(q.Devices))
		}
		if q.Status != nil {
			sel.Where("n.resolve_status = ?", *q.Status)
		}
		if q.Open != nil && *q.Open {
			sel.Where("n.resolve_status = ?", Pending)
		} else if q.Open != nil {
			sel.Where("n.resolve_status <> ?", Pending)
		}
		if q.Level != nil {
			sel.Where("n.alarm_level = ?", *q.Level)
		}
		if q.From != nil {
			sel.Where("n.start_time >= ?", *q.From)
		}
		if q.To != nil {
			sel.Where("n.start_time <= ?", *q.To)
		}
		return sel
	}
}

// Newest gives a tenant's newest 400 notices, the newest recorded first.
func (s *NoticeStore) Newest(ctx context.Context, t tenant.ID) ([]Notice, error) {
	return s.listNotices(ctx, func(sel *bun.SelectQuery) *bun.SelectQuery {
		return sel.Where("n.tenant_id = ?", t)
	}, 0, newestNotices)
}

// listNotices is list without the rules' descriptions.
func (s *NoticeStore) listNotices(
	ctx context.Context,
	wanted func(*bun.SelectQuery) *bun.SelectQuery,
	offset, limit int64,
) ([]Notice, error) {
	listed, err := s.list(ctx, wanted, offset, limit)
	if err != nil {
		return nil, err
	}
	list := make([]Notice, len(listed))
	for i := range listed {
		list[i] = listed[i].Notice
	}
	return list, nil
}

func (s *NoticeStore) list(
	ctx context.Context,
	wanted func(*bun.SelectQuery) *bun.SelectQuery,
	offset, limit int64,
) ([]ListedNotice, error) {
	var rows []listedNoticeRow
	sel := s.db.Read(ctx).NewSelect().Model(&rows).
		Column("n.id", "n.rule_id", "n.title", "n.resolve_status", "n.alarm_level", "n.device_name", "n.start_time",
			"n.end_time", "n.create_time", "n.alarm_desc", "n.unsteady", "n.changes",
			"n.holds_since", "n.holds_since_precision", "n.ack_user", "n.ack_time", "n.ack_note", "n.ack_remind_at").
		ColumnExpr("d.note_name, CASE WHEN d.id IS NULL THEN n.rule ELSE '' END AS was").
		Join("LEFT JOIN devices AS d ON d.id = n.device_id AND d.tenant_id = n.tenant_id")
	if err := wanted(sel).OrderExpr("n.create_time DESC, n.id DESC").Offset(offset).Limit(limit).Scan(ctx); err != nil {
		return nil, wrap("list notices", err)
	}
	list := make([]ListedNotice, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = ListedNotice{Notice: r.notice(), Description: r.AlarmDesc}
		if r.NoteName != nil {
			list[i].NoteName = *r.NoteName
			continue
		}
		var was RuleCopy
		if err := json.Unmarshal([]byte(r.Was), &was); err != nil {
			return nil, fmt.Errorf("alarm: notice %d: %w", r.ID, err)
		}
		list[i].NoteName = was.NoteName
	}
	return list, nil
}
