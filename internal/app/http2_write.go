package app

import (
	"errors"
	"net/http"
	"time"

	"tilth/internal/edge/httpbase"
)

// writeTimeout is how long a client may take to receive a write, where nobody says
// otherwise.
const writeTimeout = httpbase.ChunkTimeout

// perWriteDeadline makes the deadline of an HTTP/2 stream what that of an HTTP/1.1
// connection is: the end of a write that takes too long. By itself it is the
// end of the stream, even where nothing is being written, so that one which is
// quiet for a while, as a screen's, would be cut off. Without any a client that
// opens no window would have a stream stay, and what serves it, for ever.
type perWriteDeadline struct {
	http.ResponseWriter
	stream *http.ResponseController
	limit  time.Time // of the writes to come; zero: writeTimeout for each piece
}

// SetWriteDeadline limits the writes to come.
func (w *perWriteDeadline) SetWriteDeadline(t time.Time) error {
	w.limit = t
	return nil
}

// Write writes until the limit; without one piece by piece, each with its time, so that
// an answer may be as long as it likes.
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

// FlushError flushes until the limit.
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

// setFinalDeadline limits what is still in a buffer once the answer is whole.
func (w *perWriteDeadline) setFinalDeadline() {
	// An error means that the stream has ended.
	_ = w.stream.SetWriteDeadline(time.Now().Add(writeTimeout))
}

// Unwrap lets http.ResponseController reach the rest.
func (w *perWriteDeadline) Unwrap() http.ResponseWriter { return w.ResponseWriter }
