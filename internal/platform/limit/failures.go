package limit

import (
	"context"
	"math"
	"time"
)

// Failures lets so many failures of a key be told as such, and says of those beyond
// when to come again. What is right is never refused, however much of the same key
// failed: to know it, each is looked at, and of a key that failed too often one after
// the other. So who fails without a pause slows down their own key, and the server has
// no more to do for them than for one who asks.
type Failures[K comparable] struct {
	buckets  *Buckets[K]
	throttle *Throttle[K]
}

// NewFailures makes failures: burst at once, of which perSecond are forgiven in a
// second.
func NewFailures[K comparable](o Options, perSecond float64, burst int) *Failures[K] {
	return &Failures[K]{
		buckets: NewBuckets[K](o, perSecond, burst),
		// Nobody is turned away for want of a place, so that there is nothing to count:
		// who waits has a connection, and those are bounded.
		throttle: NewThrottle[K](Options{}, ThrottleOptions{MaxWaiting: math.MaxInt, LongTask: math.MaxInt64}),
	}
}

// Add counts a failure; not 0: there were too many, and when the next is told as one.
func (f *Failures[K]) Add(key K) (retry time.Duration) { return f.buckets.Allow(key, One).Retry }

// Enter waits until something of a key may be looked at: no longer than those before it
// take, and not at all while the key has not failed too often. done is called once
// then; an error is ctx's.
func (f *Failures[K]) Enter(ctx context.Context, key K) (done func(), err error) {
	if f.buckets.Peek(key, One).Allowed() {
		return func() {}, nil
	}
	if done, _ = f.throttle.Enter(ctx, key); done == nil {
		return nil, ctx.Err()
	}
	return done, nil
}
