package identity

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/text"
)

// The limits of a tenant's people. The provider's file may exceed MaxPeople.
const (
	MaxPeople              = 1000
	maxOpenInvitations     = 100
	invitationMailsPerHour = 20
)

// People lets owners change the users of their tenant.
type People struct {
	PeopleDeps
	mails *limit.SlidingWindows[tenant.ID]
}

// PeopleDeps holds the dependencies of a People.
type PeopleDeps struct {
	DB          *db.DB
	Tenants     *tenant.Store
	Users       *UserStore
	Sessions    *SessionStore
	Factors     *SecondFactorStore
	Invitations *InvitationStore
	Credentials *CredentialStore
	Hasher      *Hasher
	Mailer      Mailer // nil: no mail is sent
	PublicURL   string // the server's address for people; may be empty
	Now         func() time.Time
	Meter       *limit.Meter // counts refusals; nil: they are not counted
	// MinPasswordLength is the least length of passwords, in characters; 0: PasswordMin.
	MinPasswordLength int
}

// NewPeople makes a People.
func NewPeople(p PeopleDeps) *People {
	p.MinPasswordLength = max(p.MinPasswordLength, PasswordMin)
	return &People{p, limit.NewSlidingWindows[tenant.ID](
		limit.Options{Name: "invitation_mails", MaxKeys: 10_000, Now: p.Now, Meter: p.Meter},
		invitationMailsPerHour, time.Hour,
	)}
}

// PeopleFilter chooses people; empty fields choose all.
type PeopleFilter struct {
	Text  string // part of user name, nickname or email address, in any case
	Role  Role
	State UserState
}

func (f PeopleFilter) matches(u *User) bool {
	part := text.Fold(strings.TrimSpace(f.Text))
	return (f.Role == "" || u.Role == f.Role) && (f.State == "" || u.State() == f.State) &&
		(strings.Contains(text.Fold(u.UserName), part) || strings.Contains(text.Fold(u.Nickname), part) ||
			strings.Contains(text.Fold(u.Email), part))
}

// PeoplePage is a part of a tenant's people, ordered by user name.
type PeoplePage struct {
	List                 []*User
	Total                int           // how many match in all
	Owners               int           // how many owners can sign in, whether they match or not
	Credentials          map[int64]int // how many credentials each user has; none: left out
	SecondFactorRequired bool
	Mail                 bool // whether invitations can go by mail
}

// Page gives up to limit of a tenant's people from offset on.
func (p *People) Page(
	ctx context.Context,
	t tenant.ID,
	f PeopleFilter,
	offset, limit int64,
) (PeoplePage, error) {
	found, err := p.manageable(ctx, t)
	if err != nil {
		return PeoplePage{}, err
	}
	all, err := p.Users.List(ctx, t)
	if err != nil {
		return PeoplePage{}, err
	}
	credentials, err := p.Credentials.countByUser(ctx, t)
	if err != nil {
		return PeoplePage{}, err
	}
	page := PeoplePage{
		SecondFactorRequired: found.SecondFactorRequired, Mail: p.canMail(found), Credentials: credentials,
	}
	for _, u := range all {
		if u.isActiveOwner() {
			page.Owners++
		}
		if f.matches(u) {
			if n := int64(page.Total); n >= offset && n < offset+limit {
				page.List = append(page.List, u)
			}
			page.Total++
		}
	}
	return page, nil
}

// manageable gives a tenant whose people its owners change; it refuses (601) another.
func (p *People) manageable(ctx context.Context, t tenant.ID) (*tenant.Tenant, error) {
	found, err := p.Tenants.Get(ctx, t)
	if err == nil && found.PeopleByProvider {
		err = errs.New(errs.Refused, "people.byProvider")
	}
	return found, err
}

// PersonChange is what an owner changes of a person; a nil field stays.
type PersonChange struct {
	Role     *string
	Language *string
	Enabled  *bool
}

// Change changes a tenant's person. A role holds from the person's next call; sessions of somebody
// who is disabled end.
func (p *People) Change(ctx context.Context, t tenant.ID, id int64, c PersonChange) error {
	return p.change(ctx, t, id, "change person", func(ctx context.Context, u *User) error {
		before := *u
		if err := c.applyTo(u); err != nil {
			return err
		}
		changes := personChanges(&before, u)
		if len(changes) == 0 {
			return nil
		}
		if err := p.Users.Update(ctx, t, u); err != nil {
			return err
		}
		if u.DisabledByOwner && !before.DisabledByOwner {
			if err := p.Sessions.EndUser(ctx, t, id); err != nil {
				return err
			}
		}
		return auditUser(ctx, u, "user.update", changes...)
	})
}

func (c PersonChange) applyTo(u *User) error {
	if c.Role != nil {
		if !IsRole(*c.Role) {
			return errs.New(errs.Refused, "invalid.choice").WithField("role")
		}
		if u.Role != Role(*c.Role) {
			if u.RoleFrom == RoleFromSignIn {
				return errs.New(errs.Refused, "people.roleFromSignIn").WithField("role")
			}
			u.Role, u.RoleFrom = Role(*c.Role), RoleFromOwner
		}
	}
	if c.Language != nil {
		var err error
		if u.Language, err = parseLanguage(*c.Language); err != nil {
			return err
		}
	}
	if c.Enabled != nil {
		u.DisabledByOwner = !*c.Enabled
	}
	return nil
}

// parseLanguage reads a language that a person chose; empty: the tenant's.
func parseLanguage(typed string) (text.Language, error) {
	l := text.Language(strings.TrimSpace(typed))
	if l != "" && !l.Valid() {
		return "", errs.New(errs.Refused, "invalid.choice").WithField("language")
	}
	return l, nil
}

func personChanges(before, after *User) (changes []audit.Change) {
	for _, c := range []audit.Change{
		{Field: "role", Before: string(before.Role), After: string(after.Role)},
		{Field: "language", Before: string(before.Language), After: string(after.Language)},
		{Field: "disabled", Before: before.DisabledByOwner, After: after.DisabledByOwner},
	} {
		if c.Before != c.After {
			changes = append(changes, c)
		}
	}
	return changes
}

// EndSessions signs a person of the tenant out everywhere.
func (p *People) EndSessions(ctx context.Context, t tenant.ID, id int64) error {
	return p.change(ctx, t, id, "end sessions of person", func(ctx context.Context, u *User) error {
		if err := p.Sessions.EndUser(ctx, t, id); err != nil {
			return err
		}
		return auditUser(ctx, u, "user.endSessions")
	})
}

// Delete removes a person of the tenant, but none that the provider's file made: applying the file
// would make them again, with the file's password.
func (p *People) Delete(ctx context.Context, t tenant.ID, id int64) error {
	return p.change(ctx, t, id, "delete person", func(ctx context.Context, u *User) error {
		if !u.MadeHere {
			return errs.New(errs.Refused, "people.fromFile")
		}
		if err := p.Sessions.EndUser(ctx, t, id); err != nil {
			return err
		}
		if err := p.Users.Delete(ctx, t, id); err != nil {
			return err
		}
		return auditUser(ctx, u, "user.delete")
	})
}

// change changes a person in one transaction. It refuses (601) what leaves the tenant without an
// owner who can sign in, in whatever order two owners act: one transaction writes at a time.
func (p *People) change(
	ctx context.Context,
	t tenant.ID,
	id int64,
	operation string,
	do func(ctx context.Context, u *User) error,
) error {
	if _, err := p.manageable(ctx, t); err != nil {
		return err
	}
	err := p.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := p.Users.Get(ctx, t, id)
		if err != nil {
			return err
		}
		wasOwner := u.isActiveOwner()
		if err := do(ctx, u); err != nil || !wasOwner {
			return err
		}
		people, err := p.Users.List(ctx, t)
		if err != nil {
			return err
		}
		for _, other := range people {
			if other.isActiveOwner() {
				return nil
			}
		}
		return errs.New(errs.Refused, "people.lastOwner")
	})
	return wrap(operation, err)
}

// countPeople gives how many users a tenant has.
func (p *People) countPeople(ctx context.Context, t tenant.ID) (int, error) {
	people, err := p.Users.List(ctx, t)
	return len(people), err
}

func tooManyPeople() error {
	return errs.New(errs.Refused, "people.tooMany", "limit", strconv.Itoa(MaxPeople))
}
