package httpbase

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tilth/internal/tools/testkit"
)

// A panic is answered as the edge answers errors, and the log has its place.
func TestPanicIsAnswered(t *testing.T) {
	e, log := newEdge()
	rec := e.serve(t, func(http.ResponseWriter, *http.Request) { panic("index out of range") })
	if rec.Code != http.StatusInternalServerError || strings.Contains(rec.Body.String(), "index") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	for _, want := range []string{
		`level=ERROR msg=panic request=` + rec.Header().Get("X-Request-Id") + ` panic="index out of range"`, "recover_test.go",
		"level=ERROR msg=asked", `status=500`, `error="panic: index out of range"`,
	} {
		if !strings.Contains(log.Text(), want) {
			t.Errorf("the log lacks %s: %s", want, log.Text())
		}
	}
}

// If an answer has begun, or its handler aborts it, the connection is cut off, so that half an
// answer does not look complete. Only the former is a fault.
func TestPanicAfterStartCutsConnection(t *testing.T) {
	e, log := newEdge()
	s := httptest.NewServer(e.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/abort":
			panic(http.ErrAbortHandler)
		case "/wrapped":
			panic(fmt.Errorf("no more: %w", http.ErrAbortHandler))
		case "/flushed": // its head was sent, but nothing of its body
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			panic("after the head")
		}
		fmt.Fprint(w, "half")
		panic("the other half")
	})))
	defer s.Close()
	for path, fault := range map[string]string{"/abort": "", "/wrapped": "", "/flushed": "after the head", "/half": "the other half"} {
		before := len(log.Text())
		if body, err := read(s.URL + path); err == nil {
			t.Errorf("%s: %q looks like a complete answer", path, body)
		}
		testkit.Eventually(
			t,
			"the line in the log",
			func() bool { return strings.Contains(log.Text()[before:], "msg=asked") },
		)
		if got := log.Text()[before:]; strings.Contains(got, "msg=panic") != (fault != "") ||
			!strings.Contains(got, fault) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
