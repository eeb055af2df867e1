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

// denials are the errors with which an issuer says that it did not let the person through.
var denials = []string{
	"access_denied", "consent_required", "interaction_required", "login_required", "account_selection_required",
}

// Callback takes an issuer's response. It gives a ticket, which the browser that began the sign-in
// exchanges for a session, and the path to which the person goes then; or why there is none.
func (s *SignOn) Callback(ctx context.Context, r SignOnResponse) (ticket, returnPath string, why SignOnFailure) {
	a, err := s.store.takeAttempt(ctx, r.State)
	switch {
	case err != nil:
		return "", "", s.failed(ctx, "callback", 0, err)
	case a == nil:
		return "", "", SignOnExpired
	}
	ticket, why, err = s.answer(ctx, a, r)
	if err != nil {
		why = s.failed(ctx, "callback", a.TenantID, err)
	}
	return ticket, a.ReturnPath, why
}

func (s *SignOn) answer(ctx context.Context, a *attemptRow, r SignOnResponse) (string, SignOnFailure, error) {
	conn, err := s.Connections.Of(ctx, a.TenantID)
	if err != nil {
		return "", "", err
	}
	if conn == nil || conn.Issuer != a.Issuer || conn.ClientID != a.ClientID {
		return "", "", errors.New("the tenant's issuer was changed meanwhile")
	}
	if err := s.Issuers.CheckResponse(ctx, conn.Connection, r.Issuer); err != nil {
		return "", "", err
	}
	switch {
	case slices.Contains(denials, r.Error):
		return "", SignOnDenied, nil
	case r.Error != "":
		return "", "", fmt.Errorf("the issuer answers %.60q", r.Error)
	case r.Code == "":
		return "", "", errors.New("the issuer gave no code")
	}
	verifier, err := s.Connections.vault.open(a.TenantID, a.Verifier)
	if err != nil {
		return "", "", err
	}
	id, err := s.Issuers.Exchange(ctx, conn.Connection, r.Code, oidc.Request{
		RedirectURL: a.RedirectURL, Nonce: a.Nonce, Verifier: string(verifier),
	})
	if err != nil {
		return "", "", err
	}
	if err := s.complete(ctx, a, conn, id); err != nil {
		return "", "", err
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
func (s *SignOn) issueTicket(
	ctx context.Context,
	a *attemptRow,
	conn *Connection,
	id *oidc.Identity,
) (ticket string, why SignOnFailure, err error) {
	role, ok := conn.role(id.Claims)
	if !ok {
		return "", SignOnNoRole, nil
	}
	tokens, err := s.Connections.vault.sealTokens(a.TenantID, id.Tokens)
	if err != nil {
		return "", "", err
	}
	if ticket, err = newToken(); err != nil {
		return "", "", err
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		var user int64
		if a.UserID != 0 {
			user, why, err = s.linkingUser(ctx, a, id)
		} else {
			user, why, err = s.userOf(ctx, a.TenantID, conn, id, role)
		}
		if err != nil || why != "" {
			return err
		}
		return s.store.putTicket(ctx, &signOnTicketRow{
			TokenHash: hashToken(ticket), TenantID: a.TenantID, UserID: user, Binding: a.Binding, Issuer: id.Issuer,
			ClientID: a.ClientID, Subject: id.Subject, Sid: id.SessionID, Role: role, Tokens: tokens,
			SessionID: a.SessionID, ExpireTime: s.Now().Add(ticketLife).UnixMilli(),
		})
	})
	if err != nil || why != "" {
		return "", why, wrap("sign in at issuer", err)
	}
	return ticket, "", nil
}

// linkingUser gives the user who links an account, if it is no other user's.
func (s *SignOn) linkingUser(ctx context.Context, a *attemptRow, id *oidc.Identity) (int64, SignOnFailure, error) {
	other, err := s.store.linkedUser(ctx, a.TenantID, id.Issuer, id.Subject)
	if err != nil {
		return 0, "", err
	}
	if other != 0 && other != a.UserID {
		return 0, SignOnAmbiguous, nil
	}
	u, err := s.Users.Get(ctx, a.TenantID, a.UserID)
	if errs.Is(err, errs.NotFound) {
		return 0, SignOnUnknown, nil
	}
	if err == nil && u.State() != UserActive {
		return 0, SignOnDisabled, nil
	}
	return a.UserID, "", err
}

// userOf gives the tenant's user who a person at the issuer is: the linked one; else the one whose
// confirmed address the issuer vouches for; else a new one, by an invitation to that address, or
// because the tenant's issuer may create users.
func (s *SignOn) userOf(
	ctx context.Context,
	t tenant.ID,
	conn *Connection,
	id *oidc.Identity,
	role Role,
) (int64, SignOnFailure, error) {
	linked, err := s.store.linkedUser(ctx, t, id.Issuer, id.Subject)
	if err != nil {
		return 0, "", err
	}
	if linked != 0 {
		u, err := s.Users.Get(ctx, t, linked)
		if err == nil && u.State() != UserActive {
			return 0, SignOnDisabled, nil
		}
		return linked, "", err
	}
	address, verified := id.Claims.Email()
	switch {
	case address == "":
	case !isIssuedEmail(address): // "a@evil.example@field.example" is nobody's address
		return 0, SignOnUnverified, nil
	case verified:
		u, why, err := s.confirmedUser(ctx, t, id.Issuer, address)
		if err != nil || why != "" {
			return 0, why, err
		}
		if u != nil {
			return u.ID, "", s.link(ctx, u, conn, id)
		}
	default: // it says nothing about who the person is
		expected, err := s.isExpected(ctx, t, address)
		if err != nil || expected {
			return 0, SignOnUnverified, err
		}
		address = ""
	}
	u, err := s.newUser(ctx, t, conn, id, address, role)
	switch {
	case err != nil:
		return 0, "", err
	case u != nil:
		return u.ID, "", s.link(ctx, u, conn, id)
	case address == "":
		return 0, SignOnUnverified, nil
	}
	return 0, SignOnUnknown, nil
}

// confirmedUser gives the one user of a tenant whose confirmed address it is; nil: there is none. A
// user who has another account at the issuer is not taken: issuers give addresses to new people.
func (s *SignOn) confirmedUser(
	ctx context.Context,
	t tenant.ID,
	issuer, address string,
) (*User, SignOnFailure, error) {
	people, err := s.Users.WithContacts(ctx, t, []string{address})
	if err != nil {
		return nil, "", err
	}
	people = slices.DeleteFunc(
		people,
		func(u *User) bool { return !u.EmailConfirmed || !equalAddress(u.Email, address) },
	)
	switch {
	case len(people) == 0:
		return nil, "", nil
	case len(people) > 1:
		return nil, SignOnAmbiguous, nil
	case people[0].State() != UserActive:
		return nil, SignOnDisabled, nil
	}
	taken, err := s.store.isLinked(ctx, t, people[0].ID, issuer)
	if err == nil && taken {
		return nil, SignOnAmbiguous, nil
	}
	return people[0], "", err
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
