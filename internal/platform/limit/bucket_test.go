package limit

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// naive is a straightforward, exact bucket of one key.
type naive struct {
	rate, burst, held float64
	at                time.Time
}

func (n *naive) look(now time.Time) float64 {
	n.held = min(n.burst, n.held+now.Sub(n.at).Seconds()*n.rate)
	n.at = now
	return n.held
}

// Buckets answer any sequence of calls as exactly counted buckets do.
func TestBuckets(t *testing.T) {
	const perSecond, burst, keys = 2.5, 7, 5
	clock, random := newFakeClock(), rand.New(rand.NewPCG(1, 1))
	b := NewBuckets[int](Options{MaxKeys: 100, Now: clock.now}, perSecond, burst)
	var exact [keys]*naive
	for i := range exact {
		exact[i] = &naive{perSecond, burst, burst, clock.now()}
	}
	near := func(a, b time.Duration) bool { return (a - b).Abs() < time.Microsecond }
	for i := range 50_000 {
		key := random.IntN(keys)
		cost := []Cost{One, One, Events(2), Events(3), Share(3), Share(100_000)}[random.IntN(6)]
		e, price := exact[key], float64(cost)/float64(One)
		held := e.look(clock.now())
		lacking := time.Duration(max(0, price-held) / perSecond * float64(time.Second))
		if math.Abs(held-price) < 1e-6 {
			clock.advance(time.Millisecond) // at the boundary, both answers are right
			continue
		}
		switch what := random.IntN(3); what {
		case 0:
			if wait := b.Reserve(key, cost); !near(wait, lacking) {
				t.Fatalf("step %d: Reserve waits %s, want %s", i, wait, lacking)
			}
			e.held -= price
		default:
			var s State
			if what == 1 {
				s = b.Peek(key, cost)
			} else if s = b.Allow(key, cost); s.Allowed() {
				e.held -= price
			}
			if s.Allowed() != (lacking == 0) || !near(s.Retry, lacking) {
				t.Fatalf("step %d: state %+v with %v held and %v wanted", i, s, held, price)
			}
			full := time.Duration((burst - e.held) / perSecond * float64(time.Second))
			if !near(s.Reset, full) ||
				math.Abs(float64(s.Remaining)-max(0, math.Floor(e.held))) > 1e-6 &&
					math.Abs(e.held-math.Round(e.held)) > 1e-6 {
				t.Fatalf("step %d: state %+v with %v left", i, s, e.held)
			}
		}
		if random.IntN(3) == 0 {
			clock.advance(time.Duration(random.ExpFloat64() * float64(time.Second)))
		}
	}
}

// The numbers that clients get are exact: no rounding shows.
func TestBucketsInWholeNumbers(t *testing.T) {
	for _, row := range []struct {
		perSecond float64
		burst     int
		retry     time.Duration
	}{
		{10, 60, 100 * time.Millisecond},
		{1, 60, time.Second},
		{0.1, 10, 10 * time.Second},
		{20, 200, 50 * time.Millisecond},
		{600.0 / 60, 600, 100 * time.Millisecond}, {7.0 / 60, 7, time.Minute / 7}, {1e6, 1e6, time.Microsecond},
	} {
		clock := newFakeClock()
		b := NewBuckets[string](Options{MaxKeys: 10, Now: clock.now}, row.perSecond, row.burst)
		for i := range row.burst {
			if s := b.Allow("a", One); !s.Allowed() || s.Remaining != row.burst-i-1 {
				t.Fatalf("%v per second, event %d: state %+v", row.perSecond, i, s)
			}
		}
		s := b.Allow("a", One)
		if s.Retry != row.retry || s.Remaining != 0 || s != b.Peek("a", One) {
			t.Errorf("%v per second: Allow returned %+v, Peek %+v", row.perSecond, s, b.Peek("a", One))
		}
		clock.advance(s.Retry)
		if s := b.Allow("a", One); !s.Allowed() {
			t.Errorf("%v per second: state %+v after the announced wait", row.perSecond, s)
		}
	}
}

// A key with a share pays a fraction of an event, and is allowed exactly so many more events.
func TestShares(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 7, 999, 99_991} {
		clock := newFakeClock()
		b := NewBuckets[int](Options{MaxKeys: 10, Now: clock.now}, 20, 5)
		for i := range 5 * n {
			if wait := b.Reserve(1, Share(n)); wait > 100 || n < 1000 && wait > 0 {
				t.Fatalf("event %d of %d waits %s, want no wait", i, 5*n, wait)
			}
		}
		want := time.Second / 20 / time.Duration(n)
		if wait := b.Reserve(1, Share(n)); (wait - want).Abs() > time.Microsecond {
			t.Errorf("share of %d: the next event waits %s, want %s", n, wait, want)
		}
	}
	if Share(0) != Share(1) || Share(1) != One || Share(math.MaxInt) != 1 || Events(math.MaxInt) <= 0 {
		t.Errorf(
			"Share(0) %d, Share(1) %d, Share(max) %d, Events(max) %d",
			Share(0),
			Share(1),
			Share(math.MaxInt),
			Events(math.MaxInt),
		)
	}
}

// An event that costs more than a bucket holds needs a full bucket, and empties it.
func TestCostsBeyondTheBucket(t *testing.T) {
	clock := newFakeClock()
	b := NewBuckets[int](Options{MaxKeys: 10, Now: clock.now}, 1, 10)
	if s := b.Allow(1, Events(50)); !s.Allowed() || s.Remaining != 0 {
		t.Errorf("state of a full bucket: %+v", s)
	}
	clock.advance(9 * time.Second)
	if s := b.Allow(1, Events(50)); s.Retry != time.Second || s.Remaining != 9 {
		t.Errorf("state of an empty bucket: %+v", s)
	}
	if wait := b.Reserve(1, Events(math.MaxInt)); wait != time.Second {
		t.Errorf("Reserve waits %s", wait)
	}
}

// A caller that charges failures only peeks first: Peek takes nothing, counts nothing and remembers
// no key. Failures that are charged with Reserve put a key into debt; those charged with Allow do
// not.
func TestFailuresAlone(t *testing.T) {
	clock, meter := newFakeClock(), &Meter{}
	b := NewBuckets[string](Options{Name: "failures", MaxKeys: 10, Now: clock.now, Meter: meter}, 1, 3)
	for range 100 {
		if s := b.Peek("a", One); s != (State{Remaining: 3}) {
			t.Fatalf("state of a key without failures: %+v", s)
		}
	}
	if f := meter.Stats()["failures"]; f != (Stats{}) {
		t.Errorf("stats after Peek alone: %+v", f)
	}
	for range 5 {
		b.Allow("mild", One)
		b.Reserve("strict", One)
	}
	mild, strict := b.Peek("mild", One), b.Peek("strict", One)
	if mild.Retry != time.Second || strict.Retry != 3*time.Second {
		t.Errorf("after Allow %+v, after Reserve %+v", mild, strict)
	}
	if f := meter.Stats()["failures"]; f != (Stats{Refused: 4, Keys: 2}) {
		t.Errorf("stats %+v", f)
	}
}
