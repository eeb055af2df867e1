package reading

import (
	"context"
	"fmt"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Series returns the points of Downsample.
func (s *Store) Series(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	points int) (map[device.PropertyID][]Point, error) {
	results, err := s.Downsample(ctx, t, d, from, to, props, points)
	if err != nil {
		return nil, err
	}
	series := make(map[device.PropertyID][]Point, len(results))
	for p, o := range results {
		series[p] = o.Points()
	}
	return series, nil
}

// Downsample returns for each of props the readings with from <= time <= to (epoch ms), oldest
// first; it leaves out a property without readings. It passes over the range once.
//
// points 0 means every reading. Otherwise each property has at most points readings (2 or more).
// Numbers stay while they fit. If there are more, Downsample cuts the range into at most points/2
// buckets of equal length and keeps the lowest and the highest reading of each, so that no peak is
// lost. Of booleans and texts the changes stay; if there are more than points, each bucket keeps
// its first and its last change.
//
// Buckets begin with the range and are as short as possible. Buckets of 75 minutes or more are
// whole half hours and begin with a half hour (UTC); Downsample then reads the minmax of segments
// instead of their readings.
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
	ref := device.Ref{Tenant: t, ID: d}
	if err := s.downsampleInto(ctx, ref, from, to, sortedProperties(props), samplers); err != nil {
		return nil, err
	}
	return samplers.finish(), nil
}

// downsampleInto passes a device's readings of props (sorted) with from <= time <= to (epoch ms) to
// the downsamplers of their properties.
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
		r.takeSummary = into.takeSummary
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

// buckets describes how a range is cut.
type buckets struct {
	maxPoints int // most points of a property; 0: no limit and no buckets
	from      int64
	width     uint64 // ms
	halfHours bool   // buckets are whole half hours and begin with one
}

// minHalfHoursWidth is the width from which buckets are rounded up to whole half hours, ms. They
// become at most a third longer.
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

// downsamplers has a downsampler for each property with readings.
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

// takeSummary passes the minmax of a column to the property's downsampler. It returns false if the
// downsampler needs the readings.
func (t *downsamplers) takeSummary(p device.PropertyID, times *rowTimes, minmax, _ []byte) (bool, error) {
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
