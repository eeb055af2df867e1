package openapi_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
)

// crossTenantCall is how one operation could be turned against another tenant: what
// the field's program asks for of the rival's, and what the rival's own gets
// for the same, which proves that there is something to be had.
type crossTenantCall struct {
	method    string // GET when empty
	path      func(w *fixture) string
	body      string
	status    int    // for the field's program; 200 when zero: it gets its own, or nothing
	ownerGets string // in the answer to the rival's
}

func constPath(p string) func(*fixture) string { return func(*fixture) string { return p } }

var crossTenantCalls = map[string][]crossTenantCall{
	"getHistory": {
		{
			path:      constPath("/devices/" + marker + "-1/history?from=0&to=2026-12-01T00:00:00Z"),
			status:    http.StatusNotFound,
			ownerGets: "note of " + marker,
		},
		{
			path:      constPath("/devices/" + marker + "-1/history?format=csv&from=0&to=2026-12-01T00:00:00Z"),
			status:    http.StatusNotFound,
			ownerGets: "note of " + marker,
		},
	},
	"listWebhooks": {
		{path: func(w *fixture) string { w.createRivalWebhook(); return "/webhooks" }, ownerGets: marker + " hook"},
	},
	"createWebhook": {
		{method: http.MethodPost, path: constPath("/webhooks"), body: webhookBody, ownerGets: "Planner"},
	}, // its own
	"getWebhook": {{path: rivalWebhookPath(""), status: http.StatusNotFound, ownerGets: marker + " hook"}},
	"changeWebhook": {
		{
			method:    http.MethodPatch,
			path:      rivalWebhookPath(""),
			body:      `{"level":"serious"}`,
			status:    http.StatusNotFound,
			ownerGets: marker + " hook",
		},
	},
	"deleteWebhook": {
		{
			method:    http.MethodDelete,
			path:      rivalWebhookPath(""),
			status:    http.StatusNotFound,
			ownerGets: marker + " hook",
		},
	},
	"renewWebhookSecret": {
		{
			method:    http.MethodPost,
			path:      rivalWebhookPath("/secret"),
			status:    http.StatusNotFound,
			ownerGets: marker + " hook",
		},
	},
	"testWebhook": {
		{
			method:    http.MethodPost,
			path:      rivalWebhookPath("/test"),
			status:    http.StatusNotFound,
			ownerGets: `"ok":false`,
		},
	},
	"listWebhookDeliveries": {
		{path: rivalWebhookPath("/deliveries"), status: http.StatusNotFound, ownerGets: `"items":[{`},
	},
}

// What a program of one tenant may not do with another's things, that tenant's
// own may. All other operations, and all other ways to ask, are in
// TestIsolationMatrix of internal/app, where each operation has a row.
func TestCrossTenantCallsAreRefused(t *testing.T) {
	w := newFixture(t)
	for id, rows := range crossTenantCalls {
		for _, c := range rows {
			p := c.path(w)
			own := w.do(t, call{method: c.method, path: p, body: c.body, as: &w.rivalKey})
			if own.status != http.StatusOK || !strings.Contains(string(own.body), c.ownerGets) {
				t.Errorf("%s: the rival itself has nothing there: %d %s", p, own.status, own.body)
			}
			if strings.Contains(p, "/webhooks") {
				p = c.path(w) // the rival's own may have removed it
			}
			if id == "createWebhook" {
				w.deleteWebhooks(t)
			}
			a := w.do(t, call{method: c.method, path: p, body: c.body})
			if a.status != cmp.Or(c.status, http.StatusOK) || strings.Contains(string(a.body), marker) {
				t.Errorf("%s %s: %d %s", id, p, a.status, a.body)
			}
		}
	}
}
