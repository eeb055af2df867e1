package captcha

import (
	"net/netip"
	"time"
)

// What one address may do. A guess is right one time in 18, so ten failures in
// five minutes let a machine that guesses sign in wrongly some seven times an hour.
const (
	getsAllowed     = 60 // a minute
	checksAllowed   = 120
	limitWindow     = time.Minute
	failuresAllowed = 10
	failureWindow   = 5 * time.Minute
	lockedFor       = 5 * time.Minute
)

// limits counts by address.
type limits struct {
	gets, checks, failures *shelf[netip.Addr, int]
	locks                  *shelf[netip.Addr, struct{}]
}

func newLimits() *limits {
	return &limits{
		gets: newShelf[netip.Addr, int](limitWindow, kept), checks: newShelf[netip.Addr, int](limitWindow, kept),
		failures: newShelf[netip.Addr, int](failureWindow, kept), locks: newShelf[netip.Addr, struct{}](lockedFor, kept),
	}
}

// get counts a get and tells whether it may be served.
func (l *limits) get(from netip.Addr, now time.Time) Code {
	switch {
	case l.locks.find(from, now) != nil:
		return Locked
	case count(l.gets, from, now) > getsAllowed:
		return TooManyGets
	}
	return OK
}

// check counts a check and tells whether it may be served.
func (l *limits) check(from netip.Addr, now time.Time) Code {
	switch {
	case l.locks.find(from, now) != nil:
		return Locked
	case count(l.checks, from, now) > checksAllowed:
		return TooManyChecks
	}
	return OK
}

// failed counts a piece put in the wrong place. Solving one in between clears
// nothing: guessing is right now and then.
func (l *limits) failed(from netip.Addr, now time.Time) {
	if count(l.failures, from, now) >= failuresAllowed {
		l.failures.remove(from)
		l.locks.put(from, struct{}{}, now)
	}
}

// count adds one to what an address did in this window of time.
func count(s *shelf[netip.Addr, int], from netip.Addr, now time.Time) int {
	n := s.find(from, now)
	if n == nil {
		s.put(from, 1, now)
		return 1
	}
	*n++
	return *n
}
