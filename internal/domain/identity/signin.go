package identity

import (
	"context"
	"net/netip"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/text"
)

// CaptchaPolicy says when sign-in requires a slider captcha.
type CaptchaPolicy string

// The policies: at every sign-in; after failures of the account or the address; never.
const (
	CaptchaAlways   CaptchaPolicy = "always"
	CaptchaAdaptive CaptchaPolicy = "adaptive"
	CaptchaOff      CaptchaPolicy = "off"
)

// Captcha is what sign-in uses of the slider captcha.
type Captcha struct {
	Policy CaptchaPolicy
	Verify func(verification string) bool // uses up the verification; not called with CaptchaOff
}

// CaptchaRequired is the data of a refusal that a client can avoid by passing a captcha.
type CaptchaRequired struct {
	CaptchaRequired bool `json:"captchaRequired"`
}

// Attempt is one attempt to sign in.
type Attempt struct {
	Tenant       tenant.ID // 0: the tenant does not exist, and the attempt fails like one with a wrong password
	UserName     string
	Password     string
	Remember     bool
	Address      netip.Addr // of the client
	Verification string     // the receipt of a passed captcha; empty: none
}

func (a Attempt) subnet() limit.Network { return Subnet.Of(a.Address) }

// SignIn checks passwords and opens sessions.
type SignIn struct {
	SignInDeps
	failures      *failureTracker
	guessWarnings chan guessWarning
}

// SignInDeps holds the dependencies of a SignIn.
type SignInDeps struct {
	Tenants  *tenant.Store
	Users    *UserStore
	Sessions *SessionStore
	Factors  *SecondFactorStore
	Tickets  *TicketStore
	Hasher   *Hasher
	Key      []byte // the platform's secret: selects the cost of the decoy for an account that does not exist
	Captcha  Captcha
	Mailer   Mailer // nil: no mail is sent
	Now      func() time.Time
	Meter    *limit.Meter // counts refusals; nil: they are not counted
}

// NewSignIn makes a SignIn.
func NewSignIn(p SignInDeps) *SignIn {
	return &SignIn{
		SignInDeps:    p,
		failures:      newFailureTracker(p.Now, p.Meter),
		guessWarnings: make(chan guessWarning, maxQueuedGuessWarnings),
	}
}

// CaptchaPolicy gives when sign-in requires a captcha.
func (s *SignIn) CaptchaPolicy() CaptchaPolicy { return s.Captcha.Policy }

// WithPassword signs a user in. An unknown user, a wrong password and a disabled account get the
// same refusal after the same time. Whether a captcha is required does not depend on whether the
// account exists. A user with a second factor gets a refusal with a ticket for WithCode, one without
// the factor that the tenant requires a ticket for BeginEnrolment.
//
// An account that signed in from the subnet before does not wait for the failures of others there.
// A wrong password of it is refused as if it had to wait: only the right one tells.
func (s *SignIn) WithPassword(ctx context.Context, a Attempt) (TokenPair, error) {
	user, err := s.userOrDecoy(ctx, a)
	if err != nil {
		return TokenPair{}, err
	}
	from := newOrigin(a)
	known, err := s.Users.hasSignedInFrom(ctx, a.Tenant, user.ID, a.subnet().String())
	if err != nil {
		return TokenPair{}, err
	}
	from.known = known && !s.failures.hasSpentFamiliarity(from)
	if err := s.failures.checkPair(from); err != nil {
		return TokenPair{}, err
	}
	wait := s.failures.checkWait(from)
	// Every attempt that is not locked uses up its verification, whatever the outcome.
	passed := s.Captcha.Policy == CaptchaOff || a.Verification != "" && s.Captcha.Verify(a.Verification)
	err = s.failures.checkCaptcha(from, s.Captcha.Policy, passed)
	switch {
	case wait != nil && (err != nil || !from.known):
		s.Hasher.imitate(user.PasswordHash, a.Password)
		return TokenPair{}, wait
	case err != nil:
		return TokenPair{}, err
	}
	requester := Requester{
		Subnet: a.subnet(), Known: from.known, Account: accountKey(a.Tenant, a.UserName),
		Guessed: s.failures.isGuessed(from),
	}
	if !from.known {
		// Of many guesses at an account that wait, those after the last that is looked at cost no hash.
		requester.Recheck = func() error {
			_, err := s.failures.recordOutcome(from, s.Captcha.Policy, passed, true, nil)
			return err
		}
	}
	for again := false; ; again = true {
		right, err := s.Hasher.Verify(ctx, requester, user.PasswordHash, a.Password)
		if err != nil {
			return TokenPair{}, err
		}
		right = right && !user.isShutOut()
		if !right && from.known && wait == nil {
			wait = s.Hasher.waitAsUnknown(ctx, requester, a.Password)
		}
		if err := s.recordOutcome(ctx, from, user, passed, right, wait); err != nil {
			return TokenPair{}, err
		}
		requester.Known = true // a requester with the right password counts as known
		newHash, err := s.rehash(ctx, requester, user, a.Password)
		if err != nil {
			return TokenPair{}, err
		}
		pair, demand, current, err := s.startSession(ctx, user, newHash, a)
		switch {
		case err != nil:
			return TokenPair{}, err
		case demand != nil:
			s.failures.endWait(from)
			return TokenPair{}, demand
		case pair != TokenPair{}:
			s.failures.forgive(from)
			return pair, nil
		case again || current.ID == 0:
			return TokenPair{}, s.recordOutcome(ctx, from, user, passed, false, wait)
		}
		user = current // another sign-in may have rehashed the same password
	}
}

// rehash hashes a right password anew if its hash does not have the current cost. It gives an empty
// text if it has, or if the queue of hashes is full: then the next sign-in rehashes it.
func (s *SignIn) rehash(ctx context.Context, requester Requester, user *userRow, password string) (string, error) {
	if !s.Hasher.outdated(user.PasswordHash) {
		return "", nil
	}
	hash, err := s.Hasher.Hash(ctx, requester, password)
	if errs.Is(err, errs.Unavailable) {
		return "", nil
	}
	return hash, err
}

// userOrDecoy gives the user that an attempt names. If there is none, the row has the ID 0 and a
// decoy as its password. userOrDecoy computes the decoy for every attempt: otherwise the time would
// reveal which users exist.
func (s *SignIn) userOrDecoy(ctx context.Context, a Attempt) (*userRow, error) {
	decoy, err := s.decoy(ctx, a)
	if err != nil {
		return nil, err
	}
	r, err := s.Users.getWhere(ctx, a.Tenant, "u.folded_name = ?", text.FoldASCII(a.UserName))
	if errs.Is(err, errs.NotFound) {
		return &userRow{PasswordHash: decoy}, nil
	}
	if err == nil && r.PasswordHash == "" { // the user came from an issuer and has no password
		r.PasswordHash = decoy
	}
	return r, err
}

// recordOutcome records the outcome of an attempt whose password was verified and gives its
// refusal. It logs a failure if the user exists. hidden is that of failureTracker.recordOutcome.
func (s *SignIn) recordOutcome(
	ctx context.Context,
	from origin,
	user *userRow,
	passed, right bool,
	hidden error,
) error {
	warnOwner, err := s.failures.recordOutcome(from, s.Captcha.Policy, passed, right, hidden)
	if user.ID == 0 || err == nil {
		return err
	}
	if !right {
		auditFailedSignIn(ctx, user.TenantID, user.user())
	}
	if warnOwner {
		s.queueGuessWarning(user)
	}
	return err
}

// startSession starts a session for a user whose password was verified, and stores newHash unless
// it is empty. It gives no pair if the verification is no longer valid: since the user was read,
// the password may have changed or the user may have been disabled, which has ended all sessions
// but this one. demand is the refusal of a sign-in that needs a second step. current is the user's row
// at that time; its ID is 0 if the user was deleted.
func (s *SignIn) startSession(
	ctx context.Context,
	verified *userRow,
	newHash string,
	a Attempt,
) (pair TokenPair, demand *errs.Error, current *userRow, err error) {
	err = s.Sessions.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		current, err = s.Users.getWhere(ctx, verified.TenantID, "u.id = ?", verified.ID)
		if errs.Is(err, errs.NotFound) {
			current = &userRow{}
			return nil
		}
		if err != nil || current.PasswordHash != verified.PasswordHash || current.isShutOut() {
			return err
		}
		if newHash != "" {
			if err := s.Users.PutPassword(ctx, current.TenantID, current.ID, newHash); err != nil {
				return err
			}
			current.PasswordHash = newHash
		}
		if demand, err = s.secondStep(ctx, current, a.Remember); err != nil || demand != nil {
			return err
		}
		pair, err = s.openSession(ctx, current, a.Remember, a.subnet())
		return err
	})
	return pair, demand, current, wrap("start session", err)
}

// openSession starts a session for a user who has proven who they are, and logs the sign-in.
func (s *SignIn) openSession(
	ctx context.Context,
	r *userRow,
	remember bool,
	from limit.Network,
) (TokenPair, error) {
	pair, err := s.Sessions.Start(ctx, r.TenantID, r.ID, remember)
	if err != nil {
		return TokenPair{}, err
	}
	if err := s.Users.rememberNetwork(ctx, r.TenantID, r.ID, from.String()); err != nil {
		return TokenPair{}, err
	}
	return pair, auditUser(asUser(ctx, r.user()), r.user(), "session.signIn")
}
