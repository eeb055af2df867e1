package reading

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tilth/internal/domain/device"
)

func series(t testing.TB, s *Store, from, to int64, points int, p device.PropertyID) []Point {
	t.Helper()
	all, err := s.Series(t.Context(), 1, 1, from, to, []device.PropertyID{p}, points)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) > 1 || len(all) == 1 && len(all[p]) == 0 {
		t.Errorf("wanted property %d, got %v", p, all)
	}
	return all[p]
}

func pointsOf(sampler *downsampler) []Point {
	o := sampler.finish()
	return o.Points()
}

func TestSeriesWithoutPointsIsEveryReading(t *testing.T) {
	s := openStore(t, Options{})
	var want []Point
	for i := range int64(700) {
		mustAppend(t, s, arrival(1, 1, start+i, boolean(1, i > 300), num(2, 1)))
		want = append(want, Point{start + i, Boolean(i > 300)})
	}
	same(t, "series", series(t, s, start, start+699, 0, 1), want)
	both, err := s.Series(t.Context(), 1, 1, start, start+9, []device.PropertyID{2, 1, 9}, 0)
	if err != nil || len(both) != 2 || len(both[1]) != 10 || len(both[2]) != 10 {
		t.Errorf("two properties and an unknown one: %v, %v", both, err)
	}
}

func TestSeriesRefusesTooFewPoints(t *testing.T) {
	s := openStore(t, Options{})
	for _, points := range []int{-1, 1} {
		if _, err := s.Series(t.Context(), 1, 1, start, start+1, []device.PropertyID{1}, points); err == nil {
			t.Errorf("%d points: accepted", points)
		}
	}
}

// TestDownsampledNumbersKeepPeaks: the lowest and the highest reading of each bucket stay, all
// points are readings, and there are not too many.
func TestDownsampledNumbersKeepPeaks(t *testing.T) {
	for range 300 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		points := 2 + rng.IntN(40)
		span := 1 + rng.Int64N(5000)
		from, to := start, start+span-1
		var all []Point
		for at := from; at <= to; at += 1 + rng.Int64N(1+span/int64(1+rng.IntN(200))) {
			all = append(all, Point{at, Number(float64(rng.IntN(50)))})
		}
		sampler := &downsampler{buckets: bucketsOf(from, to, points)}
		for _, p := range all {
			sampler.add(p)
		}
		got := pointsOf(sampler)
		what := fmt.Sprintf("seed %d: %d of %d readings, %d points", seed, len(got), len(all), points)
		if len(all) <= points {
			same(t, what+", all fit", got, all)
			continue
		}
		if len(got) > points {
			t.Fatal(what)
		}
		if !slices.IsSortedFunc(got, func(a, b Point) int { return int(a.Time - b.Time) }) {
			t.Fatalf("%s: not in order", what)
		}
		for _, p := range got {
			if !slices.Contains(all, p) {
				t.Fatalf("%s: %v is not a reading", what, p)
			}
		}
		width := (span + int64(points/2) - 1) / int64(points/2)
		for bucket := from; bucket <= to; bucket += width {
			low, high := lowHigh(all, bucket, bucket+width)
			gotLow, gotHigh := lowHigh(got, bucket, bucket+width)
			if low != gotLow || high != gotHigh {
				t.Fatalf("%s: bucket at %d has %v..%v, want %v..%v", what, bucket-from, gotLow, gotHigh, low, high)
			}
		}
	}
}

func lowHigh(points []Point, from, before int64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if p.Time >= from && p.Time < before {
			low, high = min(low, p.Value.Float()), max(high, p.Value.Float())
		}
	}
	return low, high
}

func TestSeriesOfBooleansAndTextsKeepsTheChanges(t *testing.T) {
	s := openStore(t, Options{})
	states := []string{"shut", "shut", "open", "open", "open", "shut", "fault", "fault"}
	for i, state := range states {
		mustAppend(t, s, arrival(1, 1, start+int64(i), text(1, state), boolean(2, state == "open")))
	}
	same(t, "texts", series(t, s, start, start+7, 100, 1), []Point{
		{start, Text("shut")},
		{start + 2, Text("open")},
		{start + 5, Text("shut")},
		{start + 6, Text("fault")},
	})
	same(t, "booleans", series(t, s, start, start+7, 100, 2),
		[]Point{{start, Boolean(false)}, {start + 2, Boolean(true)}, {start + 5, Boolean(false)}})
}

func TestChangesAreDownsampled(t *testing.T) {
	const readings, points = 1000, 10
	sampler := &downsampler{buckets: bucketsOf(start, start+readings-1, points)}
	for i := range int64(readings) {
		sampler.add(Point{start + i, Boolean(i%2 == 0)})
	}
	got := pointsOf(sampler)
	if len(got) != points {
		t.Fatalf("%d points, want %d", len(got), points)
	}
	for i, p := range got {
		bucket := int64(i/2) * readings / (points / 2)
		want := start + bucket
		if i%2 == 1 {
			want = start + bucket + readings/(points/2) - 1
		}
		if p.Time != want {
			t.Errorf("point %d at %d, want the bucket's first or last change at %d", i, p.Time-start, want-start)
		}
	}
}

func TestSeriesOfAPropertyThatChangedItsKind(t *testing.T) {
	sampler := &downsampler{buckets: bucketsOf(start, start+999, 4)}
	for i := range int64(1000) {
		v := Number(float64(i))
		if i%3 == 0 {
			v = Text(fmt.Sprint(i))
		}
		sampler.add(Point{start + i, v})
	}
	if got := pointsOf(sampler); len(got) > 4 || got[0].Time != start || got[len(got)-1].Time != start+999 {
		t.Errorf("mixed kinds: %v", got)
	}
}

func TestSeriesOverAllTime(t *testing.T) {
	s := openStore(t, Options{})
	var batch []Arrival
	for i := range int64(500) {
		batch = append(batch, arrival(1, 1, start+i*minute, num(1, float64(i%77))))
	}
	mustAppend(t, s, batch...)
	got := series(t, s, math.MinInt64, math.MaxInt64, 100, 1)
	low, high := lowHigh(got, start, start+500*minute)
	if len(got) == 0 || len(got) > 100 || low != 0 || high != 76 {
		t.Errorf("%d points from %v to %v, want at most 100 from 0 to 76", len(got), low, high)
	}
}
