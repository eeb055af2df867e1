package alarm

import (
	"math"
	"slices"
)

// finest and coarsest are the powers of ten between which moves are told apart.
const finest, coarsest = -9, 9

// rungs are the round numbers in whose steps moves are counted, and limits moved:
// 1, 2 and 5 of each power of ten.
var rungs = func() (all []float64) {
	for power := finest; power <= coarsest; power++ {
		for _, one := range []float64{1, 2, 5} {
			all = append(all, one*math.Pow10(power))
		}
	}
	return all
}()

// moves counts by how much a property moved from reading to reading. Of several
// devices they can be added up.
type moves struct {
	last   float64
	some   bool                             // last is one
	counts [3 * (coarsest - finest + 1)]int // of rungs: up to it, and more than the one below
}

// add takes the next reading in. One that is as the last was is no move.
func (m *moves) add(v float64) {
	by := math.Abs(v - m.last)
	if m.some && by > 0 {
		m.counts[rungOf(by)]++
	}
	m.last, m.some = v, true
}

func (m *moves) merge(other *moves) {
	for i, n := range other.counts {
		m.counts[i] += n
	}
}

// within is the round number that such a share of the moves do not exceed, as its place
// among rungs; negative: nothing moved.
func (m *moves) within(share float64) int {
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

// rungOf is the place of the smallest round number that is not below x, which two
// readings differ by: 2.3 - 2.1 is 0.2.
func rungOf(x float64) int {
	i, _ := slices.BinarySearch(rungs, x*(1-1e-9))
	return min(i, len(rungs)-1)
}
