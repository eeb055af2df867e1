package identity

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// How long tokens are valid, and how long a used refresh token still gives the pair that replaced
// it (two tabs refresh at once).
const (
	AccessLife            = 30 * time.Minute
	RefreshLife           = 12 * time.Hour
	RefreshLifeRemembered = 30 * 24 * time.Hour // with remember-me
	ReuseWindow           = 30 * time.Second
)

// How long access tokens of sessions that began at an issuer are valid, and such sessions in all:
// the issuer is asked again with each renewal.
const (
	SignOnAccessLife  = 5 * time.Minute
	SignOnSessionLife = 12 * time.Hour
)

// MaxSessionsPerUser is how many sessions a user may have; a new one beyond it ends the oldest.
const MaxSessionsPerUser = 20

// maxClockAhead is how far the clock may have been ahead when a token was made that is still valid.
// Without it, a token made while the clock was years ahead would be valid for years.
const maxClockAhead = 24 * time.Hour

// isTokenValid tells whether a token with this expiry and lifetime is valid now: it has not
// expired, and was not made in the future.
func isTokenValid(expires, now int64, life time.Duration) bool {
	return expires > now && expires <= now+(life+maxClockAhead).Milliseconds()
}

func refreshLife(remember bool) time.Duration {
	if remember {
		return RefreshLifeRemembered
	}
	return RefreshLife
}

// TokenPair is the result of a sign-in or a refresh.
type TokenPair struct {
	Access  string
	Refresh string
	Expires int64 // when Access expires, epoch milliseconds
	UserID  int64
}

// Caller is the user and tenant that a valid access token acts for.
type Caller struct {
	Tenant  tenant.ID
	User    int64
	Role    Role
	Session int64
	Expires int64 // when the token expires, epoch milliseconds
}

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	UserID        int64
	Remember      bool
	CreateTime    int64
	Method        signInMethod
	EndTime       int64 // of a session that began at an issuer, which ends then at the latest; else 0
}

// lives gives when new tokens of the session expire.
func (r *sessionRow) lives(now time.Time) (access, refresh int64) {
	if r.EndTime == 0 {
		return now.Add(AccessLife).UnixMilli(), now.Add(refreshLife(r.Remember)).UnixMilli()
	}
	return min(now.Add(SignOnAccessLife).UnixMilli(), r.EndTime), r.EndTime
}

// signInMethod says how a session began.
type signInMethod string

const (
	// byPassword is the method of sessions that a password began, with a code if the user has a second
	// factor. Only these are judged by whether the tenant requires one.
	byPassword signInMethod = "password"
	// bySignOn is the method of sessions that began at an issuer of OpenID Connect.
	bySignOn signInMethod = "signOn"
)

type accessRow struct {
	bun.BaseModel `bun:"table:access_tokens,alias:a"`
	Hash          []byte `bun:",pk"`
	SessionID     int64
	ExpireTime    int64
}

type refreshRow struct {
	bun.BaseModel `bun:"table:refresh_tokens,alias:r"`
	Hash          []byte `bun:",pk"`
	SessionID     int64
	ExpireTime    int64
	UseTime       int64
	Successor     []byte
}

// SessionStore keeps sessions and their tokens.
type SessionStore struct {
	db      *db.DB
	now     func() time.Time
	callers callerCache

	// Ended tells of every session that ends.
	Ended change.Kind[int64]
}

// NewSessionStore makes a store; now is the server's clock.
func NewSessionStore(d *db.DB, now func() time.Time) *SessionStore {
	return &SessionStore{db: d, now: now}
}

func (s *SessionStore) notifyEnded(sessions ...int64) {
	for _, id := range sessions {
		s.Ended.Tell(id)
	}
}

// Start starts a session for an authenticated user of a tenant. It ends the user's oldest sessions
// beyond MaxSessionsPerUser.
func (s *SessionStore) Start(ctx context.Context, t tenant.ID, user int64, remember bool) (TokenPair, error) {
	_, pair, err := s.start(ctx, sessionRow{TenantID: t, UserID: user, Remember: remember, Method: byPassword})
	return pair, err
}

// start is Start for a session whose other fields are set; it gives the session's id.
func (s *SessionStore) start(ctx context.Context, row sessionRow) (id int64, pair TokenPair, err error) {
	now := s.now().UnixMilli()
	row.CreateTime = now
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewUpdate().Model((*userRow)(nil)).Set("login_time = ?", now).
			Where("u.tenant_id = ? AND u.id = ?", row.TenantID, row.UserID).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if n == 0 {
			return errs.Missing()
		}
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		if pair, err = s.issue(ctx, tx, row); err != nil {
			return err
		}
		return s.endOldest(ctx, row.TenantID, row.UserID)
	})
	return row.ID, pair, wrap("start session", err)
}

// endOldest ends a user's oldest sessions beyond MaxSessionsPerUser.
func (s *SessionStore) endOldest(ctx context.Context, t tenant.ID, user int64) error {
	return s.end(ctx, t, "s.user_id = ? AND s.id NOT IN ("+
		"SELECT n.id FROM sessions AS n WHERE n.tenant_id = ? AND n.user_id = ? ORDER BY n.id DESC LIMIT ?)",
		user, t, user, MaxSessionsPerUser)
}

func (s *SessionStore) issue(ctx context.Context, tx bun.IDB, session sessionRow) (TokenPair, error) {
	pair := TokenPair{UserID: session.UserID}
	var err error
	if pair.Access, err = newToken(); err != nil {
		return pair, err
	}
	if pair.Refresh, err = newToken(); err != nil {
		return pair, err
	}
	var refreshEnd int64
	pair.Expires, refreshEnd = session.lives(s.now())
	access := accessRow{Hash: hashToken(pair.Access), SessionID: session.ID, ExpireTime: pair.Expires}
	if _, err := tx.NewInsert().Model(&access).Exec(ctx); err != nil {
		return pair, err
	}
	refresh := refreshRow{Hash: hashToken(pair.Refresh), SessionID: session.ID, ExpireTime: refreshEnd}
	_, err = tx.NewInsert().Model(&refresh).Exec(ctx)
	return pair, err
}

// Caller gives the caller of an access token. The tenant of a request comes only from here. An
// unknown or expired token, and a token of a disabled user, gives an Unauthenticated error.
func (s *SessionStore) Caller(ctx context.Context, access string) (Caller, error) {
	hash, version, now := sha256.Sum256([]byte(access)), s.db.Version(), s.now().UnixMilli()
	if c, ok := s.callers.get(version, hash); ok && isTokenValid(c.Expires, now, AccessLife) {
		return c, nil
	}
	var row struct {
		TenantID   tenant.ID
		UserID     int64
		Role       Role
		SessionID  int64
		ExpireTime int64
	}
	err := s.db.Read(ctx).NewSelect().Model((*accessRow)(nil)).
		ColumnExpr("s.tenant_id, s.user_id, u.role, a.session_id, a.expire_time").
		Join("JOIN sessions AS s ON s.id = a.session_id").
		Join("JOIN users AS u ON u.id = s.user_id AND NOT u.disabled AND NOT u.disabled_by_owner").
		Where("a.hash = ?", hash[:]).
		Scan(ctx, &row)
	if db.IsMissing(err) || err == nil && !isTokenValid(row.ExpireTime, now, AccessLife) {
		return Caller{}, notSignedIn()
	}
	if err != nil {
		return Caller{}, wrap("find caller", err)
	}
	c := Caller{
		Tenant: row.TenantID, User: row.UserID, Role: row.Role, Session: row.SessionID, Expires: row.ExpireTime,
	}
	s.callers.put(version, hash, c)
	return c, nil
}

// IsActive tells whether a tenant's session has not ended.
func (s *SessionStore) IsActive(ctx context.Context, t tenant.ID, session int64) (bool, error) {
	active, err := s.db.Read(ctx).NewSelect().Model((*sessionRow)(nil)).
		Where("s.tenant_id = ? AND s.id = ?", t, session).Exists(ctx)
	return active, wrap("check session", err)
}

// Refresh exchanges a refresh token for a new pair. For ReuseWindow, a used token gives the same
// pair again. Its reuse after that ends the session, since one of its two holders is not the user
// who signed in. A session without the second factor that its tenant requires ends, too.
func (s *SessionStore) Refresh(ctx context.Context, refresh string) (TokenPair, error) {
	var pair TokenPair
	var ended int64
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		now := s.now().UnixMilli()
		var row refreshRow
		err := tx.NewSelect().Model(&row).Where("r.hash = ? AND r.expire_time > ?", hashToken(refresh), now).Scan(ctx)
		if db.IsMissing(err) {
			return notSignedIn()
		}
		if err != nil {
			return err
		}
		if row.UseTime != 0 {
			// In both directions: if the clock was set back by hours, a used token must not give
			// its pair for hours.
			if since := now - row.UseTime; max(since, -since) <= ReuseWindow.Milliseconds() {
				pair, err = unseal(refresh, row.Successor)
				return err
			}
			ended = row.SessionID
			return s.endReused(ctx, tx, row.SessionID)
		}
		var session sessionRow
		err = tx.NewSelect().Model(
			&session,
		).Join(
			"JOIN users AS u ON u.id = s.user_id AND NOT u.disabled AND NOT u.disabled_by_owner",
		).
			Where(
				"s.id = ?",
				row.SessionID,
			).Scan(
			ctx,
		)
		if db.IsMissing(err) || err == nil && !isTokenValid(row.ExpireTime, now, refreshLife(session.Remember)) {
			return notSignedIn()
		}
		if err != nil {
			return err
		}
		lacking, err := s.lacksSecondFactor(ctx, tx, session)
		if err != nil {
			return err
		}
		if lacking {
			ended = session.ID
			_, err := tx.NewDelete().Model(&session).WherePK().Where("s.tenant_id = ?", session.TenantID).Exec(ctx)
			return err
		}
		if pair, err = s.issue(ctx, tx, session); err != nil {
			return err
		}
		if row.Successor, err = seal(refresh, pair); err != nil {
			return err
		}
		row.UseTime = now
		_, err = tx.NewUpdate().Model(&row).Column("use_time", "successor").WherePK().Exec(ctx)
		return err
	})
	if err == nil && ended != 0 {
		s.notifyEnded(ended)
		return TokenPair{}, notSignedIn()
	}
	return pair, wrap("refresh session", err)
}

// lacksSecondFactor tells whether a session began with a password alone, while its tenant requires a
// second factor.
func (s *SessionStore) lacksSecondFactor(ctx context.Context, tx bun.IDB, session sessionRow) (bool, error) {
	if session.Method != byPassword {
		return false, nil
	}
	return tx.NewSelect().Model((*userRow)(nil)).
		Join("JOIN tenants AS t ON t.id = u.tenant_id AND t.second_factor_required").
		Where("u.tenant_id = ? AND u.id = ?", session.TenantID, session.UserID).
		Where("NOT EXISTS (SELECT 1 FROM second_factors AS f "+
			"WHERE f.tenant_id = ? AND f.user_id = ? AND f.secret IS NOT NULL)", session.TenantID, session.UserID).
		Exists(ctx)
}

// endReused ends a session because a used refresh token of it came again, and logs that in the
// tenant's audit log: as an action of the server, with the address of the request.
func (s *SessionStore) endReused(ctx context.Context, tx bun.IDB, session int64) error {
	var owner userRow
	err := tx.NewSelect().Model(&owner).Join("JOIN sessions AS s ON s.user_id = u.id").
		Where("s.id = ?", session).Scan(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewDelete().Model((*sessionRow)(nil)).
		Where("s.tenant_id = ? AND s.id = ?", owner.TenantID, session).Exec(ctx)
	if err != nil {
		return err
	}
	return auditUser(audit.WithActor(ctx, audit.Server, 0, ""), owner.user(), "session.reuse")
}

// End ends one session of a tenant.
func (s *SessionStore) End(ctx context.Context, t tenant.ID, session int64) error {
	return s.end(ctx, t, "s.id = ?", session)
}

// EndUser ends every session of a user.
func (s *SessionStore) EndUser(ctx context.Context, t tenant.ID, user int64) error {
	return s.end(ctx, t, "s.user_id = ?", user)
}

// endAll ends sessions of a tenant.
func (s *SessionStore) endAll(ctx context.Context, t tenant.ID, sessions []int64) error {
	if len(sessions) == 0 {
		return nil
	}
	return s.end(ctx, t, "s.id IN (?)", bun.List(sessions))
}

// EndOthers ends every session of a user but one.
func (s *SessionStore) EndOthers(ctx context.Context, t tenant.ID, user, keep int64) error {
	return s.end(ctx, t, "s.user_id = ? AND s.id <> ?", user, keep)
}

func (s *SessionStore) end(ctx context.Context, t tenant.ID, where string, args ...any) error {
	var ids []int64
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := tx.NewSelect().Model((*sessionRow)(nil)).Column("id").
			Where("s.tenant_id = ?", t).Where(where, args...).Scan(ctx, &ids); err != nil || len(ids) == 0 {
			return err
		}
		// By their ids: the + keeps SQLite from reading all sessions of the tenant instead.
		_, err := tx.NewDelete().Model((*sessionRow)(nil)).
			Where("+s.tenant_id = ? AND s.id IN (?)", t, bun.List(ids)).Exec(ctx)
		return err
	})
	if err == nil {
		s.db.AfterCommit(ctx, func() { s.notifyEnded(ids...) })
	}
	return wrap("end sessions", err)
}

// Sweep removes tokens that have expired at until, and sessions without a refresh token.
func (s *SessionStore) Sweep(ctx context.Context, until time.Time) error {
	now := until.UnixMilli()
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if _, err := tx.NewDelete().Model((*accessRow)(nil)).Where("a.expire_time <= ?", now).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*refreshRow)(nil)).Where("r.expire_time <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*sessionRow)(nil)).
			Where("NOT EXISTS (SELECT 1 FROM refresh_tokens r WHERE r.session_id = s.id)").Exec(ctx)
		return err
	})
	return wrap("sweep sessions", err)
}

func notSignedIn() *errs.Error { return errs.New(errs.Unauthenticated, "error.401") }
