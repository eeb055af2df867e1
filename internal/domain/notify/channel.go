package notify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// ChannelsATenant is how many channels a tenant may have.
const ChannelsATenant = 1000

// Channel says whom a rule's notices are sent to, and how.
type Channel struct {
	ID      int64
	Tenant  tenant.ID
	Name    string
	ByEmail bool
	ByPhone bool
	Emails  []string // empty unless ByEmail
	Phones  []string // E.164; empty unless ByPhone
	// Language is the language of emails and SMS; empty: the tenant's.
	Language   text.Language
	CreateTime int64 // epoch ms
}

// Kinds gives the kinds that the channel uses.
func (c *Channel) Kinds() (kinds []ChannelKind) {
	if c.ByEmail {
		kinds = append(kinds, KindEmail)
	}
	if c.ByPhone {
		kinds = append(kinds, KindSMS)
	}
	return kinds
}

// Recipients gives the channel's recipients of a kind.
func (c *Channel) Recipients(kind ChannelKind) []string {
	switch {
	case kind == KindEmail && c.ByEmail:
		return c.Emails
	case kind == KindSMS && c.ByPhone:
		return c.Phones
	}
	return nil
}

type channelRow struct {
	bun.BaseModel `bun:"table:channels,alias:ch"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	NoticeName    string
	FoldedName    string
	ByEmail       bool
	ByPhone       bool
	Emails        string // JSON of a list
	Phones        string // JSON of a list
	Language      text.Language
	CreateTime    int64
	UpdateTime    int64
}

func (r *channelRow) channel() (Channel, error) {
	c := Channel{
		ID:         r.ID,
		Tenant:     r.TenantID,
		Name:       r.NoticeName,
		ByEmail:    r.ByEmail,
		ByPhone:    r.ByPhone,
		Language:   r.Language,
		CreateTime: r.CreateTime,
	}
	if err := errors.Join(json.Unmarshal([]byte(r.Emails), &c.Emails),
		json.Unmarshal([]byte(r.Phones), &c.Phones)); err != nil {
		return c, fmt.Errorf("recipients of channel %d: %w", r.ID, err)
	}
	return c, nil
}

// ChannelQuery selects the channels of a tenant that a list shows.
type ChannelQuery struct {
	Name   string      // any part of the name, in any case; empty: all
	Kind   ChannelKind // channels that use this kind; empty: all
	Offset int64
	Limit  int64
}

// ChannelStore stores notification channels.
type ChannelStore struct {
	db  *db.DB
	now func() time.Time
}

// NewChannelStore makes a store; now is the server's clock.
func NewChannelStore(d *db.DB, now func() time.Time) *ChannelStore {
	return &ChannelStore{db: d, now: now}
}

// Page gives the page q of a tenant's channels, the newest first, and the number of all channels
// that match.
func (s *ChannelStore) Page(ctx context.Context, t tenant.ID, q ChannelQuery) ([]Channel, int64, error) {
	var rows []channelRow
	sel := s.db.Read(ctx).NewSelect().Model(&rows).Where("ch.tenant_id = ?", t).
		OrderExpr("ch.create_time DESC, ch.id DESC")
	if q.Name != "" {
		sel.Where(`ch.folded_name LIKE ? ESCAPE '\'`, text.ContainsPattern(q.Name))
	}
	switch q.Kind {
	case KindEmail:
		sel.Where("ch.by_email")
	case KindSMS:
		sel.Where("ch.by_phone")
	}
	total, err := sel.Offset(q.Offset).Limit(q.Limit).ScanAndCount(ctx)
	if err != nil {
		return nil, 0, wrap("list channels", err)
	}
	list, err := channels(rows)
	return list, total, wrap("list channels", err)
}

// Get finds a tenant's channel.
func (s *ChannelStore) Get(ctx context.Context, t tenant.ID, id int64) (*Channel, error) {
	list, err := s.getMany(ctx, t, []int64{id})
	if err != nil {
		return nil, wrap("read channel", err)
	}
	if len(list) == 0 {
		return nil, errs.Missing()
	}
	return &list[0], nil
}

// GetMany finds a tenant's channels of the given ids, in their order; it leaves out ids that do
// not exist.
func (s *ChannelStore) GetMany(ctx context.Context, t tenant.ID, ids []int64) ([]Channel, error) {
	list, err := s.getMany(ctx, t, ids)
	return list, wrap("read channels", err)
}

func (s *ChannelStore) getMany(ctx context.Context, t tenant.ID, ids []int64) ([]Channel, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []channelRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Where("ch.tenant_id = ? AND ch.id IN (?)", t, bun.List(ids)).
		Scan(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b channelRow) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return channels(rows)
}

// Missing gives those of ids that are no channel of the tenant, in their order.
func (s *ChannelStore) Missing(ctx context.Context, t tenant.ID, ids []int64) ([]int64, error) {
	there, err := s.getMany(ctx, t, ids)
	if err != nil {
		return nil, wrap("find missing channels", err)
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		return slices.ContainsFunc(there, func(c Channel) bool { return c.ID == id })
	}), nil
}

// Create stores c, which the caller has checked, as a new channel and gives its id. It refuses
// more than ChannelsATenant channels per tenant (601).
func (s *ChannelStore) Create(ctx context.Context, t tenant.ID, c *Channel) (int64, error) {
	row, err := s.row(t, c)
	if err != nil {
		return 0, err
	}
	row.CreateTime = row.UpdateTime
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		n, err := tx.NewSelect().Model((*channelRow)(nil)).Where("ch.tenant_id = ?", t).Count(ctx)
		if err != nil {
			return err
		}
		if n >= ChannelsATenant {
			return errs.New(errs.Refused, "channel.tooMany", "limit", strconv.Itoa(ChannelsATenant))
		}
		_, err = tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
	return row.ID, wrap("create channel", err)
}

// Update replaces the tenant's channel that has c's id by c, which the caller has checked.
// Deliveries that are queued already keep their recipients.
func (s *ChannelStore) Update(ctx context.Context, t tenant.ID, c *Channel) error {
	row, err := s.row(t, c)
	if err != nil {
		return err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewUpdate().Model(row).
			Column("notice_name", "folded_name", "by_email", "by_phone", "emails", "phones", "language", "update_time").
			Where("ch.tenant_id = ? AND ch.id = ?", t, c.ID).Exec(ctx)
		return expectOneRow(res, err)
	})
	return wrap("update channel", err)
}

// Delete removes a tenant's channel. If a rule uses it, the database refuses (db.IsReferenced).
func (s *ChannelStore) Delete(ctx context.Context, t tenant.ID, id int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewDelete().Model((*channelRow)(nil)).Where("ch.tenant_id = ? AND ch.id = ?", t, id).Exec(ctx)
		return expectOneRow(res, err)
	})
	return wrap("delete channel", err)
}

func (s *ChannelStore) row(t tenant.ID, c *Channel) (*channelRow, error) {
	emails, err := json.Marshal(append([]string{}, c.Emails...))
	if err != nil {
		return nil, err
	}
	phones, err := json.Marshal(append([]string{}, c.Phones...))
	if err != nil {
		return nil, err
	}
	return &channelRow{
		TenantID: t, NoticeName: c.Name, FoldedName: text.Fold(c.Name), ByEmail: c.ByEmail, ByPhone: c.ByPhone,
		Emails: string(emails), Phones: string(phones), Language: c.Language, UpdateTime: s.now().UnixMilli(),
	}, nil
}

func channels(rows []channelRow) ([]Channel, error) {
	list := make([]Channel, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].channel(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// expectOneRow gives the error of a statement that must affect one row: NotFound if it affected
// none.
func expectOneRow(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return errs.Missing()
	}
	return err
}

// Clear removes all channels of a tenant that is being removed and whose rules are removed
// already.
func (s *ChannelStore) Clear(ctx context.Context, t tenant.ID) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*channelRow)(nil)).Where("ch.tenant_id = ?", t).Exec(ctx)
		return err
	})
	return wrap("clear channels", err)
}
