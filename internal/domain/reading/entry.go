package reading

import (
	"encoding/binary"
	"fmt"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// A journal entry is the number of arrivals, then for each: tenant, device,
// the time and the arrival each as distance from the arrival before, the
// frame's length and the frame as it is stored under its own key. It repeats
// the values so that a later correction of a reading does not change what is
// judged of the earlier one.

// minArrivalBytes is the least an arrival takes: five numbers and a frame of
// three bytes. It bounds what a damaged count can make us allocate.
const minArrivalBytes = 8

// entryWriter builds an entry; the frame bytes it returns are shared with it.
type entryWriter struct {
	buf        []byte
	frame      []byte
	time, when int64
}

func (w *entryWriter) begin(arrivals int) {
	w.buf = binary.AppendUvarint(w.buf[:0], uint64(arrivals))
	w.time, w.when = 0, 0
}

// add appends an arrival and returns its encoded frame, with which the buffer
// ends; it is valid until the next call.
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
func decodeEntry(b []byte) ([]Arrival, error) {
	c := byteReader{rest: b}
	count := c.uvarint()
	if c.failed || count > uint64(len(c.rest)/minArrivalBytes) {
		return nil, fmt.Errorf("%w: count of arrivals", ErrCorrupt)
	}
	batch := make([]Arrival, count)
	// One array for all fields; when it grows, the fields cut so far keep the
	// old one.
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
		start := len(fields)
		var err error
		if fields, err = appendFields(fields, frame); err != nil {
			return nil, fmt.Errorf("%w: frame of arrival %d of %d", err, i+1, count)
		}
		a.Fields = fields[start:len(fields):len(fields)]
	}
	if len(c.rest) != 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(c.rest))
	}
	return batch, nil
}

// byteReader takes numbers off the front of a buffer; after a failure it yields
// zeroes, so that the caller asks once.
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
