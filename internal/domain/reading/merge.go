package reading

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// mergeFrames appends the union of two frames by property; if both hold a property, the newer one's
// value stays.
func mergeFrames(dst, older, newer []byte) ([]byte, error) {
	if bytes.Equal(older, newer) {
		return append(dst, newer...), nil // usually a message that was sent again
	}
	w := frameWriter{buf: dst}
	o, n := mergeSide{r: frameReader{rest: older}}, mergeSide{r: frameReader{rest: newer}}
	if err := o.advance(); err != nil {
		return dst, err
	}
	if err := n.advance(); err != nil {
		return dst, err
	}
	for o.ok || n.ok {
		fromOlder := o.ok && (!n.ok || o.property < n.property)
		take := &n
		if fromOlder {
			take = &o
		} else if o.ok && o.property == n.property {
			if err := o.advance(); err != nil {
				return dst, err
			}
		}
		w.begin(take.property)
		w.buf = append(w.buf, take.value...)
		if err := take.advance(); err != nil {
			return dst, err
		}
	}
	return w.buf, nil
}

// mergeSide is one of two frames being merged, at a property.
type mergeSide struct {
	r        frameReader
	property device.PropertyID
	value    []byte
	ok       bool
}

func (s *mergeSide) advance() (err error) {
	s.property, s.ok, err = s.r.next()
	if err != nil || !s.ok {
		return err
	}
	s.value, err = s.r.raw()
	return err
}

// frameMerger lets Append write without reading: Pebble merges frames of one key when it reads or
// compacts them. The name is on disk; another way of merging needs another name.
var frameMerger = &pebble.Merger{
	Name: "tilth.frame.1",
	Merge: func(key, value []byte) (pebble.ValueMerger, error) {
		m := frameMergePool.Get().(*frameMerge)
		m.key = append(m.key[:0], key...)
		m.frame = append(m.frame[:0], value...)
		return m, nil
	},
}

var frameMergePool = sync.Pool{New: func() any { return new(frameMerge) }}

// frameMerge is a running merge of one key; it returns to the pool when Pebble no longer needs the
// result.
type frameMerge struct {
	key, frame, buffer []byte
}

func (m *frameMerge) MergeNewer(value []byte) error { return m.merge(m.frame, value) }

func (m *frameMerge) MergeOlder(value []byte) error { return m.merge(value, m.frame) }

func (m *frameMerge) merge(older, newer []byte) error {
	merged, err := mergeFrames(m.buffer[:0], older, newer)
	if err != nil {
		return fmt.Errorf("reading: %s: %w", printKey(m.key), err)
	}
	m.buffer, m.frame = m.frame, merged
	return nil
}

func (m *frameMerge) Finish(bool) ([]byte, io.Closer, error) { return m.frame, m, nil }

// Close returns the buffers to the pool.
func (m *frameMerge) Close() error {
	frameMergePool.Put(m)
	return nil
}
