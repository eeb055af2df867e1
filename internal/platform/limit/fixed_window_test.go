package limit

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A window begins with a key's first event, allows a number of events, and ends for all of them at
// the same time.
func TestFixedWindows(t *testing.T) {
	clock := newFakeClock()
	w := NewFixedWindows[string](Options{MaxKeys: 10, Now: clock.now}, 3, time.Minute)
	for i, step := range []struct {
		pass time.Duration
		want State
	}{
		{0, State{Remaining: 2, Reset: time.Minute}},
		{59 * time.Second, State{Remaining: 1, Reset: time.Second}},
		{0, State{Remaining: 0, Reset: time.Second}},
		{0, State{Reset: time.Second, Retry: time.Second}},
		{time.Second - 1, State{Reset: 1, Retry: 1}},
		{1, State{Remaining: 2, Reset: time.Minute}},
		{time.Hour, State{Remaining: 2, Reset: time.Minute}},
	} {
		clock.advance(step.pass)
		if got := w.Allow("a"); got != step.want {
			t.Errorf("step %d: %+v, want %+v", i, got, step.want)
		}
	}
	if got := w.Allow("b"); got != (State{Remaining: 2, Reset: time.Minute}) {
		t.Errorf("another key: state %+v", got)
	}
}

// No window allows more events than the limit, and none refuses an event while there is room in it.
func TestFixedWindowsNeverExceedLimit(t *testing.T) {
	const most, within = 4, time.Second
	clock, random := newFakeClock(), rand.New(rand.NewPCG(2, 2))
	w := NewFixedWindows[int](Options{MaxKeys: 100, Now: clock.now}, most, within)
	began, events := map[int]time.Time{}, map[int]int{}
	for i := range 20_000 {
		key := random.IntN(10)
		if clock.now().Sub(began[key]) >= within {
			began[key], events[key] = clock.now(), 0
		}
		if got := w.Allow(key); got.Allowed() != (events[key] < most) {
			t.Fatalf("step %d: state %+v after %d events in the window", i, got, events[key])
		}
		events[key]++
		clock.advance(time.Duration(random.IntN(50)) * time.Millisecond)
	}
}
