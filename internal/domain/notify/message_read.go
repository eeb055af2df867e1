package notify

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

type readRow struct {
	bun.BaseModel `bun:"table:message_reads,alias:r"`
	MessageID     int64 `bun:",pk"`
	UserID        int64 `bun:",pk"`
	ReadTime      int64
}

type markRow struct {
	bun.BaseModel `bun:"table:message_marks,alias:k"`
	UserID        int64 `bun:",pk"`
	ReadUpTo      int64
}

// boundarySQL computes where a user's messages begin. Ids above floor are the user's messages; of
// those, MarkAllRead has marked the ids up to mark as read. above is the higher of the two. ?0 is
// the tenant, ?1 the user, ?2 the time before which Sweep is removing messages: those belong to
// nobody, though it may take minutes until they are gone.
//
// It compares ids rather than times, since ids only grow, and since counting rows above an id
// reads only an index.
const boundarySQL = `WITH edge AS (
	SELECT
		COALESCE((SELECT x.id FROM messages AS x WHERE x.tenant_id = ?0
			AND x.create_time < (SELECT CASE WHEN u.create_time > ?2 THEN u.create_time ELSE ?2 END
				FROM users AS u WHERE u.id = ?1 AND u.tenant_id = ?0)
			ORDER BY x.create_time DESC, x.id DESC LIMIT 1), 0) AS floor,
		COALESCE((SELECT k.read_up_to FROM message_marks AS k WHERE k.user_id = ?1), 0) AS mark
), line AS (
	SELECT e.floor, e.mark, CASE WHEN e.mark > e.floor THEN e.mark ELSE e.floor END AS above FROM edge AS e
) `

// unreadSQL counts the messages above the boundary that have no read mark of their own.
const unreadSQL = `((SELECT COUNT(*) FROM messages AS m WHERE m.tenant_id = ?0 AND m.id > l.above)
	- (SELECT COUNT(*) FROM message_reads AS r WHERE r.user_id = ?1 AND r.message_id > l.above))`

const countUnreadSQL = boundarySQL + "SELECT " + unreadSQL + " FROM line AS l"

// CountUnread gives how many of the tenant's messages a user has not read.
func (s *MessageStore) CountUnread(ctx context.Context, t tenant.ID, user int64) (n int64, err error) {
	err = s.db.Read(ctx).NewRaw(countUnreadSQL, t, user, s.removingBefore.Load()).Scan(ctx, &n)
	return n, wrap("count unread messages", err)
}

// MarkRead marks messages as read by a user at the time at (epoch ms). It ignores ids that are no
// message of the user.
func (s *MessageStore) MarkRead(ctx context.Context, t tenant.ID, user int64, ids []int64, at int64) error {
	if len(ids) == 0 {
		return nil
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		var unread []int64
		err := tx.NewRaw(boundarySQL+
			"SELECT m.id FROM messages AS m, line AS l WHERE m.tenant_id = ?0 AND m.id > l.above AND m.id IN (?3)",
			t, user, s.removingBefore.Load(), bun.List(ids)).Scan(ctx, &unread)
		if err != nil || len(unread) == 0 {
			return err
		}
		marks := make([]readRow, len(unread))
		for i, id := range unread {
			marks[i] = readRow{MessageID: id, UserID: user, ReadTime: at}
		}
		_, err = tx.NewInsert().Model(&marks).On("CONFLICT (message_id, user_id) DO NOTHING").Exec(ctx)
		return err
	})
	return wrap("mark messages read", err)
}

// MarkAllRead marks all messages of the tenant as read by a user.
func (s *MessageStore) MarkAllRead(ctx context.Context, t tenant.ID, user int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		var newest *int64
		err := tx.NewRaw("SELECT MAX(m.id) FROM messages AS m WHERE m.tenant_id = ?", t).Scan(ctx, &newest)
		if err != nil || newest == nil {
			return err
		}
		_, err = tx.NewInsert().Model(&markRow{UserID: user, ReadUpTo: *newest}).
			On("CONFLICT (user_id) DO UPDATE").Set("read_up_to = EXCLUDED.read_up_to").
			Where("k.read_up_to < EXCLUDED.read_up_to").Exec(ctx)
		if err != nil {
			return err
		}
		// Messages up to the common mark need no marks of their own.
		_, err = tx.NewDelete().Model((*readRow)(nil)).Where("r.user_id = ? AND r.message_id <= ?", user, *newest).
			Exec(ctx)
		return err
	})
	return wrap("mark all messages read", err)
}
