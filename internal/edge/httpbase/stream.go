package httpbase

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	// ChunkSize is how many bytes of a long answer are sent at once.
	ChunkSize = 32 << 10
	// ChunkTimeout is how long a client may take to receive a chunk. A reader of the store stays
	// open meanwhile.
	ChunkTimeout = 30 * time.Second

	// maxPooledBuffer is the size in bytes up to which a buffer is kept for another answer.
	maxPooledBuffer = 2 * ChunkSize
)

// StreamOptions says how to send an answer that is written while it is read, so that memory does
// not grow with its length.
type StreamOptions struct {
	Header http.Header // headers of the answer, set when it begins
	// BufferLimit is how many bytes are buffered before any is sent, so that a short answer is sent
	// at once and, unless the client takes compressed answers, with its length. 0: one chunk, without
	// a length.
	BufferLimit int
	// Compress compresses the answer for a client that accepts that, unless the client is on this
	// very machine, where sending costs less than compressing.
	Compress bool
}

// Stream sends what write writes, chunk by chunk. It returns an error that occurs before the answer
// begins, and the caller answers that error as any other. An error that occurs later cuts off the
// connection, so that the client cannot take half an answer for a whole one. If the client leaves,
// write gets an error from the answer, or from what it reads with ctx.
func (e *Edge) Stream(
	ctx context.Context,
	w http.ResponseWriter,
	opts StreamOptions,
	write func(out *StreamWriter) error,
) error {
	out := streamWriterPool.Get().(*StreamWriter)
	defer out.release()
	out.conn = connWriter{w: w, ctl: http.NewResponseController(w), header: http.Header{}}
	maps.Copy(out.conn.header, opts.Header)
	out.bufferLimit = opts.BufferLimit
	if opts.Compress {
		out.compress = wantsGzip(RequestFrom(ctx))
	}
	err := write(out)
	if err == nil {
		err = out.finish()
	}
	if err != nil && out.conn.started {
		e.abort(ctx, err, out.conn.writeErr)
	}
	return err
}

// StreamWriter is a long answer that is being sent. The caller appends to Buf and calls FlushIfFull
// after each element, or uses it as an io.Writer.
type StreamWriter struct {
	Buf []byte // bytes that are not sent yet

	conn        connWriter
	bufferLimit int
	compress    bool // compress the answer once that is worth it
	compression lazyGzip
}

// FlushIfFull sends the buffer if it holds a chunk; before the answer has begun, only if the buffer
// is beyond its limit.
func (a *StreamWriter) FlushIfFull() error {
	if len(a.Buf) < ChunkSize || len(a.Buf) < a.bufferLimit && !a.conn.started {
		return nil
	}
	return a.FlushBuffer()
}

// FlushBuffer sends the buffer, however little it holds.
func (a *StreamWriter) FlushBuffer() error {
	dst := a.compression.writer(a)
	_, err := dst.Write(a.Buf)
	if a.Buf = a.Buf[:0]; cap(a.Buf) > maxPooledBuffer {
		a.Buf = nil // from now on chunks are sent, and a client that reads slowly holds no more memory
	}
	return err
}

// FlushNow is FlushBuffer for data that the client waits for: it leaves the server at once, not
// together with what comes after it.
func (a *StreamWriter) FlushNow() error {
	if err := a.FlushBuffer(); err != nil {
		return err
	}
	if err := a.conn.ctl.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		a.conn.writeErr = err
		return err
	}
	return nil
}

// Write appends to the buffer, and sends it as FlushIfFull does.
func (a *StreamWriter) Write(b []byte) (int, error) {
	a.Buf = append(a.Buf, b...)
	return len(b), a.FlushIfFull()
}

// finish sends the rest.
func (a *StreamWriter) finish() error {
	if a.bufferLimit > 0 && !a.compress && !a.conn.started {
		a.conn.header.Set("Content-Length", strconv.Itoa(len(a.Buf)))
	}
	if err := a.FlushBuffer(); err != nil {
		return err
	}
	return a.compression.close()
}

// streamWriterPool holds writers whose buffers can be used again.
var streamWriterPool = sync.Pool{New: func() any { return &StreamWriter{Buf: make([]byte, 0, ChunkSize+ChunkSize/4)} }}

// release returns the writer to the pool, however the answer ended.
func (a *StreamWriter) release() {
	*a = StreamWriter{Buf: a.Buf[:0]}
	if cap(a.Buf) <= maxPooledBuffer {
		streamWriterPool.Put(a)
	}
}

// connWriter writes a long answer to the connection.
type connWriter struct {
	w        http.ResponseWriter
	ctl      *http.ResponseController
	header   http.Header // headers of the answer, set when it begins
	started  bool
	writeErr error // why writing to the client failed
}

// Write begins the answer if need be, and writes to the connection. A longer piece than a chunk
// gets a longer deadline.
func (o *connWriter) Write(p []byte) (int, error) {
	if !o.started {
		o.started = true
		maps.Copy(o.w.Header(), o.header)
		o.w.WriteHeader(http.StatusOK)
	}
	// A test's recorder supports no deadlines; the write then goes without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(ChunkTimeout * time.Duration(max(1, len(p)/ChunkSize))))
	n, err := o.w.Write(p)
	if err != nil {
		o.writeErr = err
	}
	return n, err
}
