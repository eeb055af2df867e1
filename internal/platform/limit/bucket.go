package limit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Cost is what an event takes from a bucket, in fractions of One. A cost larger than a whole bucket
// counts as the whole bucket; otherwise it could never be paid.
type Cost int64

// One is the cost of one ordinary event. It is a power of two, so counting in fractions of One
// rounds nothing that counting in whole events would not. Tokens are an int of 64 bits, so no
// bucket holds more than eight million events.
const One Cost = 1 << 40

// Events is the cost of n events.
func Events(n int) Cost { return Cost(min(n, math.MaxInt/int(One))) * One }

// Share is the cost of an event for a key that may do n times as much as others, rounded up to the
// next fraction.
func Share(n int) Cost {
	n = max(1, n)
	return One/Cost(n) + min(1, One%Cost(n))
}

// Buckets allows each key a sustained rate of events per second, and a burst after the key was
// idle: each key has a bucket of tokens that refills evenly.
type Buckets[K comparable] struct {
	*table[K, *rate.Limiter]
	rate  float64 // tokens refilled per second
	burst int     // tokens in a full bucket
}

// NewBuckets makes buckets that hold burst events and refill perSecond events per second. Both are
// greater than 0; a burst over eight million counts as eight million.
func NewBuckets[K comparable](o Options, perSecond float64, burst int) *Buckets[K] {
	b := &Buckets[K]{rate: perSecond * float64(One), burst: int(Events(burst))}
	b.table = newTable[K](o, b.newBucket, b.untilFull)
	return b
}

// Allow takes the cost from the key's bucket if the bucket holds that much.
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
	state.Retry = max(1, state.Retry) // rounding may have made it 0
	return state
}

// Reserve takes the cost from the key's bucket even if the bucket must first refill, and returns
// how long the refill takes; 0: the tokens are there already. It serves callers that wait, and
// callers that charge for work already done.
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

// Peek returns what Allow would return. It takes nothing and counts nothing as refused.
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

// PinnedBucket is the bucket of a key for a caller that asks often, such as a connection: it saves
// the look-up each time. Callers of Buckets share the same bucket, and the bucket is not evicted
// while it is pinned.
type PinnedBucket[K comparable] struct {
	buckets *Buckets[K]
	entry   *entry[K, *rate.Limiter]
	bucket  *rate.Limiter
}

// Pin returns the bucket of a key and keeps it until Release. Pinned keys do not count towards
// Options.MaxKeys. The caller calls Release once and does not use the bucket afterwards.
func (b *Buckets[K]) Pin(key K) PinnedBucket[K] {
	p := b.pin(key)
	return PinnedBucket[K]{buckets: b, entry: p, bucket: p.state}
}

// Reserve does what Buckets.Reserve does. now is the time on the limit's clock; a caller that asks
// often has just read it.
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

// Release unpins the bucket.
func (h PinnedBucket[K]) Release() { h.buckets.unpin(h.entry) }

// reserve has no type parameter, so the compiler compiles it in this package wherever buckets are
// used, and the reservation stays off the heap.
func reserve(bucket *rate.Limiter, now time.Time, tokens int) time.Duration {
	return bucket.ReserveN(now, tokens).DelayFrom(now)
}

// state describes a bucket that holds the given tokens when a caller wants wanted tokens.
func (b *Buckets[K]) state(held float64, wanted int) State {
	return State{
		Remaining: int(max(0, math.Floor(held/float64(One)))),
		Reset:     b.refillTime(float64(b.burst) - held),
		Retry:     b.refillTime(float64(wanted) - held),
	}
}

// refillTime is how long the bucket takes to refill the lacking tokens.
func (b *Buckets[K]) refillTime(lacking float64) time.Duration {
	if lacking <= 0 {
		return 0
	}
	return time.Duration(min(lacking/b.rate*float64(time.Second), math.MaxInt64/2))
}

// tokens converts a cost to the tokens of package rate.
func (b *Buckets[K]) tokens(cost Cost) int { return min(int(cost), b.burst) }

func (b *Buckets[K]) newBucket() *rate.Limiter { return rate.NewLimiter(rate.Limit(b.rate), b.burst) }

func (b *Buckets[K]) untilFull(bucket *rate.Limiter, now time.Time) time.Duration {
	return b.refillTime(float64(b.burst) - bucket.TokensAt(now))
}
