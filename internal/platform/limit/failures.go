package limit

import (
	"context"
	"math"
	"time"
)

// Failures limits the failed attempts of each key that are answered as failures; beyond the limit
// the answer says when to try again. A correct attempt is never refused, however many attempts of
// the same key failed: every attempt is checked, but the attempts of a key that failed too often
// are checked one at a time. A client that fails without a pause therefore slows down only its own
// key, and costs the server no more than a client with one attempt at a time.
type Failures[K comparable] struct {
	buckets  *Buckets[K]
	throttle *Throttle[K]
}

// NewFailures makes failures: burst at once, refilled by perSecond failures per second.
func NewFailures[K comparable](o Options, perSecond float64, burst int) *Failures[K] {
	return &Failures[K]{
		buckets: NewBuckets[K](o, perSecond, burst),
		// The throttle refuses nobody, so there is nothing to count: each waiting caller has a
		// connection, and connections are limited elsewhere.
		throttle: NewThrottle[K](Options{}, ThrottleOptions{MaxWaiting: math.MaxInt, LongTask: math.MaxInt64}),
	}
}

// Add counts a failure. retry is 0, or, after too many failures, the time until the next failure is
// answered as one.
func (f *Failures[K]) Add(key K) (retry time.Duration) { return f.buckets.Allow(key, One).Retry }

// Enter waits until an attempt of a key may be checked. It waits only if the key failed too often,
// and then only for the attempts of the key that came before. The caller calls done once after the
// check. An error is ctx's.
func (f *Failures[K]) Enter(ctx context.Context, key K) (done func(), err error) {
	if f.buckets.Peek(key, One).Allowed() {
		return func() {}, nil
	}
	if done, _ = f.throttle.Enter(ctx, key); done == nil {
		return nil, ctx.Err()
	}
	return done, nil
}
