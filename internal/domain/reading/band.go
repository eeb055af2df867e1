package reading

import (
	"encoding/binary"
	"fmt"
	"slices"

	"tilth/internal/domain/device"
)

const (
	// maxWholeValues is up to how many values a segment is decoded as a whole: eight columns of a
	// full one.
	maxWholeValues = 8 * segmentRows
	// maxBandValues is how many values of a larger segment are decoded at a time, so that a caller
	// that reads many properties holds no more memory than one that reads few.
	maxBandValues = maxWholeValues * 3 / 8
	// maxBandBytes is how much memory decoded values may take, in bytes. Numbers take less; texts
	// are decoded fewer at a time.
	maxBandBytes = 192 << 10
	// maxReusedContent is the largest buffer for a column's content that is kept for reuse, in
	// bytes; numbers need less.
	maxReusedContent = 128 << 10
)

// bands decodes a segment band by band: a number of rows of all columns at a time. The packed bytes
// belong to the engine and are valid until its iterator moves.
type bands struct {
	columns []bandColumn
	before  []bandColumn // their states before the band that is being decoded
	times   []int64      // times of all rows
	rows    int          // rows of a band
	next    int          // the first row that is not decoded yet
}

// bandColumn is how far a column has been decoded.
type bandColumn struct {
	property device.PropertyID
	packed   []byte
	seen     int   // values decoded so far
	at       int   // offset in the bytes of its values
	digits   int64 // digits of the previous number
}

// beginBands begins to decode the wanted columns of a segment in bands; wanted is sorted, nil means
// all. It leaves out the columns whose summary takeSummary has accepted; takeSummary may be nil.
func (r *segmentReader) beginBands(h *segmentHead, wanted []device.PropertyID, takeSummary summaryFunc) error {
	b := &r.bands
	b.columns, b.next, r.times.count = b.columns[:0], 0, 0
	all := block{times: b.times[:0]}
	body := h.body
	for _, c := range h.columns {
		packed, minmax, sums, rest := c.cut(body)
		body = rest
		if !isWanted(c.property, wanted) {
			continue
		}
		if taken, err := r.takeSummary(c.property, minmax, sums, &all, h, takeSummary); err != nil {
			return err
		} else if !taken {
			b.columns = append(b.columns, bandColumn{property: c.property, packed: packed})
		}
	}
	if len(b.columns) > 0 && len(all.times) == 0 {
		if err := r.appendTimes(&all, h); err != nil {
			return err
		}
	}
	b.times = all.times
	b.rows = max(1, min(h.count, maxBandValues/max(1, len(b.columns))))
	return nil
}

func isWanted(p device.PropertyID, wanted []device.PropertyID) bool {
	if wanted == nil {
		return true
	}
	_, ok := slices.BinarySearch(wanted, p)
	return ok
}

// more reports whether there is another band.
func (b *bands) more() bool { return len(b.columns) > 0 && b.next < len(b.times) }

// release drops the references to the engine's memory.
func (b *bands) release() {
	clear(b.columns)
	clear(b.before)
	b.columns, b.before = b.columns[:0], b.before[:0]
}

// nextBand decodes the next band into a block.
func (r *segmentReader) nextBand(into *block) error {
	b := &r.bands
	b.before = append(b.before[:0], b.columns...)
	for {
		fits, err := r.band(into)
		if err != nil {
			return err
		}
		if fits {
			break
		}
		copy(b.columns, b.before)
		b.rows = max(1, b.rows/4)
	}
	b.next += len(into.times)
	r.releaseLarge()
	return nil
}

// band decodes a band. It returns false if that takes too much memory.
func (r *segmentReader) band(into *block) (bool, error) {
	b := &r.bands
	from, to := b.next, min(b.next+b.rows, len(b.times))
	into.reset()
	into.releaseAbove(maxBandBytes) // the buffers served other columns before
	into.times = append(into.times, b.times[from:to]...)
	into.columns = slices.Grow(into.columns, len(b.columns))
	size := 0
	for i := range b.columns {
		c := &b.columns[i]
		if err := r.unpack(c.packed); err != nil {
			return false, err
		}
		column := into.insert(len(into.columns), c.property)
		if err := c.decode(column, r.content, from, to, len(b.times)); err != nil {
			return false, fmt.Errorf("property %d: %w", c.property, err)
		}
		if size += column.size(); size > maxBandBytes && to-from > 1 {
			clear(column.values)
			return false, nil
		}
		if len(column.rows) == 0 {
			into.columns = into.columns[:len(into.columns)-1]
		}
	}
	return true, nil
}

// decode appends to column its values in the rows [from, to) of a segment of count rows. The
// column's rows count from the first of these.
func (c *bandColumn) decode(column *column, content []byte, from, to, count int) error {
	kind, have, present, values, err := cutColumn(content, count)
	if err != nil {
		return err
	}
	for row := from; row < to; row++ {
		if present == nil || present[row/8]&(1<<(row%8)) != 0 {
			column.rows = append(column.rows, int32(row-from))
		}
	}
	c.seen += len(column.rows)
	if c.seen > have || to == count && c.seen != have {
		return ErrCorrupt
	}
	if kind == columnNumbers {
		if len(values) == 0 || values[0] > maxDecimals {
			return ErrCorrupt
		}
		column.numbers, column.decimals = true, int(values[0])
		c.at = max(c.at, 1)
		column.digits = slices.Grow(column.digits, len(column.rows))
	} else {
		column.values = slices.Grow(column.values, len(column.rows))
	}
	if c.at > len(values) {
		return ErrCorrupt
	}
	rest := values[c.at:]
	for range column.rows {
		n := 0
		if kind == columnNumbers {
			var more int64
			if more, n = binary.Varint(rest); n <= 0 {
				return ErrCorrupt
			}
			c.digits += more
			column.digits = append(column.digits, c.digits)
		} else {
			var v Value
			if v, n, err = cutValue(rest); err != nil {
				return err
			}
			column.values = append(column.values, v)
		}
		rest = rest[n:]
	}
	if c.at = len(values) - len(rest); to == count && len(rest) != 0 {
		return ErrCorrupt
	}
	return nil
}

// size estimates how much memory a column's values take, in bytes.
func (c *column) size() int {
	const row, digits, value = 4, 8, 32
	n := len(c.rows)*row + len(c.digits)*digits + len(c.values)*value
	for i := range c.values {
		n += len(c.values[i].text)
	}
	return n
}

// releaseLarge drops the content buffer if it is so large that only texts need it.
func (r *segmentReader) releaseLarge() {
	if cap(r.content) > maxReusedContent {
		r.content = nil
	}
}

// cutColumn splits a column's content into its kind, its number of values, the rows that have a
// value (a bit each; nil: all count rows have one), and the values.
func cutColumn(content []byte, count int) (kind byte, have int, present, values []byte, err error) {
	if len(content) < 2 {
		return 0, 0, nil, nil, ErrCorrupt
	}
	kind = content[0]
	some, n := binary.Uvarint(content[1:])
	if n <= 0 || some == 0 || some > uint64(count) || kind != columnNumbers && kind != columnValues {
		return 0, 0, nil, nil, ErrCorrupt
	}
	have, values = int(some), content[1+n:]
	if have < count {
		size := (count + 7) / 8
		if len(values) < size {
			return 0, 0, nil, nil, ErrCorrupt
		}
		present, values = values[:size], values[size:]
	}
	return kind, have, present, values, nil
}
