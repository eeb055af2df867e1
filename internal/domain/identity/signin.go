package identity

import (
	"context"
	"net/netip"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/text"
)

// CaptchaPolicy is when sign-in demands a slider captcha.
type CaptchaPolicy string

// The demands: at every sign-in, after failures of the account or the address,
// never.
const (
	CaptchaAlways   CaptchaPolicy = "always"
	CaptchaAdaptive CaptchaPolicy = "adaptive"
	CaptchaOff      CaptchaPolicy = "off"
)

// Captcha is what sign-in asks of the slider captcha.
type Captcha struct {
	Policy CaptchaPolicy
	Verify func(verification string) bool // uses the verification up; never called with CaptchaOff
}

// CaptchaRequired is the data of a refusal that a passed captcha would lift.
type CaptchaRequired struct {
	CaptchaRequired bool `json:"captchaRequired"`
}

// Attempt is what a person signs in with, and from where.
type Attempt struct {
	Tenant       tenant.ID // 0 when the tenant does not exist: such an attempt fails like a wrong password
	UserName     string
	Password     string
	Remember     bool
	Address      netip.Addr // of the client
	Verification string     // of a captcha that was passed; empty when none was
}

func (a Attempt) subnet() limit.Network { return Subnet.Of(a.Address) }

// SignIn checks passwords and opens sessions.
type SignIn struct {
	SignInDeps
	failures      *failureTracker
	guessWarnings chan guessWarning
}

// SignInDeps is what a SignIn is made of.
type SignInDeps struct {
	Tenants  *tenant.Store
	Users    *UserStore
	Sessions *SessionStore
	Hasher   *Hasher
	Key      []byte // secret, of the platform: picks what an account that does not exist costs
	Captcha  Captcha
	Mailer   Mailer // nil: no mail is sent
	Now      func() time.Time
	Meter    *limit.Meter // counts what is refused; nil: nobody asks
}

// NewSignIn makes a SignIn.
func NewSignIn(p SignInDeps) *SignIn {
	return &SignIn{
		SignInDeps:    p,
		failures:      newFailureTracker(p.Now, p.Meter),
		guessWarnings: make(chan guessWarning, maxQueuedGuessWarnings),
	}
}

// CaptchaPolicy is when a captcha is demanded.
func (s *SignIn) CaptchaPolicy() CaptchaPolicy { return s.Captcha.Policy }

// WithPassword signs a person in. A wrong user, a wrong password and a disabled
// account are one and the same refusal, in the same time; whether a captcha is
// demanded does not depend on whether the account exists.
func (s *SignIn) WithPassword(ctx context.Context, a Attempt) (TokenPair, error) {
	user, err := s.userOrDecoy(ctx, a)
	if err != nil {
		return TokenPair{}, err
	}
	from := newOrigin(a)
	if from.known, err = s.Users.hasSignedInFrom(ctx, a.Tenant, user.ID, a.subnet().String()); err != nil {
		return TokenPair{}, err
	}
	if err := s.failures.checkLocked(from); err != nil {
		return TokenPair{}, err
	}
	// A verification is used up whatever comes of an attempt that is looked at: it is good once.
	passed := s.Captcha.Policy == CaptchaOff || a.Verification != "" && s.Captcha.Verify(a.Verification)
	if err := s.failures.checkCaptcha(from, s.Captcha.Policy, passed); err != nil {
		return TokenPair{}, err
	}
	requester := Requester{Subnet: a.subnet(), Known: from.known, Account: accountKey(a.Tenant, a.UserName)}
	for again := false; ; again = true {
		right, err := s.Hasher.Verify(ctx, requester, user.PasswordHash, a.Password)
		if err != nil {
			return TokenPair{}, err
		}
		if err := s.recordOutcome(ctx, from, user, passed, right && !user.Disabled); err != nil {
			return TokenPair{}, err
		}
		requester.Known = true // whoever has the right password
		newHash, err := s.rehash(ctx, requester, user, a.Password)
		if err != nil {
			return TokenPair{}, err
		}
		pair, current, err := s.startSession(ctx, user, newHash, a)
		switch {
		case err != nil:
			return TokenPair{}, err
		case pair != TokenPair{}:
			s.failures.forgive(from)
			return pair, nil
		case again || current.ID == 0:
			return TokenPair{}, s.recordOutcome(ctx, from, user, passed, false)
		}
		user = current // perhaps it is the same password that another sign-in renewed
	}
}

// rehash makes the hash of a right password anew where it has not the usual cost; empty:
// it has, or so many passwords wait that this one's turn is the next sign-in.
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

// userOrDecoy is who an attempt names; one without a number is nobody, and has a decoy for a
// password, which is looked for whoever is named: else that would tell them apart.
func (s *SignIn) userOrDecoy(ctx context.Context, a Attempt) (*userRow, error) {
	decoy, err := s.decoy(ctx, a)
	if err != nil {
		return nil, err
	}
	r, err := s.Users.getWhere(ctx, a.Tenant, "u.folded_name = ?", text.FoldASCII(a.UserName))
	if errs.Is(err, errs.NotFound) {
		return &userRow{PasswordHash: decoy}, nil
	}
	return r, err
}

// recordOutcome says what comes of an attempt whose password was looked at, and writes
// a failure down where there is such a user.
func (s *SignIn) recordOutcome(ctx context.Context, from origin, user *userRow, passed, right bool) error {
	warnOwner, err := s.failures.recordOutcome(from, s.Captcha.Policy, passed, right)
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

// startSession starts a session for a user whose password was verified, and keeps its hash that
// was made anew, if any. No pair: that is not valid any more. Since the user was read, the
// password may have been changed or the user shut out, which has ended all sessions but
// this one. now is how the user stands then; one without a number is there no more.
func (s *SignIn) startSession(
	ctx context.Context,
	verified *userRow,
	newHash string,
	a Attempt,
) (pair TokenPair, current *userRow, err error) {
	err = s.Sessions.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		current, err = s.Users.getWhere(ctx, verified.TenantID, "u.id = ?", verified.ID)
		if errs.Is(err, errs.NotFound) {
			current = &userRow{}
			return nil
		}
		if err != nil || current.PasswordHash != verified.PasswordHash || current.Disabled {
			return err
		}
		if newHash != "" {
			if err := s.Users.PutPassword(ctx, current.TenantID, current.ID, newHash); err != nil {
				return err
			}
		}
		if pair, err = s.Sessions.Start(ctx, current.TenantID, current.ID, a.Remember); err != nil {
			return err
		}
		if err := s.Users.rememberNetwork(ctx, current.TenantID, current.ID, a.subnet().String()); err != nil {
			return err
		}
		u := current.user()
		return auditUser(audit.WithActor(ctx, audit.User, u.ID, u.AuditThing().Name), u, "session.signIn")
	})
	return pair, current, err
}
