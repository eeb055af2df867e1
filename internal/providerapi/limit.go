package providerapi

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// An address that gives a wrong token may try again so often, then no more
// than once in failureEvery.
const (
	failureBurst  = 10
	failureEvery  = 10 * time.Second
	addressesKept = 10_000
)

// failures limits wrong tokens by address. Addresses of one IPv6 network count
// as one.
type failures struct {
	now func() time.Time

	mu    sync.Mutex
	known map[netip.Addr]*rate.Limiter
	swept time.Time
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, known: map[netip.Addr]*rate.Limiter{}}
}

func network(a netip.Addr) netip.Addr {
	a = a.Unmap()
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

// wait is how long an address must wait before it may try; 0 when it may.
func (f *failures) wait(a netip.Addr) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.known[network(a)]
	if l == nil {
		return 0
	}
	missing := 1 - l.TokensAt(f.now())
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing * float64(failureEvery))
}

// add counts a failure of an address.
func (f *failures) add(a netip.Addr) {
	now := f.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.known) >= addressesKept {
		f.makeRoom(now)
	}
	l := f.known[network(a)]
	if l == nil {
		l = rate.NewLimiter(rate.Every(failureEvery), failureBurst)
		f.known[network(a)] = l
	}
	l.AllowN(now, 1)
}

// makeRoom forgets the addresses that have rested, which changes nothing, and
// where all are busy lets one of them off. Callers hold the lock.
func (f *failures) makeRoom(now time.Time) {
	if now.Sub(f.swept) >= failureEvery {
		f.swept = now
		for addr, l := range f.known {
			if l.TokensAt(now) >= failureBurst {
				delete(f.known, addr)
			}
		}
	}
	for addr := range f.known {
		if len(f.known) < addressesKept {
			return
		}
		delete(f.known, addr)
	}
}
