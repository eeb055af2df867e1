package reading

import (
	"math"
	"slices"
)

// thinner takes one property's readings in order of time and keeps at most a
// number of them.
type thinner struct {
	buckets
	out    Outline
	folded bool // out holds finished buckets instead of every point
	before Value

	// The bucket being filled.
	filled      bool
	end         int64    // of the bucket, epoch milliseconds, exclusive
	numbers     bool     // filled, with nothing but numbers
	lo, hi      numberAt // of numbers, the lowest and the highest
	first, last Point    // else the first and the last change
}

// numberAt is a Point of a number; without a pointer, and so quicker to move.
type numberAt struct {
	time int64 // epoch milliseconds
	num  float64
}

func (n numberAt) point() Point { return Point{Time: n.time, Value: Number(n.num)} }

// takes tells whether what a part keeps of so many values, whose first frame is
// at first, gives the same as its readings: not while they all may stay, and not
// in a bucket that is of changes.
func (t *thinner) takes(first int64, values int) bool {
	if !t.folded && len(t.out.Times)+values > t.points {
		t.refold()
	}
	return t.folded && (!t.filled || t.numbers || first >= t.end)
}

// addKept takes in what a part keeps of a column.
func (t *thinner) addKept(times *rowTimes, k *keptReader) error {
	t.out.grow(t.points-len(t.out.Times), true)
	// The extremes of the half hours that lie in one bucket, and its end.
	low, high, end := extreme{}, extreme{}, int64(math.MinInt64)
	for {
		some, err := k.next(times.count)
		if err != nil {
			return err
		}
		at := int64(math.MaxInt64)
		if some {
			at = times.at(k.lowest.row)
		}
		if at < end { // a half hour lies in one bucket
			if k.lowest.digits < low.digits {
				low = k.lowest
			}
			if k.highest.digits > high.digits {
				high = k.highest
			}
			continue
		}
		if end > math.MinInt64 {
			t.addExtremes(numberAt{times.at(low.row), float64(low.digits) / k.scale}, numberAt{times.at(high.row), float64(high.digits) / k.scale}, end)
		}
		if !some {
			t.before = Value{kind: KindNumber} // no text and no boolean
			return nil
		}
		low, high = k.lowest, k.highest
		if next := end + int64(t.width); end > math.MinInt64 && at < next { // by far the usual case, without dividing
			end = next
		} else {
			end = t.endAt(at)
		}
	}
}

// addExtremes takes in the lowest and the highest of numbers that lie in one
// bucket, which ends at end.
func (t *thinner) addExtremes(low, high numberAt, end int64) {
	if !t.filled || end > t.end {
		t.begin(end)
		t.numbers, t.lo, t.hi = true, low, high
		return
	}
	if low.num < t.lo.num {
		t.lo = low
	}
	if high.num > t.hi.num {
		t.hi = high
	}
}

// addColumn takes in what a column holds of the rows begin to before end; as
// many days may follow.
func (t *thinner) addColumn(b *block, c *column, begin, end, daysToCome int) {
	n, _ := slices.BinarySearch(c.rows, int32(begin))
	// The days to come are likely to hold as many.
	more := min(len(c.rows)*(1+daysToCome), growLimit)
	if t.points > 0 {
		more = min(more, t.points-len(t.out.Times))
	}
	if t.points == 0 || c.numbers {
		t.out.grow(more, c.numbers)
	}
	if !c.numbers {
		for ; n < len(c.rows) && int(c.rows[n]) < end; n++ {
			t.add(Point{Time: b.times[c.rows[n]], Value: c.values[n]})
		}
		return
	}
	scale := pow10[c.decimals]
	for ; n < len(c.rows) && int(c.rows[n]) < end; n++ {
		at, num := b.times[c.rows[n]], float64(c.digits[n])/scale
		if t.numbers && at < t.end { // by far the usual case, worth doing without a call
			if num < t.lo.num {
				t.lo = numberAt{at, num}
			}
			if num > t.hi.num {
				t.hi = numberAt{at, num}
			}
			continue
		}
		t.addNumber(numberAt{at, num})
	}
}

// growLimit bounds what is made ready for readings to come.
const growLimit = 1 << 17

func (t *thinner) add(p Point) {
	if p.Value.kind == KindNumber {
		t.addNumber(numberAt{p.Time, p.Value.num})
		return
	}
	if t.points > 0 && p.Value == t.before {
		return
	}
	t.before = p.Value
	if t.folds() {
		t.fold(p)
	} else {
		t.out.add(p)
	}
}

func (t *thinner) addNumber(n numberAt) {
	if t.before.kind != KindNumber {
		t.before = Value{kind: KindNumber} // which one makes no difference to what follows
	}
	if t.folds() {
		t.foldNumber(n)
	} else {
		t.out.addNumber(n)
	}
}

// folds tells whether one more goes into a bucket.
func (t *thinner) folds() bool {
	if !t.folded && t.points > 0 && len(t.out.Times) == t.points {
		t.refold()
	}
	return t.folded
}

// refold begins again by buckets, since there are more than points. Finished
// buckets take at most the places of the points already read, so out can be
// overwritten in place.
func (t *thinner) refold() {
	t.folded = true
	all := t.out
	t.out = Outline{Bucket: int64(t.width), Times: all.Times[:0], numbers: all.numbers[:0], values: all.values[:0]}
	for i := range all.Times {
		t.fold(all.point(i))
	}
}

func (t *thinner) fold(p Point) {
	switch {
	case p.Value.kind == KindNumber:
		t.foldNumber(numberAt{p.Time, p.Value.num})
	case !t.filled || p.Time >= t.end:
		t.begin(t.endAt(p.Time))
		t.first, t.last = p, p
	case t.numbers:
		t.first, t.last, t.numbers = t.lo.point(), p, false
	default:
		t.last = p
	}
}

func (t *thinner) foldNumber(n numberAt) {
	switch {
	case !t.filled || n.time >= t.end:
		t.addExtremes(n, n, t.endAt(n.time))
	case t.numbers:
		t.addExtremes(n, n, t.end)
	default:
		t.last = n.point()
	}
}

// begin finishes a bucket that is being filled and begins the one that ends at
// end.
func (t *thinner) begin(end int64) {
	if t.filled {
		t.flush()
	}
	t.end, t.filled = end, true
}

// endAt is where the bucket that at lies in ends.
func (t *thinner) endAt(at int64) int64 {
	return t.from + int64((uint64(at-t.from)/t.width+1)*t.width)
}

// flush finishes a bucket.
func (t *thinner) flush() {
	if t.numbers {
		first, last := t.lo, t.hi
		if first.time > last.time {
			first, last = last, first
		}
		t.out.addNumber(first)
		if last.time != first.time {
			t.out.addNumber(last)
		}
	} else {
		t.out.add(t.first)
		if t.last.Time != t.first.Time {
			t.out.add(t.last)
		}
	}
	t.filled, t.numbers = false, false
}

func (t *thinner) finish() Outline {
	if t.filled {
		t.flush()
	}
	return t.out
}
