package reading

import (
	"context"
	"fmt"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Series are the points of Outlines.
func (s *Store) Series(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	points int) (map[device.PropertyID][]Point, error) {
	outlines, err := s.Downsample(ctx, t, d, from, to, props, points)
	if err != nil {
		return nil, err
	}
	series := make(map[device.PropertyID][]Point, len(outlines))
	for p, o := range outlines {
		series[p] = o.Points()
	}
	return series, nil
}

// Downsample are for each of props the readings with from <= time <= to (epoch
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
func (s *Store) Downsample(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	points int) (map[device.PropertyID]Downsampled, error) {
	if points < 0 || points == 1 {
		return nil, fmt.Errorf("reading: %d points for a series: 0 or at least 2", points)
	}
	if len(props) == 0 || from > to {
		return map[device.PropertyID]Downsampled{}, nil
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	samplers := &downsamplers{
		buckets:    bucketsOf(clampTime(from), clampTime(to), points),
		byProperty: map[device.PropertyID]*downsampler{},
	}
	if err := s.downsampleInto(
		ctx,
		device.Ref{Tenant: t, ID: d},
		from,
		to,
		sortedProperties(props),
		samplers,
	); err != nil {
		return nil, err
	}
	return samplers.finish(), nil
}

// downsampleInto gives a device's readings with from <= time <= to (epoch ms) of props,
// which are sorted, to their thinners.
func (s *Store) downsampleInto(
	ctx context.Context,
	ref device.Ref,
	from, to int64,
	props []device.PropertyID,
	into *downsamplers,
) (err error) {
	r, err := s.newRows(ctx, ref, from, to, props)
	if err != nil {
		return err
	}
	defer closeInto(&err, r)
	if into.halfHours {
		r.takeMinmax = into.takeMinmax
	}
	for {
		b, begin, end, err := r.nextBlock()
		if err != nil {
			return err
		}
		if b != nil {
			for i := range b.columns {
				into.get(b.columns[i].property).addColumn(b, &b.columns[i], begin, end, len(r.days))
			}
			continue
		}
		ok, err := r.next()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		for _, f := range r.frame {
			into.get(f.Property).add(Point{Time: r.time, Value: f.Value})
		}
	}
}

// buckets are how a range is cut.
type buckets struct {
	maxPoints int // of a property at most; 0: no limit, and no buckets
	from      int64
	width     uint64 // ms
	halfHours bool   // of half hours, and beginning with one
}

// minHalfHoursWidth is the length from which buckets are whole half hours, ms: rounded
// up they are at most a third longer.
const minHalfHoursWidth = uint64(minmaxStep * 5 / 2)

func bucketsOf(from, to int64, points int) buckets {
	b := buckets{maxPoints: points, from: from}
	if points == 0 {
		return b
	}
	count := uint64(points / 2)
	if b.width = uint64(to-from)/count + 1; b.width < minHalfHoursWidth {
		return b
	}
	b.halfHours = true
	b.from -= floorMod(from, minmaxStep)
	b.width = uint64(to-b.from)/count + 1
	b.width += uint64(floorMod(-int64(b.width), minmaxStep))
	return b
}

// downsamplers are one for each property that has readings.
type downsamplers struct {
	buckets
	byProperty map[device.PropertyID]*downsampler
}

func (t *downsamplers) get(p device.PropertyID) *downsampler {
	sampler := t.byProperty[p]
	if sampler == nil {
		sampler = &downsampler{buckets: t.buckets}
		t.byProperty[p] = sampler
	}
	return sampler
}

// takeMinmax is an outline of a part for the property's thinner.
func (t *downsamplers) takeMinmax(p device.PropertyID, times *rowTimes, minmax []byte) (bool, error) {
	var reader minmaxReader
	if err := reader.begin(minmax); err != nil {
		return false, err
	}
	sampler := t.get(p)
	if !sampler.acceptsMinmax(times.at(0), reader.values) {
		return false, nil
	}
	return true, sampler.addMinmax(times, &reader)
}

func (t *downsamplers) finish() map[device.PropertyID]Downsampled {
	result := make(map[device.PropertyID]Downsampled, len(t.byProperty))
	for p, sampler := range t.byProperty {
		if o := sampler.finish(); len(o.Times) > 0 {
			result[p] = o
		}
	}
	return result
}
