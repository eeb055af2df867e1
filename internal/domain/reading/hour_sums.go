package reading

import (
	"encoding/binary"
	"math/bits"
	"time"
)

// Beside the minmax of a column a segment holds its hour sums: how many values each hour (UTC) has,
// and their sum. With the lowest and the highest from the minmax they give the hour's aggregate
// without reading the column:
//
//	runs of hours with equal counts, as varints: how many hours, and the count of each;
//	the width of the differences in bits, 1 byte;
//	for each hour the difference of its sum (in digits) from the expected one, zigzag, in that
//	many bits, the lowest bit first.
//
// The expected sum is that of values in the middle between the lowest and the highest of their half
// hour.
//
// Only hours with values count. The runs end when their counts add up to the number of values that
// the minmax names.
const msPerHour = int64(time.Hour / time.Millisecond)

// maxSummedDigits bounds the digits of a column with hour sums, so that no sum overflows.
const maxSummedDigits = 1 << 48

// hourTotal is the count, the sum, and the extremes of an hour's values, in digits.
type hourTotal struct {
	count                int
	sum, lowest, highest int64
	middles, halfHours   int64 // sum of lowest and highest of each half hour, number of half hours
}

func (h *hourTotal) expectedSum() int64 { return h.middles * int64(h.count) / (2 * h.halfHours) }

// addHalfHour adds the extremes of the next half hour.
func (h *hourTotal) addHalfHour(lowest, highest int64) {
	if h.halfHours == 0 {
		h.lowest, h.highest = lowest, highest
	}
	h.lowest, h.highest = min(h.lowest, lowest), max(h.highest, highest)
	h.middles += lowest + highest
	h.halfHours++
}

// appendHourSums appends the hour sums of a column of numbers, or nothing if a digit is too large.
func (w *segmentWriter) appendHourSums(dst []byte, times []int64, rows []int32, digits []int64) []byte {
	w.hours = w.hours[:0]
	var lowest, highest int64      // of the half hour
	var hourEnd, halfHourEnd int64 // epoch milliseconds
	for i, row := range rows {
		d := digits[i]
		if d <= -maxSummedDigits || d >= maxSummedDigits {
			return dst
		}
		last := len(w.hours) - 1
		if at := times[row]; i == 0 || at >= halfHourEnd {
			if i > 0 {
				w.hours[last].addHalfHour(lowest, highest)
			}
			halfHourEnd = at - floorMod(at, minmaxStep) + minmaxStep
			lowest, highest = d, d
			if i == 0 || at >= hourEnd {
				hourEnd = at - floorMod(at, msPerHour) + msPerHour
				w.hours = append(w.hours, hourTotal{})
				last++
			}
		}
		lowest, highest = min(lowest, d), max(highest, d)
		w.hours[last].count++
		w.hours[last].sum += d
	}
	w.hours[len(w.hours)-1].addHalfHour(lowest, highest)
	for i := 0; i < len(w.hours); {
		run := i
		for run < len(w.hours) && w.hours[run].count == w.hours[i].count {
			run++
		}
		dst = binary.AppendUvarint(dst, uint64(run-i))
		dst = binary.AppendUvarint(dst, uint64(w.hours[i].count))
		i = run
	}
	width := 0
	for i := range w.hours {
		width = max(width, bits.Len64(zigzag(w.hours[i].sum-w.hours[i].expectedSum())))
	}
	dst = append(dst, byte(width))
	pending, held := uint64(0), 0 // bits that are not appended yet
	for i := range w.hours {
		x := zigzag(w.hours[i].sum - w.hours[i].expectedSum())
		for left := width; left > 0; {
			take := min(left, 8-held)
			pending |= x & (1<<take - 1) << held
			x >>= take
			left -= take
			if held += take; held == 8 {
				dst = append(dst, byte(pending))
				pending, held = 0, 0
			}
		}
	}
	if held > 0 {
		dst = append(dst, byte(pending))
	}
	return dst
}

func zigzag(x int64) uint64 { return uint64(x<<1) ^ uint64(x>>63) }

// hourSumsReader reads the hour sums of a column.
type hourSumsReader struct {
	runs       []byte // not read yet
	run, count int    // hours left in the current run, and the count of each
	left       int    // values of the hours that are not read yet
	width      int
	packed     []byte
	offset     int // in bits
}

// begin moves before the first hour of a column with that many values.
func (s *hourSumsReader) begin(raw []byte, values int) error {
	*s = hourSumsReader{runs: raw, left: values}
	rest, hours := raw, uint64(0)
	for left := uint64(values); left > 0; {
		run, n := binary.Uvarint(rest)
		if n <= 0 {
			return ErrCorrupt
		}
		count, m := binary.Uvarint(rest[n:])
		if m <= 0 || run == 0 || count == 0 || run > left || count > left || run*count > left {
			return ErrCorrupt
		}
		hours += run
		left -= run * count
		rest = rest[n+m:]
	}
	if len(rest) == 0 || rest[0] > 64 || uint64(len(rest)-1) != (hours*uint64(rest[0])+7)/8 {
		return ErrCorrupt
	}
	s.width, s.packed = int(rest[0]), rest[1:]
	return nil
}

// next completes the next hour, whose lowest and highest the caller has set.
func (s *hourSumsReader) next(h *hourTotal) error {
	if s.left == 0 {
		return ErrCorrupt
	}
	if s.run == 0 {
		run, n := binary.Uvarint(s.runs)
		count, m := binary.Uvarint(s.runs[n:])
		s.run, s.count, s.runs = int(run), int(count), s.runs[n+m:]
	}
	s.run--
	s.left -= s.count
	x := uint64(0)
	for have := 0; have < s.width; {
		shift := s.offset % 8
		take := min(s.width-have, 8-shift)
		x |= uint64(s.packed[s.offset/8]>>shift) & (1<<take - 1) << have
		have += take
		s.offset += take
	}
	h.count = s.count
	h.sum = h.expectedSum() + unzigzag(x)
	return nil
}

// forEachHour calls fn for each hour with values of a column whose minmax and hour sums a segment
// holds. begin is the hour's begin, epoch milliseconds.
func forEachHour(times *rowTimes, minmax, sums []byte, fn func(begin int64, h *hourTotal, scale float64)) error {
	var halfHours minmaxReader
	if err := halfHours.begin(minmax); err != nil {
		return err
	}
	var reader hourSumsReader
	if err := reader.begin(sums, halfHours.values); err != nil {
		return err
	}
	var h hourTotal
	begin, open := int64(0), false
	for {
		ok, err := halfHours.next(times.count)
		if err != nil {
			return err
		}
		at := int64(0)
		if ok {
			if at = times.at(halfHours.lowest.row); open && at >= begin && at < begin+msPerHour {
				h.addHalfHour(halfHours.lowest.digits, halfHours.highest.digits)
				continue
			}
		}
		if open {
			if err := reader.next(&h); err != nil {
				return err
			}
			fn(begin, &h, halfHours.scale)
		}
		if !ok {
			if reader.left != 0 {
				return ErrCorrupt
			}
			return nil
		}
		begin, open = at-floorMod(at, msPerHour), true
		h = hourTotal{}
		h.addHalfHour(halfHours.lowest.digits, halfHours.highest.digits)
	}
}
