package reading

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// Beside a column of many numbers a segment holds its minmax: the lowest and the highest value of
// each half hour (UTC). A chart of a month is drawn from it without reading the column:
//
//	decimals 1 byte, then as varints: the number of values, and for each half
//	hour with values
//	the lowest's digits (difference from the half hour before),
//	by how much the highest's are more,
//	the lowest's row (difference from the half hour before), and
//	how many rows after it the highest is, with its sign.
//
// Of equal values the first counts, as in a downsampler. The minmax is not compressed, because that
// would cost more time than it saves.
const (
	minmaxStep = int64(30 * time.Minute / time.Millisecond)
	// minmaxMinValues is how many values a half hour must have on average. Fewer readings are as
	// quick to read themselves, and the minmax would waste space.
	minmaxMinValues = 24
)

// extreme is the lowest or the highest of a half hour.
type extreme struct {
	digits int64
	row    int32
}

// appendMinmax appends the minmax of a column of numbers, or nothing if it does not pay.
func appendMinmax(dst []byte, times []int64, c *column, decimals int, digits []int64) []byte {
	begin, steps := len(dst), 0
	dst = binary.AppendUvarint(append(dst, byte(decimals)), uint64(len(c.rows)))
	var lowest, before extreme
	put := func(highest extreme) {
		dst = binary.AppendVarint(dst, lowest.digits-before.digits)
		dst = binary.AppendUvarint(dst, uint64(highest.digits-lowest.digits))
		dst = binary.AppendUvarint(dst, uint64(lowest.row-before.row))
		dst = binary.AppendVarint(dst, int64(highest.row-lowest.row))
		before = lowest
		steps++
	}
	var highest extreme
	end := int64(0) // end of the half hour
	for i, row := range c.rows {
		e := extreme{digits[i], row}
		if at := times[row]; i == 0 || at >= end {
			if i > 0 {
				put(highest)
			}
			end = at - floorMod(at, minmaxStep) + minmaxStep
			lowest, highest = e, e
			continue
		}
		if e.digits < lowest.digits {
			lowest = e
		}
		if e.digits > highest.digits {
			highest = e
		}
	}
	put(highest)
	if len(c.rows) < minmaxMinValues*steps {
		return dst[:begin]
	}
	return dst
}

// floorMod returns the distance of x from the next lower multiple of y.
func floorMod(x, y int64) int64 {
	if r := x % y; r < 0 {
		return r + y
	}
	return x % y
}

// minmaxReader reads the minmax of a column.
type minmaxReader struct {
	values int     // number of values of the column
	scale  float64 // divisor of the digits
	raw    []byte
	offset int // in raw

	// The current half hour.
	lowest, highest extreme
}

// begin moves before the first half hour.
func (k *minmaxReader) begin(minmax []byte) error {
	values, n := binary.Uvarint(minmax[1:])
	if minmax[0] > maxDecimals || n <= 0 || values > segmentRows {
		return ErrCorrupt
	}
	*k = minmaxReader{values: int(values), scale: pow10[minmax[0]], raw: minmax, offset: 1 + n}
	return nil
}

// next moves to the next half hour of a segment of count rows. It returns false at the end. The
// changes of half an hour take one or two bytes each. Their lengths are not predictable, so next
// finds them without branches.
func (k *minmaxReader) next(count int) (bool, error) {
	b := k.raw[k.offset:]
	if len(b) < 8 {
		return k.nextLong(b, count)
	}
	w := binary.LittleEndian.Uint64(b)
	if goesOn := w & 0x8080808080808080; goesOn&(goesOn<<8) != 0 {
		return k.nextLong(b, count)
	}
	two := w >> 7 & 1
	digits := w&0x7f | w>>1&0x3f80&-two
	w >>= (8 + 8*two) & 63
	n := two
	two = w >> 7 & 1
	more := w&0x7f | w>>1&0x3f80&-two
	w >>= (8 + 8*two) & 63
	n += two
	two = w >> 7 & 1
	row := w&0x7f | w>>1&0x3f80&-two
	w >>= (8 + 8*two) & 63
	n += two
	two = w >> 7 & 1
	k.offset += int(4 + n + two)
	return true, k.decode(digits, more, row, w&0x7f|w>>1&0x3f80&-two, count)
}

// nextLong is next for longer numbers and near the end.
func (k *minmaxReader) nextLong(b []byte, count int) (bool, error) {
	if len(b) == 0 {
		return false, nil
	}
	var x [4]uint64
	for i := range x {
		n := 0
		if x[i], n = binary.Uvarint(b); n <= 0 {
			return false, ErrCorrupt
		}
		b = b[n:]
	}
	k.offset = len(k.raw) - len(b)
	return true, k.decode(x[0], x[1], min(x[2], segmentRows), x[3], count)
}

// decode moves to the half hour that these numbers encode.
func (k *minmaxReader) decode(digits, more, row, distance uint64, count int) error {
	lowest := int64(k.lowest.row) + int64(row)
	highest := lowest + unzigzag(distance)
	if lowest >= int64(count) || highest < 0 || highest >= int64(count) {
		return ErrCorrupt
	}
	k.lowest = extreme{k.lowest.digits + unzigzag(digits), int32(lowest)}
	k.highest = extreme{k.lowest.digits + int64(more), int32(highest)}
	return nil
}

func unzigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }

// checkSummaries returns an error unless the minmax and the hour sums of a segment equal those of
// its columns, which b holds completely.
func checkSummaries(b *block, h *segmentHead) error {
	var wantMinmax, wantSums []byte
	var w segmentWriter
	body := h.body
	for i, c := range h.columns {
		_, minmax, sums, rest := c.cut(body)
		body = rest
		wantMinmax, wantSums = wantMinmax[:0], wantSums[:0]
		column := &b.columns[i]
		if column.numbers && h.format > 1 {
			wantMinmax = appendMinmax(wantMinmax, b.times, column, column.decimals, column.digits)
		}
		if string(minmax) != string(wantMinmax) {
			return fmt.Errorf("property %d: %w: its minmax differs from that of its readings", c.property, ErrCorrupt)
		}
		if len(minmax) > 0 && h.format > 2 {
			wantSums = w.appendHourSums(wantSums, b.times, column.rows, column.digits)
		}
		if string(sums) != string(wantSums) {
			return fmt.Errorf(
				"property %d: %w: its hour sums differ from those of its readings",
				c.property,
				ErrCorrupt,
			)
		}
	}
	return nil
}

// highestOf returns the highest number of a column, from its minmax; count is that of the segment's rows.
func highestOf(minmax []byte, count int) (float64, error) {
	var reader minmaxReader
	if err := reader.begin(minmax); err != nil {
		return 0, err
	}
	highest := math.Inf(-1)
	for {
		ok, err := reader.next(count)
		if err != nil || !ok {
			return highest, err
		}
		highest = max(highest, float64(reader.highest.digits)/reader.scale)
	}
}
