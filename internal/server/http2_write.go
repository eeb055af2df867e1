package server

import (
	"errors"
	"net/http"
	"time"

	"tilth/internal/edge/httpbase"
)

// writeTimeout is how long a client may take to receive a write, unless a handler sets another
// limit.
const writeTimeout = httpbase.ChunkTimeout

// perWriteDeadline makes the write deadline of an HTTP/2 stream behave as that of an HTTP/1.1
// connection: it ends a write that takes too long. By itself the deadline ends the stream even
// while nothing is being written, so a stream that is quiet for a while, as a console's live stream
// is, would be cut off. Without a deadline a client that never opens its window would keep the
// stream and its handler for ever.
type perWriteDeadline struct {
	http.ResponseWriter
	stream *http.ResponseController
	limit  time.Time // for all writes to come; zero: writeTimeout for each chunk
}

// SetWriteDeadline limits all writes to come.
func (w *perWriteDeadline) SetWriteDeadline(t time.Time) error {
	w.limit = t
	return nil
}

// Write writes until the limit. Without a limit it writes chunk by chunk, each within writeTimeout,
// so that an answer may be of any length.
func (w *perWriteDeadline) Write(b []byte) (n int, err error) {
	for {
		piece := b[n:]
		if w.limit.IsZero() {
			piece = piece[:min(len(piece), httpbase.ChunkSize)]
		}
		m := 0
		err = w.withDeadline(func() error {
			m, err = w.ResponseWriter.Write(piece)
			return err
		})
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

// FlushError flushes within the limit.
func (w *perWriteDeadline) FlushError() error { return w.withDeadline(w.stream.Flush) }

func (w *perWriteDeadline) withDeadline(write func() error) error {
	limit := w.limit
	if limit.IsZero() {
		limit = time.Now().Add(writeTimeout)
	}
	if err := w.stream.SetWriteDeadline(limit); err != nil {
		return err
	}
	err := write()
	return errors.Join(err, w.stream.SetWriteDeadline(time.Time{}))
}

// setFinalDeadline limits the write of what is still buffered once the handler has returned.
func (w *perWriteDeadline) setFinalDeadline() {
	// An error means that the stream has ended.
	_ = w.stream.SetWriteDeadline(time.Now().Add(writeTimeout))
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (w *perWriteDeadline) Unwrap() http.ResponseWriter { return w.ResponseWriter }
