package httpbase

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An edge within an edge keeps the id, so that a request has one id in the log; an id that the
// client sends does not count.
func TestNestedEdgesShareRequestID(t *testing.T) {
	outer, outerLog := newEdge()
	inner, innerLog := newEdge()
	ids := map[string]bool{}
	for range 3 {
		within := ""
		rec := outer.serve(t, func(w http.ResponseWriter, r *http.Request) {
			inner.Wrap(
				http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { within = RequestFrom(r.Context()).ID }),
			).ServeHTTP(w, r)
			if of := RequestFrom(r.Context()).ID; of != within {
				t.Errorf("%s around %s", of, within)
			}
		}, func(r *http.Request) { r.Header.Set("X-Request-Id", "mine") })
		id := rec.Header().Get("X-Request-Id")
		if id != within || id == "mine" || id == "" || len(rec.Header().Values("X-Request-Id")) != 1 {
			t.Errorf("%v, within %s", rec.Header(), within)
		}
		for _, log := range []string{outerLog.Text(), innerLog.Text()} {
			if !strings.Contains(log, "request="+id+" ") || strings.Contains(log, "mine") {
				t.Errorf("%s", log)
			}
		}
		ids[id] = true
	}
	if len(ids) != 3 {
		t.Errorf("%v", ids)
	}
}

func BenchmarkWrap(b *testing.B) {
	e, _ := newEdge(func(e *Edge) { e.ServesPages = true })
	h := e.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
