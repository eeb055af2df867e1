package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

const (
	// MaxCredentialsPerUser is how many API credentials a user may have.
	MaxCredentialsPerUser = 100

	appKeyLen    = 24 // characters of an app key after its prefix: 120 random bits
	appKeyPrefix = "tk_"

	// The characters of app keys: digits and lower-case chars that people do not confuse when
	// they read one out.
	appKeyAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

// Credential is an API credential. It belongs to the user who made it and gives access to the data
// of the user's tenant. Its name need not be unique: the app key tells credentials apart.
type Credential struct {
	ID         int64
	Name       string
	AppKey     string // public
	Role       Role   // the most that it may do; never more than its user
	Scopes     []Scope
	Expires    int64 // epoch milliseconds; 0: never
	Enabled    bool
	CreateTime int64 // epoch milliseconds
	LastUse    int64 // epoch milliseconds; 0: never used
	Uses24h    int64 // authenticated requests in the last 24 hours, the current hour included
	Uses30d    int64 // the same in the last 30 days
}

// APICaller is the user and tenant that a valid credential acts for.
type APICaller struct {
	Tenant     tenant.ID
	User       int64
	Credential int64
	Role       Role // the lesser of the credential's and its user's
	Scopes     []Scope
}

// Check refuses (403) a call that needs a role and a scope.
func (c *APICaller) Check(least Role, scope Scope) error {
	if err := c.Role.Check(least); err != nil {
		return err
	}
	if !slices.Contains(c.Scopes, scope) {
		return errs.New(errs.Forbidden, "role.scope", "scope", string(scope))
	}
	return nil
}

type credentialRow struct {
	bun.BaseModel `bun:"table:credentials,alias:c"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	UserID        int64
	Name          string
	AppKey        string
	SecretHash    []byte
	Role          Role
	Scopes        string
	ExpireTime    int64
	Enabled       bool
	CreateTime    int64
	LastUseTime   int64
}

func (s *CredentialStore) credential(r *credentialRow) Credential {
	return Credential{
		ID: r.ID, Name: r.Name, AppKey: r.AppKey, Role: r.Role, Scopes: splitScopes(r.Scopes), Expires: r.ExpireTime,
		Enabled: r.Enabled, CreateTime: r.CreateTime,
		LastUse: max(r.LastUseTime, s.pendingUses.lastUseOf(r.ID)),
	}
}

// CredentialStore keeps API credentials.
type CredentialStore struct {
	db          *db.DB
	now         func() time.Time
	pendingUses pendingUses
	flushMu     sync.RWMutex // held while uses move from memory to the database, so that no reader counts them twice
}

// NewCredentialStore makes a store; now is the server's clock.
func NewCredentialStore(d *db.DB, now func() time.Time) *CredentialStore {
	return &CredentialStore{db: d, now: now, pendingUses: newPendingUses()}
}

// CredentialForm is what a user chooses for a new credential.
type CredentialForm struct {
	Name    string
	Role    string    // empty: the user's
	Scopes  *[]string // nil: all that the role allows
	Expires int64     // epoch milliseconds; 0: never
}

// Create makes a credential of a tenant's user and returns its secret, which cannot be read later.
func (s *CredentialStore) Create(
	ctx context.Context,
	t tenant.ID,
	user int64,
	form CredentialForm,
) (made Credential, secret string, err error) {
	name, err := tenant.ParseName(form.Name, "name", "common.nameRequired")
	if err != nil {
		return made, "", err
	}
	if secret, err = newToken(); err != nil {
		return made, "", err
	}
	now := s.now().UnixMilli()
	if form.Expires != 0 && form.Expires <= now {
		return made, "", errs.New(errs.Refused, "credential.past").WithField("expiryTime")
	}
	r := credentialRow{
		TenantID: t, UserID: user, Name: name, AppKey: newAppKey(), SecretHash: hashToken(secret),
		ExpireTime: form.Expires, Enabled: true, CreateTime: now,
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// Check the user: the tables alone would allow a credential for a tenant that is not its
		// user's.
		var owner userRow
		err := tx.NewSelect().Model(&owner).Where("u.tenant_id = ? AND u.id = ?", t, user).Scan(ctx)
		if db.IsMissing(err) {
			return errs.Missing()
		}
		if err != nil {
			return err
		}
		if err := r.allow(owner.Role, form); err != nil {
			return err
		}
		n, err := tx.NewSelect().Model((*credentialRow)(nil)).
			Where("c.tenant_id = ? AND c.user_id = ?", t, user).Count(ctx)
		if err != nil {
			return err
		}
		if n >= MaxCredentialsPerUser {
			return errs.New(errs.Refused, "credential.tooMany", "limit", strconv.Itoa(MaxCredentialsPerUser))
		}
		_, err = tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	if err != nil {
		return made, "", wrap("create credential", err)
	}
	return s.credential(&r), secret, nil
}

// allow sets what the credential may do, of what its user may do.
func (r *credentialRow) allow(most Role, form CredentialForm) error {
	if r.Role = most; form.Role != "" {
		r.Role = Role(form.Role)
	}
	if !IsRole(string(r.Role)) {
		return errs.New(errs.Refused, "invalid.choice").WithField("role")
	}
	if !most.Allows(r.Role) {
		return errs.New(errs.Refused, "credential.role").WithField("role")
	}
	scopes := scopesOf(r.Role)
	if form.Scopes != nil {
		var err error
		if scopes, err = parseScopes(*form.Scopes, r.Role); err != nil {
			return err
		}
	}
	r.Scopes = joinScopes(scopes)
	return nil
}

func newAppKey() string {
	var b [appKeyLen]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	for i, v := range b {
		b[i] = appKeyAlphabet[int(v)%len(appKeyAlphabet)] // its 32 characters are equally likely: 32 divides 256

	}
	return appKeyPrefix + string(b[:])
}

// isAppKey tells whether key has the form of an app key; for other texts the store does not ask the
// database.
func isAppKey(key string) bool {
	chars, ok := strings.CutPrefix(key, appKeyPrefix)
	return ok && len(chars) == appKeyLen && strings.Trim(chars, appKeyAlphabet) == ""
}

// Page gives up to limit of a user's credentials from offset on, newest first and with their use
// counts, and how many there are in all.
func (s *CredentialStore) Page(
	ctx context.Context,
	t tenant.ID,
	user, offset, limit int64,
) ([]Credential, int64, error) {
	s.flushMu.RLock()
	defer s.flushMu.RUnlock()
	var rows []credentialRow
	total, err := s.db.Read(ctx).NewSelect().Model(&rows).Where("c.tenant_id = ? AND c.user_id = ?", t, user).
		OrderExpr("c.id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	list := make([]Credential, 0, len(rows))
	for i := range rows {
		list = append(list, s.credential(&rows[i]))
	}
	if err == nil {
		err = s.fillUseCounts(ctx, list)
	}
	return list, total, wrap("list credentials", err)
}

// Get finds a credential of a user, without its use counts.
func (s *CredentialStore) Get(ctx context.Context, t tenant.ID, user, id int64) (*Credential, error) {
	var r credentialRow
	err := s.db.Read(ctx).NewSelect().Model(&r).
		Where("c.tenant_id = ? AND c.user_id = ? AND c.id = ?", t, user, id).Scan(ctx)
	if db.IsMissing(err) {
		return nil, errs.Missing()
	}
	c := s.credential(&r)
	return &c, wrap("get credential", err)
}

// Toggle disables an enabled credential of a user and enables a disabled one.
func (s *CredentialStore) Toggle(ctx context.Context, t tenant.ID, user, id int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return requireRowAffected(tx.NewUpdate().Model((*credentialRow)(nil)).Set("enabled = NOT enabled").
			Where("c.tenant_id = ? AND c.user_id = ? AND c.id = ?", t, user, id).Exec(ctx))
	})
	return wrap("toggle credential", err)
}

// Delete removes a credential of a user; its secret is invalid from then on.
func (s *CredentialStore) Delete(ctx context.Context, t tenant.ID, user, id int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return requireRowAffected(tx.NewDelete().Model((*credentialRow)(nil)).
			Where("c.tenant_id = ? AND c.user_id = ? AND c.id = ?", t, user, id).Exec(ctx))
	})
	return wrap("delete credential", err)
}

// requireRowAffected gives a NotFound error if a statement affected no row.
func requireRowAffected(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return errs.Missing()
	}
	return err
}

// Authenticate is Find, and counts a use of the credential.
func (s *CredentialStore) Authenticate(ctx context.Context, appKey, appSecret string) (APICaller, error) {
	c, err := s.Find(ctx, appKey, appSecret)
	if err == nil {
		s.pendingUses.add(c.Credential, s.now().UnixMilli())
	}
	return c, err
}

// Version changes with every change of the database: what Find returned after a call of Version
// holds, until it expires, as long as Version returns the same.
func (s *CredentialStore) Version() uint64 { return s.db.Version() }

// Find gives the caller of an app key and its secret. The tenant of an API request comes only from
// here. An unknown key, a wrong secret, a disabled or expired credential and a disabled user give
// the same Unauthenticated error.
func (s *CredentialStore) Find(ctx context.Context, appKey, appSecret string) (APICaller, error) {
	if !isAppKey(appKey) {
		return APICaller{}, notSignedIn()
	}
	var row struct {
		ID         int64
		TenantID   tenant.ID
		UserID     int64
		SecretHash []byte
		Role       Role
		UserRole   Role
		Scopes     string
		ExpireTime int64
		Allowed    bool
	}
	row.SecretHash = make([]byte, len(hashToken(""))) // matches no secret: an unknown key takes the comparison too
	err := s.db.Read(ctx).NewSelect().Model((*credentialRow)(nil)).
		ColumnExpr("c.id, c.tenant_id, c.user_id, c.secret_hash, c.role, u.role AS user_role, c.scopes, c.expire_time").
		ColumnExpr("c.enabled AND NOT u.disabled AND NOT u.disabled_by_owner AS allowed").
		Join("JOIN users AS u ON u.id = c.user_id AND u.tenant_id = c.tenant_id").
		Where("c.app_key = ?", appKey).Scan(ctx, &row)
	if err != nil && !db.IsMissing(err) {
		return APICaller{}, wrap("authenticate credential", err)
	}
	right := subtle.ConstantTimeCompare(hashToken(appSecret), row.SecretHash) == 1
	now := s.now().UnixMilli()
	if !right || !row.Allowed || row.ExpireTime != 0 && row.ExpireTime <= now {
		return APICaller{}, notSignedIn()
	}
	return APICaller{
		Tenant: row.TenantID, User: row.UserID, Credential: row.ID,
		Role: row.Role.least(row.UserRole), Scopes: splitScopes(row.Scopes),
	}, nil
}
