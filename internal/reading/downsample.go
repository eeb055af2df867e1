package reading

import (
	"context"
	"fmt"
	"slices"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// Point is one reading of one property.
type Point struct {
	Time  int64 // epoch milliseconds
	Value Value
}

// Outline is what a chart draws of one property.
type Outline struct {
	Points []Point // oldest first
	Bucket int64   // the length of a bucket, ms; 0: these are all the readings, or all the changes
}

// Series is Outlines without the lengths of buckets.
func (s *Store) Series(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	points int) (map[device.PropertyID][]Point, error) {
	outlines, err := s.Outlines(ctx, t, d, from, to, props, points)
	if err != nil {
		return nil, err
	}
	series := make(map[device.PropertyID][]Point, len(outlines))
	for p, o := range outlines {
		series[p] = o.Points
	}
	return series, nil
}

// Outlines are for each of props the readings with from <= time <= to (epoch
// ms), oldest first; a property without any is left out. One pass over the
// range.
//
// points 0 means every reading. Otherwise a property has at most points (2 or
// more) of them. Of numbers all stay while they fit; beyond, the range is cut
// into at most points/2 buckets of equal length and each keeps its lowest and
// its highest reading, so that no peak is lost. Of booleans and texts the
// changes stay; beyond points, each bucket keeps its first and its last change.
//
// Buckets begin with the range and are as short as they can be; those of 75
// minutes or more are of whole half hours and begin with one (UTC). What parts
// keep is then read in place of the readings.
func (s *Store) Outlines(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	points int) (_ map[device.PropertyID]Outline, err error) {
	if points < 0 || points == 1 {
		return nil, fmt.Errorf("reading: %d points for a series: 0 or at least 2", points)
	}
	if len(props) == 0 || from > to {
		return map[device.PropertyID]Outline{}, nil
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	r, err := s.newRows(ctx, device.Ref{Tenant: t, ID: d}, from, to, sortedProperties(props))
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, r)
	thin := thinners{buckets: bucketsOf(r.query.from, r.query.to, points), of: map[device.PropertyID]*thinner{}}
	if thin.whole {
		r.outline = thin.take
	}
	for {
		b, begin, end, err := r.nextBlock()
		if err != nil {
			return nil, err
		}
		if b != nil {
			for i := range b.columns {
				thin.get(b.columns[i].property).addColumn(b, &b.columns[i], begin, end, len(r.days))
			}
			continue
		}
		some, err := r.next()
		if err != nil {
			return nil, err
		}
		if !some {
			return thin.finish(), nil
		}
		for _, f := range r.frame {
			thin.get(f.Property).add(Point{Time: r.time, Value: f.Value})
		}
	}
}

// buckets are how a range is cut.
type buckets struct {
	points int // of a property at most; 0: no limit, and no buckets
	from   int64
	width  uint64 // ms
	whole  bool   // of half hours, and beginning with one
}

// wholeFrom is the length from which buckets are whole half hours, ms: rounded
// up they are at most a third longer.
const wholeFrom = uint64(keptStep * 5 / 2)

func bucketsOf(from, to int64, points int) buckets {
	b := buckets{points: points, from: from}
	if points == 0 {
		return b
	}
	count := uint64(points / 2)
	if b.width = uint64(to-from)/count + 1; b.width < wholeFrom {
		return b
	}
	b.whole = true
	b.from -= floorMod(from, keptStep)
	b.width = uint64(to-b.from)/count + 1
	b.width += uint64(floorMod(-int64(b.width), keptStep))
	return b
}

// thinners are one for each property that has readings.
type thinners struct {
	buckets
	of map[device.PropertyID]*thinner
}

func (t *thinners) get(p device.PropertyID) *thinner {
	th := t.of[p]
	if th == nil {
		th = &thinner{buckets: t.buckets}
		t.of[p] = th
	}
	return th
}

// take is an outline of a part for the property's thinner.
func (t *thinners) take(p device.PropertyID, times []int64, kept []byte) (bool, error) {
	var k keptReader
	if err := k.begin(kept); err != nil {
		return false, err
	}
	th := t.get(p)
	if !th.takes(times[0], k.values) {
		return false, nil
	}
	return true, th.addKept(times, &k)
}

func (t *thinners) finish() map[device.PropertyID]Outline {
	result := make(map[device.PropertyID]Outline, len(t.of))
	for p, th := range t.of {
		if points := th.finish(); len(points) > 0 {
			o := Outline{Points: points}
			if th.folded {
				o.Bucket = int64(t.width)
			}
			result[p] = o
		}
	}
	return result
}

// thinner takes one property's readings in order of time and keeps at most a
// number of them.
type thinner struct {
	buckets
	out    []Point
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
	if !t.folded && len(t.out)+values > t.points {
		t.refold()
	}
	return t.folded && (!t.filled || t.numbers || first >= t.end)
}

// addKept takes in what a part keeps of a column.
func (t *thinner) addKept(times []int64, k *keptReader) error {
	if t.out == nil {
		t.out = make([]Point, 0, t.points)
	}
	for {
		if some, err := k.next(len(times)); err != nil || !some {
			if t.filled {
				t.before = Number(t.hi.num) // no text and no boolean
			}
			return err
		}
		// A half hour lies in one bucket.
		low, high := float64(k.lowest.digits)/k.scale, float64(k.highest.digits)/k.scale
		at := times[k.lowest.row]
		if !t.filled || at >= t.end {
			t.begin(at)
			t.numbers, t.lo = true, numberAt{at, low}
			t.hi = t.lo
		} else if low < t.lo.num {
			t.lo = numberAt{at, low}
		}
		if high > t.hi.num {
			t.hi = numberAt{times[k.highest.row], high}
		}
	}
}

// addColumn takes in what a column holds of the rows begin to before end; as
// many days may follow.
func (t *thinner) addColumn(b *block, c *column, begin, end, daysToCome int) {
	n, _ := slices.BinarySearch(c.rows, int32(begin))
	if t.points == 0 && cap(t.out) < len(t.out)+len(c.rows) {
		// The days to come are likely to hold as many.
		t.out = slices.Grow(t.out, min(len(c.rows)*(1+daysToCome), growLimit))
	}
	if t.points > 0 && t.out == nil && c.numbers {
		t.out = make([]Point, 0, min(len(c.rows)*(1+daysToCome), t.points))
	}
	for ; n < len(c.rows) && int(c.rows[n]) < end; n++ {
		at, v := b.times[c.rows[n]], c.value(n)
		if t.numbers && at < t.end && v.kind == KindNumber { // by far the usual case, worth doing without a call
			if v.num < t.lo.num {
				t.lo = numberAt{at, v.num}
			}
			if v.num > t.hi.num {
				t.hi = numberAt{at, v.num}
			}
			continue
		}
		t.add(Point{Time: at, Value: v})
	}
}

// growLimit bounds what is made ready for readings to come.
const growLimit = 1 << 17

func (t *thinner) add(p Point) {
	if t.points > 0 && p.Value.kind != KindNumber {
		if p.Value == t.before {
			return
		}
	}
	t.before = p.Value
	if t.folded {
		t.fold(p)
		return
	}
	if t.points == 0 || len(t.out) < t.points {
		t.out = append(t.out, p)
		return
	}
	t.refold()
	t.fold(p)
}

// refold begins again by buckets, since there are more than points. Finished
// buckets take at most the places of the points already read, so out can be
// overwritten in place.
func (t *thinner) refold() {
	t.folded = true
	all := t.out
	t.out = t.out[:0]
	for _, q := range all {
		t.fold(q)
	}
}

func (t *thinner) fold(p Point) {
	number := p.Value.kind == KindNumber
	switch {
	case !t.filled || p.Time >= t.end:
		t.begin(p.Time)
		if t.numbers = number; number {
			t.lo = numberAt{p.Time, p.Value.num}
			t.hi = t.lo
		} else {
			t.first, t.last = p, p
		}
	case t.numbers && number:
		if p.Value.num < t.lo.num {
			t.lo = numberAt{p.Time, p.Value.num}
		}
		if p.Value.num > t.hi.num {
			t.hi = numberAt{p.Time, p.Value.num}
		}
	case t.numbers:
		t.first, t.last, t.numbers = t.lo.point(), p, false
	default:
		t.last = p
	}
}

// begin finishes a bucket that is being filled and begins the one that at lies
// in.
func (t *thinner) begin(at int64) {
	if t.filled {
		t.flush()
	}
	bucket := uint64(at-t.from) / t.width
	t.end = t.from + int64((bucket+1)*t.width)
	t.filled = true
}

// flush finishes a bucket.
func (t *thinner) flush() {
	first, last := t.first, t.last
	if t.numbers {
		first, last = t.lo.point(), t.hi.point()
	}
	if first.Time > last.Time {
		first, last = last, first
	}
	t.out = append(t.out, first)
	if last.Time != first.Time {
		t.out = append(t.out, last)
	}
	t.filled, t.numbers = false, false
}

func (t *thinner) finish() []Point {
	if t.filled {
		t.flush()
	}
	return t.out
}
