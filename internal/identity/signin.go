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
	Key      []byte // secret, of the platform: picks what an account that does not exist costs
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
	by := Asker{Network: a.network(), Known: from.known, Account: accountOf(a.Tenant, a.UserName)}
	for again := false; ; again = true {
		right, err := s.Hasher.Verify(ctx, by, user.PasswordHash, a.Password)
		if err != nil {
			return Pair{}, err
		}
		if err := s.settle(ctx, from, user, passed, right && !user.Disabled); err != nil {
			return Pair{}, err
		}
		by.Known = true // whoever has the right password
		renewed, err := s.renew(ctx, by, user, a.Password)
		if err != nil {
			return Pair{}, err
		}
		pair, now, err := s.open(ctx, user, renewed, a)
		switch {
		case err != nil:
			return Pair{}, err
		case pair != Pair{}:
			s.watch.welcome(from)
			return pair, nil
		case again || now.ID == 0:
			return Pair{}, s.settle(ctx, from, user, passed, false)
		}
		user = now // perhaps it is the same password that another sign-in renewed
	}
}

// renew makes the hash of a right password anew where it has not the usual cost; empty:
// it has, or so many passwords wait that this one's turn is the next sign-in.
func (s *SignIn) renew(ctx context.Context, by Asker, user *userRow, password string) (string, error) {
	if !s.Hasher.outdated(user.PasswordHash) {
		return "", nil
	}
	hash, err := s.Hasher.Hash(ctx, by, password)
	if errs.Is(err, errs.Unavailable) {
		return "", nil
	}
	return hash, err
}

// user is who an attempt names; one without a number is nobody, and has a decoy for a
// password, which is looked for whoever is named: else that would tell them apart.
func (s *SignIn) user(ctx context.Context, a Attempt) (*userRow, error) {
	decoy, err := s.decoy(ctx, a)
	if err != nil {
		return nil, err
	}
	r, err := s.Users.one(ctx, a.Tenant, "u.folded_name = ?", text.FoldASCII(a.UserName))
	if errs.Is(err, errs.NotFound) {
		return &userRow{PasswordHash: decoy}, nil
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

// open starts a session for a user whose password was verified, and keeps its hash that
// was made anew, if any. No pair: that is not valid any more. Since the user was read, the
// password may have been changed or the user shut out, which has ended all sessions but
// this one. now is how the user stands then; one without a number is there no more.
func (s *SignIn) open(ctx context.Context, verified *userRow, renewed string, a Attempt) (pair Pair, now *userRow, err error) {
	err = s.Sessions.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		now, err = s.Users.one(ctx, verified.TenantID, "u.id = ?", verified.ID)
		if errs.Is(err, errs.NotFound) {
			now = &userRow{}
			return nil
		}
		if err != nil || now.PasswordHash != verified.PasswordHash || now.Disabled {
			return err
		}
		if renewed != "" {
			if err := s.Users.PutPassword(ctx, now.TenantID, now.ID, renewed); err != nil {
				return err
			}
		}
		if pair, err = s.Sessions.Start(ctx, now.TenantID, now.ID, a.Remember); err != nil {
			return err
		}
		if err := s.Users.comesFrom(ctx, now.TenantID, now.ID, a.network().String()); err != nil {
			return err
		}
		u := now.user()
		return note(audit.WithActor(ctx, audit.User, u.ID, u.Seen().Name), u, "session.signIn")
	})
	return pair, now, err
}
