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

// The tracker counts failures within failureWindow. failuresToLock of one account from one address
// lock that pair for failureWindow. failuresToDemand of one account, or from one address, make
// sign-in require a captcha. Failures from other addresses never lock an account, so nobody can
// lock out another user.
//
// After failuresToWait failures from one subnet, at any accounts, each account that never signed in
// from it has to wait before another attempt from there: minBackoff, and twice as long after each
// failure, up to maxBackoff. Each account waits separately, so that nobody can use up the moment in
// which another user may try. After failuresToWarn failures of one account from subnets that it never
// signed in from, its owner gets a warning.
//
// Accounts that signed in from the subnet are counted and refused in the same way, except that their
// right password is let in. Wrong ones given meanwhile are counted apart, since the others' are not
// looked at: after failuresToSpend of them the account waits in that subnet as if it were new there.
const (
	failuresToLock   = 10
	failuresToDemand = 3
	failuresToWait   = failuresToLock
	failuresToWarn   = 10
	failuresToSpend  = 10
	failureWindow    = 15 * time.Minute

	// Whoever guesses codes knows the password. codesToLock wrong codes of one account within
	// codeFailureWindow, from anywhere, lock its codes of six digits, of which three are right at a
	// time; recovery codes still let its owner in.
	codesToLock       = 20
	codeFailureWindow = time.Hour

	minBackoff = time.Second
	maxBackoff = 30 * time.Second

	// Each failure at an account costs a password hash, of which a machine computes some tens a second.
	// Guesses at names without an account may be more; what they evict is single failures of such names.
	maxTrackedFailures = 100_000
)

// origin holds the keys of an attempt: account with address, account, address, subnet, and account
// with subnet. Accounts that do not exist have keys as well, so that they behave the same.
type origin struct {
	accountAddress, account, address, subnet, accountSubnet failureKey
	known                                                   bool // the account signed in from the subnet before
	signedIn                                                bool // the request has a session: subnets do not count
}

type failureKey [16]byte

func newOrigin(a Attempt) origin {
	account := accountKey(a.Tenant, a.UserName)
	address, subnet := limit.Client.Of(a.Address).String(), a.subnet().String()
	return origin{
		accountAddress: failureKeyOf(account + "\x00" + address),
		account:        failureKeyOf(account),
		address:        failureKeyOf(address),
		subnet:         failureKeyOf(subnet),
		accountSubnet:  failureKeyOf(account + "\x00" + subnet),
	}
}

// accountKey gives a text that no other account has.
func accountKey(t tenant.ID, userName string) string {
	return strconv.FormatInt(int64(t), 10) + "\x00" + text.FoldASCII(userName)
}

// failureKeyOf hashes a text to a key of fixed length.
func failureKeyOf(s string) failureKey {
	sum := sha256.Sum256([]byte(s))
	return failureKey(sum[:16])
}

// failureTracker remembers failed sign-ins in memory; a restart forgets them.
type failureTracker struct {
	mu sync.Mutex // held from a check until its outcome is recorded

	pairs, accounts, addresses *limit.SlidingWindows[failureKey]
	subnets                    *limit.SlidingWindows[failureKey]
	hidden                     *limit.SlidingWindows[failureKey] // refused as if nobody had looked at them
	guesses                    *limit.SlidingWindows[failureKey] // of an account, from unfamiliar subnets
	subnetWaits                *limit.Cooldowns[failureKey]
	codes                      *limit.SlidingWindows[failureKey] // wrong codes of an account
}

func newFailureTracker(now func() time.Time, meter *limit.Meter) *failureTracker {
	options := func(of string) limit.Options {
		return limit.Options{Name: of, MaxKeys: maxTrackedFailures, Now: now, Meter: meter}
	}
	failures := func(of string, times int) *limit.SlidingWindows[failureKey] {
		return limit.NewSlidingWindows[failureKey](options(of), times, failureWindow)
	}
	return &failureTracker{
		pairs:       failures("sign_in", failuresToLock),
		accounts:    failures("sign_in_account", failuresToDemand),
		addresses:   failures("sign_in_address", failuresToDemand),
		subnets:     failures("sign_in_network", failuresCountedPerSubnet),
		guesses:     failures("sign_in_guess", failuresToWarn),
		hidden:      failures("sign_in_hidden", failuresToSpend),
		subnetWaits: limit.NewCooldowns[failureKey](options("sign_in_wait"), failureWindow),
		codes:       limit.NewSlidingWindows[failureKey](options("sign_in_code"), codesToLock, codeFailureWindow),
	}
}

// failuresCountedPerSubnet is as many failures as maxBackoff needs.
const failuresCountedPerSubnet = failuresToWait + 5

// backoff gives how long an account that never signed in from a subnet waits after so many failures
// from there.
func backoff(failures int) time.Duration {
	if failures < failuresToWait {
		return 0
	}
	return min(maxBackoff, minBackoff<<(failures-failuresToWait))
}

// checkLocked gives the refusal of an attempt that is locked or has to wait, whether or not a captcha
// was passed; nil if the attempt may go on.
func (w *failureTracker) checkLocked(from origin) error {
	if err := w.checkPair(from); err != nil || from.known || from.signedIn {
		return err
	}
	return w.checkWait(from)
}

// checkPair gives the refusal of an attempt whose account is locked for the address.
func (w *failureTracker) checkPair(from origin) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pairError(from)
}

// checkWait gives the refusal of an attempt whose account has to wait if it never signed in from the
// subnet, whether or not it did.
func (w *failureTracker) checkWait(from origin) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := w.subnetWaits.Try(from.accountSubnet, backoff(w.subnets.Count(from.subnet))); wait > 0 {
		return lockedError(wait)
	}
	return nil
}

// hasSpentFamiliarity tells whether so many wrong passwords of an account were refused as if nobody
// had looked at them that it counts as one that never signed in from the subnet.
func (w *failureTracker) hasSpentFamiliarity(from origin) bool {
	return w.hidden.Left(from.accountSubnet) > 0
}

// isGuessed tells whether an account has many failures from subnets that it never signed in from.
func (w *failureTracker) isGuessed(from origin) bool { return w.guesses.Left(from.account) > 0 }

// checkCaptcha gives the refusal of an attempt that must pass a captcha first; nil if it need not.
func (w *failureTracker) checkCaptcha(from origin, d CaptchaPolicy, passed bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.captchaError(from, d, passed)
}

// recordOutcome records the outcome of an attempt whose password was verified, and gives its
// refusal. It checks the limits again, since concurrent attempts may have failed meanwhile:
// parallel attempts learn no more than sequential ones. hidden is the refusal that the attempt would
// have got, before its password was looked at, if the account had never signed in from the subnet; nil:
// none. warnOwner says that the account now has failuresToWarn failures from subnets that it never
// signed in from, so its owner should be warned.
func (w *failureTracker) recordOutcome(
	from origin,
	d CaptchaPolicy,
	passed, right bool,
	hidden error,
) (warnOwner bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.pairError(from); err != nil {
		return false, err
	}
	if wait := w.subnetWaits.Left(from.accountSubnet); wait > 0 && hidden == nil && !from.signedIn {
		hidden = lockedError(wait)
	}
	captcha := w.captchaError(from, d, passed)
	switch {
	case hidden != nil && (!from.known || !right || captcha != nil):
		if from.known {
			w.hidden.Add(from.accountSubnet)
		}
		return false, hidden
	case captcha != nil:
		return false, captcha
	case right:
		return false, nil
	}
	return w.addFailure(from), errs.New(errs.Refused, "signin.fail")
}

func (w *failureTracker) addFailure(from origin) (warnOwner bool) {
	w.pairs.Add(from.accountAddress)
	w.accounts.Add(from.account)
	w.addresses.Add(from.address)
	if from.signedIn {
		return false
	}
	w.subnets.Add(from.subnet)
	if wait := backoff(w.subnets.Count(from.subnet)); wait > 0 {
		w.subnetWaits.Begin(from.accountSubnet, wait)
	}
	if !from.known {
		before := w.guesses.Count(from.account)
		w.guesses.Add(from.account)
		warnOwner = before < failuresToWarn && w.guesses.Count(from.account) == failuresToWarn
	}
	return warnOwner
}

// checkCode gives the refusal of an attempt with a code of six digits, if too many of the account
// were wrong.
func (w *failureTracker) checkCode(from origin) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := w.codes.LockedFor(from.account); wait > 0 {
		return errs.New(errs.TooMany, "signin.codesLocked").RetryAfter(wait)
	}
	return nil
}

// recordWrongCode records a wrong code as a failed sign-in. warnOwner is that of recordOutcome.
func (w *failureTracker) recordWrongCode(from origin) (warnOwner bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.codes.Add(from.account)
	return w.addFailure(from)
}

// endWait forgets the wait of the account with the subnet after a right password that needs a code.
func (w *failureTracker) endWait(from origin) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subnetWaits.Forget(from.accountSubnet)
}

// forgive forgets the failures of the account with the address, and the wait of the account with
// the subnet, after an attempt that started a session. The failures of the account, the address and
// the subnet stay: other people may have caused them, and an attacker could clear them by signing
// in to an account of their own.
func (w *failureTracker) forgive(from origin) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pairs.Forget(from.accountAddress)
	w.subnetWaits.Forget(from.accountSubnet)
}

func (w *failureTracker) pairError(from origin) error {
	if wait := w.pairs.LockedFor(from.accountAddress); wait > 0 {
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
