package httpbase

import (
	"errors"
	"net/http"
)

// StatusWriter remembers the status of an answer, and whether it has begun.
// http.ResponseController reaches what is below it.
type StatusWriter struct {
	http.ResponseWriter
	status int   // 0: not said
	begun  bool  // the client may have seen of it
	gone   error // why the client could not be written to
}

// NewStatusWriter watches what is written to w.
func NewStatusWriter(w http.ResponseWriter) *StatusWriter { return &StatusWriter{ResponseWriter: w} }

// Status is the answer's; 200 until another is said.
func (w *StatusWriter) Status() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

// Begun tells whether the answer has begun, so that there can be no other.
func (w *StatusWriter) Begun() bool { return w.begun }

// WriteHeader begins the answer, unless the status is of those that come before
// one (103 Early Hints).
func (w *StatusWriter) WriteHeader(status int) {
	if !w.begun && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		w.status, w.begun = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the body.
func (w *StatusWriter) Write(b []byte) (int, error) {
	w.begun = true
	n, err := w.ResponseWriter.Write(b)
	if err != nil {
		w.gone = err
	}
	return n, err
}

// FlushError sends what is written so far, the head of the answer at least.
func (w *StatusWriter) FlushError() error {
	err := http.NewResponseController(w.ResponseWriter).Flush()
	w.begun = w.begun || !errors.Is(err, http.ErrNotSupported)
	return err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *StatusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
