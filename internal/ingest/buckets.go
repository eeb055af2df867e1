package ingest

import (
	"math"
	"sync"
	"time"
)

// buckets holds one token bucket a key, as the moment when it will be full
// again: a token taken puts that off by what one takes to grow. A full bucket
// is as good as none, so those are thrown away from time to time.
type buckets[K comparable] struct {
	rate  float64 // tokens that grow in a second
	burst int     // tokens of a full bucket

	mu      sync.Mutex
	began   time.Time           // what moments are counted from
	full    map[K]time.Duration // when each bucket is full again
	sweepAt int
}

// take takes a token, now or of those to come, and tells how long until it is
// there. share multiplies rate and burst.
func (b *buckets[K]) take(key K, share int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	full, wait := b.next(key, share)
	b.put(key, full)
	return wait
}

// try takes a token if there is one; else it tells how long until there is.
func (b *buckets[K]) try(key K, share int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	full, wait := b.next(key, share)
	if wait == 0 {
		b.put(key, full)
	}
	return wait
}

// lacking tells how long until there is a token, without taking one.
func (b *buckets[K]) lacking(key K) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, wait := b.next(key, 1)
	return wait
}

// next is when the bucket would be full after one token more, and how long
// until that token is there. Callers hold the lock.
func (b *buckets[K]) next(key K, share int) (full, wait time.Duration) {
	now := b.now()
	full = max(b.full[key], now) + seconds(1/(b.rate*float64(share)))
	// Rate and burst grow alike, so an empty bucket of any share is full after
	// the same time.
	return full, max(0, full-now-seconds(float64(b.burst)/b.rate))
}

// seconds is a duration that leaves room for sums of several.
func seconds(s float64) time.Duration {
	return time.Duration(min(s*float64(time.Second), math.MaxInt64/8))
}

func (b *buckets[K]) now() time.Duration {
	now := time.Now()
	if b.began.IsZero() {
		b.began = now
	}
	return now.Sub(b.began)
}

func (b *buckets[K]) put(key K, full time.Duration) {
	if _, known := b.full[key]; !known && len(b.full) >= b.sweepAt {
		b.sweep()
	}
	b.full[key] = full
}

func (b *buckets[K]) sweep() {
	if b.full == nil {
		b.full = map[K]time.Duration{}
	}
	now := b.now()
	for key, full := range b.full {
		if full <= now {
			delete(b.full, key)
		}
	}
	b.sweepAt = max(1024, 2*len(b.full))
}
