package reading

import (
	"slices"

	"tilth/internal/domain/device"
)

// block holds consecutive frames of one device by columns, oldest first.
type block struct {
	times   []int64 // epoch milliseconds, ascending
	columns []column
}

// column holds the values of one property; value(i) belongs to row rows[i].
type column struct {
	property device.PropertyID
	rows     []int32 // ascending
	values   []Value // unless numbers

	// In sealed columns of numbers each value is digits[i] / 10^decimals.
	numbers  bool
	decimals int
	digits   []int64
}

func (c *column) value(i int) Value {
	if c.numbers {
		return Value{kind: KindNumber, num: float64(c.digits[i]) / pow10[c.decimals]}
	}
	return c.values[i]
}

// reset empties the block and keeps its memory.
func (b *block) reset() {
	b.times = b.times[:0]
	b.columns = b.columns[:0]
}

// releaseAbove drops texts that nobody reads any more. It drops all of the block's memory if that
// is more than maxBytes: few readers need as much, and the next one would hold it for nothing.
func (b *block) releaseAbove(maxBytes int) {
	size := 0
	for _, c := range b.columns[:cap(b.columns)] {
		clear(c.values[:cap(c.values)])
		size += 4*cap(c.rows) + 8*cap(c.digits) + 32*cap(c.values)
	}
	if size > maxBytes {
		*b = block{times: b.times[:0]}
	}
}

// add appends a frame that is later than the previous ones; fields are sorted.
func (b *block) add(at int64, fields []Field) {
	row := int32(len(b.times))
	b.times = append(b.times, at)
	i := 0
	for _, f := range fields {
		for i < len(b.columns) && b.columns[i].property < f.Property {
			i++
		}
		if i == len(b.columns) || b.columns[i].property != f.Property {
			b.insert(i, f.Property)
		}
		c := &b.columns[i]
		c.rows = append(c.rows, row)
		c.values = append(c.values, f.Value)
	}
}

// insert adds a column, reusing the memory of one that reset left.
func (b *block) insert(i int, p device.PropertyID) *column {
	var spare column
	if n := len(b.columns); n < cap(b.columns) {
		spare = b.columns[:n+1][n]
	}
	c := column{property: p, rows: spare.rows[:0], values: spare.values[:0], digits: spare.digits[:0]}
	b.columns = slices.Insert(b.columns, i, c)
	return &b.columns[i]
}

// rowCursor walks a block frame by frame.
type rowCursor struct {
	block *block
	row   int
	next  []int // of each column: the first value that is not read yet
}

func (c *rowCursor) begin(b *block) {
	c.block, c.row = b, -1
	c.next = append(c.next[:0], make([]int, len(b.columns))...)
}

// advance goes to the next frame. It returns false at the end.
func (c *rowCursor) advance() bool {
	c.row++
	return c.row < len(c.block.times)
}

// fields appends the fields of the frame at the cursor. The caller calls it once for each frame.
func (c *rowCursor) fields(dst []Field) []Field {
	for i := range c.block.columns {
		col := &c.block.columns[i]
		n := c.next[i]
		for n < len(col.rows) && int(col.rows[n]) < c.row {
			n++
		}
		if n < len(col.rows) && int(col.rows[n]) == c.row {
			dst = append(dst, Field{Property: col.property, Value: col.value(n)})
			n++
		}
		c.next[i] = n
	}
	return dst
}
