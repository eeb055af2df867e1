package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// SignOnResponse is what an issuer sends back with the browser.
type SignOnResponse struct {
	State  string
	Code   string
	Error  string // empty: the issuer let the person through
	Issuer string // the issuer that says it answers; may be empty
}

var errIssuerChanged = errors.New("the tenant's issuer was changed meanwhile")

// denials are the errors with which an issuer says that it did not let the person through.
var denials = []string{
	"access_denied", "consent_required", "interaction_required", "login_required", "account_selection_required",
}

// Callback takes an issuer's response. It gives a ticket, which the browser that began the sign-in
// exchanges for a session, and the path to which the person goes then; or why there is none.
func (s *SignOn) Callback(ctx context.Context, r SignOnResponse) (ticket, returnPath string, why SignOnFailure) {
	a, err := s.store.takeAttempt(ctx, r.State)
	if err == nil && a == nil {
		err = refused(SignOnExpired, "no sign-in with this state is under way: it took more than 10 minutes, "+
			"or the issuer's answer came before")
	}
	if err != nil {
		return "", "", s.failed(ctx, "callback", 0, err)
	}
	if ticket, err = s.answer(ctx, a, r); err != nil {
		why = s.failed(ctx, "callback", a.TenantID, err)
	}
	return ticket, a.ReturnPath, why
}

func (s *SignOn) answer(ctx context.Context, a *attemptRow, r SignOnResponse) (ticket string, err error) {
	conn, err := s.Connections.Of(ctx, a.TenantID)
	if err != nil {
		return "", err
	}
	if conn == nil || conn.Issuer != a.Issuer || conn.ClientID != a.ClientID {
		return "", errIssuerChanged
	}
	if err := s.Issuers.CheckResponse(ctx, conn.Connection, r.Issuer); err != nil {
		return "", err
	}
	switch {
	case slices.Contains(denials, r.Error):
		return "", refused(SignOnDenied, fmt.Sprintf("the issuer answers %q", r.Error))
	case r.Error != "":
		return "", fmt.Errorf("the issuer answers %.60q", r.Error)
	case r.Code == "":
		return "", errors.New("the issuer gave no code")
	}
	verifier, err := s.Connections.vault.open(a.TenantID, a.Verifier)
	if err != nil {
		return "", err
	}
	id, err := s.Issuers.Exchange(ctx, conn.Connection, r.Code, oidc.Request{
		RedirectURL: a.RedirectURL, Nonce: a.Nonce, Verifier: string(verifier),
	})
	if err != nil {
		return "", err
	}
	if err := s.complete(ctx, a, conn, id); err != nil {
		return "", err
	}
	return s.issueTicket(ctx, a, conn, id)
}

// complete asks the issuer for what an ID token lacks and the sign-in needs: the claim that gives the
// role, and the address of a person whom the tenant does not know yet.
func (s *SignOn) complete(ctx context.Context, a *attemptRow, conn *Connection, id *oidc.Identity) error {
	_, hasRole := id.Claims.Values(conn.RoleClaim)
	needed := conn.RoleClaim != "" && !hasRole
	if !needed && a.UserID == 0 && !id.Claims.HasEmail() {
		linked, err := s.store.linkedUser(ctx, a.TenantID, id.Issuer, id.Subject)
		if err != nil {
			return err
		}
		needed = linked == 0
	}
	if !needed {
		return nil
	}
	return s.Issuers.UserInfo(ctx, conn.Connection, id)
}

// issueTicket makes a ticket for the user who the person at the issuer is.
func (s *SignOn) issueTicket(ctx context.Context, a *attemptRow, conn *Connection, id *oidc.Identity) (string, error) {
	role, err := s.roleOf(a.TenantID, conn, id.Claims)
	if err != nil {
		return "", err
	}
	tokens, err := s.Connections.vault.sealTokens(a.TenantID, id.Tokens)
	if err != nil {
		return "", err
	}
	ticket, err := newToken()
	if err != nil {
		return "", err
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		user := a.UserID
		if user != 0 {
			err = s.mayLink(ctx, a, id)
		} else {
			user, err = s.userOf(ctx, a.TenantID, conn, id, role)
		}
		if err != nil {
			return err
		}
		return s.store.putTicket(ctx, &signOnTicketRow{
			TokenHash: hashToken(ticket), TenantID: a.TenantID, UserID: user, Binding: a.Binding, Issuer: id.Issuer,
			ClientID: a.ClientID, Subject: id.Subject, Sid: id.SessionID, Role: role, Tokens: tokens,
			SessionID: a.SessionID, ExpireTime: s.Now().Add(ticketLife).UnixMilli(),
		})
	})
	if err != nil {
		return "", wrap("sign in at issuer", err)
	}
	return ticket, nil
}

// roleOf gives the role that an issuer's claims give; a refusal: they give none.
func (s *SignOn) roleOf(t tenant.ID, conn *Connection, claims oidc.Claims) (Role, error) {
	role, ok := conn.role(claims)
	switch leftOut := claims.LeavesOut(conn.RoleClaim); {
	case !ok && leftOut:
		return "", refused(SignOnNoRole, fmt.Sprintf("%s %q, and there is no defaultRole", leavesOut, conn.RoleClaim))
	case !ok:
		return "", refused(SignOnNoRole, fmt.Sprintf("no value of the claim %q has a role, and there is no defaultRole",
			conn.RoleClaim))
	case leftOut:
		s.warn("a sign-in at an issuer gives the default role", t, fmt.Sprintf("%s %q", leavesOut, conn.RoleClaim))
	}
	return role, nil
}

const leavesOut = "the person has so many values that the issuer leaves out the claim"

// mayLink refuses to link an account of another user's, or for a user who is shut out.
func (s *SignOn) mayLink(ctx context.Context, a *attemptRow, id *oidc.Identity) error {
	other, err := s.store.linkedUser(ctx, a.TenantID, id.Issuer, id.Subject)
	if err != nil {
		return err
	}
	if other != 0 && other != a.UserID {
		return refused(SignOnAmbiguous, "the account at the issuer is another user's")
	}
	u, err := s.Users.Get(ctx, a.TenantID, a.UserID)
	if errs.Is(err, errs.NotFound) {
		return refused(SignOnUnknown, "the user who links the account was deleted meanwhile")
	}
	if err == nil && u.State() != UserActive {
		return errShutOut
	}
	return err
}

var errShutOut = refused(SignOnDisabled, "the user is disabled or shut out")

// userOf gives the tenant's user who a person at the issuer is: the linked one; else the one whose
// confirmed address the issuer vouches for; else a new one, by an invitation to that address, or
// because the tenant's issuer may create users.
func (s *SignOn) userOf(
	ctx context.Context,
	t tenant.ID,
	conn *Connection,
	id *oidc.Identity,
	role Role,
) (int64, error) {
	linked, err := s.store.linkedUser(ctx, t, id.Issuer, id.Subject)
	if err != nil {
		return 0, err
	}
	if linked != 0 {
		u, err := s.Users.Get(ctx, t, linked)
		if err == nil && u.State() != UserActive {
			err = errShutOut
		}
		return linked, err
	}
	address, verified := id.Claims.Email()
	switch {
	case address == "":
	case !isIssuedEmail(address): // "a@evil.example@field.example" is nobody's address
		return 0, refused(SignOnUnverified, "what the issuer gives as the person's address is none")
	case verified:
		u, err := s.confirmedUser(ctx, t, id.Issuer, address)
		if err != nil {
			return 0, err
		}
		if u != nil {
			return u.ID, s.link(ctx, u, conn, id)
		}
	default: // it says nothing about who the person is
		expected, err := s.isExpected(ctx, t, address)
		if err != nil {
			return 0, err
		}
		if expected {
			return 0, refused(SignOnUnverified,
				"the issuer does not vouch for the person's address, which is that of a user or an invitation")
		}
		address = ""
	}
	u, err := s.newUser(ctx, t, conn, id, address, role)
	switch {
	case err != nil:
		return 0, err
	case u != nil:
		return u.ID, s.link(ctx, u, conn, id)
	case address == "":
		return 0, refused(SignOnUnverified,
			"the issuer vouches for no address of the person, who is linked to no user and may not become one without")
	}
	return 0, refused(SignOnUnknown, "the person is linked to no user, none has confirmed the person's address, "+
		"no invitation is open to it, and create and domains do not let it in")
}

// confirmedUser gives the one user of a tenant whose confirmed address it is; nil: there is none. A
// user who has another account at the issuer is not taken: issuers give addresses to new people.
func (s *SignOn) confirmedUser(ctx context.Context, t tenant.ID, issuer, address string) (*User, error) {
	people, err := s.Users.WithContacts(ctx, t, []string{address})
	if err != nil {
		return nil, err
	}
	people = slices.DeleteFunc(
		people,
		func(u *User) bool { return !u.EmailConfirmed || !equalAddress(u.Email, address) },
	)
	switch {
	case len(people) == 0:
		return nil, nil
	case len(people) > 1:
		return nil, refused(SignOnAmbiguous, "several users have confirmed the person's address")
	case people[0].State() != UserActive:
		return nil, errShutOut
	}
	taken, err := s.store.isLinked(ctx, t, people[0].ID, issuer)
	if err == nil && taken {
		err = refused(SignOnAmbiguous, "the user with the person's address has another account at the issuer")
	}
	return people[0], err
}

// isExpected tells whether a user or an open invitation of a tenant has an address: whoever has it
// would get a second account without the issuer's word for it.
func (s *SignOn) isExpected(ctx context.Context, t tenant.ID, address string) (bool, error) {
	people, err := s.Users.WithContacts(ctx, t, []string{address})
	if err != nil || len(people) > 0 {
		return len(people) > 0, err
	}
	return s.Invitations.isInvited(ctx, t, address)
}

// link records that a person at the issuer is a user, in place of an earlier account there.
func (s *SignOn) link(ctx context.Context, u *User, conn *Connection, id *oidc.Identity) error {
	if err := s.store.unlink(ctx, u.Tenant, u.ID, id.Issuer); err != nil {
		return err
	}
	err := s.store.putLink(ctx, &linkRow{
		TenantID: u.Tenant, Issuer: id.Issuer, Subject: id.Subject, UserID: u.ID, CreateTime: s.Now().UnixMilli(),
	})
	if err != nil {
		return err
	}
	return auditUser(asUser(ctx, u), u, "user.update", audit.Change{Field: "signOn", After: conn.Name()})
}
