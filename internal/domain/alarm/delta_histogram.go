package alarm

import (
	"math"
	"slices"
)

// minExponent and maxExponent bound the powers of ten of the buckets.
const minExponent, maxExponent = -9, 9

// buckets are the round numbers by which changes of a value are counted, and in whose steps
// recovery values are tried: 1, 2 and 5 of each power of ten.
var buckets = func() (all []float64) {
	for power := minExponent; power <= maxExponent; power++ {
		for _, one := range []float64{1, 2, 5} {
			all = append(all, one*math.Pow10(power))
		}
	}
	return all
}()

// deltaHistogram counts by how much a property changes from reading to reading. The histograms of
// several devices can be merged.
type deltaHistogram struct {
	last    float64
	hasLast bool                                     // last is set
	counts  [3 * (maxExponent - minExponent + 1)]int // by bucket: changes up to its number, and more than the one below
}

// add takes in the next reading. A value equal to the last one is no change.
func (m *deltaHistogram) add(v float64) {
	by := math.Abs(v - m.last)
	if m.hasLast && by > 0 {
		m.counts[bucketOf(by)]++
	}
	m.last, m.hasLast = v, true
}

func (m *deltaHistogram) merge(other *deltaHistogram) {
	for i, n := range other.counts {
		m.counts[i] += n
	}
}

// quantile is the index of the bucket whose number a given share of the changes do not exceed. It
// is negative where nothing changed.
func (m *deltaHistogram) quantile(share float64) int {
	all := 0
	for _, n := range m.counts {
		all += n
	}
	so := 0
	for i, n := range m.counts {
		if so += n; n > 0 && float64(so) >= share*float64(all) {
			return i
		}
	}
	return -1
}

// bucketOf is the index of the smallest bucket that is not below x, the difference of two readings.
// It tolerates rounding errors: 2.3 - 2.1 belongs to 0.2.
func bucketOf(x float64) int {
	i, _ := slices.BinarySearch(buckets, x*(1-1e-9))
	return min(i, len(buckets)-1)
}
