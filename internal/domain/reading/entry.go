package reading

import (
	"encoding/binary"
	"fmt"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// A journal entry is the number of arrivals, then for each arrival: tenant, device, the difference
// of its time and of its arrival from those of the previous one, the length of the frame, and the
// frame as it is stored under its own key. The entry repeats the values so that a later correction
// of a reading does not change the values that the consumer evaluates.

// minArrivalBytes is the least an arrival takes: five numbers and a frame of three bytes. It bounds
// what a damaged count can allocate.
const minArrivalBytes = 8

// entryWriter builds an entry; the frame bytes that it returns share its buffer.
type entryWriter struct {
	buf        []byte
	frame      []byte
	time, when int64
}

func (w *entryWriter) begin(arrivals int) {
	w.buf = binary.AppendUvarint(w.buf[:0], uint64(arrivals))
	w.time, w.when = 0, 0
}

// add appends an arrival and returns its encoded frame, which is valid until the next call. The
// buffer ends with that frame.
func (w *entryWriter) add(a *Arrival) []byte {
	w.frame = appendFrame(w.frame[:0], a.Fields)
	w.buf = binary.AppendUvarint(w.buf, uint64(a.Tenant))
	w.buf = binary.AppendUvarint(w.buf, uint64(a.Device))
	w.buf = binary.AppendVarint(w.buf, a.Time-w.time)
	w.buf = binary.AppendVarint(w.buf, a.At-w.when)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(w.frame)))
	w.buf = append(w.buf, w.frame...)
	w.time, w.when = a.Time, a.At
	return w.frame
}

// decodeEntry reads a journal entry; its error wraps ErrCorrupt.
func decodeEntry(b []byte) ([]Arrival, error) { return decodeArrivals(b, nil) }

// decodeArrivals is decodeEntry. It appends to *frames where the encoded frame of each arrival is,
// unless frames is nil.
func decodeArrivals(b []byte, frames *[]entryFrame) ([]Arrival, error) {
	c := byteReader{rest: b}
	count := c.uvarint()
	if c.failed || count > uint64(len(c.rest)/minArrivalBytes) {
		return nil, fmt.Errorf("%w: count of arrivals", ErrCorrupt)
	}
	batch := make([]Arrival, count)
	// All fields share one array; when it grows, the fields decoded so far keep the old one.
	fields := make([]Field, 0, len(c.rest)/3)
	var time, when int64
	for i := range batch {
		a := &batch[i]
		a.Tenant = tenant.ID(c.uvarint())
		a.Device = device.ID(c.uvarint())
		time += c.varint()
		when += c.varint()
		a.Time, a.At = time, when
		frame := c.bytes(c.uvarint())
		if c.failed {
			return nil, fmt.Errorf("%w: arrival %d of %d is cut off", ErrCorrupt, i+1, count)
		}
		if frames != nil {
			end := len(b) - len(c.rest)
			*frames = append(*frames, entryFrame{i, end - len(frame), end})
		}
		start := len(fields)
		var err error
		if fields, err = appendFields(fields, frame); err != nil {
			return nil, fmt.Errorf("%w: frame of arrival %d of %d", err, i+1, count)
		}
		a.Fields = fields[start:len(fields):len(fields)]
	}
	if len(c.rest) != 0 {
		return nil, fmt.Errorf("%w: %d extra bytes", ErrCorrupt, len(c.rest))
	}
	return batch, nil
}

// byteReader reads numbers from the front of a buffer. After a failure it returns zeroes, so that
// the caller checks failed once.
type byteReader struct {
	rest   []byte
	failed bool
}

func (c *byteReader) uvarint() uint64 {
	x, n := binary.Uvarint(c.rest)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.rest = c.rest[n:]
	return x
}

func (c *byteReader) varint() int64 {
	x, n := binary.Varint(c.rest)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.rest = c.rest[n:]
	return x
}

func (c *byteReader) bytes(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.fail()
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *byteReader) fail() {
	c.failed = true
	c.rest = nil
}
