package identity

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

const (
	// InvitationLife is how long the link of an invitation holds.
	InvitationLife = 72 * time.Hour
	// invitationRetention is how long an expired invitation stays, so that it can be sent again.
	invitationRetention = 30 * 24 * time.Hour
)

// Invitation offers a person to become a user of a tenant. It ends when it is accepted.
type Invitation struct {
	ID         int64
	Tenant     tenant.ID
	Email      string // empty: the link was given by hand
	Role       Role
	Nickname   string
	Language   text.Language // of the mail and of later mails to the user; empty: the tenant's
	InvitedBy  string        // the inviter's name at that time
	Inviter    int64         // the user who made it or last sent it again
	Withdrawn  Withdrawal    // why the link does not hold although it has not expired; empty: it holds
	Mailed     bool          // the link went to Email
	CreateTime int64         // of the current link, epoch milliseconds
	Expires    int64         // epoch milliseconds
}

// Withdrawal says why an inviter does not vouch for an invitation any more.
type Withdrawal string

// The reasons, in the order in which they count. Sent again by an owner, an invitation is theirs.
const (
	InviterGone     Withdrawal = "deleted"
	InviterDisabled Withdrawal = "disabled" // by an owner or the provider
	InviterDemoted  Withdrawal = "demoted"
)

// withdrawal is the Withdrawal of an invitation i. It is worked out from its inviter u rather than
// stored, so that it holds however somebody stopped being an owner.
const withdrawal = "CASE WHEN u.id IS NULL THEN 'deleted' WHEN u.disabled OR u.disabled_by_owner THEN 'disabled' " +
	"WHEN u.role <> 'owner' THEN 'demoted' ELSE '' END"

// withWithdrawal are the columns of an invitationRow.
const withWithdrawal = "i.*, " + withdrawal + " AS withdrawn"

type invitationRow struct {
	bun.BaseModel `bun:"table:invitations,alias:i"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Email         string
	Role          Role
	Nickname      string
	Language      text.Language
	InvitedBy     string
	InviterID     int64
	Withdrawn     Withdrawal `bun:",scanonly"`
	Mailed        bool
	TokenHash     []byte
	CreateTime    int64
	ExpireTime    int64
}

func (r *invitationRow) invitation() *Invitation {
	return &Invitation{
		ID: r.ID, Tenant: r.TenantID, Email: r.Email, Role: r.Role, Nickname: r.Nickname, Language: r.Language,
		InvitedBy: r.InvitedBy, Inviter: r.InviterID, Withdrawn: r.Withdrawn, Mailed: r.Mailed,
		CreateTime: r.CreateTime, Expires: r.ExpireTime,
	}
}

// InvitationStore keeps invitations.
type InvitationStore struct {
	db  *db.DB
	now func() time.Time
}

// NewInvitationStore makes a store; now is the server's clock.
func NewInvitationStore(d *db.DB, now func() time.Time) *InvitationStore {
	return &InvitationStore{db: d, now: now}
}

// findOpen selects the invitations of a tenant that can be accepted.
func (s *InvitationStore) findOpen(ctx context.Context, t tenant.ID, rows any) *bun.SelectQuery {
	return s.db.Read(ctx).NewSelect().Model(rows).ColumnExpr(withWithdrawal).
		Join("LEFT JOIN users AS u ON u.tenant_id = i.tenant_id AND u.id = i.inviter_id").
		Where("i.tenant_id = ? AND i.expire_time > ? AND "+withdrawal+" = ''", t, s.now().UnixMilli())
}

// Page gives up to limit of a tenant's invitations from offset on, newest first, and how many there
// are in all.
func (s *InvitationStore) Page(
	ctx context.Context,
	t tenant.ID,
	offset, limit int64,
) ([]*Invitation, int64, error) {
	var rows []invitationRow
	total, err := s.db.Read(ctx).NewSelect().Model(&rows).ColumnExpr(withWithdrawal).
		Join("LEFT JOIN users AS u ON u.tenant_id = i.tenant_id AND u.id = i.inviter_id").
		Where("i.tenant_id = ?", t).
		OrderExpr("i.id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	list := make([]*Invitation, 0, len(rows))
	for i := range rows {
		list = append(list, rows[i].invitation())
	}
	return list, total, wrap("list invitations", err)
}

// Get finds an invitation of a tenant.
func (s *InvitationStore) Get(ctx context.Context, t tenant.ID, id int64) (*Invitation, error) {
	var r invitationRow
	err := s.db.Read(ctx).NewSelect().Model(&r).ColumnExpr(withWithdrawal).
		Join("LEFT JOIN users AS u ON u.tenant_id = i.tenant_id AND u.id = i.inviter_id").
		Where("i.tenant_id = ? AND i.id = ?", t, id).Scan(ctx)
	if db.IsMissing(err) {
		return nil, errs.Missing()
	}
	return r.invitation(), wrap("get invitation", err)
}

// ByToken finds the invitation of a link. The tenant of an acceptance comes only from here. An
// unknown, used, replaced and expired token give the same error (601); that of a withdrawn one tells
// its holder whom to ask.
func (s *InvitationStore) ByToken(ctx context.Context, token string) (*Invitation, error) {
	var r invitationRow
	err := s.db.Read(ctx).NewSelect().Model(&r).ColumnExpr(withWithdrawal).
		Join("LEFT JOIN users AS u ON u.tenant_id = i.tenant_id AND u.id = i.inviter_id").
		Where("i.token_hash = ?", hashToken(token)).Scan(ctx)
	if db.IsMissing(err) || err == nil && !isTokenValid(r.ExpireTime, s.now().UnixMilli(), InvitationLife) {
		return nil, deadInvitation()
	}
	if err == nil && r.Withdrawn != "" {
		return nil, errs.New(errs.Refused, "invitation.withdrawn")
	}
	return r.invitation(), wrap("find invitation", err)
}

func deadInvitation() *errs.Error { return errs.New(errs.Refused, "invitation.dead") }

// open counts a tenant's invitations that can be accepted, but for one id.
func (s *InvitationStore) open(ctx context.Context, t tenant.ID, except int64) (int, error) {
	n, err := s.findOpen(ctx, t, (*invitationRow)(nil)).Where("i.id <> ?", except).Count(ctx)
	return int(n), wrap("count invitations", err)
}

// isInvited tells whether a tenant has an open invitation to an address, in any case of its Latin
// letters.
func (s *InvitationStore) isInvited(ctx context.Context, t tenant.ID, email string) (bool, error) {
	invited, err := s.findOpen(ctx, t, (*invitationRow)(nil)).
		Where("lower(i.email) = ?", text.FoldASCII(email)).Exists(ctx)
	return invited, wrap("find invitation", err)
}

// put stores an invitation with a new token and sets its id and times; of one that has an id it
// replaces the token and the inviter.
func (s *InvitationStore) put(ctx context.Context, t tenant.ID, i *Invitation) (token string, err error) {
	if token, err = newToken(); err != nil {
		return "", err
	}
	now := s.now()
	i.Tenant, i.CreateTime, i.Expires = t, now.UnixMilli(), now.Add(InvitationLife).UnixMilli()
	r := invitationRow{
		ID: i.ID, TenantID: t, Email: i.Email, Role: i.Role, Nickname: i.Nickname, Language: i.Language,
		InvitedBy: i.InvitedBy, InviterID: i.Inviter, Mailed: i.Mailed, TokenHash: hashToken(token),
		CreateTime: i.CreateTime, ExpireTime: i.Expires,
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if i.ID != 0 {
			return requireRowAffected(tx.NewUpdate().Model(&r).
				Column("invited_by", "inviter_id", "token_hash", "create_time", "expire_time").
				Where("i.tenant_id = ? AND i.id = ?", t, i.ID).Exec(ctx))
		}
		_, err := tx.NewInsert().Model(&r).Exec(ctx)
		i.ID = r.ID
		return err
	})
	return token, wrap("put invitation", err)
}

// Delete removes an invitation of a tenant; its link does not hold from then on.
func (s *InvitationStore) Delete(ctx context.Context, t tenant.ID, id int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return requireRowAffected(tx.NewDelete().Model((*invitationRow)(nil)).
			Where("i.tenant_id = ? AND i.id = ?", t, id).Exec(ctx))
	})
	return wrap("delete invitation", err)
}

// Sweep removes the invitations that expired invitationRetention before now.
func (s *InvitationStore) Sweep(ctx context.Context, now time.Time) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*invitationRow)(nil)).
			Where("i.expire_time < ?", now.Add(-invitationRetention).UnixMilli()).Exec(ctx)
		return err
	})
	return wrap("sweep invitations", err)
}
