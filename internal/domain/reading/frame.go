package reading

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"

	"tilth/internal/domain/device"
)

// A frame on disk is a sequence of groups until the value ends. A group covers nine neighbouring
// properties: the number of the first one (in the first group as it is, later as the distance from
// the end of the previous group), one byte whose bits say which of the next eight are present too,
// then the values in order. So properties are always sorted and unique, and a station of nine
// properties needs two or three bytes for their numbers.
//
// A value is one varint. Its low three bits are the number of decimals, 0 to 6, and the rest is the
// zigzag of the digits: 23.4 is 234 with one decimal, two bytes. The low bits 7 mark other values,
// which the rest distinguishes: a float64 in eight bytes, false, true, a text after its length, or
// no value, which removes the stored value. Sealed segments hold no removed values.
const (
	groupSpan   = 9
	maxDecimals = 6
	special     = 7

	specialRaw     = 0
	specialFalse   = 1
	specialTrue    = 2
	specialText    = 3
	specialRemoved = 4

	headRaw     = specialRaw<<3 | special
	headFalse   = specialFalse<<3 | special
	headTrue    = specialTrue<<3 | special
	headText    = specialText<<3 | special
	headRemoved = specialRemoved<<3 | special
)

// ErrCorrupt is wrapped by every error about stored bytes that cannot be read back; such an error
// names the key.
var ErrCorrupt = errors.New("stored reading is damaged")

var pow10 = [maxDecimals + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}

// maxExact is the integer up to which float64 holds every integer exactly.
const maxExact = 1 << 53

func appendValue(b []byte, v Value) []byte {
	switch v.kind {
	case KindBoolean:
		if v.Bool() {
			return append(b, headTrue)
		}
		return append(b, headFalse)
	case KindNone:
		return append(b, headRemoved)
	case KindText:
		b = append(b, headText)
		b = binary.AppendUvarint(b, uint64(len(v.text)))
		return append(b, v.text...)
	default:
		return appendNumber(b, v.num)
	}
}

// appendNumber writes f so that exactly the same float64 is read back: as digits and decimals if
// dividing the digits gives f exactly, otherwise as raw bits.
func appendNumber(b []byte, f float64) []byte {
	if decimals := decimalsOf(f); decimals >= 0 && (f != 0 || !math.Signbit(f)) {
		digits := int64(math.RoundToEven(f * pow10[decimals]))
		return binary.AppendUvarint(b, zigzag(digits)<<3|uint64(decimals))
	}
	b = append(b, headRaw)
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
}

// decimalsOf returns the least number of decimals with which f is read back exactly, -1 if there is
// none.
func decimalsOf(f float64) int {
	for decimals, p := range pow10 {
		scaled := f * p
		if !(math.Abs(scaled) < maxExact) {
			break
		}
		if math.RoundToEven(scaled)/p == f {
			return decimals
		}
	}
	return -1
}

// cutHead reads the varint at the front of a value and returns how many bytes the whole value takes
// and where its content begins.
func cutHead(b []byte) (head uint64, content, end int, err error) {
	head, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, 0, ErrCorrupt
	}
	if head&7 != special {
		return head, n, n, nil
	}
	switch head {
	case headFalse, headTrue, headRemoved:
		return head, n, n, nil
	case headRaw:
		if len(b) < n+8 {
			return 0, 0, 0, ErrCorrupt
		}
		return head, n, n + 8, nil
	case headText:
		size, m := binary.Uvarint(b[n:])
		if m <= 0 || size > uint64(len(b)-n-m) {
			return 0, 0, 0, ErrCorrupt
		}
		return head, n + m, n + m + int(size), nil
	}
	return 0, 0, 0, ErrCorrupt
}

// cutValue reads the value at the front of b and returns its length.
func cutValue(b []byte) (Value, int, error) {
	head, content, end, err := cutHead(b)
	if err != nil {
		return Value{}, 0, err
	}
	if head&7 != special {
		zigzag := head >> 3
		m := int64(zigzag>>1) ^ -int64(zigzag&1)
		return Number(float64(m) / pow10[head&7]), end, nil
	}
	switch head {
	case headFalse:
		return Boolean(false), end, nil
	case headTrue:
		return Boolean(true), end, nil
	case headRemoved:
		return Value{}, end, nil
	case headText:
		return Text(string(b[content:end])), end, nil
	default:
		f := math.Float64frombits(binary.LittleEndian.Uint64(b[content:]))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return Value{}, 0, ErrCorrupt
		}
		return Number(f), end, nil
	}
}

// frameWriter builds a frame. For each property in ascending order the caller calls begin, then
// appends the value's bytes to buf.
type frameWriter struct {
	buf    []byte
	base   uint32 // first property of the open group
	mask   int    // index of the open group's presence byte
	opened bool
}

func (w *frameWriter) begin(p device.PropertyID) {
	n := uint32(p)
	switch {
	case !w.opened:
		w.buf = binary.AppendUvarint(w.buf, uint64(n))
	case n-w.base < groupSpan:
		w.buf[w.mask] |= 1 << (n - w.base - 1)
		return
	default:
		w.buf = binary.AppendUvarint(w.buf, uint64(n-w.base-groupSpan))
	}
	w.opened = true
	w.base = n
	w.mask = len(w.buf)
	w.buf = append(w.buf, 0)
}

// appendFrame appends fields, which are sorted, unique and not empty.
func appendFrame(b []byte, fields []Field) []byte {
	w := frameWriter{buf: b}
	for _, f := range fields {
		w.begin(f.Property)
		w.buf = appendValue(w.buf, f.Value)
	}
	return w.buf
}

// frameReader reads a frame: next returns a property, after which the caller reads its value from
// the front of rest.
type frameReader struct {
	rest   []byte
	base   uint64
	mask   byte
	opened bool
}

// next returns false at the end of the frame.
func (r *frameReader) next() (device.PropertyID, bool, error) {
	p := r.base
	if r.mask != 0 {
		p += 1 + uint64(bits.TrailingZeros8(r.mask))
		r.mask &= r.mask - 1
	} else {
		if len(r.rest) == 0 {
			if !r.opened {
				return 0, false, ErrCorrupt // a frame holds at least one value
			}
			return 0, false, nil
		}
		first, n := binary.Uvarint(r.rest)
		if n <= 0 || first > math.MaxUint32 || n == len(r.rest) {
			return 0, false, ErrCorrupt
		}
		if r.opened {
			first += r.base + groupSpan
		}
		r.opened = true
		r.base = first
		r.mask = r.rest[n]
		r.rest = r.rest[n+1:]
		p = first
	}
	if p > math.MaxUint32 {
		return 0, false, ErrCorrupt
	}
	return device.PropertyID(p), true, nil
}

// value reads the value at the front of the frame.
func (r *frameReader) value() (Value, error) {
	v, n, err := cutValue(r.rest)
	if err != nil {
		return Value{}, err
	}
	r.rest = r.rest[n:]
	return v, nil
}

// raw returns the bytes of the value at the front of the frame.
func (r *frameReader) raw() ([]byte, error) {
	_, _, end, err := cutHead(r.rest)
	if err != nil {
		return nil, err
	}
	v := r.rest[:end]
	r.rest = r.rest[end:]
	return v, nil
}

// appendFields appends every field of frame to dst.
func appendFields(dst []Field, frame []byte) ([]Field, error) {
	r := frameReader{rest: frame}
	for {
		p, ok, err := r.next()
		if err != nil || !ok {
			return dst, err
		}
		v, err := r.value()
		if err != nil {
			return dst, err
		}
		dst = append(dst, Field{Property: p, Value: v})
	}
}

// appendWanted appends the fields of frame that are among wanted (sorted). It does not read the
// bytes after the last wanted property.
func appendWanted(dst []Field, frame []byte, wanted []device.PropertyID) ([]Field, error) {
	r := frameReader{rest: frame}
	for len(wanted) > 0 {
		p, ok, err := r.next()
		if err != nil || !ok {
			return dst, err
		}
		for len(wanted) > 0 && wanted[0] < p {
			wanted = wanted[1:]
		}
		if len(wanted) == 0 || wanted[0] != p {
			if _, err := r.raw(); err != nil {
				return dst, err
			}
			continue
		}
		v, err := r.value()
		if err != nil {
			return dst, err
		}
		dst = append(dst, Field{Property: p, Value: v})
		wanted = wanted[1:]
	}
	return dst, nil
}

// sortedProperties returns a sorted copy of props without duplicates.
func sortedProperties(props []device.PropertyID) []device.PropertyID {
	s := slices.Clone(props)
	slices.Sort(s)
	return slices.Compact(s)
}
