package httpbase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

var errServer = errors.New("the disk is on fire")

// newEdge makes an edge that answers errors with the prefix "wrong: ", and with status 500 for
// errServer and panics.
func newEdge(set ...func(e *Edge)) (*Edge, *testkit.Log) {
	log, clock := testkit.NewLog(), testkit.NewClock()
	e := &Edge{
		LogMessage: "asked", OperationKey: "call", LogLevel: slog.LevelInfo, Logger: log.Logger, Now: clock.Now,
		Address: func(r *http.Request) netip.Addr { return ClientAddr(r, nil) },
		WriteError: func(w http.ResponseWriter, r *http.Request, err error) {
			fault := errors.Is(err, errServer) || strings.HasPrefix(err.Error(), "panic")
			RequestFrom(r.Context()).SetError(err, fault)
			if fault {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			http.Error(w, "wrong: "+err.Error(), http.StatusBadRequest)
		},
	}
	for _, f := range set {
		f(e)
	}
	return e, log
}

func (e *Edge) serve(t testing.TB, h http.HandlerFunc, modify ...func(r *http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/path?query=hidden", nil)
	for _, f := range modify {
		f(r)
	}
	rec := httptest.NewRecorder()
	e.Wrap(h).ServeHTTP(rec, r)
	return rec
}

// Each request has an id and the common headers, and its handler knows the request's data.
func TestWrapSetsHeadersAndLogs(t *testing.T) {
	e, log := newEdge()
	var seen *Request
	rec := e.serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = RequestFrom(r.Context())
		seen.Operation, seen.LogAttrs = "getThing", []slog.Attr{slog.Int("tenant", 7)}
		w.WriteHeader(http.StatusTeapot)
	}, func(r *http.Request) { r.Header.Set("Accept-Language", "tr"); r.RemoteAddr = "203.0.113.9:5000" })
	if seen.Language != text.Turkish || seen.AddressText() != "203.0.113.9" ||
		seen.HTTPRequest.URL.RawQuery != "query=hidden" ||
		len(seen.ID) != 16 {
		t.Errorf("%+v", seen)
	}
	h := rec.Result().Header
	if h.Get("X-Request-Id") != seen.ID || h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%v", h)
	}
	want := fmt.Sprintf(
		"level=INFO msg=asked request=%s call=getThing status=418 took=0s address=203.0.113.9 tenant=7\n",
		seen.ID,
	)
	if got := log.Text(); !strings.HasSuffix(got, want) || strings.Contains(got, "hidden") {
		t.Errorf("%s, want %s", got, want)
	}
}

// An edge's own data of a request is in the request's context.
func TestNewContext(t *testing.T) {
	type key struct{}
	e, _ := newEdge(func(e *Edge) {
		e.NewContext = func(ctx context.Context, q *Request) context.Context {
			return context.WithValue(ctx, key{}, "of "+q.ID)
		}
	})
	e.serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if got := r.Context().Value(key{}); got != "of "+RequestFrom(r.Context()).ID {
			t.Errorf("%v", got)
		}
	})
}

// A page that is served gets no line in the log; a refused one does.
func TestPagesAreNotLogged(t *testing.T) {
	e, log := newEdge(func(e *Edge) { e.ServesPages = true })
	e.serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a page") })
	if log.Text() != "" {
		t.Errorf("%s", log.Text())
	}
	e.serve(t, func(w http.ResponseWriter, r *http.Request) { e.Fail(w, r, errors.New("no page")) })
	if !strings.Contains(log.Text(), `status=400 took=0s address=192.0.2.1 error="no page"`) {
		t.Errorf("%s", log.Text())
	}
	e.serve(t, func(_ http.ResponseWriter, r *http.Request) { RequestFrom(r.Context()).Operation = "getThing" })
	if !strings.Contains(log.Text(), "call=getThing status=200") {
		t.Errorf("%s", log.Text())
	}
}

// A fault of the server is logged as an error, unless it occurred because the client left.
func TestServerFaultsLoggedAsErrors(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		left bool
		want string
	}{
		"refusal": {errors.New("no such thing"), false, "level=INFO msg=asked"},
		"fault":   {errServer, false, "level=ERROR msg=asked"},
		"left":    {errServer, true, "level=INFO msg=asked"},
	} {
		e, log := newEdge()
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		e.serve(t, func(w http.ResponseWriter, r *http.Request) {
			if c.left {
				leave()
			}
			e.Fail(w, r, c.err)
		}, func(r *http.Request) { *r = *r.WithContext(ctx) })
		if got := log.Text(); !strings.Contains(got, c.want) || !strings.Contains(got, c.err.Error()) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// No log line is built if its level is disabled.
func TestDisabledLogLevelWritesNothing(t *testing.T) {
	var out bytes.Buffer
	e, _ := newEdge(func(e *Edge) { e.Logger, e.LogLevel = slog.New(slog.NewTextHandler(&out, nil)), slog.LevelDebug })
	e.serve(t, func(http.ResponseWriter, *http.Request) {})
	if out.Len() != 0 {
		t.Errorf("%s", &out)
	}
	e.serve(t, func(w http.ResponseWriter, r *http.Request) { e.Fail(w, r, errServer) })
	if !strings.Contains(out.String(), "level=ERROR msg=asked") {
		t.Errorf("%s", &out)
	}
}

// If an answer has begun, a failure cuts it off.
func TestFailAfterStartCutsConnection(t *testing.T) {
	e, log := newEdge()
	s := httptest.NewServer(e.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		RequestFrom(r.Context()).Operation = "getThing"
		fmt.Fprint(w, "half")
		e.Fail(w, r, errServer)
	})))
	defer s.Close()
	if body, err := read(s.URL); err == nil {
		t.Errorf("%q looks like a complete answer", body)
	}
	testkit.Eventually(t, "the line in the log", func() bool { return strings.Contains(log.Text(), "msg=asked") })
	for _, want := range []string{`level=ERROR msg="answer cut off" request=`, `call=getThing`, `error="the disk is on fire"`, "status=200"} {
		if !strings.Contains(log.Text(), want) {
			t.Errorf("the log lacks %s: %s", want, log.Text())
		}
	}
}

// read requests an address; it returns an error if the answer is incomplete.
func read(address string) ([]byte, error) {
	res, err := http.Get(address)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

// A client that receives nothing more is no fault of the server.
func TestFailAfterClientLeftIsNoServerFault(t *testing.T) {
	e, log := newEdge()
	defer func() {
		if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // a panic's value is no wrapped error
			t.Errorf("ended with %v", p)
		}
		if got := log.Text(); strings.Contains(got, "level=ERROR") ||
			!strings.Contains(got, `level=DEBUG msg="answer cut off"`) {
			t.Errorf("%s", got)
		}
	}()
	e.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := fmt.Fprint(w, "half")
		e.Fail(w, r, err)
	})).ServeHTTP(failingWriter{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/", nil))
}

// failingWriter is a broken connection.
type failingWriter struct{ *httptest.ResponseRecorder }

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("reset by peer") }

// Outside of an edge, RequestFrom returns an empty request.
func TestRequestFromWithoutEdge(t *testing.T) {
	q := RequestFrom(t.Context())
	if q.Language != text.English || q.ID != "" || q.AddressText() != "" || q.HTTPRequest != nil {
		t.Errorf("%+v", q)
	}
}
