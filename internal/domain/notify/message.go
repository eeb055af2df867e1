// Package notify notifies people and programs of alarm notices: by messages in the console, and by
// mail, SMS and webhooks.
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
	messageYears      = 1 // how long messages are kept
	messageSweepBatch = 1000
)

// Message is a message in the console about a tenant's notice that began or ended.
type Message struct {
	ID         int64
	Notice     int64 // 0: it was removed
	Alarm      alertmsg.Alarm
	Read       bool  // by the user who asks
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
		return m, fmt.Errorf("message %d: %w", r.ID, err)
	}
	m.Alarm.Event = r.Event
	return m, nil
}

// MessageStore stores in-app messages once per tenant, and which of them each user has read. A user
// sees the messages made since the user was created: a new user does not begin with a year of
// unread alarms.
type MessageStore struct {
	db *db.DB

	removingBefore atomic.Int64 // Sweep is removing messages made before this, epoch ms; 0: none yet
	removed        atomic.Uint64
}

// NewMessageStore makes a store.
func NewMessageStore(d *db.DB) *MessageStore { return &MessageStore{db: d} }

// Add stores the message about an event of a notice, made at the time at (epoch ms), in the
// caller's transaction, and gives its id. A notice has one message per event: adding it again
// changes nothing.
func (s *MessageStore) Add(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, at int64) (int64, error) {
	id, err := s.add(ctx, t, a, at)
	return id, wrap("add message", err)
}

func (s *MessageStore) add(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, at int64) (int64, error) {
	facts, err := json.Marshal(a)
	if err != nil {
		return 0, err
	}
	row := messageRow{TenantID: t, NoticeID: &a.Notice, Event: a.Event, Facts: string(facts), CreateTime: at}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// The update changes nothing; it makes RETURNING give the id of an existing row too.
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (notice_id, event) DO UPDATE").
			Set("event = EXCLUDED.event").Returning("id").Exec(ctx)
		return err
	})
	return row.ID, err
}

// Sweep removes messages that are older than a year, and their read marks.
func (s *MessageStore) Sweep(ctx context.Context, now time.Time) error {
	oldest := now.AddDate(-messageYears, 0, 0).UnixMilli()
	s.removingBefore.Store(oldest)
	err := s.remove(ctx, func(some *bun.SelectQuery) *bun.SelectQuery {
		return some.Where("m.create_time < ?", oldest)
	})
	return wrap("sweep messages", err)
}

// Removed gives how many messages were removed since the store was made.
func (s *MessageStore) Removed() uint64 { return s.removed.Load() }

// Clear removes all messages of a tenant that is being removed.
func (s *MessageStore) Clear(ctx context.Context, t tenant.ID) error {
	err := s.remove(ctx, func(some *bun.SelectQuery) *bun.SelectQuery {
		return some.Where("m.tenant_id = ?", t)
	})
	return wrap("clear messages", err)
}

func (s *MessageStore) remove(ctx context.Context, which func(*bun.SelectQuery) *bun.SelectQuery) error {
	return s.db.DeleteInBatches(ctx, messageSweepBatch,
		func(ctx context.Context, tx bun.IDB, atOnce int64) (sql.Result, error) {
			some := which(tx.NewSelect().Model((*messageRow)(nil)).Column("id")).Limit(atOnce)
			res, err := tx.NewDelete().Model((*messageRow)(nil)).Where("m.id IN (?)", some).Exec(ctx)
			if err == nil {
				s.db.AfterCommit(ctx, func() {
					n, _ := res.RowsAffected() // DeleteInBatches reports its error
					s.removed.Add(uint64(max(0, n)))
				})
			}
			return res, err
		})
}
