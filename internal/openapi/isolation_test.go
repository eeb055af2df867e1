package openapi_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
)

// crossing is how one operation could be turned against another tenant: what
// the field's program asks for of the rival's, and what the rival's own gets
// for the same, which proves that there is something to be had.
type crossing struct {
	method string // GET when empty
	path   func(w *world) string
	body   string
	status int    // for the field's program; 200 when zero: it gets its own, or nothing
	own    string // in the answer to the rival's
}

func path(p string) func(*world) string { return func(*world) string { return p } }

var crossings = map[string][]crossing{
	"getHistory": {
		{path: path("/devices/" + marker + "-1/history?from=0&to=2026-12-01T00:00:00Z"), status: http.StatusNotFound, own: "note of " + marker},
		{path: path("/devices/" + marker + "-1/history?format=csv&from=0&to=2026-12-01T00:00:00Z"), status: http.StatusNotFound, own: "note of " + marker},
	},
	"listWebhooks":          {{path: func(w *world) string { w.theirWebhook(); return "/webhooks" }, own: marker + " hook"}},
	"createWebhook":         {{method: http.MethodPost, path: path("/webhooks"), body: newHook, own: "Planner"}}, // its own
	"getWebhook":            {{path: ofTheirWebhook(""), status: http.StatusNotFound, own: marker + " hook"}},
	"changeWebhook":         {{method: http.MethodPatch, path: ofTheirWebhook(""), body: `{"level":"serious"}`, status: http.StatusNotFound, own: marker + " hook"}},
	"deleteWebhook":         {{method: http.MethodDelete, path: ofTheirWebhook(""), status: http.StatusNotFound, own: marker + " hook"}},
	"renewWebhookSecret":    {{method: http.MethodPost, path: ofTheirWebhook("/secret"), status: http.StatusNotFound, own: marker + " hook"}},
	"testWebhook":           {{method: http.MethodPost, path: ofTheirWebhook("/test"), status: http.StatusNotFound, own: `"ok":false`}},
	"listWebhookDeliveries": {{path: ofTheirWebhook("/deliveries"), status: http.StatusNotFound, own: `"items":[{`}},
}

// What a program of one tenant may not do with another's things, that tenant's
// own may. All other operations, and all other ways to ask, are in
// TestIsolationMatrix of internal/app, where each operation has a row.
func TestOwnersMayWhatOthersMayNot(t *testing.T) {
	w := newWorld(t)
	for id, rows := range crossings {
		for _, c := range rows {
			p := c.path(w)
			if own := w.do(t, call{method: c.method, path: p, body: c.body, as: &w.enemy}); own.status != http.StatusOK || !strings.Contains(string(own.body), c.own) {
				t.Errorf("%s: the rival itself has nothing there: %d %s", p, own.status, own.body)
			}
			if strings.Contains(p, "/webhooks") {
				p = c.path(w) // the rival's own may have removed it
			}
			if id == "createWebhook" {
				w.forgetWebhooks(t)
			}
			if a := w.do(t, call{method: c.method, path: p, body: c.body}); a.status != cmp.Or(c.status, http.StatusOK) || strings.Contains(string(a.body), marker) {
				t.Errorf("%s %s: %d %s", id, p, a.status, a.body)
			}
		}
	}
}
