package reading

import (
	"bytes"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// source returns the frames of one device and day from one place, oldest first.
type source interface {
	// next moves to the next frame. It returns false at the end or on an error.
	next() (bool, error)
	// at returns the time of the current frame, epoch milliseconds.
	at() int64
	// fields appends the frame's fields of the wanted properties. The caller calls it at most once
	// for each frame.
	fields(dst []Field) ([]Field, error)
}

// rowQuery is a reader's query: a device, times from..to (epoch ms, within the calendar), and the
// properties (sorted; nil: all) or only the times.
type rowQuery struct {
	ref       device.Ref
	from, to  int64
	wanted    []device.PropertyID
	timesOnly bool
	curves    Curves // that apply to some of it; nil: numbers stay as they arrived
}

// within returns the part of from..to that lies in day, milliseconds of the day.
func (q *rowQuery) within(day int32) (from, to uint32) {
	begin := int64(day) * msPerDay
	return uint32(max(q.from-begin, 0)), uint32(min(q.to-begin, msPerDay-1))
}

// hotSource reads one generation of a day.
type hotSource struct {
	it      *pebble.Iterator
	query   *rowQuery
	day     int32
	prefix  []byte
	end     []byte // upper bound of the prefix
	target  []byte
	to      uint32
	started bool
	time    int64
}

// begin moves before the first frame of the query in a generation.
func (s *hotSource) begin(query *rowQuery, day int32, generation uint16) {
	s.query, s.day, s.started = query, day, false
	s.prefix = appendHotPrefix(s.prefix[:0], day, generation, query.ref)
	var from uint32
	from, s.to = query.within(day)
	s.target = appendMs(append(s.target[:0], s.prefix...), from)
	// The bounds exclude keys after the prefix that are sealed and not deleted yet; the iterator
	// would walk over them.
	s.end = append(append(s.end[:0], s.prefix...), afterAnyMs)
	s.it.SetBounds(s.prefix, s.end)
}

func (s *hotSource) next() (bool, error) {
	valid := false
	if s.started {
		valid = s.it.Next()
	} else {
		valid, s.started = s.it.SeekGE(s.target), true
	}
	return s.checkPosition(valid, func(ms uint32) bool { return ms <= s.to })
}

// last moves to the newest frame of the query; previous continues backwards.
func (s *hotSource) last() (bool, error) {
	s.started = true
	s.target = append(appendMs(append(s.target[:0], s.prefix...), s.to), 0)
	return s.seekBack(s.it.SeekLT(s.target))
}

func (s *hotSource) previous() (bool, error) { return s.seekBack(s.it.Prev()) }

func (s *hotSource) seekBack(valid bool) (bool, error) {
	from, _ := s.query.within(s.day)
	return s.checkPosition(valid, func(ms uint32) bool { return ms >= from })
}

// checkPosition reads the time at the iterator's position and reports whether it is in the query.
func (s *hotSource) checkPosition(valid bool, inside func(ms uint32) bool) (bool, error) {
	if !valid {
		return false, iteratorError(s.it)
	}
	key := s.it.Key()
	if !bytes.HasPrefix(key, s.prefix) {
		return false, nil
	}
	ms, err := cutMs(key[len(s.prefix):])
	if err != nil {
		return false, fmt.Errorf("reading: %w: %s", ErrCorrupt, printKey(key))
	}
	s.time = int64(s.day)*msPerDay + int64(ms)
	return inside(ms), nil
}

func (s *hotSource) at() int64 { return s.time }

func (s *hotSource) fields(dst []Field) ([]Field, error) {
	begin := len(dst)
	frame, err := s.it.ValueAndErr()
	if err != nil {
		return dst, fmt.Errorf("reading: %s: %w", printKey(s.it.Key()), err)
	}
	if s.query.wanted == nil {
		dst, err = appendFields(dst, frame)
	} else {
		dst, err = appendWanted(dst, frame, s.query.wanted)
	}
	s.query.curves.correctInPlace(s.time, dst[begin:])
	if err != nil {
		err = fmt.Errorf("reading: %s: %w", printKey(s.it.Key()), err)
	}
	return dst, err
}

// segmentSource reads the segments of a sealed day.
type segmentSource struct {
	it          segmentIterator
	query       *rowQuery
	day         int32
	prefix      []byte
	target      []byte
	started     bool
	takeSummary summaryFunc // for segments that lie within the query; nil: read the readings
	summarised  bool        // takeSummary was called since begin

	reader segmentReader
	head   segmentHead
	block  block
	rows   rowCursor
	open   bool // block holds frames that are not read yet
}

// begin moves before the first segment of the query on a day.
func (s *segmentSource) begin(query *rowQuery, day int32, takeSummary summaryFunc) {
	s.query, s.day, s.started, s.open, s.takeSummary = query, day, false, false, takeSummary
	s.summarised = false
	s.prefix = appendSegmentPrefix(s.prefix[:0], day, query.ref)
	s.reader.bands.release()
}

// nextSegment moves to the next segment, or the next band of one, that has wanted values, and
// decodes it.
func (s *segmentSource) nextSegment() (bool, error) {
	for {
		if s.reader.bands.more() {
			err := s.wrapError(s.reader.nextBand(&s.block))
			return true, s.corrected(err)
		}
		s.reader.bands.release()
		if ok, err := s.nextHead(); err != nil || !ok {
			return false, err
		}
		if ok, err := s.decodeNext(); err != nil || ok {
			return ok, s.corrected(err)
		}
	}
}

// corrected corrects the decoded block, unless err.
func (s *segmentSource) corrected(err error) error {
	if err == nil && s.query.curves != nil && !s.query.timesOnly {
		s.query.curves.correctBlock(&s.block)
	}
	return err
}

// decodeNext decodes a segment, or begins to decode it in bands if it would take too much memory as
// a whole. It returns false if nothing is decoded yet.
func (s *segmentSource) decodeNext() (bool, error) {
	if s.query.timesOnly {
		return s.decode()
	}
	columns := len(s.head.columns)
	if s.query.wanted != nil {
		columns = min(columns, len(s.query.wanted))
	}
	takeSummary, maxBytes := s.summaryForHead(), maxWholeValues*13 // bytes: a little more than numbers take
	if takeSummary != nil {
		maxBytes = math.MaxInt // takeSummary cannot undo what it accepted
	}
	if columns*s.head.count <= maxWholeValues {
		ok, fits, err := s.reader.decodeWithin(&s.block, &s.head, s.query.wanted, takeSummary, maxBytes)
		s.reader.releaseLarge()
		if err != nil || fits {
			return ok, s.wrapError(err)
		}
	}
	return false, s.wrapError(s.reader.beginBands(&s.head, s.query.wanted, takeSummary))
}

// summaryForHead returns takeSummary if the segment lies within the query, otherwise nil.
func (s *segmentSource) summaryForHead() summaryFunc {
	if s.head.first < s.query.from || s.head.last > s.query.to || s.takeSummary == nil {
		return nil
	}
	return s.summarise
}

// summarise is takeSummary, and remembers that it was called. It refuses columns that are corrected: their
// summaries are of the numbers as they arrived.
func (s *segmentSource) summarise(p device.PropertyID, times *rowTimes, minmax, sums []byte) (bool, error) {
	if curve := s.query.curves[p]; curve != nil {
		corrected := curve.factIn(s.head.first, s.head.last)
		if curve.Clamped && !corrected {
			highest, err := highestOf(minmax, times.count)
			if err != nil {
				return false, err
			}
			corrected = curve.clamps(highest)
		}
		if corrected {
			return false, nil
		}
	}
	s.summarised = true
	return s.takeSummary(p, times, minmax, sums)
}

// nextHead moves to the next segment that overlaps the query.
func (s *segmentSource) nextHead() (bool, error) {
	for valid := s.seekNext(); valid; valid = s.it.Next() {
		if !bytes.HasPrefix(s.it.Key(), s.prefix) {
			break
		}
		if err := s.readHead(); err != nil {
			return false, err
		}
		if s.head.first > s.query.to {
			break
		}
		if s.head.last >= s.query.from {
			return true, nil
		}
	}
	return false, iteratorError(s.it)
}

// seekNext moves to the segment before the first one that begins within the query, because it may
// overlap the query; later calls move to the next segment.
func (s *segmentSource) seekNext() bool {
	if s.started {
		// All segments of a day but the last are full.
		return s.head.count == segmentRows && s.it.Next()
	}
	s.started = true
	from, _ := s.query.within(s.day)
	s.target = appendMs(append(s.target[:0], s.prefix...), from)
	if from > 0 && s.it.SeekLT(s.target) && bytes.HasPrefix(s.it.Key(), s.prefix) {
		return true
	}
	return s.it.SeekGE(s.target)
}

// lastSegment moves to the newest segment of the query and decodes it. It returns false if there is
// none. previousSegment continues backwards.
func (s *segmentSource) lastSegment() (bool, error) {
	_, to := s.query.within(s.day)
	s.target = append(appendMs(append(s.target[:0], s.prefix...), to), 0)
	return s.seekBack(s.it.SeekLT(s.target))
}

func (s *segmentSource) previousSegment() (bool, error) { return s.seekBack(s.it.Prev()) }

func (s *segmentSource) seekBack(valid bool) (bool, error) {
	for ; valid && bytes.HasPrefix(s.it.Key(), s.prefix); valid = s.it.Prev() {
		if err := s.readHead(); err != nil {
			return false, err
		}
		if s.head.last < s.query.from {
			break
		}
		if ok, err := s.decode(); err != nil || ok {
			return ok, s.corrected(err)
		}
	}
	return false, iteratorError(s.it)
}

func (s *segmentSource) readHead() error {
	key := s.it.Key()
	ms, err := cutMs(key[len(s.prefix):])
	if err != nil {
		return fmt.Errorf("reading: %w: %s", ErrCorrupt, printKey(key))
	}
	raw, err := s.it.ValueAndErr()
	if err == nil {
		err = readHead(&s.head, raw, int64(s.day)*msPerDay+int64(ms))
	}
	return s.wrapError(err)
}

func (s *segmentSource) decode() (bool, error) {
	if s.query.timesOnly {
		return true, s.wrapError(s.reader.decodeTimes(&s.block, &s.head))
	}
	ok, err := s.reader.decodeExcept(&s.block, &s.head, s.query.wanted, s.summaryForHead())
	return ok, s.wrapError(err)
}

func (s *segmentSource) wrapError(err error) error {
	if err != nil {
		return fmt.Errorf("reading: %s: %w", printKey(s.it.Key()), err)
	}
	return nil
}

// iteratorError says that reading frames failed; nil at the end of the iterator's range.
func iteratorError(it interface{ Error() error }) error { return scanError("frames", it.Error()) }

// scanError says what could not be read from the disk; nil if err is nil.
func scanError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("reading: scan %s: %w", what, err)
}

func (s *segmentSource) next() (bool, error) {
	for {
		for s.open && s.rows.advance() {
			at := s.block.times[s.rows.row]
			if at > s.query.to {
				s.open = false
				s.reader.bands.release()
				return false, nil
			}
			if at >= s.query.from {
				return true, nil
			}
		}
		ok, err := s.nextSegment()
		if err != nil || !ok {
			return false, err
		}
		s.rows.begin(&s.block)
		s.open = true
	}
}

func (s *segmentSource) at() int64 { return s.block.times[s.rows.row] }

func (s *segmentSource) fields(dst []Field) ([]Field, error) { return s.rows.fields(dst), nil }
