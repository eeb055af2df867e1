package alarm

import (
	"math"
	"slices"
)

// minExponent and coarsest are the powers of ten between which moves are told apart.
const minExponent, maxExponent = -9, 9

// buckets are the round numbers in whose steps moves are counted, and limits moved:
// 1, 2 and 5 of each power of ten.
var buckets = func() (all []float64) {
	for power := minExponent; power <= maxExponent; power++ {
		for _, one := range []float64{1, 2, 5} {
			all = append(all, one*math.Pow10(power))
		}
	}
	return all
}()

// deltaHistogram counts by how much a property moved from reading to reading. Of several
// devices they can be added up.
type deltaHistogram struct {
	last    float64
	hasLast bool                                     // last is one
	counts  [3 * (maxExponent - minExponent + 1)]int // of rungs: up to it, and more than the one below
}

// add takes the next reading in. One that is as the last was is no move.
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

// quantile is the round number that such a share of the moves do not exceed, as its place
// among rungs; negative: nothing moved.
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

// bucketOf is the place of the smallest round number that is not below x, which two
// readings differ by: 2.3 - 2.1 is 0.2.
func bucketOf(x float64) int {
	i, _ := slices.BinarySearch(buckets, x*(1-1e-9))
	return min(i, len(buckets)-1)
}
