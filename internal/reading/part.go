package reading

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"

	"tilth/internal/device"
)

// A sealed device-day is one or more parts of at most partRows frames, by
// columns. A part on disk, under a key that ends with the milliseconds of its
// first frame:
//
//	format 1 byte, then varints: frames, milliseconds from first to last,
//	length of the block of times, columns;
//	for each column: property (distance from the one before), length of its block;
//	the block of times, the blocks of the columns.
//
// So a query reads the columns it wants and jumps over the others. A block is
// one byte that says how it is packed, then its content, as it is or by
// Zstandard. Times are the differences of their differences, which are zero for
// a device that keeps its interval. A column of numbers is the number of
// decimals that all of them have exactly, then the differences of their digits;
// what is no such column (texts, booleans, numbers of more decimals) is its
// values as frames have them.
const (
	partFormat = 1
	partRows   = 4096

	packedNot  = 0
	packedZstd = 1

	columnNumbers = 0
	columnValues  = 1
)

// partLimit bounds what a damaged block may claim to unpack to.
const partLimit = 64 << 20

var (
	packer   = mustPack(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false)))
	unpacker = mustPack(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(partLimit)))
)

func mustPack[T any](x T, err error) T {
	if err != nil {
		panic(err) // the options above are constant
	}
	return x
}

// partWriter holds the buffers with which parts are encoded.
type partWriter struct {
	content, blocks, head, presence []byte
}

// encode appends b as a part; b is not empty and within one day.
func (w *partWriter) encode(dst []byte, b *block) []byte {
	count, first := len(b.times), b.times[0]
	w.head, w.blocks = w.head[:0], w.blocks[:0]
	w.head = append(w.head, partFormat)
	w.head = binary.AppendUvarint(w.head, uint64(count))
	w.head = binary.AppendUvarint(w.head, uint64(b.times[count-1]-first))
	w.content = appendTimes(w.content[:0], b.times)
	w.head = binary.AppendUvarint(w.head, uint64(w.pack()))
	w.head = binary.AppendUvarint(w.head, uint64(len(b.columns)))
	before := device.PropertyID(0)
	for i := range b.columns {
		c := &b.columns[i]
		w.content = w.appendColumn(w.content[:0], c, count)
		w.head = binary.AppendUvarint(w.head, uint64(c.property-before))
		w.head = binary.AppendUvarint(w.head, uint64(w.pack()))
		before = c.property
	}
	return append(append(dst, w.head...), w.blocks...)
}

// pack appends the content to the blocks, packed where that makes it smaller,
// and tells its length.
func (w *partWriter) pack() int {
	begin := len(w.blocks)
	w.blocks = append(w.blocks, packedZstd)
	w.blocks = packer.EncodeAll(w.content, w.blocks)
	if len(w.blocks)-begin > len(w.content) {
		w.blocks = append(append(w.blocks[:begin], packedNot), w.content...)
	}
	return len(w.blocks) - begin
}

// appendTimes writes the times after the first, which the key has.
func appendTimes(b []byte, times []int64) []byte {
	step := int64(0)
	for i := 1; i < len(times); i++ {
		next := times[i] - times[i-1]
		b = binary.AppendVarint(b, next-step)
		step = next
	}
	return b
}

func (w *partWriter) appendColumn(b []byte, c *column, count int) []byte {
	decimals, numbers := sharedDecimals(c.values)
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
	for _, v := range c.values {
		digits := int64(math.RoundToEven(v.num * pow10[decimals]))
		b = binary.AppendVarint(b, digits-before)
		before = digits
	}
	return b
}

// sharedDecimals is the least number of decimals with which every value is
// read back as it was; false when there is none, or not all are numbers.
func sharedDecimals(values []Value) (decimals int, ok bool) {
	for _, v := range values {
		if v.kind != KindNumber || v.num == 0 && math.Signbit(v.num) {
			return 0, false
		}
		for !exact(v.num, decimals) {
			if decimals++; decimals > maxDecimals {
				return 0, false
			}
		}
	}
	for _, v := range values {
		if !exact(v.num, decimals) {
			return 0, false // too large for so many decimals
		}
	}
	return decimals, true
}

func exact(f float64, decimals int) bool {
	scaled := f * pow10[decimals]
	return math.Abs(scaled) < maxExact && math.RoundToEven(scaled)/pow10[decimals] == f
}

// partReader decodes parts; it keeps its buffers.
type partReader struct {
	content []byte
}

// partHead is the front of a part.
type partHead struct {
	first, last int64 // epoch milliseconds
	count       int
	columns     []partColumn
	times, body []byte
}

type partColumn struct {
	property device.PropertyID
	size     int
}

// readHead reads the front of a part whose first frame is at first.
func readHead(h *partHead, raw []byte, first int64) error {
	if len(raw) == 0 || raw[0] != partFormat {
		return ErrCorrupt
	}
	raw = raw[1:]
	var count, span, times, columns uint64
	for _, x := range []*uint64{&count, &span, &times, &columns} {
		n := 0
		if *x, n = binary.Uvarint(raw); n <= 0 {
			return ErrCorrupt
		}
		raw = raw[n:]
	}
	if count == 0 || count > partRows || span >= uint64(msPerDay) || columns > uint64(len(raw)) {
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
		property += step
		total += size
		if property > math.MaxUint32 {
			return ErrCorrupt
		}
		h.columns = append(h.columns, partColumn{device.PropertyID(property), int(size)})
	}
	if total != uint64(len(raw)) {
		return ErrCorrupt
	}
	h.times, h.body = raw[:times], raw[times:]
	return nil
}

// decode reads the wanted columns (sorted; nil: all) into b. It is false when
// the part has none of them.
func (r *partReader) decode(b *block, h *partHead, wanted []device.PropertyID) (bool, error) {
	b.reset()
	body := h.body
	for _, c := range h.columns {
		packed := body[:c.size]
		body = body[c.size:]
		if wanted != nil {
			if _, ok := slices.BinarySearch(wanted, c.property); !ok {
				continue
			}
		}
		if err := r.unpack(packed); err != nil {
			return false, err
		}
		if err := decodeColumn(b.insert(len(b.columns), c.property), r.content, h.count); err != nil {
			return false, fmt.Errorf("property %d: %w", c.property, err)
		}
	}
	if len(b.columns) == 0 {
		return false, nil
	}
	return true, r.appendTimes(b, h)
}

// decodeTimes reads a part's times alone into b.
func (r *partReader) decodeTimes(b *block, h *partHead) error {
	b.reset()
	return r.appendTimes(b, h)
}

func (r *partReader) appendTimes(b *block, h *partHead) error {
	if err := r.unpack(h.times); err != nil {
		return err
	}
	return decodeTimes(b, r.content, h)
}

func (r *partReader) unpack(packed []byte) (err error) {
	if len(packed) == 0 {
		return ErrCorrupt
	}
	switch packed[0] {
	case packedNot:
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

func decodeTimes(b *block, content []byte, h *partHead) error {
	at, step := h.first, int64(0)
	b.times = append(slices.Grow(b.times, h.count), at)
	for range h.count - 1 {
		more, n := binary.Varint(content)
		if n <= 0 {
			return ErrCorrupt
		}
		content = content[n:]
		step += more
		if step <= 0 {
			return ErrCorrupt
		}
		at += step
		b.times = append(b.times, at)
	}
	if len(content) != 0 || at != h.last {
		return ErrCorrupt
	}
	return nil
}

func decodeColumn(c *column, content []byte, count int) error {
	if len(content) < 2 {
		return ErrCorrupt
	}
	kind := content[0]
	have, n := binary.Uvarint(content[1:])
	if n <= 0 || have == 0 || have > uint64(count) {
		return ErrCorrupt
	}
	content = content[1+n:]
	c.rows = slices.Grow(c.rows, int(have))
	if int(have) == count {
		for row := range count {
			c.rows = append(c.rows, int32(row))
		}
	} else {
		size := (count + 7) / 8
		if len(content) < size {
			return ErrCorrupt
		}
		for row := range count {
			if content[row/8]&(1<<(row%8)) != 0 {
				c.rows = append(c.rows, int32(row))
			}
		}
		content = content[size:]
	}
	if len(c.rows) != int(have) {
		return ErrCorrupt
	}
	c.values = slices.Grow(c.values, int(have))
	switch kind {
	case columnNumbers:
		return decodeNumbers(c, content)
	case columnValues:
		return decodeValues(c, content)
	}
	return ErrCorrupt
}

func decodeNumbers(c *column, content []byte) error {
	if len(content) == 0 || content[0] > maxDecimals {
		return ErrCorrupt
	}
	p := pow10[content[0]]
	content = content[1:]
	digits := int64(0)
	for range c.rows {
		var more int64
		if len(content) > 0 && content[0] < 0x80 { // one byte, by far the usual case
			more = int64(content[0]>>1) ^ -int64(content[0]&1)
			content = content[1:]
		} else {
			var n int
			if more, n = binary.Varint(content); n <= 0 {
				return ErrCorrupt
			}
			content = content[n:]
		}
		digits += more
		c.values = append(c.values, Value{kind: KindNumber, num: float64(digits) / p})
	}
	if len(content) != 0 {
		return ErrCorrupt
	}
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
