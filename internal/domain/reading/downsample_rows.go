package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// downsampleMemory is how much memory the buckets of DownsampleRows take at a time, in bytes.
const downsampleMemory = 96 << 10

// DownsampleRows calls fn for every time at which Downsample of props with this number of points (2
// or more) has a reading, oldest first. fields are the remaining readings of that time, sorted by
// property, valid only during the call. It calls begin first: with the length of the buckets in ms
// if a property has more than points readings, else with 0. Memory grows neither with the range nor
// with the number of properties, because DownsampleRows passes over the readings at least twice. It
// stops on an error of fn, or when ctx or the store ends.
func (s *Store) DownsampleRows(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	from, to int64,
	props []device.PropertyID,
	points int,
	begin func(bucket int64),
	fn func(at int64, fields []Field) error,
) error {
	if points < 2 {
		return fmt.Errorf("reading: %d points for a series: at least 2", points)
	}
	if len(props) == 0 || from > to {
		begin(0)
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	o := &rowDownsampler{
		store: s,
		ctx:   ctx,
		ref:   device.Ref{Tenant: t, ID: d},
		from:  clampTime(from),
		to:    clampTime(to),
		fn:    fn,
	}
	o.buckets = bucketsOf(o.from, o.to, points)
	if err := o.classify(sortedProperties(props)); err != nil {
		return err
	}
	if len(o.bucketed) > 0 {
		begin(int64(o.width))
	} else {
		begin(0)
	}
	return o.write()
}

// rowDownsampler is one run of DownsampleRows.
type rowDownsampler struct {
	store    *Store
	ctx      context.Context
	ref      device.Ref
	from, to int64
	buckets
	fn func(at int64, fields []Field) error

	unbucketed  []device.PropertyID // properties of which all readings, or changes, stay; sorted
	bucketed    []device.PropertyID // properties with more than maxPoints readings; sorted
	bucketBytes int                 // memory that one bucket of all bucketed properties takes

	lastValues   map[device.PropertyID]Value // last values so far; a value that does not change them is left out
	bucketedRows []bucketedRow               // rows of the stretch that is being written
	nextRow      int                         // index of the first bucketed row that is not written yet
	fields       []Field
}

// bucketedRow is a remaining reading of one property.
type bucketedRow struct {
	at    int64
	field Field
}

// errCountedEnough ends a pass early once the counts suffice.
var errCountedEnough = errors.New("reading: counted")

// classify finds the properties that have more readings than may stay. As soon as it knows this of
// many, it counts the rest without them.
func (o *rowDownsampler) classify(props []device.PropertyID) error {
	c := readingCounts{limit: o.maxPoints, byProperty: map[device.PropertyID]*propertyCount{}}
	err := o.forEachFrame(o.from, o.to, props, func(_ int64, fields []Field) error {
		c.add(fields)
		if c.overLimit == len(props) || c.frames > 2*o.maxPoints && c.overLimit > 0 {
			return errCountedEnough
		}
		return nil
	})
	if errors.Is(err, errCountedEnough) {
		rest := c.withinLimit(props)
		for _, p := range rest {
			delete(c.byProperty, p)
		}
		err = o.forEachFrame(o.from, o.to, rest, func(_ int64, fields []Field) error { c.add(fields); return nil })
	}
	if err != nil {
		return err
	}
	o.unbucketed = c.withinLimit(props)
	const reading = 80 // bytes, in a Downsampled and in a row
	for _, p := range props {
		if n := c.byProperty[p]; n != nil && n.readings > o.maxPoints {
			o.bucketed = append(o.bucketed, p)
			o.bucketBytes += 2 * (reading + n.longestText)
		}
	}
	return nil
}

// readingCounts counts the readings that may stay: of numbers all, of booleans and texts the
// changes.
type readingCounts struct {
	limit      int
	byProperty map[device.PropertyID]*propertyCount
	frames     int
	overLimit  int // properties with more readings than limit
}

type propertyCount struct {
	readings    int // counted up to limit + 1
	last        Value
	longestText int // in bytes
}

func (c *readingCounts) add(fields []Field) {
	c.frames++
	for i := range fields {
		f := &fields[i]
		n := c.byProperty[f.Property]
		if n == nil {
			n = &propertyCount{}
			c.byProperty[f.Property] = n
		}
		n.longestText = max(n.longestText, len(f.Value.text))
		if n.readings > c.limit || f.Value.kind != KindNumber && f.Value == n.last {
			continue
		}
		n.last = comparableValue(f.Value)
		if n.readings++; n.readings > c.limit {
			c.overLimit++
		}
	}
}

// withinLimit returns those of props that have at most limit readings.
func (c *readingCounts) withinLimit(props []device.PropertyID) []device.PropertyID {
	return slices.DeleteFunc(slices.Clone(props), func(p device.PropertyID) bool {
		return c.byProperty[p] != nil && c.byProperty[p].readings > c.limit
	})
}

// comparableValue returns the value with which the next reading is compared. All numbers count as
// equal.
func comparableValue(v Value) Value {
	if v.kind == KindNumber {
		return Value{kind: KindNumber}
	}
	return v
}

// forEachFrame is Range without its checks: props are sorted, and the store is entered.
func (o *rowDownsampler) forEachFrame(
	from, to int64,
	props []device.PropertyID,
	fn func(at int64, fields []Field) error,
) error {
	if len(props) == 0 {
		return nil
	}
	r, err := o.store.newRows(o.ctx, o.ref, from, to, props)
	if err != nil {
		return err
	}
	return r.each(fn)
}

// write writes the rows, one stretch of whole buckets after the other.
func (o *rowDownsampler) write() error {
	o.lastValues = map[device.PropertyID]Value{}
	if len(o.bucketed) == 0 {
		return o.writeStretch(o.from, o.to)
	}
	bucketsPerStretch := int64(max(1, downsampleMemory/o.bucketBytes))
	lastByProperty := map[device.PropertyID]Value{}
	for begin := o.buckets.from; begin <= o.to; begin += bucketsPerStretch * int64(o.width) {
		from, to := max(begin, o.from), min(begin+bucketsPerStretch*int64(o.width)-1, o.to)
		if err := o.downsampleStretch(begin, from, to, int(bucketsPerStretch), lastByProperty); err != nil {
			return err
		}
		if err := o.writeStretch(from, to); err != nil {
			return err
		}
	}
	return nil
}

// downsampleStretch downsamples the bucketed properties in a stretch of bucketCount buckets that
// starts at begin. lastByProperty holds the last value of each property before the stretch.
func (o *rowDownsampler) downsampleStretch(
	begin, from, to int64,
	bucketCount int,
	lastByProperty map[device.PropertyID]Value,
) error {
	samplers := &downsamplers{buckets: o.buckets, byProperty: map[device.PropertyID]*downsampler{}}
	samplers.from, samplers.maxPoints = begin, 2*bucketCount
	for _, p := range o.bucketed {
		samplers.byProperty[p] = &downsampler{buckets: samplers.buckets, bucketed: true, lastValue: lastByProperty[p]}
	}
	if err := o.store.downsampleInto(o.ctx, o.ref, from, to, o.bucketed, samplers); err != nil {
		return err
	}
	o.bucketedRows, o.nextRow = o.bucketedRows[:0], 0
	for _, p := range o.bucketed {
		sampler := samplers.byProperty[p]
		lastByProperty[p] = sampler.lastValue
		out := sampler.finish()
		o.bucketedRows = slices.Grow(o.bucketedRows, len(out.Times))
		for i, at := range out.Times {
			o.bucketedRows = append(o.bucketedRows, bucketedRow{at, Field{p, out.Value(i)}})
		}
		Release(map[device.PropertyID]Downsampled{p: out})
	}
	slices.SortStableFunc(o.bucketedRows, func(a, b bucketedRow) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.field.Property, b.field.Property))
	})
	return nil
}

// writeStretch writes a stretch: the rows of the bucketed properties, merged with the readings of
// the others.
func (o *rowDownsampler) writeStretch(from, to int64) error {
	err := o.forEachFrame(from, to, o.unbucketed, func(at int64, fields []Field) error {
		if err := o.writeBucketedUntil(at); err != nil {
			return err
		}
		o.fields = o.fields[:0]
		for _, f := range fields {
			if f.Value.kind != KindNumber && f.Value == o.lastValues[f.Property] {
				continue
			}
			o.lastValues[f.Property] = comparableValue(f.Value)
			o.fields = append(o.fields, f)
		}
		for ; o.nextRow < len(o.bucketedRows) && o.bucketedRows[o.nextRow].at == at; o.nextRow++ {
			o.fields = insertField(o.fields, o.bucketedRows[o.nextRow].field)
		}
		if len(o.fields) == 0 {
			return nil
		}
		return o.fn(at, o.fields)
	})
	if err != nil {
		return err
	}
	return o.writeBucketedUntil(to + 1)
}

// writeBucketedUntil writes the rows of bucketed properties before a time.
func (o *rowDownsampler) writeBucketedUntil(at int64) error {
	for o.nextRow < len(o.bucketedRows) && o.bucketedRows[o.nextRow].at < at {
		o.fields = o.fields[:0]
		now := o.bucketedRows[o.nextRow].at
		for ; o.nextRow < len(o.bucketedRows) && o.bucketedRows[o.nextRow].at == now; o.nextRow++ {
			o.fields = append(o.fields, o.bucketedRows[o.nextRow].field)
		}
		if err := o.fn(now, o.fields); err != nil {
			return err
		}
	}
	return nil
}

// insertField inserts a field into sorted fields that have none of its property.
func insertField(fields []Field, f Field) []Field {
	compare := func(f Field, p device.PropertyID) int { return cmp.Compare(f.Property, p) }
	i, _ := slices.BinarySearchFunc(fields, f.Property, compare)
	return slices.Insert(fields, i, f)
}
