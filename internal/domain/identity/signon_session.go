package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// SignOnGrace is how long a session is renewed while its issuer cannot be reached.
const SignOnGrace = time.Hour

// OpenSession exchanges a ticket for a session. binding is the secret of the browser that began the
// sign-in; a ticket that comes with another one is used up.
func (s *SignOn) OpenSession(ctx context.Context, ticket, binding string, address netip.Addr) (TokenPair, error) {
	k, err := s.store.takeTicket(ctx, ticket)
	if err != nil {
		return TokenPair{}, err
	}
	if k == nil {
		k, err = &signOnTicketRow{}, dead("there is no such ticket: it took more than 60 seconds, or it came before")
	} else if sum := sha256.Sum256([]byte(binding)); subtle.ConstantTimeCompare(sum[:], k.Binding) != 1 {
		err = dead("the ticket comes from another browser than the one that began")
	}
	var pair TokenPair
	if err == nil {
		pair, err = s.openSession(ctx, k, address)
	}
	if errs.Is(err, errs.Refused) { // other errors are logged where they are answered
		s.failed(ctx, "ticket", k.TenantID, err)
	}
	return pair, err
}

// dead is the error of a ticket that no longer holds; the reason is for the log.
func dead(reason string) error {
	return errs.New(errs.Refused, "signOn.dead").WithCause(errors.New(reason))
}

func (s *SignOn) openSession(ctx context.Context, k *signOnTicketRow, address netip.Addr) (pair TokenPair, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := s.activeUser(ctx, k.TenantID, k.UserID)
		if errs.Is(err, errs.NotFound) { // since the ticket was made
			return dead("the user was disabled or deleted meanwhile")
		}
		if err != nil {
			return err
		}
		if err := s.finishLink(ctx, u, k); err != nil {
			return err
		}
		if err := s.setRole(ctx, u.Tenant, u.ID, k.Role); err != nil {
			return err
		}
		now := s.Now()
		var session int64
		session, pair, err = s.Sessions.start(ctx, sessionRow{
			TenantID: u.Tenant, UserID: u.ID, Method: bySignOn, EndTime: now.Add(SignOnSessionLife).UnixMilli(),
		})
		if err != nil {
			return err
		}
		err = s.store.putSession(ctx, &signOnSessionRow{
			SessionID: session, TenantID: u.Tenant, UserID: u.ID, Issuer: k.Issuer, ClientID: k.ClientID,
			Subject: k.Subject, Sid: k.Sid, Tokens: k.Tokens, CheckTime: now.UnixMilli(),
		})
		if err != nil {
			return err
		}
		if err := s.Users.rememberNetwork(ctx, u.Tenant, u.ID, Subnet.Of(address).String()); err != nil {
			return err
		}
		return auditUser(asUser(ctx, u), u, "session.signIn")
	})
	return pair, wrap("open session of issuer", err)
}

// finishLink links the account of a ticket if a signed-in user asked for that. The new session
// replaces the user's, which must still be there.
func (s *SignOn) finishLink(ctx context.Context, u *User, k *signOnTicketRow) error {
	if k.SessionID == 0 {
		return nil
	}
	active, err := s.Sessions.IsActive(ctx, u.Tenant, k.SessionID)
	if err != nil {
		return err
	}
	other, err := s.store.linkedUser(ctx, u.Tenant, k.Issuer, k.Subject)
	if err != nil {
		return err
	}
	conn, err := s.Connections.Of(ctx, u.Tenant)
	if err != nil {
		return err
	}
	switch {
	case !active:
		return dead("the session of the user who links the account has ended")
	case other != 0 && other != u.ID:
		return dead("the account at the issuer became another user's meanwhile")
	case conn == nil:
		return dead(errNoIssuer.Error())
	}
	if other == 0 {
		if err := s.link(ctx, u, conn, &oidc.Identity{Issuer: k.Issuer, Subject: k.Subject}); err != nil {
			return err
		}
		if err := s.emailLinked(ctx, u, conn); err != nil {
			return err
		}
	}
	return s.Sessions.End(ctx, u.Tenant, k.SessionID)
}

// emailLinked tells a user that the account can be signed in to at an issuer from now on.
func (s *SignOn) emailLinked(ctx context.Context, u *User, conn *Connection) error {
	if s.Mailer == nil {
		return nil
	}
	t, err := s.Tenants.Get(ctx, u.Tenant)
	if err != nil {
		return err
	}
	if email := newAccountEmail(t, u, "signOn", conn.Name(), s.Now()); email != nil {
		s.DB.AfterCommit(ctx, func() { s.Mailer.Enqueue(*email) })
	}
	return nil
}

// Refresh is that of SessionStore. Before it renews a session that began at an issuer, it asks the
// issuer whether the person may still sign in, and as what.
func (s *SignOn) Refresh(ctx context.Context, refresh string) (TokenPair, error) {
	n, err := s.store.renewable(ctx, refresh)
	if err != nil {
		return TokenPair{}, err
	}
	if n != nil {
		// Two tabs refresh at once, and an issuer takes its token for stolen if it comes twice. Nor
		// must the answer be lost if the client goes: it may hold the next token.
		_, err, _ = s.renewals.Do(strconv.FormatInt(n.SessionID, 10), func() (any, error) {
			return nil, s.check(context.WithoutCancel(ctx), refresh)
		})
		if err != nil {
			return TokenPair{}, err
		}
	}
	return s.Sessions.Refresh(ctx, refresh)
}

// check asks the issuer about the session of a refresh token that was not used yet.
func (s *SignOn) check(ctx context.Context, refresh string) error {
	n, err := s.store.renewable(ctx, refresh) // another call may just have renewed it
	if err != nil || n == nil {
		return err
	}
	conn, err := s.Connections.Of(ctx, n.TenantID)
	if err != nil {
		return err
	}
	if conn == nil || conn.Issuer != n.Issuer || conn.ClientID != n.ClientID {
		return s.end(ctx, n, errIssuerChanged)
	}
	tokens, err := s.Connections.vault.openTokens(n.TenantID, n.Tokens)
	if err != nil {
		return err
	}
	id, err := s.ask(ctx, conn, n.Subject, tokens)
	switch {
	case errors.Is(err, oidc.ErrRefused), errors.Is(err, oidc.ErrInvalid):
		return s.end(ctx, n, err)
	case err != nil:
		if since := s.Now().UnixMilli() - n.CheckTime; max(since, -since) <= SignOnGrace.Milliseconds() {
			s.failed(ctx, "renewal", n.TenantID, err)
			return nil
		}
		return s.end(ctx, n, err)
	}
	role, err := s.roleOf(n.TenantID, conn, id.Claims)
	if err != nil {
		return s.end(ctx, n, err)
	}
	sealed, err := s.Connections.vault.sealTokens(n.TenantID, id.Tokens)
	if err != nil {
		return err
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := s.setRole(ctx, n.TenantID, n.UserID, role); err != nil {
			return err
		}
		return s.store.noteChecked(ctx, n.TenantID, n.SessionID, sealed)
	})
	return wrap("renew session of issuer", err)
}

// ask asks the issuer with its refresh token, else at its userinfo.
func (s *SignOn) ask(ctx context.Context, conn *Connection, subject string, held oidc.Tokens) (*oidc.Identity, error) {
	id := &oidc.Identity{Issuer: conn.Issuer, Subject: subject, Tokens: held}
	if held.Refresh == "" {
		// Without userinfo, either, nothing says that the person may go on.
		has, err := s.Issuers.HasUserInfo(ctx, conn.Connection)
		if err == nil && (!has || held.Access == "") {
			err = oidc.ErrRefused
		}
		if err != nil {
			return nil, err
		}
		return id, s.Issuers.UserInfo(ctx, conn.Connection, id)
	}
	id, err := s.Issuers.Refresh(ctx, conn.Connection, subject, held)
	if err != nil {
		return nil, err
	}
	if _, has := id.Claims.Values(conn.RoleClaim); conn.RoleClaim != "" && !has {
		err = s.Issuers.UserInfo(ctx, conn.Connection, id)
	}
	return id, err
}

// Logout ends the caller's session. It gives the address at which the person ends the issuer's
// session, too; empty: the session did not begin at an issuer, or the issuer has none.
func (s *SignOn) Logout(ctx context.Context, c Caller, origin string) (string, error) {
	n, err := s.store.sessionOf(ctx, c.Tenant, c.Session)
	if err != nil {
		return "", err
	}
	address := ""
	if n != nil {
		if address, err = s.endSessionURL(ctx, n, origin); err != nil {
			s.failed(ctx, "sign-out", c.Tenant, err) // the session ends here all the same
		}
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := s.Users.Get(ctx, c.Tenant, c.User)
		if err != nil {
			return err
		}
		if err := s.Sessions.End(ctx, c.Tenant, c.Session); err != nil {
			return err
		}
		return auditUser(ctx, u, "session.signOut")
	})
	return address, wrap("sign out", err)
}

func (s *SignOn) endSessionURL(ctx context.Context, n *signOnSessionRow, origin string) (string, error) {
	conn, err := s.Connections.Of(ctx, n.TenantID)
	if err != nil || conn == nil || conn.Issuer != n.Issuer || conn.ClientID != n.ClientID {
		return "", err
	}
	tokens, err := s.Connections.vault.openTokens(n.TenantID, n.Tokens)
	if err != nil {
		return "", err
	}
	t, err := s.Tenants.Get(ctx, n.TenantID)
	if err != nil {
		return "", err
	}
	back := t.BaseURLAt(origin, s.PublicURL)
	if back != "" {
		back += SignInPath
	}
	return s.Issuers.EndSessionURL(ctx, conn.Connection, tokens.ID, back)
}

// BackChannelLogout ends the sessions that an issuer's logout token names, in all tenants that sign
// in with one of the clients for which the token is. An error: the token is not valid, or came
// before.
func (s *SignOn) BackChannelLogout(ctx context.Context, raw string) error {
	err := s.endNamed(ctx, raw)
	if err != nil {
		s.failed(ctx, "back-channel logout", 0, err)
	}
	return err
}

func (s *SignOn) endNamed(ctx context.Context, raw string) error {
	issuer := oidc.LogoutIssuer(raw)
	if issuer == "" {
		return errors.New("there is no logout token, or it is too long or has a wrong form")
	}
	clients, err := s.Connections.atIssuer(ctx, issuer)
	if err != nil {
		return err
	}
	if len(clients) == 0 {
		return errors.New("the logout token is of an issuer at which nobody signs in")
	}
	l, err := s.Issuers.VerifyLogout(ctx, issuer, raw)
	if err != nil {
		return err
	}
	clients = slices.DeleteFunc(clients, func(id string) bool { return !slices.Contains(l.Audience, id) })
	if len(clients) == 0 {
		return errors.New("the logout token is for another client")
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		first, err := s.store.useLogout(ctx, l.Issuer, l.ID, l.Expires)
		if err == nil && !first {
			err = errors.New("the logout token came before")
		}
		if err != nil {
			return err
		}
		ended, err := s.store.concerned(ctx, l.Issuer, clients, l.Subject, l.SessionID)
		if err != nil {
			return err
		}
		for _, one := range ended {
			if err := s.endByIssuer(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("end sessions of issuer", err)
}

func (s *SignOn) endByIssuer(ctx context.Context, one endedSession) error {
	u, err := s.Users.Get(ctx, one.TenantID, one.UserID)
	if err != nil {
		return err
	}
	if err := s.Sessions.End(ctx, one.TenantID, one.SessionID); err != nil {
		return err
	}
	return auditUser(audit.WithActor(ctx, audit.Server, 0, ""), u, "user.endSessions")
}

// IsLinked tells whether a user has an account at the tenant's issuer, and gives the issuer's name;
// empty: the tenant has none.
func (s *SignOn) IsLinked(ctx context.Context, t tenant.ID, user int64) (name string, linked bool, err error) {
	conn, err := s.Connections.Of(ctx, t)
	if err != nil || conn == nil {
		return "", false, err
	}
	linked, err = s.store.isLinked(ctx, t, user, conn.Issuer)
	return conn.Name(), linked, err
}

// end refuses a session that the issuer does not confirm, and ends all sessions of the user that
// began there. why is for the log.
func (s *SignOn) end(ctx context.Context, n *signOnSessionRow, why error) error {
	s.failed(ctx, "renewal", n.TenantID, why)
	ids, err := s.store.sessionsOf(ctx, n.TenantID, n.UserID, n.Issuer)
	if err != nil {
		return err
	}
	if err := s.Sessions.endAll(ctx, n.TenantID, ids); err != nil {
		return err
	}
	return notSignedIn()
}

// activeUser gives a user who may sign in; a NotFound error if there is none.
func (s *SignOn) activeUser(ctx context.Context, t tenant.ID, id int64) (*User, error) {
	u, err := s.Users.Get(ctx, t, id)
	if err == nil && u.State() != UserActive {
		err = errs.Missing()
	}
	return u, err
}
