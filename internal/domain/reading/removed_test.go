package reading

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
)

func removedField(p device.PropertyID) Field { return Field{Property: p} }

// No method returns a removed value: at once, over older generations and segments, and after a
// restart.
func TestRemovedValue(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start, num(1, 1), num(2, 2)), arrival(1, 7, start+minute, num(1, 3), num(2, 4)))
	sealed := time.UnixMilli(start + 3*msPerDay)
	for step, act := range []func(){
		func() {},
		func() { s = reopen(t, s) },
		func() {
			if err := s.Seal(t.Context(), sealed); err != nil {
				t.Fatal(err)
			}
		},
		func() { s = reopen(t, s) },
	} {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			act()
			mustAppend(t, s, arrival(1, 7, start+minute, removedField(2)))
			same(t, "range", readRange(t, s, 1, 7, start, start+minute, 1, 2),
				[]row{{start, []Field{num(1, 1), num(2, 2)}}, {start + minute, []Field{num(1, 3)}}})
			series, err := s.Series(t.Context(), 1, 7, start, start+minute, []device.PropertyID{2}, 0)
			if err != nil || len(series[2]) != 1 {
				t.Errorf("series %v, %v", series, err)
			}
			same(t, "its property alone", readRange(t, s, 1, 7, start+1, start+minute, 2), nil)
			same(t, "as of", readAsOf(t, s, 1, 7, start+minute, 1, 2),
				[]Last{{1, start + minute, Number(3)}, {2, start, Number(2)}})
			same(t, "latest", s.Latest(t.Context(), 1, 7), []Last{{1, start + minute, Number(3)}})
		})
	}
	mustAppend(t, s, arrival(1, 7, start+minute, num(2, 9)))
	same(t, "written again", readRange(t, s, 1, 7, start+1, start+minute, 2),
		[]row{{start + minute, []Field{num(2, 9)}}})
	same(t, "latest again", s.Latest(t.Context(), 1, 7),
		[]Last{{1, start + minute, Number(3)}, {2, start + minute, Number(9)}})
}

// Values are written and removed in any order, with flushes, seals, restarts and crashes in
// between: the last write or removal of a value counts.
func TestRandomWritesAndRemovals(t *testing.T) {
	for range 12 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 3))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			want := model{}
			var sent []Arrival
			for range 300 {
				a := randomReading(rng)
				if rng.IntN(3) == 0 {
					a.Fields[0].Value = Value{}
				}
				sent = append(sent, a)
			}
			frames := joinFrames(rng, sent)
			want.append(frames)
			for _, d := range want {
				instants := d.valuesByTime
				for at, values := range instants {
					maps.DeleteFunc(values, func(_ device.PropertyID, v Value) bool { return v.kind == KindNone })
					if len(values) == 0 {
						delete(instants, at)
					}
				}
			}
			s := replay(t, rng, frames, nil)
			for range 20 {
				for ref := range want {
					from, to := modelTimes[rng.IntN(len(modelTimes))], modelTimes[rng.IntN(len(modelTimes))]+2*minute
					props := slices.Clone(modelProps[:1+rng.IntN(len(modelProps))])
					same(t, "range", readRange(t, s, ref.Tenant, ref.ID, from, to, props...),
						want.rows(ref, from, to, props))
					same(t, "as of", readAsOf(t, s, ref.Tenant, ref.ID, to, props...), want.asOf(ref, to, props))
				}
			}
		})
	}
}
