package reading

import (
	"context"
	"fmt"

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
	points int) (map[device.PropertyID][]Point, error) {
	if points < 0 || points == 1 {
		return nil, fmt.Errorf("reading: %d points for a series: 0 or at least 2", points)
	}
	series := map[device.PropertyID]*thinner{}
	err := s.Range(ctx, t, d, from, to, props, func(at int64, fields []Field) error {
		for _, f := range fields {
			th := series[f.Property]
			if th == nil {
				th = newThinner(clampTime(from), clampTime(to), points)
				series[f.Property] = th
			}
			th.add(Point{Time: at, Value: f.Value})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	result := make(map[device.PropertyID][]Point, len(series))
	for p, th := range series {
		result[p] = th.finish()
	}
	return result, nil
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
	bucket uint64
	filled bool
	lo, hi Point // numbers: lowest and highest; else first and last change
}

func newThinner(from, to int64, points int) *thinner {
	t := &thinner{points: points, from: from}
	if points > 0 {
		t.width = uint64(to-from)/uint64(points/2) + 1
	}
	return t
}

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
	bucket := uint64(p.Time-t.from) / t.width
	if t.filled && bucket != t.bucket {
		t.flush()
	}
	if !t.filled {
		t.bucket, t.filled = bucket, true
		t.lo, t.hi = p, p
		return
	}
	if p.Value.kind != KindNumber || t.lo.Value.kind != KindNumber || t.hi.Value.kind != KindNumber {
		t.hi = p
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
	t.filled = false
}

func (t *thinner) finish() []Point {
	if t.filled {
		t.flush()
	}
	return t.out
}
