package bench

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestHistogramBuckets(t *testing.T) {
	before := -1
	for us := uint64(0); us < 1<<20; us++ {
		b := bucketOf(us)
		if b != before && b != before+1 {
			t.Fatalf("%d µs: bucket %d after %d", us, b, before)
		}
		if end := upperEnd(b); end < us || float64(end-us) > float64(us)/perOctave {
			t.Fatalf("%d µs is in a bucket that ends at %d", us, end)
		}
		before = b
	}
	var h histogram
	h.add(1<<63 - 1) // the longest duration has a bucket
	h.add(-time.Second)
	if h.quantile(0.01) != 0 {
		t.Errorf("a negative duration counts as %v", h.quantile(0.01))
	}
}

func TestHistogramQuantiles(t *testing.T) {
	var h histogram
	if h.quantile(0.5) != 0 || h.max() != 0 {
		t.Error("an empty histogram has durations")
	}
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]time.Duration, 40_000)
	for i := range all {
		all[i] = time.Duration(r.ExpFloat64() * float64(20*time.Millisecond)).Truncate(time.Microsecond)
	}
	var adding sync.WaitGroup
	for part := range 4 {
		adding.Go(func() {
			for _, d := range all[part*10_000 : (part+1)*10_000] {
				h.add(d)
			}
		})
	}
	adding.Wait()
	slices.Sort(all)
	for _, q := range []float64{0.01, 0.5, 0.9, 0.99, 0.999, 1} {
		exact := all[max(0, int(q*float64(len(all)))-1)]
		if got := h.quantile(q); got < exact || float64(got-exact) > 0.04*float64(exact) {
			t.Errorf("quantile %v is %v, exactly %v", q, got, exact)
		}
	}
	if h.max() != all[len(all)-1] || h.quantile(1) != h.max() {
		t.Errorf("longest %v, exactly %v", h.max(), all[len(all)-1])
	}
}
