package openapi_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
)

// crossTenantCall says how one operation could be used against another tenant: the call that the
// field's program makes for a thing of the rival, and the answer that the rival's own program gets
// to the same call, which proves that there is something to get.
type crossTenantCall struct {
	method    string // GET if empty
	path      func(w *fixture) string
	body      string
	status    int    // for the field's program; 0 means 200: it gets its own data, or nothing
	ownerGets string // in the answer to the rival's program
}

func constPath(p string) func(*fixture) string { return func(*fixture) string { return p } }

// rivalAggregates asks for the aggregates of the rival's device by a resolution; its owner gets them
// by another or the same.
func rivalAggregates(asked, gets string) crossTenantCall {
	return crossTenantCall{
		path: constPath(
			"/devices/" + marker + "-1/aggregates?from=0&to=2026-12-01T00:00:00Z&resolution=" + asked,
		),
		status:    http.StatusNotFound,
		ownerGets: `{"resolution":"` + gets + `","items":[{"time":`,
	}
}

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
	"getAggregates": {
		rivalAggregates("raw", "raw"), rivalAggregates("hour", "hour"), rivalAggregates("day", "day"),
		rivalAggregates("auto", "raw"),
	},
	"listWebhooks": {
		{path: func(w *fixture) string { w.createRivalWebhook(); return "/webhooks" }, ownerGets: marker + " hook"},
	},
	"createWebhook": {
		{method: http.MethodPost, path: constPath("/webhooks"), body: webhookBody, ownerGets: "Planner"},
	}, // its own data
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

// A program cannot use another tenant's things; that tenant's own program can. All other operations
// and parameters are in TestIsolationMatrix of internal/server, where each operation has a row.
func TestCrossTenantCallsAreRefused(t *testing.T) {
	w := newFixture(t)
	for id, rows := range crossTenantCalls {
		for _, c := range rows {
			p := c.path(w)
			own := w.do(t, call{method: c.method, path: p, body: c.body, as: &w.rivalKey})
			if own.status != http.StatusOK || !strings.Contains(string(own.body), c.ownerGets) {
				t.Errorf("%s: the rival's own program gets nothing: %d %s", p, own.status, own.body)
			}
			if strings.Contains(p, "/webhooks") {
				p = c.path(w) // the rival's own program may have removed it
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
