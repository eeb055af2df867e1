package reading

import (
	"context"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Columns holds consecutive readings of a device, property by property, in order of time. It is
// valid only during the call that receives it.
type Columns struct {
	Times   []int64 // epoch milliseconds, ascending; at each at least one property has a value
	Columns []Column
}

// Column holds the values of one property at the times of Columns.
type Column struct {
	Property device.PropertyID
	column   *column
	rows     []int32 // rows of the block, one for each of the times
	first    int     // index of the column's first value that belongs to one of these rows or a later one
}

// Columns collects frames that it reads one by one and passes them on together. It stops collecting
// at this many rows, values, or bytes of texts, whichever comes first. A value of any kind takes
// four times the memory of digits.
const (
	maxBufferedRows      = segmentRows / 4
	maxBufferedValues    = 3 * maxBufferedRows / 2
	maxBufferedTextBytes = 32 << 10
)

// frameBuffer collects frames that are read one by one until there are enough.
type frameBuffer struct {
	block
	values, textBytes int
}

func (g *frameBuffer) add(at int64, fields []Field) {
	g.block.add(at, fields)
	g.values += len(fields)
	for i := range fields {
		g.textBytes += len(fields[i].Value.text)
	}
}

func (g *frameBuffer) full() bool {
	return len(g.times) == maxBufferedRows || g.values >= maxBufferedValues || g.textBytes >= maxBufferedTextBytes
}

func (g *frameBuffer) reset() {
	g.block.reset()
	g.values, g.textBytes = 0, 0
}

// Columns calls fn for a device's readings of props with from <= time <= to (epoch ms), oldest
// first, some thousand at a time (fewer if there are many properties). Memory does not grow with
// the range. It stops on an error of fn, or when ctx or the store ends.
func (s *Store) Columns(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	fn func(c *Columns) error) (err error) {
	if len(props) == 0 || from > to {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	r, err := s.newRows(ctx, device.Ref{Tenant: t, ID: d}, from, to, sortedProperties(props))
	if err != nil {
		return err
	}
	defer closeInto(&err, r)
	var buffer frameBuffer // frames that are read one by one
	var view blockColumns
	for {
		b, begin, end, err := r.nextBlock()
		if err != nil {
			return err
		}
		ok := false
		if b == nil {
			if ok, err = r.next(); err != nil {
				return err
			}
		}
		if n := len(buffer.times); n > 0 && (!ok || buffer.full()) {
			if err := view.emit(&buffer.block, 0, n, fn); err != nil {
				return err
			}
			buffer.reset()
		}
		switch {
		case b != nil:
			if err := view.emit(b, begin, end, fn); err != nil {
				return err
			}
		case ok:
			buffer.add(r.time, r.frame)
		default:
			return nil
		}
	}
}

// blockColumns converts blocks to Columns and reuses its memory.
type blockColumns struct {
	columns Columns
	rows    []int32
	times   []int64
}

// emit calls fn with those rows of [begin, end) of a block that hold a value.
func (v *blockColumns) emit(b *block, begin, end int, fn func(c *Columns) error) error {
	v.rows, v.columns.Columns = v.rows[:0], v.columns.Columns[:0]
	full := false
	for i := range b.columns {
		c := &b.columns[i]
		first, _ := slices.BinarySearch(c.rows, int32(begin))
		after, _ := slices.BinarySearch(c.rows, int32(end))
		if first < after {
			v.columns.Columns = append(v.columns.Columns, Column{Property: c.property, column: c, first: first})
			full = full || after-first == end-begin
			if !full {
				v.rows = append(v.rows, c.rows[first:after]...)
			}
		}
	}
	if len(v.columns.Columns) == 0 {
		return nil
	}
	v.columns.Times = b.times[begin:end]
	if full {
		v.rows = v.rows[:0]
		for row := begin; row < end; row++ {
			v.rows = append(v.rows, int32(row))
		}
	} else {
		slices.Sort(v.rows)
		v.rows = slices.Compact(v.rows)
		v.times = v.times[:0]
		for _, row := range v.rows {
			v.times = append(v.times, b.times[row])
		}
		v.columns.Times = v.times
	}
	for i := range v.columns.Columns {
		v.columns.Columns[i].rows = v.rows
	}
	return fn(&v.columns)
}

// Values yields the property's value at each of the times, of KindNone where it has none.
func (c *Column) Values(yield func(i int, v Value) bool) {
	n := c.first
	for i, row := range c.rows {
		var v Value
		if n < len(c.column.rows) && c.column.rows[n] == row {
			v = c.column.value(n)
			n++
		}
		if !yield(i, v) {
			return
		}
	}
}

// AppendJSON appends the column's values to dst as JSON, separated by commas; null where the
// property has none.
func (c *Column) AppendJSON(dst []byte) []byte {
	n := c.first
	for i, row := range c.rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch {
		case n == len(c.column.rows) || c.column.rows[n] != row:
			dst = append(dst, "null"...)
			continue
		case c.column.numbers:
			dst = appendDigits(dst, c.column.digits[n], c.column.decimals)
		default:
			dst = c.column.values[n].AppendJSON(dst)
		}
		n++
	}
	return dst
}
