// Package notify tells people: in-app messages, and what goes out by mail and
// SMS.
package notify

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
)

const (
	messageYears      = 1 // for so long messages are kept
	messageSweepBatch = 1000
)

// Message is what a tenant was told in the console of a notice that began or
// ended.
type Message struct {
	ID         int64
	Notice     int64 // 0: it is kept no more
	Alarm      alertmsg.Alarm
	Read       bool  // by who asks
	CreateTime int64 // epoch ms
}

type messageRow struct {
	bun.BaseModel `bun:"table:messages,alias:m"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	NoticeID      *int64
	Event         alertmsg.Event
	Facts         string
	CreateTime    int64
}

func (r *messageRow) message() (Message, error) {
	m := Message{ID: r.ID, CreateTime: r.CreateTime}
	if r.NoticeID != nil {
		m.Notice = *r.NoticeID
	}
	if err := json.Unmarshal([]byte(r.Facts), &m.Alarm); err != nil {
		return m, fmt.Errorf("notify: message %d: %w", r.ID, err)
	}
	m.Alarm.Event = r.Event
	return m, nil
}

// MessageStore keeps in-app messages: stored once a tenant, with what each
// user has read of them. A user sees the tenant's messages since there is that
// user: somebody new does not begin with a year of other people's alarms.
type MessageStore struct {
	db *db.DB

	removingBefore atomic.Int64 // messages made before that are being removed, epoch ms; 0: none yet
	removed        atomic.Uint64
}

// NewMessageStore makes a store.
func NewMessageStore(d *db.DB) *MessageStore { return &MessageStore{db: d} }

// Add keeps the message of what happened to a notice, made at so many epoch
// milliseconds, in the caller's transaction, and answers its id. A notice has
// one of each event: added again, nothing changes.
func (s *MessageStore) Add(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, at int64) (int64, error) {
	facts, err := json.Marshal(a)
	if err != nil {
		return 0, err
	}
	row := messageRow{TenantID: t, NoticeID: &a.Notice, Event: a.Event, Facts: string(facts), CreateTime: at}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// A change without a change: so that the row answers its number in either case.
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (notice_id, event) DO UPDATE").
			Set("event = EXCLUDED.event").Returning("id").Exec(ctx)
		return err
	})
	return row.ID, err
}

// Sweep removes messages that are older than a year, and who read them.
func (s *MessageStore) Sweep(ctx context.Context, now time.Time) error {
	oldest := now.AddDate(-messageYears, 0, 0).UnixMilli()
	s.removingBefore.Store(oldest)
	return s.remove(ctx,
		func(some *bun.SelectQuery) *bun.SelectQuery { return some.Where("m.create_time < ?", oldest) })
}

// Removed is how many messages were removed since the store was made.
func (s *MessageStore) Removed() uint64 { return s.removed.Load() }

// Clear removes all messages of a tenant that is being removed.
func (s *MessageStore) Clear(ctx context.Context, t tenant.ID) error {
	return s.remove(ctx, func(some *bun.SelectQuery) *bun.SelectQuery { return some.Where("m.tenant_id = ?", t) })
}

func (s *MessageStore) remove(ctx context.Context, which func(*bun.SelectQuery) *bun.SelectQuery) error {
	return s.db.DeleteInBatches(ctx, messageSweepBatch,
		func(ctx context.Context, tx bun.IDB, atOnce int64) (sql.Result, error) {
			some := which(tx.NewSelect().Model((*messageRow)(nil)).Column("id")).Limit(atOnce)
			res, err := tx.NewDelete().Model((*messageRow)(nil)).Where("m.id IN (?)", some).Exec(ctx)
			if err == nil {
				s.db.AfterCommit(ctx, func() {
					n, _ := res.RowsAffected() // it is asked anew by who needs to know
					s.removed.Add(uint64(max(0, n)))
				})
			}
			return res, err
		})
}
