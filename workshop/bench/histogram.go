package bench

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations in buckets whose width is at most a thirty-second of their value, so
// that its results are at most 3 % too high. Goroutines may add at the same time.
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

// bucketOf returns the bucket of a number: below perOctave each number has its own; above, each
// doubling has perOctave buckets.
func bucketOf(us uint64) int {
	shift := max(0, bits.Len64(us)-octaveBits-1)
	return shift*perOctave + int(us>>shift)
}

// upperEnd returns the largest number of a bucket.
func upperEnd(bucket int) uint64 {
	shift := max(0, bucket/perOctave-1)
	return (uint64(bucket-shift*perOctave)+1)<<shift - 1
}

// count returns how many durations were added.
func (h *histogram) count() (n uint64) {
	for i := range h.buckets {
		n += uint64(h.buckets[i].Load())
	}
	return n
}

// quantile returns the duration that a share q (0 to 1) of all durations do not exceed; 0 if there
// are none.
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
