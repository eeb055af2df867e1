package identity

import (
	"context"
	"net/netip"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/audit"
	"tilth/internal/errs"
	"tilth/internal/limit"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// Demand is when sign-in demands a slider captcha.
type Demand string

// The demands: at every sign-in, after failures of the account or the address,
// never.
const (
	DemandAlways   Demand = "always"
	DemandAdaptive Demand = "adaptive"
	DemandOff      Demand = "off"
)

// Captcha is what sign-in asks of the slider captcha.
type Captcha struct {
	Demand Demand
	Verify func(verification string) bool // uses the verification up; never called with DemandOff
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

func (a Attempt) network() limit.Network { return Neighbourhood.Of(a.Address) }

// SignIn checks passwords and opens sessions.
type SignIn struct {
	SignInParts
	watch   *watch
	guessed chan guessedAt
}

// SignInParts is what a SignIn is made of.
type SignInParts struct {
	Tenants  *tenant.Store
	Users    *UserStore
	Sessions *SessionStore
	Hasher   *Hasher
	Captcha  Captcha
	Post     Postbox // nil: no mail is sent
	Now      func() time.Time
	Meter    *limit.Meter // counts what is refused; nil: nobody asks
}

// NewSignIn makes a SignIn.
func NewSignIn(p SignInParts) *SignIn {
	return &SignIn{SignInParts: p, watch: newWatch(p.Now, p.Meter), guessed: make(chan guessedAt, guessedWaits)}
}

// Demand is when a captcha is demanded.
func (s *SignIn) Demand() Demand { return s.Captcha.Demand }

// Password signs a person in. A wrong user, a wrong password and a disabled
// account are one and the same refusal, in the same time; whether a captcha is
// demanded does not depend on whether the account exists.
func (s *SignIn) Password(ctx context.Context, a Attempt) (Pair, error) {
	user, err := s.user(ctx, a)
	if err != nil {
		return Pair{}, err
	}
	from := originOf(a)
	if from.known, err = s.Users.cameFrom(ctx, a.Tenant, user.ID, a.network().String()); err != nil {
		return Pair{}, err
	}
	if err := s.watch.shut(from); err != nil {
		return Pair{}, err
	}
	// A verification is used up whatever comes of an attempt that is looked at: it is good once.
	passed := s.Captcha.Demand == DemandOff || a.Verification != "" && s.Captcha.Verify(a.Verification)
	if err := s.watch.demand(from, s.Captcha.Demand, passed); err != nil {
		return Pair{}, err
	}
	right, err := s.Hasher.Verify(ctx, Asker{Network: a.network(), Known: from.known, Account: accountOf(a.Tenant, a.UserName)}, user.PasswordHash, a.Password)
	if err != nil {
		return Pair{}, err
	}
	if err := s.settle(ctx, from, user, passed, right && !user.Disabled); err != nil {
		return Pair{}, err
	}
	pair, valid, err := s.open(ctx, user, a)
	if err != nil {
		return Pair{}, err
	}
	if !valid {
		return Pair{}, s.settle(ctx, from, user, passed, false)
	}
	s.watch.welcome(from)
	return pair, nil
}

// user is who an attempt names; one without a number, and a password, is nobody.
func (s *SignIn) user(ctx context.Context, a Attempt) (*userRow, error) {
	r, err := s.Users.one(ctx, a.Tenant, "u.folded_name = ?", text.FoldASCII(a.UserName))
	if errs.Is(err, errs.NotFound) {
		return &userRow{}, nil
	}
	return r, err
}

// settle says what comes of an attempt whose password was looked at, and writes
// a failure down where there is such a user.
func (s *SignIn) settle(ctx context.Context, from origin, user *userRow, passed, right bool) error {
	guessed, err := s.watch.settle(from, s.Captcha.Demand, passed, right)
	if user.ID == 0 || err == nil {
		return err
	}
	if !right {
		noteFailure(ctx, user.TenantID, user.user())
	}
	if guessed {
		s.tellLater(user)
	}
	return err
}

// open starts a session for a user whose password was verified, and says whether
// that is still valid: since the user was read, the password may have been
// changed or the user shut out, which has ended all sessions but this one.
func (s *SignIn) open(ctx context.Context, verified *userRow, a Attempt) (pair Pair, valid bool, err error) {
	err = s.Sessions.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		now, err := s.Users.one(ctx, verified.TenantID, "u.id = ?", verified.ID)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if valid = now.PasswordHash == verified.PasswordHash && !now.Disabled; !valid {
			return nil
		}
		if pair, err = s.Sessions.Start(ctx, now.TenantID, now.ID, a.Remember); err != nil {
			return err
		}
		if err := s.Users.comesFrom(ctx, now.TenantID, now.ID, a.network().String()); err != nil {
			return err
		}
		u := now.user()
		return note(audit.As(ctx, audit.User, u.ID, u.Seen().Name), u, "session.signIn")
	})
	return pair, valid, err
}
