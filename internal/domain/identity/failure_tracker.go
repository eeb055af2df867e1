package identity

import (
	"crypto/sha256"
	"strconv"
	"sync"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/text"
)

// Failures within failureWindow: so many of one account from one address lock
// that pair for as long; so many of one account, or from one address, make a
// captcha be demanded. What happens to an account from elsewhere never locks
// it: nobody can shut another out.
//
// So many of one neighbourhood, at whichever accounts that never signed in from it,
// have each of these wait from then on before it is looked at again: minBackoff, and
// twice as long after each failure, up to maxBackoff. The waiting is the account's, so
// that nobody can use up the moment in which another may try. So many of one account
// from where it never signed in are told to its owner.
const (
	failuresToLock   = 10
	failuresToDemand = 3
	failuresToWait   = failuresToLock
	failuresToWarn   = 10
	failureWindow    = 15 * time.Minute

	minBackoff = time.Second
	maxBackoff = 30 * time.Second

	// Each failure costs a password hash, of which a machine computes some tens
	// a second: within failureWindow no attacker gets as far as this.
	maxTrackedFailures = 100_000
)

// origin names an attempt's pair of account and address, account, address,
// neighbourhood, and the pair of account and neighbourhood. Accounts that do not exist
// have names as well, so that nothing tells them apart.
type origin struct {
	accountAddress, account, address, subnet, accountSubnet failureKey
	known                                                   bool // the account signed in from the neighbourhood before
}

type failureKey [16]byte

func newOrigin(a Attempt) origin {
	account, address, subnet := accountKey(
		a.Tenant,
		a.UserName,
	), limit.Client.Of(
		a.Address,
	).String(), a.subnet().String()
	return origin{
		accountAddress: failureKeyOf(
			account + "\x00" + address,
		),
		account:       failureKeyOf(account),
		address:       failureKeyOf(address),
		subnet:        failureKeyOf(subnet),
		accountSubnet: failureKeyOf(account + "\x00" + subnet),
	}
}

// accountKey is a name that no other account has.
func accountKey(t tenant.ID, userName string) string {
	return strconv.FormatInt(int64(t), 10) + "\x00" + text.FoldASCII(userName)
}

// failureKeyOf makes names of one length from texts of any.
func failureKeyOf(s string) failureKey {
	sum := sha256.Sum256([]byte(s))
	return failureKey(sum[:16])
}

// failureTracker remembers failed sign-ins in memory; a restart forgives them.
type failureTracker struct {
	mu                         sync.Mutex // held from a verdict until it is acted upon
	pairs, accounts, addresses *limit.SlidingWindows[failureKey]
	subnets                    *limit.SlidingWindows[failureKey] // at accounts that are not known there
	guesses                    *limit.SlidingWindows[failureKey] // of an account, from where it is not known
	subnetWaits                *limit.Cooldowns[failureKey]
}

func newFailureTracker(now func() time.Time, meter *limit.Meter) *failureTracker {
	options := func(of string) limit.Options {
		return limit.Options{Name: of, MaxKeys: maxTrackedFailures, Now: now, Meter: meter}
	}
	failures := func(of string, times int) *limit.SlidingWindows[failureKey] {
		return limit.NewSlidingWindows[failureKey](options(of), times, failureWindow)
	}
	return &failureTracker{
		pairs:     failures("sign_in", failuresToLock),
		accounts:  failures("sign_in_account", failuresToDemand),
		addresses: failures("sign_in_address", failuresToDemand),
		subnets: failures(
			"sign_in_network",
			failuresCountedPerSubnet,
		),
		guesses:     failures("sign_in_guess", failuresToWarn),
		subnetWaits: limit.NewCooldowns[failureKey](options("sign_in_wait"), failureWindow),
	}
}

// failuresCountedPerSubnet are as many as the longest wait needs.
const failuresCountedPerSubnet = failuresToWait + 5

// backoff is how long an account that is not known there waits after so many failures
// of a neighbourhood.
func backoff(failures int) time.Duration {
	if failures < failuresToWait {
		return 0
	}
	return min(maxBackoff, minBackoff<<(failures-failuresToWait))
}

// checkLocked says why an attempt is not even looked at, whatever captcha was passed; nil
// when it is.
func (w *failureTracker) checkLocked(from origin) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.lockError(from); err != nil || from.known {
		return err
	}
	if wait := w.subnetWaits.Try(from.accountSubnet, backoff(w.subnets.Count(from.subnet))); wait > 0 {
		return lockedError(wait)
	}
	return nil
}

// checkCaptcha says that a captcha is to be passed first; nil when not.
func (w *failureTracker) checkCaptcha(from origin, d CaptchaPolicy, passed bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.captchaError(from, d, passed)
}

// recordOutcome says what comes of an attempt whose password was looked at. What was
// tried at the same time may have failed meanwhile, and counts: attempts in
// parallel learn no more than attempts one after the other. guessed: so much was
// tried on the account from where it is not known that its owner should know.
func (w *failureTracker) recordOutcome(from origin, d CaptchaPolicy, passed, right bool) (warnOwner bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.lockError(from); err != nil {
		return false, err
	}
	if err := w.captchaError(from, d, passed); err != nil {
		return false, err
	}
	if right {
		return false, nil
	}
	w.pairs.Add(from.accountAddress)
	w.accounts.Add(from.account)
	w.addresses.Add(from.address)
	if !from.known {
		w.subnets.Add(from.subnet)
		if wait := backoff(w.subnets.Count(from.subnet)); wait > 0 {
			w.subnetWaits.Begin(from.accountSubnet, wait)
		}
		before := w.guesses.Count(from.account)
		w.guesses.Add(from.account)
		warnOwner = before < failuresToWarn && w.guesses.Count(from.account) == failuresToWarn
	}
	return warnOwner, errs.New(errs.Refused, "signin.fail")
}

// forgive forgives a pair whose attempt opened a session. The account's, the
// address's and the neighbourhood's failures stay: they are not only this person's, and
// an attacker has an account of his own to sign in to.
func (w *failureTracker) forgive(from origin) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pairs.Forget(from.accountAddress)
	w.subnetWaits.Forget(from.accountSubnet)
}

// lockError says that a pair, or an account where it is not known, has to wait.
func (w *failureTracker) lockError(from origin) error {
	if wait := w.pairs.LockedFor(from.accountAddress); wait > 0 {
		return lockedError(wait)
	}
	if from.known {
		return nil
	}
	if wait := w.subnetWaits.Left(from.accountSubnet); wait > 0 {
		return lockedError(wait)
	}
	return nil
}

func (w *failureTracker) captchaError(from origin, d CaptchaPolicy, passed bool) error {
	if passed {
		return nil
	}
	if d == CaptchaAlways ||
		d == CaptchaAdaptive && (w.accounts.LockedFor(from.account) > 0 || w.addresses.LockedFor(from.address) > 0) {
		return errs.New(errs.Refused, "signin.captcha").WithData(CaptchaRequired{CaptchaRequired: true})
	}
	return nil
}

func lockedError(wait time.Duration) error {
	return errs.New(errs.TooMany, "signin.locked").RetryAfter(wait)
}
