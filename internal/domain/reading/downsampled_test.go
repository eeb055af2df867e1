package reading

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"tilth/internal/domain/device"
)

// TestDownsampledOfMixedKinds: the series begins with numbers, and other values follow.
func TestDownsampledOfMixedKinds(t *testing.T) {
	var o Downsampled
	want := []Point{{1, Number(1.5)}, {2, Number(-2)}}
	for _, p := range want {
		o.add(p)
	}
	same(t, "numbers", o.Points(), want)
	if got := string(o.AppendJSON([]byte("["), 0, 2)); got != "[1.5,-2" {
		t.Error(got)
	}
	for _, p := range []Point{{3, Text("open")}, {4, Number(0.25)}, {5, Boolean(true)}} {
		o.add(p)
		want = append(want, p)
	}
	same(t, "mixed", o.Points(), want)
	if got := string(o.AppendJSON(nil, 1, 5)); got != `-2,"open",0.25,true` {
		t.Error(got)
	}
	if got := string(o.AppendJSON(nil, 5, 5)); got != "" {
		t.Error(got)
	}
}

// TestReleasedDownsampledAreReused: two callers never share released memory, and a reused series
// does not show its earlier readings.
func TestReleasedDownsampledAreReused(t *testing.T) {
	s := openStore(t, Options{})
	const devices = 8
	var batch []Arrival
	for d := range device.ID(devices) {
		for m := range 3 * msPerDay / minute {
			random := num(1, float64(rand.IntN(10_000))/10)
			batch = append(batch,
				arrival(1, d+1, start+m*minute, random, num(2, float64(d)), boolean(3, m%100 == 0)))
		}
	}
	for chunk := range slices.Chunk(batch, 3000) {
		mustAppend(t, s, chunk...)
	}
	seal(t, s, afterAllDays)
	downsample := func(d device.ID, points int) map[device.PropertyID]Downsampled {
		o, err := s.Downsample(t.Context(), 1, d, start, start+3*msPerDay-1, []device.PropertyID{1, 2, 3}, points)
		if err != nil {
			t.Error(err)
		}
		return o
	}
	var want [devices + 1][3][]Point
	points := []int{10, 50, 100}
	for d := range device.ID(devices) {
		for i, n := range points {
			o := downsample(d+1, n)[1] // not released
			want[d+1][i] = o.Points()
		}
	}
	var all sync.WaitGroup
	for worker := range device.ID(devices) {
		all.Go(func() {
			for round := range 100 {
				d, i := (worker+device.ID(round))%devices+1, round%len(points)
				got := downsample(d, points[i])
				o := got[1]
				if !slices.Equal(o.Points(), want[d][i]) {
					t.Errorf("device %d, %d points: %v, want %v", d, points[i], o.Points(), want[d][i])
				}
				Release(got)
				if len(got) != 0 {
					t.Error("Release left results in the map")
				}
			}
		})
	}
	all.Wait()
}
