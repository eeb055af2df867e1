package notify

import (
	"context"
	"database/sql"
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
	ID     int64
	Tenant tenant.ID
	Name   string
	To     Recipients
	// Language is the language of what it sends; empty: the tenant's.
	Language   text.Language
	CreateTime int64 // epoch ms
}

// Recipients are a channel's recipients by kind, in their order; a kind that it does not use has
// none.
type Recipients map[ChannelKind][]string

// Kinds gives the kinds that the channel uses, in the order of forms.
func (c *Channel) Kinds() (used []ChannelKind) {
	for _, k := range Kinds() {
		if len(c.To[k.Name]) > 0 {
			used = append(used, k.Name)
		}
	}
	return used
}

type channelRow struct {
	bun.BaseModel `bun:"table:channels,alias:ch"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	NoticeName    string
	FoldedName    string
	Language      text.Language
	CreateTime    int64
	UpdateTime    int64
}

type recipientRow struct {
	bun.BaseModel `bun:"table:channel_recipients,alias:cr"`
	TenantID      tenant.ID
	ChannelID     int64
	Mode          ChannelKind
	Position      int
	Address       string
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
	if q.Kind != "" {
		sel.Where("EXISTS (?)", s.db.Read(ctx).NewSelect().Model((*recipientRow)(nil)).ColumnExpr("1").
			Where("cr.tenant_id = ? AND cr.channel_id = ch.id AND cr.mode = ?", t, q.Kind))
	}
	total, err := sel.Offset(q.Offset).Limit(q.Limit).ScanAndCount(ctx)
	if err != nil {
		return nil, 0, wrap("list channels", err)
	}
	list, err := s.withRecipients(ctx, t, rows)
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
	return s.withRecipients(ctx, t, rows)
}

// withRecipients gives a tenant's channels with their recipients.
func (s *ChannelStore) withRecipients(ctx context.Context, t tenant.ID, rows []channelRow) ([]Channel, error) {
	list, at := make([]Channel, len(rows)), make(map[int64]*Channel, len(rows))
	ids := make([]int64, len(rows))
	for i, r := range rows {
		list[i] = Channel{ID: r.ID, Tenant: r.TenantID, Name: r.NoticeName, To: Recipients{}, Language: r.Language,
			CreateTime: r.CreateTime}
		at[r.ID], ids[i] = &list[i], r.ID
	}
	if len(rows) == 0 {
		return list, nil
	}
	var recipients []recipientRow
	if err := s.db.Read(ctx).NewSelect().Model(&recipients).
		Where("cr.tenant_id = ? AND cr.channel_id IN (?)", t, bun.List(ids)).
		OrderExpr("cr.channel_id, cr.mode, cr.position").Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range recipients {
		c := at[r.ChannelID]
		c.To[r.Mode] = append(c.To[r.Mode], r.Address)
	}
	return list, nil
}

// Without gives a tenant's channels that have no recipient of any of these kinds.
func (s *ChannelStore) Without(ctx context.Context, t tenant.ID, kinds []ChannelKind) (ids []int64, err error) {
	sel := s.db.Read(ctx).NewSelect().Model((*channelRow)(nil)).Column("ch.id").Where("ch.tenant_id = ?", t)
	if len(kinds) > 0 {
		sel.Where("NOT EXISTS (?)", s.db.Read(ctx).NewSelect().Model((*recipientRow)(nil)).ColumnExpr("1").
			Where("cr.tenant_id = ? AND cr.channel_id = ch.id AND cr.mode IN (?)", t, bun.List(kinds)))
	}
	return ids, wrap("list channels without kinds", sel.Scan(ctx, &ids))
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
	row := s.row(t, c)
	row.CreateTime = row.UpdateTime
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		n, err := tx.NewSelect().Model((*channelRow)(nil)).Where("ch.tenant_id = ?", t).Count(ctx)
		if err != nil {
			return err
		}
		if n >= ChannelsATenant {
			return errs.New(errs.Refused, "channel.tooMany", "limit", strconv.Itoa(ChannelsATenant))
		}
		if _, err = tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return err
		}
		return insertRecipients(ctx, tx, t, row.ID, c.To)
	})
	return row.ID, wrap("create channel", err)
}

// Update replaces the tenant's channel that has c's id by c, which the caller has checked.
// Deliveries that are queued already keep their recipients.
func (s *ChannelStore) Update(ctx context.Context, t tenant.ID, c *Channel) error {
	row := s.row(t, c)
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewUpdate().Model(row).
			Column("notice_name", "folded_name", "language", "update_time").
			Where("ch.tenant_id = ? AND ch.id = ?", t, c.ID).Exec(ctx)
		if err := expectOneRow(res, err); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*recipientRow)(nil)).
			Where("cr.tenant_id = ? AND cr.channel_id = ?", t, c.ID).Exec(ctx); err != nil {
			return err
		}
		return insertRecipients(ctx, tx, t, c.ID, c.To)
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

func (s *ChannelStore) row(t tenant.ID, c *Channel) *channelRow {
	return &channelRow{TenantID: t, NoticeName: c.Name, FoldedName: text.Fold(c.Name), Language: c.Language,
		UpdateTime: s.now().UnixMilli()}
}

func insertRecipients(ctx context.Context, tx bun.IDB, t tenant.ID, channel int64, to Recipients) error {
	var rows []*recipientRow
	for mode, addresses := range to {
		for i, address := range addresses {
			rows = append(
				rows,
				&recipientRow{TenantID: t, ChannelID: channel, Mode: mode, Position: i, Address: address},
			)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.NewInsert().Model(&rows).Exec(ctx)
	return err
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
