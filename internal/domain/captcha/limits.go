package captcha

import (
	"time"

	"tilth/internal/platform/limit"
)

// The limits of one address. A guess is right one time in 18, so with ten failures in five minutes
// a machine that guesses passes the captcha some seven times an hour.
const (
	getsAllowed     = 60 // a minute
	checksAllowed   = 120
	limitWindow     = time.Minute
	failuresAllowed = 10
	failureWindow   = 5 * time.Minute // the lock lasts as long after the last failure
)

// limits counts the requests and failures of each address.
type limits struct {
	gets, checks *limit.FixedWindows[limit.Network]
	failures     *limit.SlidingWindows[limit.Network]
}

func newLimits(now func() time.Time, meter *limit.Meter) *limits {
	options := func(name string) limit.Options {
		return limit.Options{Name: name, MaxKeys: maxEntries, Now: now, Meter: meter}
	}
	return &limits{
		gets:     limit.NewFixedWindows[limit.Network](options("captcha_gets"), getsAllowed, limitWindow),
		checks:   limit.NewFixedWindows[limit.Network](options("captcha_checks"), checksAllowed, limitWindow),
		failures: limit.NewSlidingWindows[limit.Network](options("captcha_failures"), failuresAllowed, failureWindow),
	}
}

// admitGet counts a get, and gives OK if the service may serve it.
func (l *limits) admitGet(from limit.Network) Code {
	switch {
	case l.failures.LockedFor(from) > 0:
		return Locked
	case !l.gets.Allow(from).Allowed():
		return TooManyGets
	}
	return OK
}

// admitCheck counts a check, and gives OK if the service may serve it.
func (l *limits) admitCheck(from limit.Network) Code {
	switch {
	case l.failures.LockedFor(from) > 0:
		return Locked
	case !l.checks.Allow(from).Allowed():
		return TooManyChecks
	}
	return OK
}

// addFailure counts a wrong solution. A right solution does not clear the count: guesses are right
// now and then.
func (l *limits) addFailure(from limit.Network) { l.failures.Add(from) }
