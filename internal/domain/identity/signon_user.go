package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/text"
)

// maxSameNames is how many people of a tenant may be called alike at their issuer.
const maxSameNames = 1000

func equalAddress(a, b string) bool { return text.FoldASCII(a) == text.FoldASCII(b) }

// newUser makes a user of a person whom the tenant does not have: by an open invitation to the
// address, else because the tenant's issuer may create users. nil: neither lets the person in.
// address is one that the issuer vouches for; empty: it does for none. role is the issuer's; empty:
// Tilth's own counts.
func (s *SignOn) newUser(
	ctx context.Context,
	t tenant.ID,
	conn *Connection,
	id *oidc.Identity,
	address string,
	role Role,
) (*User, error) {
	u := &User{Email: address, MadeHere: true, Role: role, RoleFrom: RoleFromSignIn}
	if role == "" {
		u.RoleFrom = RoleFromOwner
	}
	invitation, err := s.openInvitation(ctx, t, address)
	switch {
	case err != nil:
		return nil, err
	case invitation != nil:
		u.Nickname, u.Language, u.EmailConfirmed = invitation.Nickname, invitation.Language, invitation.Mailed
		if role == "" {
			u.Role = invitation.Role
		}
	case !conn.admits(address):
		return nil, nil
	case role == "":
		u.Role = conn.DefaultRole
		if u.Role == "" {
			u.Role = Viewer
		}
	}
	people, err := s.Users.List(ctx, t)
	if err != nil {
		return nil, err
	}
	if len(people) >= MaxPeople {
		return nil, errors.New("the tenant has as many people as it may have")
	}
	if u.UserName, err = freeUserName(people, id.Claims, address); err != nil {
		return nil, err
	}
	for _, name := range []string{id.Claims.Text("name"), u.UserName} {
		if u.Nickname == "" {
			u.Nickname = printable(name, false)
		}
	}
	// Without a password: the user signs in at the issuer.
	if err := s.Users.Create(ctx, t, u, ""); err != nil {
		return nil, err
	}
	if invitation != nil {
		if err := s.Invitations.Delete(ctx, t, invitation.ID); err != nil {
			return nil, err
		}
	}
	return u, auditUser(asUser(ctx, u), u, "user.create", audit.Change{Field: "role", After: string(u.Role)})
}

// openInvitation gives the invitation of a tenant to an address; nil: there is none that holds.
func (s *SignOn) openInvitation(ctx context.Context, t tenant.ID, address string) (*Invitation, error) {
	if address == "" {
		return nil, nil
	}
	found, err := s.Tenants.Get(ctx, t)
	if err != nil || found.PeopleByProvider { // links of invitations do not hold there either
		return nil, err
	}
	return s.Invitations.to(ctx, t, address)
}

// to gives a tenant's open invitation to an address, in any case of its Latin letters; nil: there is
// none.
func (s *InvitationStore) to(ctx context.Context, t tenant.ID, email string) (*Invitation, error) {
	var r invitationRow
	err := s.findOpen(ctx, t, &r).Where("lower(i.email) = ?", text.FoldASCII(email)).
		OrderExpr("i.id DESC").Limit(1).Scan(ctx)
	if db.IsMissing(err) {
		return nil, nil
	}
	return r.invitation(), wrap("find invitation", err)
}

// freeUserName gives a user name that none of the people has: as the issuer names the person, else
// as the address does.
func freeUserName(people []*User, claims oidc.Claims, address string) (string, error) {
	taken := make(map[string]bool, len(people))
	for _, u := range people {
		taken[text.FoldASCII(u.UserName)] = true
	}
	name := ""
	for _, proposed := range []string{claims.Text("preferred_username"), address, "user"} {
		proposed, _, _ = strings.Cut(proposed, "@")
		if proposed = printable(proposed, true); name == "" && IsUserName(proposed) {
			name = proposed
		}
	}
	for n := 1; n <= maxSameNames; n++ {
		free := name
		if n > 1 {
			free = fmt.Sprintf("%s-%d", name, n)
		}
		if !taken[text.FoldASCII(free)] {
			return free, nil
		}
	}
	return "", fmt.Errorf("no user name is free: %d people are called alike", maxSameNames)
}

// printable drops from a name what names must not have, and shortens it so that a number fits
// behind it.
func printable(name string, asWord bool) string {
	kept := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || asWord && unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "")))
	return strings.TrimSpace(string(kept[:min(len(kept), tenant.MaxNameLength-len("-1000"))]))
}

// setRole gives a user the role that the issuer's claims give, and fixes it; empty: Tilth's own
// counts, and nothing changes.
func (s *SignOn) setRole(ctx context.Context, t tenant.ID, user int64, role Role) error {
	if role == "" {
		return nil
	}
	u, err := s.Users.Get(ctx, t, user)
	if err != nil || u.Role == role && u.RoleFrom == RoleFromSignIn {
		return err
	}
	before := *u
	u.Role, u.RoleFrom = role, RoleFromSignIn
	if err := s.Users.Update(ctx, t, u); err != nil {
		return err
	}
	changes := personChanges(&before, u)
	if len(changes) == 0 {
		return nil
	}
	return auditUser(audit.WithActor(ctx, audit.Server, 0, ""), u, "user.update", changes...)
}
