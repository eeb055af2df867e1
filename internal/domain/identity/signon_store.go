package identity

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// How long a person may be at the issuer, and how long the browser may take to exchange a ticket.
const (
	attemptLife = 10 * time.Minute
	ticketLife  = time.Minute
)

type attemptRow struct {
	bun.BaseModel `bun:"table:oidc_attempts,alias:a"`
	StateHash     []byte `bun:",pk"`
	TenantID      tenant.ID
	Issuer        string
	ClientID      string
	Nonce         string
	Verifier      []byte
	Binding       []byte
	RedirectURL   string
	ReturnPath    string
	UserID        int64 // who links the account; 0: nobody
	SessionID     int64 // of UserID
	ExpireTime    int64
}

type signOnTicketRow struct {
	bun.BaseModel `bun:"table:oidc_tickets,alias:k"`
	TokenHash     []byte `bun:",pk"`
	TenantID      tenant.ID
	UserID        int64
	Binding       []byte
	Issuer        string
	ClientID      string
	Subject       string
	Sid           string
	Role          Role
	Tokens        []byte
	SessionID     int64 // the session that links the account; 0: none
	ExpireTime    int64
}

type linkRow struct {
	bun.BaseModel `bun:"table:oidc_links,alias:l"`
	TenantID      tenant.ID `bun:",pk"`
	Issuer        string    `bun:",pk"`
	Subject       string    `bun:",pk"`
	UserID        int64
	CreateTime    int64
}

type signOnSessionRow struct {
	bun.BaseModel `bun:"table:oidc_sessions,alias:n"`
	SessionID     int64 `bun:",pk"`
	TenantID      tenant.ID
	UserID        int64
	Issuer        string
	ClientID      string
	Subject       string
	Sid           string
	Tokens        []byte
	CheckTime     int64
}

type logoutRow struct {
	bun.BaseModel `bun:"table:oidc_logouts,alias:g"`
	TokenHash     []byte `bun:",pk"`
	ExpireTime    int64
}

// signOnStore keeps sign-ins under way, the links of users to accounts at issuers, and the sessions
// that began there.
type signOnStore struct {
	db  *db.DB
	now func() time.Time
}

// takeAttempt gives the attempt of a state and removes it; nil: the state is unknown, used or
// expired. The tenant of a sign-in at an issuer comes only from here.
func (s *signOnStore) takeAttempt(ctx context.Context, state string) (*attemptRow, error) {
	var a attemptRow
	found := false
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		err := tx.NewSelect().Model(&a).Where("a.state_hash = ?", hashToken(state)).Scan(ctx)
		if db.IsMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		err = requireRowAffected(tx.NewDelete().Model(&a).WherePK().Exec(ctx))
		found = isTokenValid(a.ExpireTime, s.now().UnixMilli(), attemptLife)
		if errs.Is(err, errs.NotFound) { // somebody else took it at the same time
			found, err = false, nil
		}
		return err
	})
	if err != nil || !found {
		return nil, wrap("take attempt", err)
	}
	return &a, nil
}

// takeTicket gives a ticket and removes it; nil: it is unknown, used or expired.
func (s *signOnStore) takeTicket(ctx context.Context, ticket string) (*signOnTicketRow, error) {
	var k signOnTicketRow
	found := false
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		err := tx.NewSelect().Model(&k).Where("k.token_hash = ?", hashToken(ticket)).Scan(ctx)
		if db.IsMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		err = requireRowAffected(tx.NewDelete().Model(&k).WherePK().Exec(ctx))
		found = isTokenValid(k.ExpireTime, s.now().UnixMilli(), ticketLife)
		if errs.Is(err, errs.NotFound) {
			found, err = false, nil
		}
		return err
	})
	if err != nil || !found {
		return nil, wrap("take ticket", err)
	}
	return &k, nil
}

// putAttempt stores a sign-in that begins.
func (s *signOnStore) putAttempt(ctx context.Context, row *attemptRow) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
}

// putTicket stores a sign-in that the issuer confirmed.
func (s *signOnStore) putTicket(ctx context.Context, row *signOnTicketRow) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
}

// putLink stores which user a person at an issuer is.
func (s *signOnStore) putLink(ctx context.Context, row *linkRow) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
}

// putSession stores what the renewal of a session needs.
func (s *signOnStore) putSession(ctx context.Context, row *signOnSessionRow) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
}

// linkedUser gives the user of a tenant who is a person at an issuer; 0: nobody is.
func (s *signOnStore) linkedUser(ctx context.Context, t tenant.ID, issuer, subject string) (int64, error) {
	var l linkRow
	err := s.db.Read(ctx).NewSelect().Model(&l).
		Where("l.tenant_id = ? AND l.issuer = ? AND l.subject = ?", t, issuer, subject).Scan(ctx)
	if db.IsMissing(err) {
		return 0, nil
	}
	return l.UserID, wrap("find link", err)
}

// isLinked tells whether a user has an account at an issuer.
func (s *signOnStore) isLinked(ctx context.Context, t tenant.ID, user int64, issuer string) (bool, error) {
	linked, err := s.db.Read(ctx).NewSelect().Model((*linkRow)(nil)).
		Where("l.tenant_id = ? AND l.user_id = ? AND l.issuer = ?", t, user, issuer).Exists(ctx)
	return linked, wrap("check link", err)
}

// unlink removes a user's account at an issuer.
func (s *signOnStore) unlink(ctx context.Context, t tenant.ID, user int64, issuer string) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*linkRow)(nil)).
			Where("l.tenant_id = ? AND l.user_id = ? AND l.issuer = ?", t, user, issuer).Exec(ctx)
		return err
	})
}

// sessionOf gives what is known of a tenant's session that began at an issuer; nil: it did not.
func (s *signOnStore) sessionOf(ctx context.Context, t tenant.ID, session int64) (*signOnSessionRow, error) {
	var n signOnSessionRow
	err := s.db.Read(ctx).NewSelect().Model(&n).
		Where("n.tenant_id = ? AND n.session_id = ?", t, session).Scan(ctx)
	if db.IsMissing(err) {
		return nil, nil
	}
	return &n, wrap("get session of issuer", err)
}

// renewable gives the session whose refresh token is to be used; nil: the token is unknown or used,
// or the session did not begin at an issuer.
func (s *signOnStore) renewable(ctx context.Context, refresh string) (*signOnSessionRow, error) {
	var n signOnSessionRow
	err := s.db.Read(ctx).NewSelect().Model(&n).
		Join("JOIN refresh_tokens AS r ON r.session_id = n.session_id").
		Where("r.hash = ? AND r.use_time = 0 AND r.expire_time > ?", hashToken(refresh), s.now().UnixMilli()).Scan(ctx)
	if db.IsMissing(err) {
		return nil, nil
	}
	return &n, wrap("get session of issuer", err)
}

// noteChecked stores what the issuer said when it confirmed a session.
func (s *signOnStore) noteChecked(ctx context.Context, t tenant.ID, session int64, tokens []byte) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*signOnSessionRow)(nil)).
			Set("tokens = ?", tokens).Set("check_time = ?", s.now().UnixMilli()).
			Where("n.tenant_id = ? AND n.session_id = ?", t, session).Exec(ctx)
		return err
	})
}

// useLogout records the id of an issuer's logout token; false: it came before.
func (s *signOnStore) useLogout(ctx context.Context, issuer, id string, expires time.Time) (first bool, err error) {
	sum := sha256.Sum256([]byte(issuer + "\x00" + id))
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewInsert().Model(&logoutRow{TokenHash: sum[:], ExpireTime: expires.UnixMilli()}).
			On("CONFLICT (token_hash) DO NOTHING").Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		first = n > 0
		return err
	})
	return first, wrap("use logout token", err)
}

// endedSession is a session that an issuer has ended.
type endedSession struct {
	TenantID  tenant.ID
	UserID    int64
	SessionID int64
}

// concerned gives the sessions of all tenants that an issuer's logout ends, and removes the tickets
// that it ends. session may be empty, else it is the issuer's; subject likewise.
func (s *signOnStore) concerned(
	ctx context.Context,
	issuer string,
	clients []string,
	subject, session string,
) (ended []endedSession, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		const where = "issuer = ? AND client_id IN (?) AND (? = '' OR subject = ?) AND (? = '' OR sid = ?)"
		args := []any{issuer, bun.List(clients), subject, subject, session, session}
		err := tx.NewSelect().Model((*signOnSessionRow)(nil)).Column("tenant_id", "user_id", "session_id").
			Where(where, args...).Scan(ctx, &ended)
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*signOnTicketRow)(nil)).Where(where, args...).Exec(ctx)
		return err
	})
	return ended, wrap("find sessions of issuer", err)
}

// sessionsOf gives the sessions of a user that began at an issuer.
func (s *signOnStore) sessionsOf(ctx context.Context, t tenant.ID, user int64, issuer string) (ids []int64, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*signOnSessionRow)(nil)).Column("session_id").
		Where("n.tenant_id = ? AND n.user_id = ? AND n.issuer = ?", t, user, issuer).Scan(ctx, &ids)
	slices.Sort(ids)
	return ids, wrap("find sessions of issuer", err)
}

// sweep removes what has expired at until.
func (s *signOnStore) sweep(ctx context.Context, until time.Time) error {
	now := until.UnixMilli()
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if _, err := tx.NewDelete().Model((*attemptRow)(nil)).Where("a.expire_time <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*signOnTicketRow)(nil)).Where("k.expire_time <= ?", now).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*logoutRow)(nil)).Where("g.expire_time <= ?", now).Exec(ctx)
		return err
	})
	return wrap("sweep sign-ins at issuers", err)
}
