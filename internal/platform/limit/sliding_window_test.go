package limit

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The limit holds in any stretch of time: a refused key may try again when its oldest event has
// left the window.
func TestSlidingWindowsAllow(t *testing.T) {
	clock := newFakeClock()
	r := NewSlidingWindows[int](Options{MaxKeys: 10, Now: clock.now}, 5, time.Minute)
	for i := range 5 {
		if s := r.Allow(1); s != (State{Remaining: 4 - i, Reset: time.Minute}) {
			t.Errorf("event %d: state %+v", i, s)
		}
		clock.advance(time.Second)
	}
	clock.advance(5 * time.Second)
	if s := r.Allow(1); s != (State{Reset: 54 * time.Second, Retry: 50 * time.Second}) {
		t.Errorf("the sixth event: state %+v", s)
	}
	if s := r.Allow(2); !s.Allowed() {
		t.Errorf("another key: state %+v", s)
	}
	clock.advance(50 * time.Second)
	if s := r.Allow(1); s != (State{Reset: time.Minute}) {
		t.Errorf("a minute after the first event: state %+v", s)
	}
	if s := r.Allow(1); s.Retry != time.Second {
		t.Errorf("before the second event is a minute ago: state %+v", s)
	}
}

// No stretch of time has more events than the limit, and none is refused while there were fewer.
func TestSlidingWindowsNeverExceedLimit(t *testing.T) {
	const most, within = 4, time.Second
	clock, random := newFakeClock(), rand.New(rand.NewPCG(3, 3))
	r := NewSlidingWindows[int](Options{MaxKeys: 100, Now: clock.now}, most, within)
	passed := map[int][]time.Time{}
	for i := range 20_000 {
		key, counting := random.IntN(10), 0
		for _, at := range passed[key] {
			if clock.now().Sub(at) < within {
				counting++
			}
		}
		got := r.Allow(key)
		if got.Allowed() != (counting < most) {
			t.Fatalf("step %d: state %+v after %d events", i, got, counting)
		}
		if got.Allowed() {
			passed[key] = append(passed[key], clock.now())
		}
		clock.advance(time.Duration(random.IntN(50)) * time.Millisecond)
	}
}

// A number of failures locks a key out only if they lie within the time of each other, and then for
// that time after the last one.
func TestSlidingWindowsLockedFor(t *testing.T) {
	const memory = 15 * time.Minute
	for name, c := range map[string]struct {
		minutes []int
		left    time.Duration // at the last failure
	}{
		"too few":           {[]int{0, 1}, 0},
		"together":          {[]int{0, 0, 0}, memory},
		"just within":       {[]int{0, 7, 14}, memory},
		"too far apart":     {[]int{0, 7, 15}, 0},
		"the newest three":  {[]int{0, 14, 16, 18}, memory},
		"across an old one": {[]int{0, 1, 2, 30, 31}, 0},
		"more than enough":  {[]int{0, 1, 2, 3, 4, 5}, memory},
	} {
		clock, meter := newFakeClock(), &Meter{}
		r := NewSlidingWindows[string](Options{Name: "locked", MaxKeys: 10, Now: clock.now, Meter: meter}, 3, memory)
		start := clock.at
		for _, m := range c.minutes {
			clock.at = start.Add(time.Duration(m) * time.Minute)
			r.Add("x")
		}
		if got := r.LockedFor("x"); got != c.left {
			t.Errorf("%s: locked for %s, want %s", name, got, c.left)
		}
		if r.LockedFor("y") != 0 {
			t.Errorf("%s: another key is locked, too", name)
		}
		clock.advance(memory)
		if got := r.LockedFor("x"); got != 0 {
			t.Errorf("%s: still locked for %s a quarter of an hour later", name, got)
		}
		if f := meter.Stats()["locked"]; f.Refused > 1 || (f.Refused == 1) != (c.left > 0) || f.Keys != 1 {
			t.Errorf("%s: stats %+v", name, f)
		}
	}
}

func TestSlidingWindowsForget(t *testing.T) {
	clock := newFakeClock()
	r := NewSlidingWindows[string](Options{MaxKeys: 1, Now: clock.now}, 1, time.Minute)
	r.Add("x")
	if r.LockedFor("x") != time.Minute {
		t.Error("the key is not locked")
	}
	r.Forget("x")
	r.Forget("never there")
	if r.LockedFor("x") != 0 || r.stats().Keys != 1 {
		t.Error("the forgotten key is still locked")
	}
	r.Add("y") // reuses the room of x
	if f := r.stats(); r.LockedFor("y") == 0 || f.Keys != 1 || f.Evicted != 0 {
		t.Errorf("stats %+v", f)
	}
}

// When the table is full, keys with many failures are kept longest, however old they are.
func TestSlidingWindowsEvictFewestFailuresFirst(t *testing.T) {
	clock := newFakeClock()
	r := NewSlidingWindows[int](Options{MaxKeys: 64, Now: clock.now}, 3, 15*time.Minute)
	for range 3 {
		r.Add(-1)
	}
	for key := range 1000 {
		clock.advance(500 * time.Millisecond)
		r.Add(key)
	}
	if left := r.LockedFor(-1); left != 15*time.Minute-500*time.Second {
		t.Errorf("locked for %s", left)
	}
}

// Left is the wait until the next event keeps the limit in every stretch of time.
func TestSlidingWindowsLeft(t *testing.T) {
	clock := newFakeClock()
	r := NewSlidingWindows[string](Options{MaxKeys: 8, Now: clock.now}, 2, time.Second)
	for _, step := range []struct{ after, left time.Duration }{
		{0, 0}, {300 * time.Millisecond, 700 * time.Millisecond}, {700 * time.Millisecond, 300 * time.Millisecond},
		{300 * time.Millisecond, 700 * time.Millisecond},
	} {
		clock.advance(step.after)
		r.Add("x")
		if got := r.Left("x"); got != step.left || r.Free("x") != 0 && step.left > 0 {
			t.Errorf("after %s: left %s, want %s", step.after, got, step.left)
		}
	}
	if r.Left("y") != 0 || r.Free("y") != 2 || r.stats().Refused != 0 {
		t.Errorf("another key: %s, %d; %+v", r.Left("y"), r.Free("y"), r.stats())
	}
}
