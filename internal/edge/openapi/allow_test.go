package openapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A path names its methods to those who use another one.
func TestAllowedMethods(t *testing.T) {
	w := newFixture(t)
	allowed := map[string][]string{"/open-api/": {"GET", "HEAD"}, "/open-api/v1/openapi.yaml": {"GET", "HEAD"}}
	for path, item := range w.contract.doc.Paths.Map() {
		path = strings.NewReplacer("{deviceName}", "WS-1", "{id}", "1").Replace(path)
		for method := range item.Operations() {
			allowed[path] = append(allowed[path], method)
		}
	}
	for path, methods := range allowed {
		slices.Sort(methods)
		want := strings.Join(methods, ", ")
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			if slices.Contains(methods, method) {
				continue
			}
			a := w.do(t, call{method: method, path: path})
			if got := a.header.Get("Allow"); a.status != http.StatusMethodNotAllowed || got != want {
				t.Errorf("%s %s: %d, Allow %q, want %q", method, path, a.status, got, want)
			}
		}
	}
}
