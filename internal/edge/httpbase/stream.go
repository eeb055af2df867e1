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
	// ChunkSize is how much of a long answer is sent at once, in bytes.
	ChunkSize = 32 << 10
	// ChunkTimeout is how long a client may take to receive a piece. A reader of the
	// store stays open meanwhile.
	ChunkTimeout = 30 * time.Second

	// maxPooledBuffer is up to which size a buffer is kept for the next answer, in bytes.
	maxPooledBuffer = 2 * ChunkSize
)

// StreamOptions is how an answer goes out that is written while it is read, so that
// memory does not grow with its length.
type StreamOptions struct {
	Header http.Header // of the answer, once it begins
	// BufferLimit is up to how many bytes are put together before any is sent, so that a
	// short answer goes out at once and with its length. 0: a piece, and no length.
	BufferLimit int
	// Compress compresses the answer for a client that takes that, but not for one on
	// this very machine, to which sending is cheaper than packing.
	Compress bool
}

// Stream sends what write writes, piece by piece. What fails before the answer
// begins is returned, to be told as any refusal is. What fails later cuts the
// connection off, lest half look like the whole. It ends when the client leaves:
// write then gets an error from the answer, or from what it reads with ctx.
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

// StreamWriter is a long answer on its way. Who writes it appends to Buf and calls
// Next after each element, or uses it as an io.Writer.
type StreamWriter struct {
	Buf []byte // what has been gathered

	conn        connWriter
	bufferLimit int
	compress    bool // it is compressed, once it is worth it
	compression lazyGzip
}

// FlushIfFull passes on what has been gathered, once it is a piece, or too long to be
// sent as a whole.
func (a *StreamWriter) FlushIfFull() error {
	if len(a.Buf) < ChunkSize || len(a.Buf) < a.bufferLimit && !a.conn.started {
		return nil
	}
	return a.FlushBuffer()
}

// FlushBuffer passes on what has been gathered, however little it is.
func (a *StreamWriter) FlushBuffer() error {
	dst := a.compression.writer(a)
	_, err := dst.Write(a.Buf)
	if a.Buf = a.Buf[:0]; cap(a.Buf) > 2*ChunkSize {
		a.Buf = nil // from now on pieces are sent, and a client that reads slowly holds no more
	}
	return err
}

// FlushNow is Pass for what somebody waits for: it leaves at once, and not with what
// comes after it.
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

// Write appends to what has been gathered, and passes it on as Next does.
func (a *StreamWriter) Write(b []byte) (int, error) {
	a.Buf = append(a.Buf, b...)
	return len(b), a.FlushIfFull()
}

// finish passes on the rest.
func (a *StreamWriter) finish() error {
	if a.bufferLimit > 0 && !a.compress && !a.conn.started {
		a.conn.header.Set("Content-Length", strconv.Itoa(len(a.Buf)))
	}
	if err := a.FlushBuffer(); err != nil {
		return err
	}
	return a.compression.close()
}

// streamWriterPool are some whose buffers can be used again.
var streamWriterPool = sync.Pool{New: func() any { return &StreamWriter{Buf: make([]byte, 0, ChunkSize+ChunkSize/4)} }}

// release gives back what can be used again, whichever way the answer ended.
func (a *StreamWriter) release() {
	*a = StreamWriter{Buf: a.Buf[:0]}
	if cap(a.Buf) <= maxPooledBuffer {
		streamWriterPool.Put(a)
	}
}

// connWriter hands a long answer to the connection.
type connWriter struct {
	w        http.ResponseWriter
	ctl      *http.ResponseController
	header   http.Header // of the answer, once it begins
	started  bool
	writeErr error // why the client could not be written to
}

// Write begins the answer if need be, and writes to the connection. What is
// longer than a piece has longer to be received.
func (o *connWriter) Write(p []byte) (int, error) {
	if !o.started {
		o.started = true
		maps.Copy(o.w.Header(), o.header)
		o.w.WriteHeader(http.StatusOK)
	}
	// A writer without deadlines (a test's recorder) is written without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(ChunkTimeout * time.Duration(max(1, len(p)/ChunkSize))))
	n, err := o.w.Write(p)
	if err != nil {
		o.writeErr = err
	}
	return n, err
}
