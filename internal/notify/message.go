// Package notify tells people: in-app messages now.
package notify

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/tenant"
)

type messageRow struct {
	bun.BaseModel `bun:"table:messages,alias:m"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	NoticeID      *int64
	Event         string
	Facts         string
	CreateTime    int64
}

// MessageStore keeps in-app messages: stored once a tenant, with a read mark a
// user.
type MessageStore struct{ db *db.DB }

// NewMessageStore makes a store.
func NewMessageStore(d *db.DB) *MessageStore { return &MessageStore{db: d} }

// CountUnread is how many of the tenant's messages a user has not read.
func (s *MessageStore) CountUnread(ctx context.Context, t tenant.ID, user int64) (int64, error) {
	return s.db.Read(ctx).NewSelect().Model((*messageRow)(nil)).
		Where("m.tenant_id = ?", t).
		Where("NOT EXISTS (SELECT 1 FROM message_reads r WHERE r.message_id = m.id AND r.user_id = ?)", user).
		Count(ctx)
}
