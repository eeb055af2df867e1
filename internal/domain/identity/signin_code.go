package identity

import (
	"context"
	"net/netip"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// CodeRequired is the data of a refusal of a right password: WithCode goes on with the ticket.
type CodeRequired struct {
	CodeRequired bool   `json:"codeRequired"`
	Ticket       string `json:"ticket"`
}

// EnrolRequired is the data of a refusal of a right password: the tenant requires a second factor,
// which the user sets up with the ticket.
type EnrolRequired struct {
	EnrolRequired bool   `json:"enrolRequired"`
	Ticket        string `json:"ticket"`
}

// secondStep gives the refusal, with a ticket, of a sign-in that the password alone does not finish;
// nil if it does.
func (s *SignIn) secondStep(ctx context.Context, u *userRow, remember bool) (*errs.Error, error) {
	if u.SecondFactor {
		ticket, err := s.Tickets.put(ctx, u, false, remember)
		demand := CodeRequired{CodeRequired: true, Ticket: ticket}
		return errs.New(errs.Refused, "signin.codeRequired").WithData(demand), err
	}
	t, err := s.Tenants.Get(ctx, u.TenantID)
	if err != nil || !t.SecondFactorRequired {
		return nil, err
	}
	ticket, err := s.Tickets.put(ctx, u, true, remember)
	demand := EnrolRequired{EnrolRequired: true, Ticket: ticket}
	return errs.New(errs.Refused, "signin.enrolRequired").WithData(demand), err
}

// TicketAttempt is the second step of a sign-in.
type TicketAttempt struct {
	Ticket  string
	Code    string     // of the app, or a recovery code
	Address netip.Addr // of the client
}

// WithCode finishes a sign-in with a code. A wrong one counts as a failed sign-in.
func (s *SignIn) WithCode(ctx context.Context, a TicketAttempt) (pair TokenPair, err error) {
	var from origin
	refusal, err := s.withTicket(ctx, a.Ticket, false, func(ctx context.Context, ticket *ticketRow, u *userRow) (
		refusal error, err error) {
		if from, err = s.originOf(ctx, u, a.Address); err != nil {
			return nil, err
		}
		if refusal, err = s.tryCode(ctx, from, u, a.Code); refusal != nil || err != nil {
			return refusal, err
		}
		pair, err = s.finish(ctx, ticket, u, a.Address)
		return nil, err
	})
	if refusal != nil || err != nil {
		return TokenPair{}, firstOf(wrap("sign in with code", err), refusal)
	}
	s.failures.forgive(from)
	return pair, nil
}

// withTicket does a second step in one transaction, for the user of a ticket. A refusal commits what
// was counted; one of a wrong code uses up a guess of the ticket.
func (s *SignIn) withTicket(
	ctx context.Context,
	token string,
	enrol bool,
	do func(ctx context.Context, ticket *ticketRow, u *userRow) (refusal, err error),
) (refusal, err error) {
	err = s.Sessions.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		ticket, err := s.Tickets.byTicket(ctx, token)
		if err != nil {
			return err
		}
		u, err := s.Users.getWhere(ctx, ticket.TenantID, "u.id = ?", ticket.UserID)
		if err != nil {
			return err
		}
		if ticket.Enrol != enrol || !ticket.isFor(u) {
			return ticketOver()
		}
		if refusal, err = do(ctx, ticket, u); err != nil || !errs.Is(refusal, errs.Refused) {
			return err
		}
		refusal, err = s.Tickets.countGuess(ctx, ticket, refusal)
		return err
	})
	return refusal, err
}

// finish ends a ticket and starts the session that it stands for.
func (s *SignIn) finish(ctx context.Context, ticket *ticketRow, u *userRow, from netip.Addr) (TokenPair, error) {
	if err := s.Tickets.delete(ctx, ticket); err != nil {
		return TokenPair{}, err
	}
	return s.openSession(ctx, u, ticket.Remember, Subnet.Of(from))
}

// originOf gives the origin of an attempt whose user is known already.
func (s *SignIn) originOf(ctx context.Context, u *userRow, address netip.Addr) (from origin, err error) {
	a := Attempt{Tenant: u.TenantID, UserName: u.UserName, Address: address}
	from = newOrigin(a)
	from.known, err = s.Users.hasSignedInFrom(ctx, u.TenantID, u.ID, a.subnet().String())
	return from, err
}

// tryCode checks and uses up a code of a user, within the transaction of ctx, which a refusal must
// not roll back. Since one transaction writes at a time, concurrent guesses learn no more than
// sequential ones.
func (s *SignIn) tryCode(ctx context.Context, from origin, u *userRow, code string) (refusal, err error) {
	if refusal = s.failures.checkLocked(from); refusal != nil {
		return refusal, nil
	}
	if isTOTP(cleanCode(code)) {
		if refusal = s.failures.checkCode(from); refusal != nil {
			return refusal, nil
		}
	}
	right, err := s.Factors.redeem(ctx, u.TenantID, u.ID, code)
	if err != nil || right {
		return nil, err
	}
	auditFailedSignIn(ctx, u.TenantID, u.user())
	if s.failures.recordWrongCode(from) {
		s.queueGuessWarning(u)
	}
	return errs.New(errs.Refused, "signin.codeWrong"), nil
}

// checkOwnPassword refuses a signed-in user's wrong password; it counts as a failed sign-in.
func (s *SignIn) checkOwnPassword(ctx context.Context, u *userRow, password string, address netip.Addr) error {
	from := newOrigin(Attempt{Tenant: u.TenantID, UserName: u.UserName, Address: address})
	from.signedIn = true
	if err := s.failures.checkLocked(from); err != nil {
		return err
	}
	requester := Requester{Known: true, Account: accountKey(u.TenantID, u.UserName)}
	right, err := s.Hasher.Verify(ctx, requester, u.PasswordHash, password)
	if err != nil {
		return err
	}
	err = s.recordOutcome(ctx, from, u, true, right, nil)
	if errs.Is(err, errs.Refused) {
		err = errs.New(errs.Refused, "password.wrong").WithField("password")
	}
	return err
}

// BeginEnrolment gives the user of a ticket a new key for the second factor that the tenant requires.
func (s *SignIn) BeginEnrolment(ctx context.Context, ticket string) (e *Enrolment, err error) {
	refusal, err := s.withTicket(ctx, ticket, true, func(ctx context.Context, _ *ticketRow, u *userRow) (_, err error) {
		t, err := s.Tenants.Get(ctx, u.TenantID)
		if err != nil {
			return nil, err
		}
		e, err = s.enrol(asUser(ctx, u.user()), t, u.user())
		return nil, err
	})
	return e, firstOf(wrap("begin enrolment", err), refusal)
}

// enrol makes a user a new key, in the name of the actor of ctx.
func (s *SignIn) enrol(ctx context.Context, t *tenant.Tenant, u *User) (*Enrolment, error) {
	key, err := s.Factors.begin(ctx, t.ID, u.ID)
	if err != nil {
		return nil, err
	}
	e := newEnrolment(t.Title(), u.UserName, key)
	return e, auditUser(ctx, u, "user.update", audit.Change{Field: "secondFactorKey", Hidden: true})
}

// ConfirmEnrolment turns on the second factor of the user of a ticket with a first code, and finishes
// the sign-in.
func (s *SignIn) ConfirmEnrolment(ctx context.Context, a TicketAttempt) (pair TokenPair, codes []string, err error) {
	refusal, err := s.withTicket(ctx, a.Ticket, true, func(ctx context.Context, ticket *ticketRow, u *userRow) (
		refusal error, err error) {
		codes, err = s.turnOn(asUser(ctx, u.user()), u.user(), a.Code)
		if errs.Is(err, errs.Refused) {
			return err, nil // it wrote nothing
		}
		if err == nil {
			pair, err = s.finish(ctx, ticket, u, a.Address)
		}
		return nil, err
	})
	if refusal != nil || err != nil {
		return TokenPair{}, nil, firstOf(wrap("confirm enrolment", err), refusal)
	}
	return pair, codes, nil
}

// turnOn turns on a user's new key with a code of it, in the name of the actor of ctx, and gives the
// recovery codes.
func (s *SignIn) turnOn(ctx context.Context, u *User, code string) ([]string, error) {
	codes, err := s.Factors.confirm(ctx, u.Tenant, u.ID, code)
	if err != nil {
		return nil, err
	}
	changes := []audit.Change{{Field: "recoveryCodes", Hidden: true}}
	if u.SecondFactor {
		changes = append(changes, audit.Change{Field: "secondFactorKey", Hidden: true})
	} else {
		changes = append([]audit.Change{{Field: "secondFactor", Before: false, After: true}}, changes...)
	}
	if err := auditUser(ctx, u, "user.update", changes...); err != nil {
		return nil, err
	}
	return codes, emailUser(ctx, s.Sessions.db, s.Tenants, s.Mailer, u, "factorOn", "", s.Now())
}
