package limit

import (
	"math/rand/v2"
	"testing"
)

// Each key has a number of slots, and all keys together have another. Leave makes room, and a key
// without slots is not remembered.
func TestSlots(t *testing.T) {
	for _, c := range []struct{ each, inAll int }{{1, 0}, {2, 5}, {3, 3}, {8, 0}} {
		meter := &Meter{}
		s := NewSlots[int](Options{Name: "slots", Meter: meter}, c.each, c.inAll)
		random, holding, all, refused := rand.New(rand.NewPCG(4, uint64(c.each))), map[int]int{}, 0, uint64(0)
		for range 5000 {
			key := random.IntN(6)
			if holding[key] > 0 && random.IntN(2) == 0 {
				s.Leave(key)
				holding[key]--
				all--
				continue
			}
			want := NotFull
			switch {
			case holding[key] == c.each:
				want = FullForKey
			case c.inAll > 0 && all == c.inAll:
				want = FullForAll
			}
			if got := s.Enter(key); got != want {
				t.Fatalf(
					"%+v: Enter returned %d, want %d; the key holds %d of %d slots",
					c,
					got,
					want,
					holding[key],
					all,
				)
			}
			if want == NotFull {
				holding[key]++
				all++
			} else {
				refused++
			}
		}
		keys := 0
		for _, n := range holding {
			keys += min(n, 1)
		}
		if f := meter.Stats()["slots"]; f != (Stats{Refused: refused, Keys: keys}) || refused == 0 {
			t.Errorf("%+v: stats %+v, want %d refused and %d keys", c, f, refused, keys)
		}
	}
}

// A slot that is released twice would be one too many for good.
func TestSlotsAreLeftOnce(t *testing.T) {
	s := NewSlots[string](Options{}, 1, 0)
	s.Enter("a")
	s.Leave("a")
	defer func() {
		if recover() == nil {
			t.Error("the second Leave did not panic")
		}
	}()
	s.Leave("a")
}
