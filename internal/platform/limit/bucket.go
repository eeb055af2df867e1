package limit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Cost is what an event takes of a bucket, in parts of One. A cost beyond the
// whole bucket counts as the bucket: else it could never be paid.
type Cost int64

// One is what one ordinary event costs. It is a power of two, so that counting
// in its parts rounds nothing that counting in ones would not. As tokens are an
// int, which has 64 bits, no bucket holds more than eight million events.
const One Cost = 1 << 40

// Events is the cost of n events.
func Events(n int) Cost { return Cost(min(n, math.MaxInt/int(One))) * One }

// Share is the cost of an event of somebody who may do n times as much as
// others, rounded up to the part.
func Share(n int) Cost {
	n = max(1, n)
	return One/Cost(n) + min(1, One%Cost(n))
}

// Buckets lets so many events of a key through a second, and so many at once
// where the key has rested: each key has a bucket of tokens, which grow back
// evenly.
type Buckets[K comparable] struct {
	*table[K, *rate.Limiter]
	rate  float64 // tokens that grow in a second
	burst int     // tokens of a full bucket
}

// NewBuckets makes buckets of burst events, of which perSecond grow back in a
// second. Both are more than 0; a burst beyond eight million is eight million.
func NewBuckets[K comparable](o Options, perSecond float64, burst int) *Buckets[K] {
	b := &Buckets[K]{rate: perSecond * float64(One), burst: int(Events(burst))}
	b.table = newTable[K](o, b.newBucket, b.untilFull)
	return b
}

// Allow takes a cost of a key's bucket if that is in it.
func (b *Buckets[K]) Allow(key K, cost Cost) State {
	now, tokens := b.now(), b.tokens(cost)
	s := b.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	bucket := b.getOrCreate(s, key, now).state
	allowed := bucket.AllowN(now, tokens)
	state := b.state(bucket.TokensAt(now), tokens)
	if allowed {
		state.Retry = 0
		return state
	}
	s.refused++
	state.Retry = max(1, state.Retry) // whatever came of rounding
	return state
}

// Reserve takes a cost of a key's bucket, be it of tokens to come, and tells how
// long until they are there: for those who wait, and for charging what was done
// already. 0: they are there.
func (b *Buckets[K]) Reserve(key K, cost Cost) time.Duration {
	now, tokens := b.now(), b.tokens(cost)
	s := b.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := reserve(b.getOrCreate(s, key, now).state, now, tokens)
	if wait > 0 {
		s.refused++
	}
	return wait
}

// Peek tells what Allow would; it takes nothing, and nobody counts as refused.
func (b *Buckets[K]) Peek(key K, cost Cost) State {
	now, tokens := b.now(), b.tokens(cost)
	s := b.shardFor(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.entries[key]
	if p == nil {
		return State{Remaining: b.burst / int(One)}
	}
	return b.state(p.state.TokensAt(now), tokens)
}

// PinnedBucket is the bucket of a key that somebody asks again and again, as a
// connection does: without looking for it each time. It is the same bucket as
// everybody else's who asks for the key, and is not forgotten while it is held.
type PinnedBucket[K comparable] struct {
	buckets *Buckets[K]
	entry   *entry[K, *rate.Limiter]
	bucket  *rate.Limiter
}

// Pin gives the bucket of a key to hold, beside the Options.Most that are not
// held. Release is called once, and the bucket not used after.
func (b *Buckets[K]) Pin(key K) PinnedBucket[K] {
	p := b.pin(key)
	return PinnedBucket[K]{buckets: b, entry: p, bucket: p.state}
}

// Reserve is that of Buckets. now is what the limit's clock shows: who asks
// often has just looked at it.
func (h PinnedBucket[K]) Reserve(now time.Time, cost Cost) time.Duration {
	wait := reserve(h.bucket, now, h.buckets.tokens(cost))
	if wait > 0 {
		s := h.buckets.shardFor(h.entry.key)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refused++
	}
	return wait
}

// Release lets go of the bucket.
func (h PinnedBucket[K]) Release() { h.buckets.unpin(h.entry) }

// reserve has no type parameter: so it is compiled in this package, wherever
// buckets are used, and the reservation stays off the heap.
func reserve(bucket *rate.Limiter, now time.Time, tokens int) time.Duration {
	return bucket.ReserveN(now, tokens).DelayFrom(now)
}

// state is how a bucket stands that holds so many tokens, of which wanted are
// asked for.
func (b *Buckets[K]) state(held float64, wanted int) State {
	return State{
		Remaining: int(max(0, math.Floor(held/float64(One)))),
		Reset:     b.refillTime(float64(b.burst) - held),
		Retry:     b.refillTime(float64(wanted) - held),
	}
}

// refillTime is how long tokens need to grow that are lacking.
func (b *Buckets[K]) refillTime(lacking float64) time.Duration {
	if lacking <= 0 {
		return 0
	}
	return time.Duration(min(lacking/b.rate*float64(time.Second), math.MaxInt64/2))
}

// tokens is a cost as package rate counts.
func (b *Buckets[K]) tokens(cost Cost) int { return min(int(cost), b.burst) }

func (b *Buckets[K]) newBucket() *rate.Limiter { return rate.NewLimiter(rate.Limit(b.rate), b.burst) }

func (b *Buckets[K]) untilFull(bucket *rate.Limiter, now time.Time) time.Duration {
	return b.refillTime(float64(b.burst) - bucket.TokensAt(now))
}
