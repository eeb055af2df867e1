package openapi

import (
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// Failed sign-ins of one address, as at the devices' side.
	failuresASecond = 1
	failuresAtOnce  = 60

	// streamsAtOnce is how many answers of history one credential may be
	// receiving: each holds a reader of the store open.
	streamsAtOnce = 8

	// bucketsKept is from how many on those that are full are thrown away.
	bucketsKept = 50_000
)

// buckets are token buckets by key. A full one is as good as none, so those are
// thrown away when there are many.
type buckets[K comparable] struct {
	rate  rate.Limit
	burst int

	mu   sync.Mutex
	each map[K]*rate.Limiter
}

// of finds or makes a bucket. Callers hold the lock.
func (b *buckets[K]) of(key K, now time.Time) *rate.Limiter {
	lim := b.each[key]
	if lim == nil {
		if len(b.each) >= bucketsKept {
			for k, known := range b.each {
				if known.TokensAt(now) >= float64(b.burst) {
					delete(b.each, k)
				}
			}
		}
		lim = rate.NewLimiter(b.rate, b.burst)
		b.each[key] = lim
	}
	return lim
}

// until is how long a bucket needs to grow up to so many tokens.
func (b *buckets[K]) until(lim *rate.Limiter, tokens float64, now time.Time) time.Duration {
	lacking := tokens - lim.TokensAt(now)
	return time.Duration(max(0, lacking) / float64(b.rate) * float64(time.Second))
}

// failures counts sign-ins that went wrong, by address.
type failures struct {
	now func() time.Time
	by  buckets[netip.Addr]
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, by: buckets[netip.Addr]{rate: failuresASecond, burst: failuresAtOnce, each: map[netip.Addr]*rate.Limiter{}}}
}

// network is what an address counts as: one IPv6 network is one client, who
// has more addresses than there are guesses.
func network(a netip.Addr) netip.Addr {
	if a.Is6() && !a.Is4In6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a.Unmap()
}

// wait is how long an address is not listened to; 0: it is.
func (f *failures) wait(a netip.Addr) time.Duration {
	now := f.now()
	f.by.mu.Lock()
	defer f.by.mu.Unlock()
	lim := f.by.each[network(a)]
	if lim == nil {
		return 0
	}
	return f.by.until(lim, 1, now)
}

// add counts a failure of an address.
func (f *failures) add(a netip.Addr) {
	now := f.now()
	f.by.mu.Lock()
	defer f.by.mu.Unlock()
	f.by.of(network(a), now).AllowN(now, 1)
}

// budgets are what each credential may ask.
type budgets struct {
	now func() time.Time
	by  buckets[int64]
}

// newBudgets makes budgets of so many requests a minute.
func newBudgets(perMinute int, now func() time.Time) *budgets {
	return &budgets{now: now, by: buckets[int64]{rate: rate.Limit(float64(perMinute) / 60), burst: perMinute, each: map[int64]*rate.Limiter{}}}
}

// left is what a request leaves of its credential's budget.
type left struct {
	requests int
	reset    time.Duration // until all of it is there again
	retry    time.Duration // until there is a request again; 0: this one may pass
}

func (b *budgets) take(credential int64) left {
	now := b.now()
	b.by.mu.Lock()
	defer b.by.mu.Unlock()
	lim := b.by.of(credential, now)
	var l left
	if !lim.AllowN(now, 1) {
		l.retry = max(time.Millisecond, b.by.until(lim, 1, now))
	}
	l.requests = int(math.Max(0, math.Floor(lim.TokensAt(now))))
	l.reset = b.by.until(lim, float64(b.by.burst), now)
	return l
}

// streams counts answers of history on their way, by credential.
type streams struct {
	mu   sync.Mutex
	open map[int64]int
}

func newStreams() *streams { return &streams{open: map[int64]int{}} }

// begin is false when a credential has as many as it may have; else end is to
// be called.
func (s *streams) begin(credential int64) (end func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[credential] == streamsAtOnce {
		return nil, false
	}
	s.open[credential]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[credential]--; s.open[credential] == 0 {
			delete(s.open, credential)
		}
	}, true
}
