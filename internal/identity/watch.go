package identity

import (
	"crypto/sha256"
	"strconv"
	"sync"
	"time"

	"tilth/internal/errs"
	"tilth/internal/limit"
	"tilth/internal/text"
)

// Failures within failureMemory: so many of one account from one address lock
// that pair for as long; so many of one account, or from one address, make a
// captcha be demanded. What happens to an account from elsewhere never locks
// it: nobody can shut another out.
const (
	failuresToLock   = 10
	failuresToDemand = 3
	failureMemory    = 15 * time.Minute

	// Each failure costs a password hash, of which a machine computes some tens
	// a second: within failureMemory no attacker gets as far as this.
	failuresKept = 100_000
)

// origin names an attempt's pair, account and address. Accounts that do not
// exist have names as well, so that nothing tells them apart.
type origin struct{ pair, account, address name }

type name [16]byte

func originOf(a Attempt) origin {
	account := strconv.FormatInt(int64(a.Tenant), 10) + "\x00" + text.FoldASCII(a.UserName)
	return origin{pair: nameOf(account + "\x00" + a.Address), account: nameOf(account), address: nameOf(a.Address)}
}

// nameOf makes names of one length from texts of any.
func nameOf(s string) name {
	sum := sha256.Sum256([]byte(s))
	return name(sum[:16])
}

// watch remembers failed sign-ins in memory; a restart forgives them.
type watch struct {
	mu                         sync.Mutex // held from a verdict until it is acted upon
	pairs, accounts, addresses *limit.Recent[name]
}

func newWatch(now func() time.Time, meter *limit.Meter) *watch {
	failures := func(of string, times int) *limit.Recent[name] {
		return limit.NewRecent[name](limit.Options{Name: of, Most: failuresKept, Now: now, Meter: meter}, times, failureMemory)
	}
	return &watch{
		pairs: failures("sign_in", failuresToLock), accounts: failures("sign_in_account", failuresToDemand),
		addresses: failures("sign_in_address", failuresToDemand),
	}
}

// refuse says why an attempt is not even looked at; nil when it is.
func (w *watch) refuse(from origin, d Demand, passed bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.verdict(from, d, passed)
}

// settle says what comes of an attempt whose password was looked at. What was
// tried at the same time may have failed meanwhile, and counts: attempts in
// parallel learn no more than attempts one after the other.
func (w *watch) settle(from origin, d Demand, passed, right bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.verdict(from, d, passed); err != nil {
		return err
	}
	if right {
		return nil
	}
	w.pairs.Add(from.pair)
	w.accounts.Add(from.account)
	w.addresses.Add(from.address)
	return errs.New(errs.Refused, "signin.fail")
}

// welcome forgives a pair whose attempt opened a session. The account's and the
// address's failures stay: they are not only this person's, and an attacker has
// an account of his own to sign in to.
func (w *watch) welcome(from origin) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pairs.Forget(from.pair)
}

func (w *watch) verdict(from origin, d Demand, passed bool) error {
	if wait := w.pairs.Locked(from.pair); wait > 0 {
		return errs.New(errs.TooMany, "signin.locked").After(wait)
	}
	if passed {
		return nil
	}
	if d == DemandAlways || d == DemandAdaptive && (w.accounts.Locked(from.account) > 0 || w.addresses.Locked(from.address) > 0) {
		return errs.New(errs.Refused, "signin.captcha").With(CaptchaRequired{CaptchaRequired: true})
	}
	return nil
}
