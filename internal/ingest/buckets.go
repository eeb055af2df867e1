package ingest

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// buckets holds one token bucket a key. A full bucket is as good as none, so
// those are thrown away from time to time.
type buckets[K comparable] struct {
	rate  rate.Limit
	burst int

	mu      sync.Mutex
	m       map[K]*rate.Limiter
	sweepAt int
}

// take takes a token, now or of those to come, and tells how long until it is
// there. share multiplies rate and burst.
func (b *buckets[K]) take(key K, share int) time.Duration {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.get(key, share, now).ReserveN(now, 1).DelayFrom(now)
}

// try takes a token if there is one; else it tells how long until there is.
func (b *buckets[K]) try(key K, share int) time.Duration {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.get(key, share, now).ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// lacking tells how long until there is a token, without taking one.
func (b *buckets[K]) lacking(key K) time.Duration {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.m[key]
	if l == nil {
		return 0
	}
	if missing := 1 - l.TokensAt(now); missing > 0 {
		return time.Duration(missing / float64(b.rate) * float64(time.Second))
	}
	return 0
}

// get finds or makes a bucket. Callers hold the lock.
func (b *buckets[K]) get(key K, share int, now time.Time) *rate.Limiter {
	limit, burst := b.rate*rate.Limit(share), b.burst*share
	if l := b.m[key]; l != nil {
		if l.Burst() != burst {
			l.SetLimitAt(now, limit)
			l.SetBurstAt(now, burst)
		}
		return l
	}
	if len(b.m) >= b.sweepAt {
		b.sweep(now)
	}
	l := rate.NewLimiter(limit, burst)
	b.m[key] = l
	return l
}

func (b *buckets[K]) sweep(now time.Time) {
	if b.m == nil {
		b.m = map[K]*rate.Limiter{}
	}
	for key, l := range b.m {
		if l.TokensAt(now) >= float64(l.Burst()) {
			delete(b.m, key)
		}
	}
	b.sweepAt = max(1024, 2*len(b.m))
}
