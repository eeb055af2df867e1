package httpapi

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Calls that need no sign-in are limited by address.
const (
	publicPerSecond = 10
	publicBurst     = 60
	addressesKept   = 50_000
)

type limiter struct {
	now func() time.Time

	mu        sync.Mutex
	addresses map[netip.Addr]*rate.Limiter
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, addresses: map[netip.Addr]*rate.Limiter{}}
}

// network is what an address counts as in limits: one IPv6 network is one
// client, who has more addresses than there are calls.
func network(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

// take lets one call of an address through (0) or says how long to wait.
func (l *limiter) take(a netip.Addr) time.Duration {
	a = network(a)
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	lim := l.addresses[a]
	if lim == nil {
		if len(l.addresses) >= addressesKept {
			for addr, known := range l.addresses {
				if known.TokensAt(now) >= publicBurst {
					delete(l.addresses, addr) // rested: forgetting it changes nothing
				}
			}
		}
		lim = rate.NewLimiter(publicPerSecond, publicBurst)
		l.addresses[a] = lim
	}
	res := lim.ReserveN(now, 1)
	if wait := res.DelayFrom(now); wait > 0 {
		res.CancelAt(now)
		return wait
	}
	return 0
}
