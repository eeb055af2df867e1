package reading

import (
	"math"
	"slices"
)

// downsampler takes one property's readings in order of time and keeps a limited number of them.
type downsampler struct {
	buckets
	result    Downsampled
	bucketed  bool // result holds finished buckets instead of every point
	lastValue Value

	// The bucket being filled.
	bucketOpen              bool
	bucketEnd               int64       // epoch milliseconds, exclusive
	onlyNumbers             bool        // the bucket is open and holds nothing but numbers
	lowest, highest         numberPoint // if onlyNumbers
	firstChange, lastChange Point       // otherwise
}

// numberPoint is a Point of a number. It has no pointer, so it is faster to move.
type numberPoint struct {
	time  int64 // epoch milliseconds
	value float64
}

func (n numberPoint) point() Point { return Point{Time: n.time, Value: Number(n.value)} }

// acceptsMinmax reports whether the minmax of a column with that many values, whose first frame is
// at first, gives the same result as its readings. It does not while all readings may stay, nor in
// a bucket that holds changes.
func (t *downsampler) acceptsMinmax(first int64, values int) bool {
	if !t.bucketed && len(t.result.Times)+values > t.maxPoints {
		t.startBucketing()
	}
	return t.bucketed && (!t.bucketOpen || t.onlyNumbers || first >= t.bucketEnd)
}

// addMinmax adds the minmax of a column.
func (t *downsampler) addMinmax(times *rowTimes, minmax *minmaxReader) error {
	t.result.grow(t.maxPoints-len(t.result.Times), true)
	// The extremes of the half hours in the current bucket, and its end.
	low, high, end := extreme{}, extreme{}, int64(math.MinInt64)
	for {
		ok, err := minmax.next(times.count)
		if err != nil {
			return err
		}
		at := int64(math.MaxInt64)
		if ok {
			at = times.at(minmax.lowest.row)
		}
		if at < end { // a half hour lies in one bucket
			if minmax.lowest.digits < low.digits {
				low = minmax.lowest
			}
			if minmax.highest.digits > high.digits {
				high = minmax.highest
			}
			continue
		}
		if end > math.MinInt64 {
			lowest := numberPoint{times.at(low.row), float64(low.digits) / minmax.scale}
			highest := numberPoint{times.at(high.row), float64(high.digits) / minmax.scale}
			t.addExtremes(lowest, highest, end)
		}
		if !ok {
			t.lastValue = Value{kind: KindNumber} // no text and no boolean
			return nil
		}
		low, high = minmax.lowest, minmax.highest
		if next := end + int64(t.width); end > math.MinInt64 && at < next { // the usual case, without division
			end = next
		} else {
			end = t.bucketEndAt(at)
		}
	}
}

// addExtremes adds the lowest and the highest of numbers that lie in one bucket, which ends at end.
func (t *downsampler) addExtremes(low, high numberPoint, end int64) {
	if !t.bucketOpen || end > t.bucketEnd {
		t.beginBucket(end)
		t.onlyNumbers, t.lowest, t.highest = true, low, high
		return
	}
	if low.value < t.lowest.value {
		t.lowest = low
	}
	if high.value > t.highest.value {
		t.highest = high
	}
}

// addColumn adds a column's values in the rows [begin, end). Up to daysToCome days follow.
func (t *downsampler) addColumn(b *block, c *column, begin, end, daysToCome int) {
	n, _ := slices.BinarySearch(c.rows, int32(begin))
	// The days to come are likely to hold as many.
	expected := min(len(c.rows)*(1+daysToCome), growLimit)
	if t.maxPoints > 0 {
		expected = min(expected, t.maxPoints-len(t.result.Times))
	}
	if t.maxPoints == 0 || c.numbers {
		t.result.grow(expected, c.numbers)
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
		if t.onlyNumbers && at < t.bucketEnd { // the usual case, worth doing without a call
			if num < t.lowest.value {
				t.lowest = numberPoint{at, num}
			}
			if num > t.highest.value {
				t.highest = numberPoint{at, num}
			}
			continue
		}
		t.addNumber(numberPoint{at, num})
	}
}

// growLimit bounds the room that addColumn makes for readings to come.
const growLimit = 1 << 17

func (t *downsampler) add(p Point) {
	if p.Value.kind == KindNumber {
		t.addNumber(numberPoint{p.Time, p.Value.num})
		return
	}
	if t.maxPoints > 0 && p.Value == t.lastValue {
		return
	}
	t.lastValue = p.Value
	if t.bucketing() {
		t.addToBucket(p)
	} else {
		t.result.add(p)
	}
}

func (t *downsampler) addNumber(n numberPoint) {
	if t.lastValue.kind != KindNumber {
		t.lastValue = Value{kind: KindNumber} // all numbers count as equal
	}
	if t.bucketing() {
		t.addNumberToBucket(n)
	} else {
		t.result.addNumber(n)
	}
}

// bucketing reports whether the next reading goes into a bucket.
func (t *downsampler) bucketing() bool {
	if !t.bucketed && t.maxPoints > 0 && len(t.result.Times) == t.maxPoints {
		t.startBucketing()
	}
	return t.bucketed
}

// startBucketing puts the points so far into buckets, because there are more than maxPoints.
// Finished buckets take at most the places of the points already read, so result can be overwritten
// in place.
func (t *downsampler) startBucketing() {
	t.bucketed = true
	points := t.result
	t.result = Downsampled{
		Bucket:  int64(t.width),
		Times:   points.Times[:0],
		numbers: points.numbers[:0],
		values:  points.values[:0],
	}
	for i := range points.Times {
		t.addToBucket(points.point(i))
	}
}

func (t *downsampler) addToBucket(p Point) {
	switch {
	case p.Value.kind == KindNumber:
		t.addNumberToBucket(numberPoint{p.Time, p.Value.num})
	case !t.bucketOpen || p.Time >= t.bucketEnd:
		t.beginBucket(t.bucketEndAt(p.Time))
		t.firstChange, t.lastChange = p, p
	case t.onlyNumbers:
		t.firstChange, t.lastChange, t.onlyNumbers = t.lowest.point(), p, false
	default:
		t.lastChange = p
	}
}

func (t *downsampler) addNumberToBucket(n numberPoint) {
	switch {
	case !t.bucketOpen || n.time >= t.bucketEnd:
		t.addExtremes(n, n, t.bucketEndAt(n.time))
	case t.onlyNumbers:
		t.addExtremes(n, n, t.bucketEnd)
	default:
		t.lastChange = n.point()
	}
}

// beginBucket closes the open bucket and opens the one that ends at end.
func (t *downsampler) beginBucket(end int64) {
	if t.bucketOpen {
		t.closeBucket()
	}
	t.bucketEnd, t.bucketOpen = end, true
}

// bucketEndAt returns the end of the bucket that contains at.
func (t *downsampler) bucketEndAt(at int64) int64 {
	return t.from + int64((uint64(at-t.from)/t.width+1)*t.width)
}

// closeBucket adds the readings of the open bucket to the result.
func (t *downsampler) closeBucket() {
	if t.onlyNumbers {
		first, last := t.lowest, t.highest
		if first.time > last.time {
			first, last = last, first
		}
		t.result.addNumber(first)
		if last.time != first.time {
			t.result.addNumber(last)
		}
	} else {
		t.result.add(t.firstChange)
		if t.lastChange.Time != t.firstChange.Time {
			t.result.add(t.lastChange)
		}
	}
	t.bucketOpen, t.onlyNumbers = false, false
}

func (t *downsampler) finish() Downsampled {
	if t.bucketOpen {
		t.closeBucket()
	}
	return t.result
}
