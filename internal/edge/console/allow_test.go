package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"tilth/internal/edge/console"
	"tilth/internal/tools/testkit"
)

// A path names its methods to those who use another one.
func TestAllowedMethods(t *testing.T) {
	page := webHandler(t)
	w := newServer(t, func(o *console.Options) { o.Web = page })
	allowed := map[string][]string{
		"/healthz": {"GET", "HEAD"}, "/readyz": {"GET", "HEAD"}, "/signin": {"GET", "HEAD"},
		"/auth/oidc/backchannel-logout": {"POST"},
	}
	pages := len(allowed)
	for _, op := range w.Operations(w.ConsoleTags()...) {
		allowed[op.Path] = append(allowed[op.Path], op.Method)
	}
	for path, methods := range allowed {
		slices.Sort(methods)
		want := strings.Join(methods, ", ")
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			if slices.Contains(methods, method) {
				continue
			}
			a := w.Do(t, testkit.Call{Method: method, Path: path, Token: w.ada})
			if got := a.Header.Get("Allow"); a.Status != http.StatusMethodNotAllowed || got != want {
				t.Errorf("%s %s: %d, Allow %q, want %q", method, path, a.Status, got, want)
			}
		}
	}
	if len(allowed) < pages+12 {
		t.Errorf("only %d paths", len(allowed))
	}
}
