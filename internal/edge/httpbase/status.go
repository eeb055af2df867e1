package httpbase

import (
	"errors"
	"net/http"
)

// StatusWriter remembers the status of an answer, and whether the answer has begun.
// http.ResponseController reaches the writer below it.
type StatusWriter struct {
	http.ResponseWriter
	status   int   // 0: not set yet
	started  bool  // the client may have received a part of it
	writeErr error // why writing to the client failed
}

// NewStatusWriter observes what is written to w.
func NewStatusWriter(w http.ResponseWriter) *StatusWriter { return &StatusWriter{ResponseWriter: w} }

// Status returns the answer's status; 200 until another one is set.
func (w *StatusWriter) Status() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

// Started tells whether the answer has begun, so that no other one is possible.
func (w *StatusWriter) Started() bool { return w.started }

// WriteHeader begins the answer, unless the status is an informational one (103 Early Hints).
func (w *StatusWriter) WriteHeader(status int) {
	if !w.started && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		w.status, w.started = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the body.
func (w *StatusWriter) Write(b []byte) (int, error) {
	w.started = true
	n, err := w.ResponseWriter.Write(b)
	if err != nil {
		w.writeErr = err
	}
	return n, err
}

// FlushError sends everything that is written so far, at least the head of the answer.
func (w *StatusWriter) FlushError() error {
	err := http.NewResponseController(w.ResponseWriter).Flush()
	w.started = w.started || !errors.Is(err, http.ErrNotSupported)
	return err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *StatusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
