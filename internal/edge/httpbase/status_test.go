package httpbase

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestStatusWriter(t *testing.T) {
	for name, c := range map[string]struct {
		write  func(w http.ResponseWriter)
		status int
		begun  bool
	}{
		"nothing":     {func(http.ResponseWriter) {}, 200, false},
		"status":      {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, 404, true},
		"body":        {func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")) }, 200, true},
		"twice":       {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound); w.WriteHeader(http.StatusOK) }, 404, true},
		"body first":  {func(w http.ResponseWriter) { _, _ = w.Write(nil); w.WriteHeader(http.StatusNotFound) }, 200, true},
		"early hints": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusEarlyHints) }, 200, false},
		"hints first": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusEarlyHints); w.WriteHeader(http.StatusGone) }, 410, true},
		"switching":   {func(w http.ResponseWriter) { w.WriteHeader(http.StatusSwitchingProtocols) }, 101, true},
		"flush":       {func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }, 200, true},
	} {
		w := NewStatusWriter(httptest.NewRecorder())
		c.write(w)
		if w.Status() != c.status || w.Started() != c.begun {
			t.Errorf("%s: %d, begun %t", name, w.Status(), w.Started())
		}
	}
}

// minimalWriter is a writer that supports nothing but writing.
type minimalWriter struct{ http.ResponseWriter }

// deadlineWriter is a writer that supports deadlines.
type deadlineWriter struct {
	minimalWriter
	write time.Time
}

func (d *deadlineWriter) SetWriteDeadline(at time.Time) error { d.write = at; return nil }

// The features of the connection are available through the writer, and missing ones return an
// error.
func TestStatusWriterUnwraps(t *testing.T) {
	below := &deadlineWriter{minimalWriter: minimalWriter{httptest.NewRecorder()}}
	w := NewStatusWriter(NewStatusWriter(below))
	c, at := http.NewResponseController(w), time.Now()
	if err := c.SetWriteDeadline(at); err != nil || !below.write.Equal(at) {
		t.Errorf("%v, %v", err, below.write)
	}
	if err := c.Flush(); !errors.Is(err, http.ErrNotSupported) || w.Started() {
		t.Errorf("%v, begun %t", err, w.Started())
	}
	if err := c.SetReadDeadline(at); !errors.Is(err, http.ErrNotSupported) {
		t.Error(err)
	}
	rec := httptest.NewRecorder()
	if err := http.NewResponseController(NewStatusWriter(NewStatusWriter(rec))).Flush(); err != nil || !rec.Flushed {
		t.Errorf("%v, flushed %t", err, rec.Flushed)
	}
}
