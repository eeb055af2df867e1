package identity

import (
	"context"
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
	Address      string // of the client, or of its network where that counts as one
	Verification string // of a captcha that was passed; empty when none was
}

// SignIn checks passwords and opens sessions.
type SignIn struct {
	users    *UserStore
	sessions *SessionStore
	hasher   *Hasher
	captcha  Captcha
	watch    *watch
}

// NewSignIn makes a SignIn; now is the server's clock, and meter counts what is
// refused (nil: nobody asks).
func NewSignIn(u *UserStore, s *SessionStore, h *Hasher, c Captcha, now func() time.Time, meter *limit.Meter) *SignIn {
	return &SignIn{users: u, sessions: s, hasher: h, captcha: c, watch: newWatch(now, meter)}
}

// Demand is when a captcha is demanded.
func (s *SignIn) Demand() Demand { return s.captcha.Demand }

// Password signs a person in. A wrong user, a wrong password and a disabled
// account are one and the same refusal, in the same time; whether a captcha is
// demanded does not depend on whether the account exists.
func (s *SignIn) Password(ctx context.Context, a Attempt) (Pair, error) {
	from := originOf(a)
	// A verification is used up whatever comes of the attempt: it is good once.
	passed := s.captcha.Demand == DemandOff || a.Verification != "" && s.captcha.Verify(a.Verification)
	if err := s.watch.refuse(from, s.captcha.Demand, passed); err != nil {
		return Pair{}, err
	}
	stored, user := "", (*userRow)(nil)
	if a.Tenant != 0 {
		r, err := s.users.one(ctx, a.Tenant, "u.folded_name = ?", text.FoldASCII(a.UserName))
		if err != nil && !errs.Is(err, errs.NotFound) {
			return Pair{}, err
		}
		if err == nil {
			stored, user = r.PasswordHash, r
		}
	}
	right, err := s.hasher.Verify(ctx, stored, a.Password)
	if err != nil {
		return Pair{}, err
	}
	right = right && !user.Disabled
	if err := s.settle(ctx, from, user, passed, right); err != nil {
		return Pair{}, err
	}
	pair, valid, err := s.open(ctx, user, a.Remember)
	if err != nil {
		return Pair{}, err
	}
	if !valid {
		return Pair{}, s.settle(ctx, from, user, passed, false)
	}
	s.watch.welcome(from)
	return pair, nil
}

// settle says what comes of an attempt whose password was looked at, and writes
// a failure down where there is such a user.
func (s *SignIn) settle(ctx context.Context, from origin, user *userRow, passed, right bool) error {
	err := s.watch.settle(from, s.captcha.Demand, passed, right)
	if err != nil && user != nil && !right {
		noteFailure(ctx, user.TenantID, user.user())
	}
	return err
}

// open starts a session for a user whose password was verified, and says whether
// that is still valid: since the user was read, the password may have been
// changed or the user shut out, which has ended all sessions but this one.
func (s *SignIn) open(ctx context.Context, verified *userRow, remember bool) (pair Pair, valid bool, err error) {
	err = s.sessions.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		now, err := s.users.one(ctx, verified.TenantID, "u.id = ?", verified.ID)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if valid = now.PasswordHash == verified.PasswordHash && !now.Disabled; !valid {
			return nil
		}
		if pair, err = s.sessions.Start(ctx, now.TenantID, now.ID, remember); err != nil {
			return err
		}
		u := now.user()
		return note(audit.As(ctx, audit.User, u.ID, u.Seen().Name), u, "session.signIn")
	})
	return pair, valid, err
}
