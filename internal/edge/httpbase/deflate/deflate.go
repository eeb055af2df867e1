// Package deflate compresses streams that are sent in pieces, and holds next to nothing between the
// pieces. A compressor takes most of a megabyte, so a client that reads slowly must not hold one.
package deflate

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// Writer compresses each Write by itself, at the fastest level, into a stream of deflate (RFC
// 1951); pieces of 32 KiB and more lose little by that. When it writes a piece to its destination,
// it holds nothing of it any more. It is not safe for concurrent use.
type Writer struct {
	out io.Writer
}

// NewWriter makes a Writer that writes to to.
func NewWriter(to io.Writer) *Writer { return &Writer{out: to} }

// Write compresses a piece and writes it.
func (w *Writer) Write(piece []byte) (int, error) {
	if len(piece) == 0 {
		return 0, nil
	}
	packed, err := compress(piece)
	if err != nil {
		return 0, err
	}
	if _, err := w.out.Write(packed); err != nil {
		return 0, err
	}
	return len(piece), nil
}

// finalBlock is the empty block that ends a stream.
var finalBlock = []byte{0x03, 0x00}

// Close ends the stream. It does not close the destination.
func (w *Writer) Close() error {
	_, err := w.out.Write(finalBlock)
	return err
}

// compress compresses a piece and pads the result to whole bytes.
func compress(piece []byte) ([]byte, error) {
	p := compressorPool.Get().(*compressor)
	defer compressorPool.Put(p)
	p.compressed.Reset()
	p.flate.Reset(&p.compressed)
	if _, err := p.flate.Write(piece); err != nil {
		return nil, err
	}
	if err := p.flate.Flush(); err != nil {
		return nil, err
	}
	return bytes.Clone(p.compressed.Bytes()), nil
}

// compressor is a compressor and its output.
type compressor struct {
	flate      *flate.Writer
	compressed bytes.Buffer
}

var compressorPool = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is constant
	}
	return &compressor{flate: w}
}}
