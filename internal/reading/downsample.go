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

// Series is what a chart draws: for each of props the readings with
// from <= time <= to (epoch ms), oldest first; a property without any is left
// out. One pass over the range.
//
// points 0 means every reading. Otherwise a property has at most points (2 or
// more) of them. Of numbers all stay while they fit; beyond, from..to is cut
// into points/2 buckets of equal length and each keeps its lowest and its
// highest reading, so that no peak is lost. Of booleans and texts the changes
// stay; beyond points, each bucket keeps its first and its last change.
func (s *Store) Series(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	points int) (_ map[device.PropertyID][]Point, err error) {
	if points < 0 || points == 1 {
		return nil, fmt.Errorf("reading: %d points for a series: 0 or at least 2", points)
	}
	if len(props) == 0 || from > to {
		return map[device.PropertyID][]Point{}, nil
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
	thin := thinners{}
	of := func(p device.PropertyID) *thinner {
		if thin[p] == nil {
			thin[p] = newThinner(r.query.from, r.query.to, points)
		}
		return thin[p]
	}
	for {
		b, begin, end, err := r.nextBlock()
		if err != nil {
			return nil, err
		}
		if b != nil {
			for i := range b.columns {
				of(b.columns[i].property).addColumn(b, &b.columns[i], begin, end, len(r.days))
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
			of(f.Property).add(Point{Time: r.time, Value: f.Value})
		}
	}
}

// thinners are one for each property that has readings.
type thinners map[device.PropertyID]*thinner

func (t thinners) finish() map[device.PropertyID][]Point {
	result := make(map[device.PropertyID][]Point, len(t))
	for p, th := range t {
		if out := th.finish(); len(out) > 0 {
			result[p] = out
		}
	}
	return result
}

// thinner takes one property's readings in order of time and keeps at most a
// number of them.
type thinner struct {
	points int // 0: no limit
	from   int64
	width  uint64 // of a bucket, ms
	out    []Point
	folded bool // out holds finished buckets instead of every point
	before Value

	// The bucket being filled.
	filled bool
	end    int64 // of the bucket, epoch milliseconds, exclusive
	lo, hi Point // numbers: lowest and highest; else first and last change

	numbers bool // filled, with nothing but numbers
}

func newThinner(from, to int64, points int) *thinner {
	t := &thinner{points: points, from: from}
	if points > 0 {
		t.width = uint64(to-from)/uint64(points/2) + 1
	}
	return t
}

// addColumn takes in what a column holds of the rows begin to before end; as
// many days may follow.
func (t *thinner) addColumn(b *block, c *column, begin, end, daysToCome int) {
	n, _ := slices.BinarySearch(c.rows, int32(begin))
	if t.points == 0 && cap(t.out) < len(t.out)+len(c.rows) {
		// The days to come are likely to hold as many.
		t.out = slices.Grow(t.out, min(len(c.rows)*(1+daysToCome), growLimit))
	}
	for ; n < len(c.rows) && int(c.rows[n]) < end; n++ {
		at, v := b.times[c.rows[n]], &c.values[n]
		if t.numbers && at < t.end && v.kind == KindNumber { // by far the usual case, worth doing without a call
			if v.num < t.lo.Value.num {
				t.lo = Point{Time: at, Value: *v}
			}
			if v.num > t.hi.Value.num {
				t.hi = Point{Time: at, Value: *v}
			}
			continue
		}
		t.add(Point{Time: at, Value: *v})
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
	// One too many: begin again, by buckets. Finished buckets take at most the
	// places of the points already read, so out can be overwritten in place.
	t.folded = true
	all := t.out
	t.out = t.out[:0]
	for _, q := range all {
		t.fold(q)
	}
	t.fold(p)
}

func (t *thinner) fold(p Point) {
	if t.filled && p.Time >= t.end {
		t.flush()
	}
	if !t.filled {
		bucket := uint64(p.Time-t.from) / t.width
		t.end = t.from + int64((bucket+1)*t.width)
		t.filled, t.numbers = true, p.Value.kind == KindNumber
		t.lo, t.hi = p, p
		return
	}
	if !t.numbers || p.Value.kind != KindNumber {
		t.hi, t.numbers = p, false
		return
	}
	if p.Value.num < t.lo.Value.num {
		t.lo = p
	}
	if p.Value.num > t.hi.Value.num {
		t.hi = p
	}
}

// flush finishes a bucket.
func (t *thinner) flush() {
	first, last := t.lo, t.hi
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
