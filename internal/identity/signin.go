package identity

import (
	"context"
	"strconv"
	"sync"
	"time"

	"tilth/internal/errs"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// Failures of one account from one address that lock that pair, and for how
// long both are remembered.
const (
	failuresAllowed = 10
	failureMemory   = 15 * time.Minute
	pairsRemembered = 100_000 // beyond, the oldest are forgotten: memory stays bounded under attack
)

// Attempt is what a person signs in with, and from where.
type Attempt struct {
	Tenant   tenant.ID // 0 when the tenant does not exist: such an attempt fails like a wrong password
	UserName string
	Password string
	Remember bool
	Address  string // of the client
}

// SignIn checks passwords and opens sessions.
type SignIn struct {
	users    *UserStore
	sessions *SessionStore
	hasher   *Hasher
	failures *failures
}

// NewSignIn makes a SignIn; now is the server's clock.
func NewSignIn(u *UserStore, s *SessionStore, h *Hasher, now func() time.Time) *SignIn {
	return &SignIn{users: u, sessions: s, hasher: h, failures: newFailures(now)}
}

// Password signs a person in. A wrong user, a wrong password and a disabled
// account are one and the same refusal, in the same time.
func (s *SignIn) Password(ctx context.Context, a Attempt) (Pair, error) {
	pairKey := strconv.FormatInt(int64(a.Tenant), 10) + "\x00" + text.FoldASCII(a.UserName) + "\x00" + a.Address
	if wait := s.failures.locked(pairKey); wait > 0 {
		return Pair{}, errs.New(errs.TooMany, "signin.locked").After(wait)
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
	if !right || user.Disabled {
		s.failures.add(pairKey)
		return Pair{}, errs.New(errs.Refused, "signin.fail")
	}
	s.failures.clear(pairKey)
	return s.sessions.Start(ctx, a.Tenant, user.ID, a.Remember)
}

// failures counts failed sign-ins of (account, address) pairs in memory; a
// restart forgives them.
type failures struct {
	now func() time.Time

	mu    sync.Mutex
	pairs map[string]*failure
}

type failure struct {
	count int
	first time.Time
	until time.Time // locked until; zero when not locked
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, pairs: map[string]*failure{}}
}

func (f *failures) locked(key string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.pairs[key]; p != nil && p.until.After(f.now()) {
		return p.until.Sub(f.now())
	}
	return 0
}

func (f *failures) add(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	p := f.pairs[key]
	if p == nil || now.Sub(p.first) >= failureMemory {
		f.forget(now)
		p = &failure{first: now}
		f.pairs[key] = p
	}
	p.count++
	if p.count >= failuresAllowed {
		p.until = now.Add(failureMemory)
	}
}

func (f *failures) clear(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.pairs, key)
}

// forget drops what is too old to matter once there is a lot of it, and
// anything unlocked when even that does not help.
func (f *failures) forget(now time.Time) {
	if len(f.pairs) < pairsRemembered {
		return
	}
	for k, p := range f.pairs {
		if now.Sub(p.first) > failureMemory && !p.until.After(now) {
			delete(f.pairs, k)
		}
	}
	for k, p := range f.pairs {
		if len(f.pairs) < pairsRemembered/2 {
			return
		}
		if !p.until.After(now) {
			delete(f.pairs, k)
		}
	}
}
