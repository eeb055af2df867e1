package notify

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// MessageQuery selects the messages of a user that a list shows.
type MessageQuery struct {
	Read   *bool // nil: all
	Offset int64
	Limit  int64
}

type listedMessage struct {
	messageRow `bun:",extend"`
	Read       bool  `bun:",scanonly"`
	HoldsSince int64 `bun:",scanonly"` // of its notice, epoch ms; 0: not known
	// HoldsSincePrecision is that of HoldsSince.
	HoldsSincePrecision alertmsg.Precision `bun:",scanonly"`
}

// tally holds where a user's messages begin, and how many there are.
type tally struct{ Floor, Mark, Above, Unread, Made int64 }

// tallySQL is one statement, so that the boundary and the counts are of the same moment.
const tallySQL = boundarySQL + "SELECT l.floor, l.mark, l.above, " + unreadSQL + ` AS unread,
	(SELECT COUNT(*) FROM messages AS m WHERE m.tenant_id = ?0 AND m.id > l.floor) AS made FROM line AS l`

// Page gives the page q of a user's messages, the newest first, and the number of all messages that
// match.
func (s *MessageStore) Page(ctx context.Context, t tenant.ID, user int64, q MessageQuery) ([]Message, int64, error) {
	var at tally
	if err := s.db.Read(ctx).NewRaw(tallySQL, t, user, s.removingBefore.Load()).Scan(ctx, &at); err != nil {
		return nil, 0, wrap("count messages", err)
	}
	total := at.Made
	switch {
	case q.Read != nil && *q.Read:
		total = at.Made - at.Unread
	case q.Read != nil:
		total = at.Unread
	}
	if total <= q.Offset {
		return []Message{}, total, nil
	}
	var rows []listedMessage
	if err := s.pageQuery(ctx, t, user, q, at).Scan(ctx, &rows); err != nil {
		return nil, 0, wrap("list messages", err)
	}
	list := make([]Message, len(rows))
	for i := range rows {
		m, err := rows[i].message()
		if err != nil {
			return nil, 0, wrap("list messages", err)
		}
		m.Read = rows[i].Read
		if m.Alarm.HoldsSince == 0 {
			m.Alarm.HoldsSince, m.Alarm.HoldsSincePrecision = rows[i].HoldsSince, rows[i].HoldsSincePrecision
		}
		list[i] = m
	}
	return list, total, nil
}

// pageQuery selects the rows of a page.
func (s *MessageStore) pageQuery(
	ctx context.Context,
	t tenant.ID,
	user int64,
	q MessageQuery,
	at tally,
) *bun.SelectQuery {
	const read = "(m.id <= ? OR EXISTS (SELECT 1 FROM message_reads AS r WHERE r.message_id = m.id AND r.user_id = ?))"
	from := at.Floor
	sel := s.db.Read(ctx).NewSelect().Model((*listedMessage)(nil)).
		Column("m.id", "m.notice_id", "m.event", "m.facts", "m.create_time").ColumnExpr(read+" AS read", at.Mark, user).
		ColumnExpr("COALESCE(n.holds_since, 0) AS holds_since").
		ColumnExpr("COALESCE(n.holds_since_precision, '') AS holds_since_precision").
		Join("LEFT JOIN notices AS n ON n.id = m.notice_id AND n.tenant_id = m.tenant_id")
	switch {
	case q.Read == nil:
	case *q.Read:
		sel.Where(read, at.Mark, user)
	default:
		from = at.Above
		sel.Where("NOT "+read, at.Mark, user)
	}
	return sel.Where("m.tenant_id = ? AND m.id > ?", t, from).OrderExpr("m.id DESC").Offset(q.Offset).Limit(q.Limit)
}
