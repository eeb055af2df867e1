package limit

import (
	"maps"
	"testing"
	"time"
)

// Meter returns limits by name, and sums limits of the same name.
func TestMeter(t *testing.T) {
	clock, m := newFakeClock(), &Meter{}
	a := NewBuckets[int](Options{Name: "calls", MaxKeys: 1, Now: clock.now, Meter: m}, 1, 1)
	b := NewFixedWindows[int](Options{Name: "calls", MaxKeys: 10, Now: clock.now, Meter: m}, 1, time.Second)
	c := NewSlots[int](Options{Name: "streams", Meter: m}, 1, 0)
	NewSlidingWindows[int](Options{Name: "not metered", MaxKeys: 1, Now: clock.now}, 1, time.Second).Add(1)
	a.Allow(1, One)
	a.Allow(1, One) // refused
	a.Allow(2, One) // evicts 1
	b.Allow(1)
	b.Allow(1) // refused
	b.Allow(2)
	c.Enter(1)
	want := map[string]Stats{"calls": {Refused: 2, Evicted: 1, Keys: 3}, "streams": {Keys: 1}}
	if got := m.Stats(); !maps.Equal(got, want) {
		t.Errorf("stats %+v, want %+v", got, want)
	}
	var nobody *Meter
	if got := nobody.Stats(); len(got) != 0 {
		t.Errorf("stats of a nil meter: %+v", got)
	}
}
