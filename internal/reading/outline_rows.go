package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// outlineHeld is how much memory the outlines of OutlineRows take at a time, in
// bytes.
const outlineHeld = 96 << 10

// OutlineRows calls fn for every time at which an Outline of props, thinned to so
// many points (2 or more), has a reading, oldest first; fields are the readings
// that stayed of that time, sorted by property, and valid during the call only.
// begin is called before: with the length of the buckets, ms, where a property has
// more than points; else with 0. Memory grows neither with the range nor with the
// number of properties: the readings are passed twice and more. It ends with fn's
// error, with ctx, or with the store.
func (s *Store) OutlineRows(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID, points int,
	begin func(bucket int64), fn func(at int64, fields []Field) error) error {
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
	o := &outlining{store: s, ctx: ctx, ref: device.Ref{Tenant: t, ID: d}, from: clampTime(from), to: clampTime(to), fn: fn}
	o.buckets = bucketsOf(o.from, o.to, points)
	if err := o.sort(sortedProperties(props)); err != nil {
		return err
	}
	if len(o.folded) > 0 {
		begin(int64(o.width))
	} else {
		begin(0)
	}
	return o.write()
}

// outlining is OutlineRows under way.
type outlining struct {
	store    *Store
	ctx      context.Context
	ref      device.Ref
	from, to int64
	buckets
	fn func(at int64, fields []Field) error

	all    []device.PropertyID // of which all readings, or changes, stay; sorted
	folded []device.PropertyID // of which there are more than points; sorted
	weight int                 // of a bucket of all of the latter, in bytes

	last   map[device.PropertyID]Value // before the readings to come: what is no change is left out
	rows   []foldedRow                 // of the stretch that is being written
	next   int                         // the first of them that is still to come
	fields []Field
}

// foldedRow is what stayed of one property at one time.
type foldedRow struct {
	at    int64
	field Field
}

// errCounted ends a pass that has counted enough.
var errCounted = errors.New("reading: counted")

// sort finds out of which properties there are more readings than may stay. As
// soon as that is known of many, the rest is counted without them.
func (o *outlining) sort(props []device.PropertyID) error {
	c := counting{most: o.points, of: map[device.PropertyID]*counted{}}
	err := o.each(o.from, o.to, props, func(_ int64, fields []Field) error {
		c.add(fields)
		if c.over == len(props) || c.frames > 2*o.points && c.over > 0 {
			return errCounted
		}
		return nil
	})
	if errors.Is(err, errCounted) {
		left := c.left(props)
		for _, p := range left {
			delete(c.of, p)
		}
		err = o.each(o.from, o.to, left, func(_ int64, fields []Field) error { c.add(fields); return nil })
	}
	if err != nil {
		return err
	}
	o.all = c.left(props)
	const reading = 80 // bytes, in an outline and in a row
	for _, p := range props {
		if n := c.of[p]; n != nil && n.readings > o.points {
			o.folded = append(o.folded, p)
			o.weight += 2 * (reading + n.longest)
		}
	}
	return nil
}

// counting counts what may stay of properties: numbers, and of others changes.
type counting struct {
	most   int
	of     map[device.PropertyID]*counted
	frames int
	over   int // properties with more than most
}

type counted struct {
	readings int // one more than most at most
	last     Value
	longest  int // text, in bytes
}

func (c *counting) add(fields []Field) {
	c.frames++
	for i := range fields {
		f := &fields[i]
		n := c.of[f.Property]
		if n == nil {
			n = &counted{}
			c.of[f.Property] = n
		}
		n.longest = max(n.longest, len(f.Value.text))
		if n.readings > c.most || f.Value.kind != KindNumber && f.Value == n.last {
			continue
		}
		n.last = changeOf(f.Value)
		if n.readings++; n.readings > c.most {
			c.over++
		}
	}
}

// left are those of props that have no more than most.
func (c *counting) left(props []device.PropertyID) []device.PropertyID {
	return slices.DeleteFunc(slices.Clone(props), func(p device.PropertyID) bool { return c.of[p] != nil && c.of[p].readings > c.most })
}

// changeOf is what the next reading is compared with: of numbers it makes no
// difference which one it was.
func changeOf(v Value) Value {
	if v.kind == KindNumber {
		return Value{kind: KindNumber}
	}
	return v
}

// each is Range.
func (o *outlining) each(from, to int64, props []device.PropertyID, fn func(at int64, fields []Field) error) error {
	if len(props) == 0 {
		return nil
	}
	r, err := o.store.newRows(o.ctx, o.ref, from, to, props)
	if err != nil {
		return err
	}
	return r.each(fn)
}

// write writes the rows, a stretch of whole buckets after the other.
func (o *outlining) write() error {
	o.last = map[device.PropertyID]Value{}
	if len(o.folded) == 0 {
		return o.stretch(o.from, o.to)
	}
	many := int64(max(1, outlineHeld/o.weight))
	before := map[device.PropertyID]Value{}
	for begin := o.buckets.from; begin <= o.to; begin += many * int64(o.width) {
		from, to := max(begin, o.from), min(begin+many*int64(o.width)-1, o.to)
		if err := o.fold(begin, from, to, int(many), before); err != nil {
			return err
		}
		if err := o.stretch(from, to); err != nil {
			return err
		}
	}
	return nil
}

// fold finds what stays of the folded properties in a stretch of so many buckets
// that begin at begin; before are the values that came last, by property.
func (o *outlining) fold(begin, from, to int64, many int, before map[device.PropertyID]Value) error {
	thin := &thinners{buckets: o.buckets, of: map[device.PropertyID]*thinner{}}
	thin.from, thin.points = begin, 2*many
	for _, p := range o.folded {
		thin.of[p] = &thinner{buckets: thin.buckets, folded: true, before: before[p]}
	}
	if err := o.store.thin(o.ctx, o.ref, from, to, o.folded, thin); err != nil {
		return err
	}
	o.rows, o.next = o.rows[:0], 0
	for _, p := range o.folded {
		th := thin.of[p]
		before[p] = th.before
		out := th.finish()
		o.rows = slices.Grow(o.rows, len(out.Times))
		for i, at := range out.Times {
			o.rows = append(o.rows, foldedRow{at, Field{p, out.Value(i)}})
		}
		Release(map[device.PropertyID]Outline{p: out})
	}
	slices.SortStableFunc(o.rows, func(a, b foldedRow) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.field.Property, b.field.Property))
	})
	return nil
}

// stretch writes a stretch: the rows of the folded properties, and between and in
// them what the others have.
func (o *outlining) stretch(from, to int64) error {
	err := o.each(from, to, o.all, func(at int64, fields []Field) error {
		if err := o.until(at); err != nil {
			return err
		}
		o.fields = o.fields[:0]
		for _, f := range fields {
			if f.Value.kind != KindNumber && f.Value == o.last[f.Property] {
				continue
			}
			o.last[f.Property] = changeOf(f.Value)
			o.fields = append(o.fields, f)
		}
		for ; o.next < len(o.rows) && o.rows[o.next].at == at; o.next++ {
			o.fields = put(o.fields, o.rows[o.next].field)
		}
		if len(o.fields) == 0 {
			return nil
		}
		return o.fn(at, o.fields)
	})
	if err != nil {
		return err
	}
	return o.until(to + 1)
}

// until writes the rows of folded properties before a time.
func (o *outlining) until(at int64) error {
	for o.next < len(o.rows) && o.rows[o.next].at < at {
		o.fields = o.fields[:0]
		now := o.rows[o.next].at
		for ; o.next < len(o.rows) && o.rows[o.next].at == now; o.next++ {
			o.fields = append(o.fields, o.rows[o.next].field)
		}
		if err := o.fn(now, o.fields); err != nil {
			return err
		}
	}
	return nil
}

// put puts a field among others, which are sorted and have none of its property.
func put(fields []Field, f Field) []Field {
	i, _ := slices.BinarySearchFunc(fields, f.Property, func(f Field, p device.PropertyID) int { return cmp.Compare(f.Property, p) })
	return slices.Insert(fields, i, f)
}
