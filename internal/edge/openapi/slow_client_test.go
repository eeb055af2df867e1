package openapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// stalledClient is a connection that accepts a number of bytes and then nothing more.
type stalledClient struct {
	*httptest.ResponseRecorder
	capacity  int
	deadlines []time.Time
}

func (l *stalledClient) Write(b []byte) (int, error) {
	if l.capacity -= len(b); l.capacity < 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return l.ResponseRecorder.Write(b)
}

func (l *stalledClient) SetWriteDeadline(t time.Time) error {
	l.deadlines = append(l.deadlines, t)
	return nil
}

// Each chunk has its own deadline; a client that does not receive one is cut off, and that is no
// fault of the server.
func TestSlowClient(t *testing.T) {
	ends := make(chan error, 1)
	w := newWatchedFixture(t, &testkit.ObservedStore{Ended: func(_ int, err error) { ends <- err }})
	w.measureMany(t, longHistoryStart, 6_000)
	l := &stalledClient{ResponseRecorder: httptest.NewRecorder(), capacity: 100_000}
	func() {
		defer func() {
			if p := recover(); !errors.Is(p.(error), http.ErrAbortHandler) {
				t.Errorf("ended with %v", p)
			}
		}()
		w.handler.ServeHTTP(l, call{path: longHistoryPath("format", "csv")}.request(t, w, "http://tilth.test"))
		t.Error("the answer was not cut off")
	}()
	if err := <-ends; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the reading ended with %v", err)
	}
	if n := len(l.deadlines); n != l.Body.Len()/(32<<10)+1 || !l.deadlines[n-1].After(l.deadlines[0]) ||
		time.Until(l.deadlines[n-1]) > 30*time.Second {
		t.Errorf("%d deadlines for %d bytes", n, l.Body.Len())
	}
	if log := w.Log.Text(); !strings.Contains(log, `level=DEBUG msg="answer cut off"`) ||
		strings.Contains(log, "level=ERROR") {
		t.Errorf("%s", log)
	}
	// The cut-off answer has given its slot back.
	for range 9 {
		w.do(t, call{path: longHistoryPath("limit", "1")})
		<-ends
	}
}
