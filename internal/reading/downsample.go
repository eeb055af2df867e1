package reading

import (
	"context"
	"fmt"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// Series are the points of Outlines.
func (s *Store) Series(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	points int) (map[device.PropertyID][]Point, error) {
	outlines, err := s.Outlines(ctx, t, d, from, to, props, points)
	if err != nil {
		return nil, err
	}
	series := make(map[device.PropertyID][]Point, len(outlines))
	for p, o := range outlines {
		series[p] = o.Points()
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
	points int) (map[device.PropertyID]Outline, error) {
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
	thin := &thinners{buckets: bucketsOf(clampTime(from), clampTime(to), points), of: map[device.PropertyID]*thinner{}}
	if err := s.thin(ctx, device.Ref{Tenant: t, ID: d}, from, to, sortedProperties(props), thin); err != nil {
		return nil, err
	}
	return thin.finish(), nil
}

// thin gives a device's readings with from <= time <= to (epoch ms) of props,
// which are sorted, to their thinners.
func (s *Store) thin(ctx context.Context, ref device.Ref, from, to int64, props []device.PropertyID, thin *thinners) (err error) {
	r, err := s.newRows(ctx, ref, from, to, props)
	if err != nil {
		return err
	}
	defer closeInto(&err, r)
	if thin.whole {
		r.outline = thin.take
	}
	for {
		b, begin, end, err := r.nextBlock()
		if err != nil {
			return err
		}
		if b != nil {
			for i := range b.columns {
				thin.get(b.columns[i].property).addColumn(b, &b.columns[i], begin, end, len(r.days))
			}
			continue
		}
		some, err := r.next()
		if err != nil {
			return err
		}
		if !some {
			return nil
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
func (t *thinners) take(p device.PropertyID, times *rowTimes, kept []byte) (bool, error) {
	var k keptReader
	if err := k.begin(kept); err != nil {
		return false, err
	}
	th := t.get(p)
	if !th.takes(times.at(0), k.values) {
		return false, nil
	}
	return true, th.addKept(times, &k)
}

func (t *thinners) finish() map[device.PropertyID]Outline {
	result := make(map[device.PropertyID]Outline, len(t.of))
	for p, th := range t.of {
		if o := th.finish(); len(o.Times) > 0 {
			result[p] = o
		}
	}
	return result
}
