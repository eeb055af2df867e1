package reading

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"

	"tilth/internal/domain/device"
)

// A sealed device-day is one or more segments of at most segmentRows frames, by columns. The key of
// a segment ends with the milliseconds of its first frame. Its value:
//
//	format 1 byte, then varints: frames, milliseconds from first to last,
//	length of the block of times, columns;
//	for each column: property (difference from the previous one), length of its block,
//	length of its minmax, length of its hour sums;
//	the block of times; of each column its block, its minmax, and its hour sums.
//
// So a query reads the columns that it wants and skips the others. A block is one byte that says
// how it is packed, then its content, raw or compressed by Zstandard. Times are the differences of
// their differences, which are zero for a device with a constant interval; zeroes at the end are
// left out. A column of numbers is the number of decimals with which all of them are exact, then
// the differences of their digits. Any other column (texts, booleans, numbers of more decimals)
// holds its values as frames do. For the minmax see minmax.go, for the hour sums hour_sums.go.
//
// Format 1 had no minmax and left out no zeroes; format 2 had no hour sums.
const (
	segmentFormat = 3
	segmentRows   = 4096

	packedRaw  = 0
	packedZstd = 1

	columnNumbers = 0
	columnValues  = 1
)

// maxUnpackedBytes bounds the memory that a damaged block can claim.
const maxUnpackedBytes = 64 << 20

var (
	packer = mustPack(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false)))
	unpacker = mustPack(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxUnpackedBytes)))
)

func mustPack[T any](x T, err error) T {
	if err != nil {
		panic(err) // the options are constant
	}
	return x
}

// segmentWriter holds the buffers for encoding segments.
type segmentWriter struct {
	content, blocks, head, presence []byte

	digits []int64 // digits of the last column, if it is of numbers
	hours  []hourTotal
	totals []propertyTotal // of the last segment's columns with numbers
}

// encode appends b as a segment. add has filled b within one day.
func (w *segmentWriter) encode(dst []byte, b *block) []byte {
	count, first := len(b.times), b.times[0]
	w.head, w.blocks, w.totals = w.head[:0], w.blocks[:0], w.totals[:0]
	w.head = append(w.head, segmentFormat)
	w.head = binary.AppendUvarint(w.head, uint64(count))
	w.head = binary.AppendUvarint(w.head, uint64(b.times[count-1]-first))
	w.content = appendTimes(w.content[:0], b.times)
	w.head = binary.AppendUvarint(w.head, uint64(w.pack()))
	w.head = binary.AppendUvarint(w.head, uint64(len(b.columns)))
	before := device.PropertyID(0)
	for i := range b.columns {
		c := &b.columns[i]
		decimals, numbers := w.findDecimals(c.values)
		w.content = w.appendColumn(w.content[:0], c, count, decimals, numbers)
		w.head = binary.AppendUvarint(w.head, uint64(c.property-before))
		w.head = binary.AppendUvarint(w.head, uint64(w.pack()))
		begin := len(w.blocks)
		if numbers {
			w.blocks = appendMinmax(w.blocks, b.times, c, decimals, w.digits)
		}
		w.addTotal(c, decimals, numbers)
		minmax := len(w.blocks) - begin
		if minmax > 0 {
			w.blocks = w.appendHourSums(w.blocks, b.times, c.rows, w.digits)
		}
		w.head = binary.AppendUvarint(w.head, uint64(minmax))
		w.head = binary.AppendUvarint(w.head, uint64(len(w.blocks)-begin-minmax))
		before = c.property
	}
	return append(append(dst, w.head...), w.blocks...)
}

// addTotal adds the aggregate of a column to totals, if it has numbers.
func (w *segmentWriter) addTotal(c *column, decimals int, numbers bool) {
	var total Aggregate
	var ok bool
	if numbers {
		total, ok = aggregateOfDigits(w.digits, decimals)
	} else {
		total, ok = aggregateOfValues(c.values)
	}
	if ok {
		w.totals = append(w.totals, propertyTotal{c.property, total})
	}
}

// pack appends the content to the blocks, compressed if that makes it smaller, and returns its
// length.
func (w *segmentWriter) pack() int {
	begin := len(w.blocks)
	w.blocks = append(w.blocks, packedZstd)
	w.blocks = packer.EncodeAll(w.content, w.blocks)
	if len(w.blocks)-begin > len(w.content) {
		w.blocks = append(append(w.blocks[:begin], packedRaw), w.content...)
	}
	return len(w.blocks) - begin
}

// appendTimes writes the times after the first one, which is in the key.
func appendTimes(b []byte, times []int64) []byte {
	step, end := int64(0), len(b)
	for i := 1; i < len(times); i++ {
		next := times[i] - times[i-1]
		b = binary.AppendVarint(b, next-step)
		if next != step {
			end = len(b)
		}
		step = next
	}
	return b[:end]
}

func (w *segmentWriter) appendColumn(b []byte, c *column, count, decimals int, numbers bool) []byte {
	kind := byte(columnValues)
	if numbers {
		kind = columnNumbers
	}
	b = append(b, kind)
	b = binary.AppendUvarint(b, uint64(len(c.rows)))
	if len(c.rows) < count {
		w.presence = append(w.presence[:0], make([]byte, (count+7)/8)...)
		for _, row := range c.rows {
			w.presence[row/8] |= 1 << (row % 8)
		}
		b = append(b, w.presence...)
	}
	if !numbers {
		for _, v := range c.values {
			b = appendValue(b, v)
		}
		return b
	}
	b = append(b, byte(decimals))
	before := int64(0)
	for _, digits := range w.digits {
		b = binary.AppendVarint(b, digits-before)
		before = digits
	}
	return b
}

// findDecimals finds the least number of decimals with which every value is read back exactly, and
// the digits of each. It returns false if there is none, or if not all are numbers.
func (w *segmentWriter) findDecimals(values []Value) (decimals int, ok bool) {
	w.digits = slices.Grow(w.digits[:0], len(values))
	for i := 0; i < len(values); i++ {
		v := &values[i]
		if v.kind != KindNumber || v.num == 0 && math.Signbit(v.num) {
			return 0, false
		}
		scaled := v.num * pow10[decimals]
		digits := math.RoundToEven(scaled)
		switch {
		case !(math.Abs(scaled) < maxExact):
			return 0, false // too large for this number of decimals
		case digits/pow10[decimals] == v.num:
			w.digits = append(w.digits, int64(digits))
		case decimals == maxDecimals:
			return 0, false
		default:
			// The previous values may be too large with one more decimal: check them again.
			decimals++
			w.digits, i = w.digits[:0], -1
		}
	}
	return decimals, true
}

// segmentReader decodes segments; it keeps its buffers.
type segmentReader struct {
	content []byte
	times   rowTimes // times of the current segment; count is 0 until takeSummary reads them
	bands   bands
}

// segmentHead is the decoded head of a segment.
type segmentHead struct {
	format      byte
	first, last int64 // epoch milliseconds
	count       int
	columns     []segmentColumn
	times, body []byte
}

type segmentColumn struct {
	property           device.PropertyID
	size, minmax, sums int // lengths of its block, its minmax, and its hour sums
}

// cut splits the bytes that begin with the column's block.
func (c *segmentColumn) cut(body []byte) (packed, minmax, sums, rest []byte) {
	packed, body = body[:c.size], body[c.size:]
	minmax, body = body[:c.minmax], body[c.minmax:]
	return packed, minmax, body[:c.sums], body[c.sums:]
}

// readHead reads the head of a segment whose first frame is at first.
func readHead(h *segmentHead, raw []byte, first int64) error {
	if len(raw) == 0 || raw[0] == 0 || raw[0] > segmentFormat {
		return ErrCorrupt
	}
	h.format, raw = raw[0], raw[1:]
	var count, span, times, columns uint64
	for _, x := range []*uint64{&count, &span, &times, &columns} {
		n := 0
		if *x, n = binary.Uvarint(raw); n <= 0 {
			return ErrCorrupt
		}
		raw = raw[n:]
	}
	if count == 0 || count > segmentRows || span >= uint64(msPerDay) || columns > uint64(len(raw)) {
		return ErrCorrupt
	}
	h.first, h.last, h.count = first, first+int64(span), int(count)
	h.columns = h.columns[:0]
	property, total := uint64(0), times
	for i := range columns {
		step, n := binary.Uvarint(raw)
		if n <= 0 {
			return ErrCorrupt
		}
		size, m := binary.Uvarint(raw[n:])
		if m <= 0 || i > 0 && step == 0 || step > math.MaxUint32 || size > uint64(len(raw)) {
			return ErrCorrupt
		}
		raw = raw[n+m:]
		var summaries [2]uint64 // lengths of the minmax and of the hour sums
		for i := range summaries[:h.format-1] {
			if summaries[i], n = binary.Uvarint(raw); n <= 0 || summaries[i] > uint64(len(raw)) {
				return ErrCorrupt
			}
			raw = raw[n:]
		}
		property += step
		total += size + summaries[0] + summaries[1]
		if property > math.MaxUint32 {
			return ErrCorrupt
		}
		h.columns = append(h.columns, segmentColumn{
			property: device.PropertyID(property),
			size:     int(size),
			minmax:   int(summaries[0]),
			sums:     int(summaries[1]),
		})
	}
	if total != uint64(len(raw)) {
		return ErrCorrupt
	}
	h.times, h.body = raw[:times], raw[times:]
	return nil
}

// decode reads the wanted columns (sorted; nil: all) into b. It returns false if the segment has
// none of them.
func (r *segmentReader) decode(b *block, h *segmentHead, wanted []device.PropertyID) (bool, error) {
	return r.decodeExcept(b, h, wanted, nil)
}

// summaryFunc takes the minmax and the hour sums (empty: none) of a column instead of its readings.
// It returns false if it needs the readings.
type summaryFunc func(p device.PropertyID, times *rowTimes, minmax, sums []byte) (bool, error)

// decodeExcept is decode without the columns whose summary takeSummary has accepted; takeSummary may
// be nil.
func (r *segmentReader) decodeExcept(
	b *block,
	h *segmentHead,
	wanted []device.PropertyID,
	takeSummary summaryFunc,
) (bool, error) {
	ok, _, err := r.decodeWithin(b, h, wanted, takeSummary, math.MaxInt)
	return ok, err
}

// decodeWithin is decodeExcept with a limit of memory: if it would take more than maxBytes, fits is
// false and the content of b is invalid.
func (r *segmentReader) decodeWithin(
	b *block,
	h *segmentHead,
	wanted []device.PropertyID,
	takeSummary summaryFunc,
	maxBytes int,
) (ok, fits bool, err error) {
	b.reset()
	r.times.count = 0
	body, size := h.body, 0
	for _, c := range h.columns {
		packed, minmax, sums, rest := c.cut(body)
		body = rest
		if !isWanted(c.property, wanted) {
			continue
		}
		if taken, err := r.takeSummary(c.property, minmax, sums, b, h, takeSummary); err != nil {
			return false, true, err
		} else if taken {
			continue
		}
		if len(b.times) == 0 {
			if err := r.appendTimes(b, h); err != nil {
				return false, true, err
			}
		}
		if err := r.unpack(packed); err != nil {
			return false, true, err
		}
		column := b.insert(len(b.columns), c.property)
		if err := decodeColumn(column, r.content, h.count); err != nil {
			return false, true, fmt.Errorf("property %d: %w", c.property, err)
		}
		if size += column.size(); size > maxBytes {
			return false, false, nil
		}
	}
	return len(b.columns) > 0, true, nil
}

// takeSummary passes the minmax and the hour sums of a column to takeSummary, which may be nil. It
// puts times that are not regular into b.
func (r *segmentReader) takeSummary(
	p device.PropertyID,
	minmax, sums []byte,
	b *block,
	h *segmentHead,
	takeSummary summaryFunc,
) (bool, error) {
	if takeSummary == nil || len(minmax) == 0 {
		return false, nil
	}
	if r.times.count == 0 {
		if err := r.readTimes(b, h); err != nil {
			return false, err
		}
	}
	taken, err := takeSummary(p, &r.times, minmax, sums)
	if err != nil {
		return false, fmt.Errorf("property %d: %w", p, err)
	}
	return taken, nil
}

// decodeTimes reads only a segment's times into b.
func (r *segmentReader) decodeTimes(b *block, h *segmentHead) error {
	b.reset()
	return r.appendTimes(b, h)
}

func (r *segmentReader) appendTimes(b *block, h *segmentHead) error {
	if err := r.unpack(h.times); err != nil {
		return err
	}
	return decodeTimes(b, r.content, h)
}

// rowTimes holds the times of a segment's frames. For a device with a constant interval it needs no
// list of them.
type rowTimes struct {
	count       int
	first, step int64
	list        []int64 // nil if each time is a step after the previous one
}

func (t *rowTimes) at(row int32) int64 {
	if t.list != nil {
		return t.list[row]
	}
	return t.first + int64(row)*t.step
}

// readTimes reads a segment's times, into b if they are not regular.
func (r *segmentReader) readTimes(b *block, h *segmentHead) error {
	if err := r.unpack(h.times); err != nil {
		return err
	}
	r.times = rowTimes{count: h.count, first: h.first}
	step, n := binary.Varint(r.content)
	if n > 0 && n == len(r.content) && step > 0 && step <= msPerDay && h.first+step*int64(h.count-1) == h.last {
		r.times.step = step
		return nil
	}
	if len(b.times) == 0 {
		if err := decodeTimes(b, r.content, h); err != nil {
			return err
		}
	}
	r.times.list = b.times
	return nil
}

func (r *segmentReader) unpack(packed []byte) (err error) {
	if len(packed) == 0 {
		return ErrCorrupt
	}
	switch packed[0] {
	case packedRaw:
		r.content = append(r.content[:0], packed[1:]...)
		return nil
	case packedZstd:
		r.content, err = unpacker.DecodeAll(packed[1:], r.content[:0])
		if err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return nil
	}
	return ErrCorrupt
}

func decodeTimes(b *block, content []byte, h *segmentHead) error {
	at, step := h.first, int64(0)
	b.times = append(slices.Grow(b.times, h.count), at)
	for len(content) > 0 && len(b.times) < h.count {
		more, n := binary.Varint(content)
		if n <= 0 {
			return ErrCorrupt
		}
		content = content[n:]
		if step += more; step <= 0 {
			return ErrCorrupt
		}
		at += step
		b.times = append(b.times, at)
	}
	done := len(b.times)
	b.times = b.times[:h.count]
	for i := done; i < h.count; i++ { // the step stays the same
		at += step
		b.times[i] = at
	}
	if len(content) != 0 || at != h.last || step == 0 && h.count > 1 {
		return ErrCorrupt
	}
	return nil
}

func decodeColumn(c *column, content []byte, count int) error {
	kind, have, present, values, err := cutColumn(content, count)
	if err != nil {
		return err
	}
	c.rows = slices.Grow(c.rows, have)
	for row := range count {
		if present == nil || present[row/8]&(1<<(row%8)) != 0 {
			c.rows = append(c.rows, int32(row))
		}
	}
	if len(c.rows) != have {
		return ErrCorrupt
	}
	if kind == columnNumbers {
		return decodeNumbers(c, values)
	}
	c.values = slices.Grow(c.values, have)
	return decodeValues(c, values)
}

func decodeNumbers(c *column, content []byte) error {
	if len(content) == 0 || content[0] > maxDecimals {
		return ErrCorrupt
	}
	c.numbers, c.decimals = true, int(content[0])
	content = content[1:]
	list, digits := slices.Grow(c.digits, len(c.rows))[:len(c.rows)], int64(0)
	for i := range list {
		if len(content) > 0 && content[0] < 0x80 { // one byte, the usual case
			digits += int64(content[0]>>1) ^ -int64(content[0]&1)
			content = content[1:]
		} else {
			more, n := binary.Varint(content)
			if n <= 0 {
				return ErrCorrupt
			}
			content = content[n:]
			digits += more
		}
		list[i] = digits
	}
	if len(content) != 0 {
		return ErrCorrupt
	}
	c.digits = list
	return nil
}

func decodeValues(c *column, content []byte) error {
	for range c.rows {
		v, n, err := cutValue(content)
		if err != nil {
			return err
		}
		content = content[n:]
		c.values = append(c.values, v)
	}
	if len(content) != 0 {
		return ErrCorrupt
	}
	return nil
}
