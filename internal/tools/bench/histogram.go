package bench

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations in buckets whose width is at most a
// thirty-second of their height: what it tells is off by 3 % at most. Any
// number of goroutines may add.
type histogram struct {
	buckets [60 * perOctave]atomic.Uint32
	longest atomic.Int64 // µs
}

const (
	octaveBits = 5
	perOctave  = 1 << octaveBits
)

// add counts a duration, to the microsecond.
func (h *histogram) add(d time.Duration) {
	us := max(0, d.Microseconds())
	h.buckets[bucketOf(uint64(us))].Add(1)
	for {
		longest := h.longest.Load()
		if us <= longest || h.longest.CompareAndSwap(longest, us) {
			return
		}
	}
}

// bucketOf finds a bucket: below perOctave each number has its own, beyond,
// each doubling has perOctave of them.
func bucketOf(us uint64) int {
	shift := max(0, bits.Len64(us)-octaveBits-1)
	return shift*perOctave + int(us>>shift)
}

// upperEnd is the largest number of a bucket.
func upperEnd(bucket int) uint64 {
	shift := max(0, bucket/perOctave-1)
	return (uint64(bucket-shift*perOctave)+1)<<shift - 1
}

// count is how many durations there are.
func (h *histogram) count() (n uint64) {
	for i := range h.buckets {
		n += uint64(h.buckets[i].Load())
	}
	return n
}

// quantile is the duration that a share q (0 to 1) of all are not above; 0
// when there are none.
func (h *histogram) quantile(q float64) time.Duration {
	wanted := max(1, uint64(q*float64(h.count())+0.999999))
	var seen uint64
	for i := range h.buckets {
		if seen += uint64(h.buckets[i].Load()); seen >= wanted {
			return min(time.Duration(upperEnd(i))*time.Microsecond, h.max())
		}
	}
	return 0
}

func (h *histogram) max() time.Duration { return time.Duration(h.longest.Load()) * time.Microsecond }
