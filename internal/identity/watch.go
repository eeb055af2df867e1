package identity

import (
	"crypto/sha256"
	"strconv"
	"sync"
	"time"

	"tilth/internal/errs"
	"tilth/internal/limit"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// Failures within failureMemory: so many of one account from one address lock
// that pair for as long; so many of one account, or from one address, make a
// captcha be demanded. What happens to an account from elsewhere never locks
// it: nobody can shut another out.
//
// So many of one neighbourhood, at whichever accounts that never signed in from it,
// have each of these wait from then on before it is looked at again: firstWait, and
// twice as long after each failure, up to longestWait. The waiting is the account's, so
// that nobody can use up the moment in which another may try. So many of one account
// from where it never signed in are told to its owner.
const (
	failuresToLock   = 10
	failuresToDemand = 3
	failuresToWait   = failuresToLock
	failuresToTell   = 10
	failureMemory    = 15 * time.Minute

	firstWait   = time.Second
	longestWait = 30 * time.Second

	// Each failure costs a password hash, of which a machine computes some tens
	// a second: within failureMemory no attacker gets as far as this.
	failuresKept = 100_000
)

// origin names an attempt's pair of account and address, account, address,
// neighbourhood, and the pair of account and neighbourhood. Accounts that do not exist
// have names as well, so that nothing tells them apart.
type origin struct {
	pair, account, address, network, visit name
	known                                  bool // the account signed in from the neighbourhood before
}

type name [16]byte

func originOf(a Attempt) origin {
	account, address, network := accountOf(a.Tenant, a.UserName), limit.Client.Of(a.Address).String(), a.network().String()
	return origin{
		pair: nameOf(account + "\x00" + address), account: nameOf(account), address: nameOf(address),
		network: nameOf(network), visit: nameOf(account + "\x00" + network),
	}
}

// accountOf is a name that no other account has.
func accountOf(t tenant.ID, userName string) string {
	return strconv.FormatInt(int64(t), 10) + "\x00" + text.FoldASCII(userName)
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
	networks                   *limit.Recent[name] // at accounts that are not known there
	guesses                    *limit.Recent[name] // of an account, from where it is not known
	visits                     *limit.Waits[name]
}

func newWatch(now func() time.Time, meter *limit.Meter) *watch {
	options := func(of string) limit.Options {
		return limit.Options{Name: of, Most: failuresKept, Now: now, Meter: meter}
	}
	failures := func(of string, times int) *limit.Recent[name] {
		return limit.NewRecent[name](options(of), times, failureMemory)
	}
	return &watch{
		pairs: failures("sign_in", failuresToLock), accounts: failures("sign_in_account", failuresToDemand),
		addresses: failures("sign_in_address", failuresToDemand),
		networks:  failures("sign_in_network", failuresKeptOfNetwork), guesses: failures("sign_in_guess", failuresToTell),
		visits: limit.NewWaits[name](options("sign_in_wait"), failureMemory),
	}
}

// failuresKeptOfNetwork are as many as the longest wait needs.
const failuresKeptOfNetwork = failuresToWait + 5

// waitOf is how long an account that is not known there waits after so many failures
// of a neighbourhood.
func waitOf(failures int) time.Duration {
	if failures < failuresToWait {
		return 0
	}
	return min(longestWait, firstWait<<(failures-failuresToWait))
}

// shut says why an attempt is not even looked at, whatever captcha was passed; nil
// when it is.
func (w *watch) shut(from origin) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.barred(from); err != nil || from.known {
		return err
	}
	if wait := w.visits.Try(from.visit, waitOf(w.networks.Count(from.network))); wait > 0 {
		return locked(wait)
	}
	return nil
}

// demand says that a captcha is to be passed first; nil when not.
func (w *watch) demand(from origin, d Demand, passed bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.demanded(from, d, passed)
}

// settle says what comes of an attempt whose password was looked at. What was
// tried at the same time may have failed meanwhile, and counts: attempts in
// parallel learn no more than attempts one after the other. guessed: so much was
// tried on the account from where it is not known that its owner should know.
func (w *watch) settle(from origin, d Demand, passed, right bool) (guessed bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.barred(from); err != nil {
		return false, err
	}
	if err := w.demanded(from, d, passed); err != nil {
		return false, err
	}
	if right {
		return false, nil
	}
	w.pairs.Add(from.pair)
	w.accounts.Add(from.account)
	w.addresses.Add(from.address)
	if !from.known {
		w.networks.Add(from.network)
		if wait := waitOf(w.networks.Count(from.network)); wait > 0 {
			w.visits.Begin(from.visit, wait)
		}
		before := w.guesses.Count(from.account)
		w.guesses.Add(from.account)
		guessed = before < failuresToTell && w.guesses.Count(from.account) == failuresToTell
	}
	return guessed, errs.New(errs.Refused, "signin.fail")
}

// welcome forgives a pair whose attempt opened a session. The account's, the
// address's and the neighbourhood's failures stay: they are not only this person's, and
// an attacker has an account of his own to sign in to.
func (w *watch) welcome(from origin) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pairs.Forget(from.pair)
	w.visits.Forget(from.visit)
}

// barred says that a pair, or an account where it is not known, has to wait.
func (w *watch) barred(from origin) error {
	if wait := w.pairs.Locked(from.pair); wait > 0 {
		return locked(wait)
	}
	if from.known {
		return nil
	}
	if wait := w.visits.Left(from.visit); wait > 0 {
		return locked(wait)
	}
	return nil
}

func (w *watch) demanded(from origin, d Demand, passed bool) error {
	if passed {
		return nil
	}
	if d == DemandAlways || d == DemandAdaptive && (w.accounts.Locked(from.account) > 0 || w.addresses.Locked(from.address) > 0) {
		return errs.New(errs.Refused, "signin.captcha").WithData(CaptchaRequired{CaptchaRequired: true})
	}
	return nil
}

func locked(wait time.Duration) error {
	return errs.New(errs.TooMany, "signin.locked").RetryAfter(wait)
}
