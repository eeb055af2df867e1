// Package identity keeps the users who sign in, with their passwords, sessions, tokens and API
// credentials.
package identity

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// User is a person who signs in to a tenant.
type User struct {
	ID         int64
	Tenant     tenant.ID
	UserName   string
	Nickname   string
	Email      string
	Mobile     string // E.164; empty when none is bound
	Avatar     string // address; empty when none
	Role       Role
	RoleFrom   RoleSource
	Language   text.Language // of emails to the user; empty: the tenant's
	LastSignIn int64         // the newest sign-in, epoch milliseconds; 0: never
	Disabled   bool          // by the provider
	// DisabledByOwner says that an owner disabled the user. Either mark shuts the user out.
	DisabledByOwner bool
	SecondFactor    bool // it is on
	MadeHere        bool // by an owner's invitation or at a sign-in, not by the provider's file
	// EmailConfirmed says that the provider's file or the mail of an invitation has shown Email to be
	// the user's. A change by the user removes the mark.
	EmailConfirmed bool
}

// RoleSource says who gave a user the role.
type RoleSource string

// The sources of roles.
const (
	RoleFromOwner    RoleSource = "here"     // an owner, in the console
	RoleFromProvider RoleSource = "provider" // the provider's file
	RoleFromSignIn   RoleSource = "signin"   // the issuer at which the user signs in; each sign-in sets it
)

// UserState says whether a user may sign in.
type UserState string

// The states of users.
const (
	UserActive   UserState = "active"
	UserDisabled UserState = "disabled" // by an owner
	UserShut     UserState = "shut"     // by the provider, whatever the owners say
)

// State tells whether the user may sign in.
func (u *User) State() UserState {
	switch {
	case u.Disabled:
		return UserShut
	case u.DisabledByOwner:
		return UserDisabled
	}
	return UserActive
}

// isActiveOwner tells whether the user can do what only owners may.
func (u *User) isActiveOwner() bool { return u.Role == Owner && u.State() == UserActive }

// Name returns the name that people see.
func (u *User) Name() string {
	if u.Nickname != "" {
		return u.Nickname
	}
	return u.UserName
}

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	UserName      string
	FoldedName    string
	PasswordHash  string
	Nickname      string
	Email         string
	Mobile        string
	Avatar        string
	Role          Role
	RoleFrom      RoleSource
	Language      text.Language
	LoginTime     int64
	Disabled      bool
	// The provider's mark is Disabled.
	DisabledByOwner bool
	MadeHere        bool
	EmailConfirmed  bool
	CreateTime      int64
	SecondFactor    bool `bun:",scanonly"`
}

// hasSecondFactor is the column of a userRow that is no column of the table.
const hasSecondFactor = "EXISTS (SELECT 1 FROM second_factors AS f " +
	"WHERE f.tenant_id = ? AND f.user_id = u.id AND f.secret IS NOT NULL) AS second_factor"

func (r *userRow) user() *User {
	return &User{
		ID: r.ID, Tenant: r.TenantID, UserName: r.UserName, Nickname: r.Nickname, Email: r.Email, Mobile: r.Mobile,
		Avatar: r.Avatar, Role: r.Role, RoleFrom: r.RoleFrom, Language: r.Language, LastSignIn: r.LoginTime,
		Disabled: r.Disabled, DisabledByOwner: r.DisabledByOwner, MadeHere: r.MadeHere,
		SecondFactor:   r.SecondFactor,
		EmailConfirmed: r.EmailConfirmed,
	}
}

func (r *userRow) isShutOut() bool { return r.user().State() != UserActive }

// IsUserName tells whether a name has 1 to tenant.MaxNameLength printable characters and no spaces.
func IsUserName(name string) bool {
	return utf8.RuneCountInString(name) <= tenant.MaxNameLength && tenant.IsDisplayable(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) })
}

// UserStore keeps users.
type UserStore struct {
	db  *db.DB
	now func() time.Time

	// Changed tells of a user who was created, changed or deleted. A sign-in is no change.
	Changed change.Kind[UserRef]
}

// UserRef names a tenant's user.
type UserRef struct {
	Tenant tenant.ID
	ID     int64
}

// NewUserStore makes a store; now is the server's clock.
func NewUserStore(d *db.DB, now func() time.Time) *UserStore { return &UserStore{db: d, now: now} }

// notifyChanged tells of a change once the transaction of ctx commits.
func (s *UserStore) notifyChanged(ctx context.Context, t tenant.ID, id int64) {
	s.db.AfterCommit(ctx, func() { s.Changed.Tell(UserRef{t, id}) })
}

// Get finds a tenant's user by id.
func (s *UserStore) Get(ctx context.Context, t tenant.ID, id int64) (*User, error) {
	r, err := s.getWhere(ctx, t, "u.id = ?", id)
	if err != nil {
		return nil, err
	}
	return r.user(), nil
}

// ByName finds a tenant's user by user name, in any case of its Latin letters.
func (s *UserStore) ByName(ctx context.Context, t tenant.ID, userName string) (*User, error) {
	r, err := s.getWhere(ctx, t, "u.folded_name = ?", text.FoldASCII(userName))
	if err != nil {
		return nil, err
	}
	return r.user(), nil
}

// selectFrom selects a tenant's users, with whether their second factor is on.
func (s *UserStore) selectFrom(ctx context.Context, t tenant.ID, into any) *bun.SelectQuery {
	return s.db.Read(ctx).NewSelect().Model(into).ColumnExpr("?TableColumns").ColumnExpr(hasSecondFactor, t).
		Where("u.tenant_id = ?", t)
}

func (s *UserStore) getWhere(ctx context.Context, t tenant.ID, where string, arg any) (*userRow, error) {
	var r userRow
	err := s.selectFrom(ctx, t, &r).Where(where, arg).Scan(ctx)
	if db.IsMissing(err) {
		return nil, errs.Missing()
	}
	return &r, wrap("get user", err)
}

// List gives a tenant's users, ordered by user name.
func (s *UserStore) List(ctx context.Context, t tenant.ID) ([]*User, error) {
	var rows []userRow
	err := s.selectFrom(ctx, t, &rows).OrderExpr("folded_name").Scan(ctx)
	users := make([]*User, 0, len(rows))
	for i := range rows {
		users = append(users, rows[i].user())
	}
	return users, wrap("list users", err)
}

// WithContacts gives the users of a tenant who have one of the contacts: an e-mail address, in any case of its Latin
// letters, or a mobile number. They are ordered by user name.
func (s *UserStore) WithContacts(ctx context.Context, t tenant.ID, contacts []string) ([]*User, error) {
	if len(contacts) == 0 {
		return nil, nil
	}
	addresses := make([]string, len(contacts))
	for i, contact := range contacts {
		addresses[i] = text.FoldASCII(contact)
	}
	var rows []userRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Where("u.tenant_id = ?", t).
		Where("lower(u.email) IN (?) OR u.mobile IN (?)", bun.List(addresses), bun.List(contacts)).
		OrderExpr("folded_name").Scan(ctx)
	users := make([]*User, 0, len(rows))
	for i := range rows {
		users = append(users, rows[i].user())
	}
	return users, wrap("find users by contact", err)
}

// Create creates u with a password hash and sets its id. A user without a role becomes an owner; without a source, the
// role is the provider's.
func (s *UserStore) Create(ctx context.Context, t tenant.ID, u *User, passwordHash string) error {
	r := userRow{
		TenantID: t, UserName: u.UserName, FoldedName: text.FoldASCII(u.UserName), PasswordHash: passwordHash,
		Nickname: u.Nickname, Email: u.Email, Mobile: u.Mobile, Role: cmp.Or(u.Role, Owner),
		RoleFrom: cmp.Or(u.RoleFrom, RoleFromProvider), Language: u.Language, Disabled: u.Disabled,
		DisabledByOwner: u.DisabledByOwner, MadeHere: u.MadeHere, EmailConfirmed: u.EmailConfirmed,
		CreateTime: s.now().UnixMilli(),
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&r).Exec(ctx)
		if err == nil {
			s.notifyChanged(ctx, t, r.ID)
		}
		return err
	})
	u.ID, u.Tenant, u.Role, u.RoleFrom = r.ID, t, r.Role, r.RoleFrom
	return wrap("create user", err)
}

// Update changes the nickname, email with its mark, mobile number, role with its source, language
// and both marks that shut a user out.
func (s *UserStore) Update(ctx context.Context, t tenant.ID, u *User) error {
	return s.updateColumns(
		ctx,
		t,
		u.ID,
		"nickname = ?, email = ?, email_confirmed = ?, mobile = ?, role = ?, role_from = ?, language = ?, disabled = ?, "+
			"disabled_by_owner = ?",
		u.Nickname,
		u.Email,
		u.EmailConfirmed,
		u.Mobile,
		u.Role,
		u.RoleFrom,
		u.Language,
		u.Disabled,
		u.DisabledByOwner,
	)
}

// PutPassword replaces the password hash of a user.
func (s *UserStore) PutPassword(ctx context.Context, t tenant.ID, id int64, passwordHash string) error {
	return s.updateColumns(ctx, t, id, "password_hash = ?", passwordHash)
}

// PasswordHash gives the password hash of a user.
func (s *UserStore) PasswordHash(ctx context.Context, t tenant.ID, id int64) (string, error) {
	r, err := s.getWhere(ctx, t, "u.id = ?", id)
	if err != nil {
		return "", err
	}
	return r.PasswordHash, nil
}

// hasMobile tells whether a user of the tenant has a mobile number.
func (s *UserStore) hasMobile(ctx context.Context, t tenant.ID, mobile string) (bool, error) {
	taken, err := s.db.Read(ctx).NewSelect().Model((*userRow)(nil)).
		Where("u.tenant_id = ? AND u.mobile = ?", t, mobile).Exists(ctx)
	return taken, wrap("find mobile", err)
}

// Delete removes a user and the user's sessions.
func (s *UserStore) Delete(ctx context.Context, t tenant.ID, id int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*userRow)(nil)).Where("u.tenant_id = ? AND u.id = ?", t, id).Exec(ctx)
		if err == nil {
			s.notifyChanged(ctx, t, id)
		}
		return err
	})
	return wrap("delete user", err)
}

func (s *UserStore) updateColumns(ctx context.Context, t tenant.ID, id int64, set string, args ...any) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewUpdate().Model((*userRow)(nil)).Set(set, args...).
			Where("u.tenant_id = ? AND u.id = ?", t, id).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return errs.Missing()
		}
		s.notifyChanged(ctx, t, id)
		return err
	})
	return wrap("update user", err)
}
