package identity

import (
	"context"
	"net/netip"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// InvitationForm is what an owner chooses for an invitation.
type InvitationForm struct {
	Email    string // needed with Mail
	Role     string
	Nickname string
	Language string // empty: the tenant's
	Mail     bool   // the link goes to Email; else Invite gives it
}

// Invite invites a person to the caller's tenant. It gives the link only where no mail is sent. It
// refuses (NotConfigured) mail that is not set up, and (TooMany) too many mails in an hour.
func (p *People) Invite(ctx context.Context, c Caller, f InvitationForm) (*Invitation, string, error) {
	t, err := p.manageable(ctx, c.Tenant)
	if err != nil {
		return nil, "", err
	}
	i, err := f.parse()
	if err != nil {
		return nil, "", err
	}
	return p.send(ctx, c, t, i, "invitation.create")
}

func (f InvitationForm) parse() (*Invitation, error) {
	i := &Invitation{Role: Role(f.Role), Mailed: f.Mail}
	var err error
	if f.Mail || strings.TrimSpace(f.Email) != "" {
		if i.Email, err = parseEmail(f.Email); err != nil {
			return nil, err
		}
	}
	if !IsRole(f.Role) {
		return nil, errs.New(errs.Refused, "invalid.choice").WithField("role")
	}
	if i.Nickname, err = tenant.ParseLine(f.Nickname, "nickname", tenant.MaxNameLength); err != nil {
		return nil, err
	}
	i.Language, err = parseLanguage(f.Language)
	return i, err
}

// Resend gives an invitation of the caller's tenant a new link, in the way of the first one. The
// invitation is the caller's from then on: one that was withdrawn holds again.
func (p *People) Resend(ctx context.Context, c Caller, id int64) (*Invitation, string, error) {
	t, err := p.manageable(ctx, c.Tenant)
	if err != nil {
		return nil, "", err
	}
	i, err := p.Invitations.Get(ctx, c.Tenant, id)
	if err != nil {
		return nil, "", err
	}
	return p.send(ctx, c, t, i, "invitation.update")
}

// canMail tells whether a tenant's invitations can go by mail, which needs an address for their links.
func (p *People) canMail(t *tenant.Tenant) bool {
	return p.Mailer != nil && t.BaseURL(p.PublicURL) != ""
}

// send stores an invitation with a new token. It mails the link, or gives it.
func (p *People) send(
	ctx context.Context,
	c Caller,
	t *tenant.Tenant,
	i *Invitation,
	action string,
) (_ *Invitation, link string, err error) {
	base := t.BaseURL(p.PublicURL)
	if i.Mailed && !p.canMail(t) {
		return nil, "", errs.New(errs.NotConfigured, "people.mailOff")
	}
	err = p.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		inviter, err := p.Users.Get(ctx, t.ID, c.User)
		if err != nil {
			return err
		}
		i.InvitedBy, i.Inviter, i.Withdrawn = inviter.Name(), inviter.ID, ""
		if err := p.checkRoom(ctx, i, t.ID); err != nil {
			return err
		}
		if i.Mailed {
			if wait := p.mails.Allow(t.ID).Retry; wait > 0 {
				return errs.New(errs.TooMany, "error.429").RetryAfter(wait)
			}
		}
		token, err := p.Invitations.put(ctx, t.ID, i)
		if err != nil {
			return err
		}
		link = base + "/invitation#" + token
		if i.Mailed {
			email := newInvitationEmail(t, i, link)
			p.DB.AfterCommit(ctx, func() { p.Mailer.Enqueue(*email) })
			link = ""
		}
		return auditInvitation(ctx, i, action)
	})
	if err != nil {
		return nil, "", wrap("send invitation", err)
	}
	return i, link, nil
}

// checkRoom refuses (601) an invitation beyond the limits, and a second one to an address.
func (p *People) checkRoom(ctx context.Context, i *Invitation, t tenant.ID) error {
	people, err := p.countPeople(ctx, t)
	if err != nil {
		return err
	}
	if people >= MaxPeople {
		return tooManyPeople()
	}
	open, err := p.Invitations.open(ctx, t, i.ID)
	if err != nil {
		return err
	}
	if open >= maxOpenInvitations {
		return errs.New(errs.Refused, "invitation.tooMany", "limit", strconv.Itoa(maxOpenInvitations))
	}
	if i.ID != 0 || i.Email == "" {
		return nil
	}
	invited, err := p.Invitations.isInvited(ctx, t, i.Email)
	if err == nil && invited {
		err = errs.New(errs.Refused, "invitation.again").WithField("email")
	}
	return err
}

// PageInvitations gives up to limit of a tenant's invitations from offset on, newest first, and how
// many there are in all.
func (p *People) PageInvitations(
	ctx context.Context,
	t tenant.ID,
	offset, limit int64,
) ([]*Invitation, int64, error) {
	if _, err := p.manageable(ctx, t); err != nil {
		return nil, 0, err
	}
	return p.Invitations.Page(ctx, t, offset, limit)
}

// TakeBack removes an invitation of a tenant.
func (p *People) TakeBack(ctx context.Context, t tenant.ID, id int64) error {
	if _, err := p.manageable(ctx, t); err != nil {
		return err
	}
	err := p.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		i, err := p.Invitations.Get(ctx, t, id)
		if err != nil {
			return err
		}
		if err := p.Invitations.Delete(ctx, t, id); err != nil {
			return err
		}
		return auditInvitation(ctx, i, "invitation.delete")
	})
	return wrap("take invitation back", err)
}

func auditInvitation(ctx context.Context, i *Invitation, action string) error {
	name := i.Nickname
	if name == "" {
		name = maskUnlessEmpty(i.Email, MaskedEmail)
	}
	return audit.Log(ctx, i.Tenant, audit.Action{
		Name: action, Thing: audit.Thing{ID: i.ID, Name: name},
		Changes: []audit.Change{{Field: "role", After: string(i.Role)}},
	})
}

// Offer gives the invitation of a link, with its tenant.
func (p *People) Offer(ctx context.Context, token string) (*Invitation, *tenant.Tenant, error) {
	i, err := p.Invitations.ByToken(ctx, token)
	if err != nil {
		return nil, nil, err
	}
	t, err := p.manageable(ctx, i.Tenant)
	if errs.Is(err, errs.Refused) {
		err = deadInvitation() // the provider has taken the people over since
	}
	return i, t, err
}

// Acceptance is what an invited person chooses.
type Acceptance struct {
	Token    string
	UserName string
	Password string
	Nickname string     // empty: the invitation's, else UserName
	Address  netip.Addr // of the client
}

// Accept makes the user of an invitation and signs them in. A refusal leaves the token as it is.
func (p *People) Accept(ctx context.Context, a Acceptance) (TokenPair, error) {
	i, t, err := p.Offer(ctx, a.Token)
	if err != nil {
		return TokenPair{}, err
	}
	u, err := a.user(i)
	if err != nil {
		return TokenPair{}, err
	}
	if err := checkPassword(a.Password, p.MinPasswordLength); err != nil {
		return TokenPair{}, err
	}
	if err := p.checkUserName(ctx, t.ID, u.UserName); err != nil {
		return TokenPair{}, err
	}
	from := Subnet.Of(a.Address)
	hash, err := p.Hasher.Hash(
		ctx,
		Requester{Subnet: from, Known: true, Account: accountKey(t.ID, u.UserName)},
		a.Password,
	)
	if err != nil {
		return TokenPair{}, err
	}
	var pair TokenPair
	err = p.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		// While the password was hashed, the token may have been used and the name taken.
		if _, _, err := p.Offer(ctx, a.Token); err != nil {
			return err
		}
		if err := p.checkUserName(ctx, t.ID, u.UserName); err != nil {
			return err
		}
		if n, err := p.countPeople(ctx, t.ID); err != nil || n >= MaxPeople {
			return firstOf(err, tooManyPeople())
		}
		if err := p.Users.Create(ctx, t.ID, u, hash); err != nil {
			return err
		}
		if err := p.Invitations.Delete(ctx, t.ID, i.ID); err != nil {
			return err
		}
		if pair, err = p.Sessions.Start(ctx, t.ID, u.ID, false); err != nil {
			return err
		}
		if err := p.Users.rememberNetwork(ctx, t.ID, u.ID, from.String()); err != nil {
			return err
		}
		return auditUser(asUser(ctx, u), u, "user.create", audit.Change{Field: "role", After: string(u.Role)})
	})
	return pair, wrap("accept invitation", err)
}

// user gives the user that an acceptance of i makes.
func (a Acceptance) user(i *Invitation) (*User, error) {
	userName := strings.TrimSpace(a.UserName)
	if !IsUserName(userName) {
		return nil, errs.New(errs.Refused, "people.userName", "limit", strconv.Itoa(tenant.MaxNameLength)).
			WithField("userName")
	}
	nickname, err := tenant.ParseLine(a.Nickname, "nickname", tenant.MaxNameLength)
	if err != nil {
		return nil, err
	}
	for _, other := range []string{i.Nickname, userName} {
		if nickname == "" {
			nickname = other
		}
	}
	return &User{
		UserName: userName, Nickname: nickname, Email: i.Email, Role: i.Role, RoleFrom: RoleFromOwner,
		Language: i.Language, MadeHere: true, EmailConfirmed: i.Mailed,
	}, nil
}

func (p *People) checkUserName(ctx context.Context, t tenant.ID, userName string) error {
	_, err := p.Users.ByName(ctx, t, userName)
	switch {
	case err == nil:
		return errs.New(errs.Refused, "people.userNameTaken").WithField("userName")
	case errs.Is(err, errs.NotFound):
		return nil
	}
	return err
}
