package openapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// crossTenantCall is a call of the field's program for readings of the rival, and what the rival's own
// program gets, which proves that there is something to get.
type crossTenantCall struct{ path, ownerGets string }

const rivalRange = "?from=0&to=2026-12-01T00:00:00Z&"

// rivalAggregates asks for the aggregates of the rival's device by a resolution; its owner gets them
// by another or the same.
func rivalAggregates(asked, gets string) crossTenantCall {
	return crossTenantCall{
		"/devices/" + marker + "-1/aggregates" + rivalRange + "resolution=" + asked,
		`{"resolution":"` + gets + `","items":[{"time":`,
	}
}

var crossTenantCalls = []crossTenantCall{
	{"/devices/" + marker + "-1/history" + rivalRange + "format=json", "note of " + marker},
	{"/devices/" + marker + "-1/history" + rivalRange + "format=csv", "note of " + marker},
	rivalAggregates("raw", "raw"), rivalAggregates("hour", "hour"), rivalAggregates("day", "day"),
	rivalAggregates("auto", "raw"),
}

// A program cannot read another tenant's readings in any form; that tenant's own program can. All other
// operations and parameters are in TestIsolationMatrix of internal/server.
func TestReadingsOfAnotherTenantAreRefused(t *testing.T) {
	w := newFixture(t)
	for _, c := range crossTenantCalls {
		own := w.do(t, call{path: c.path, as: &w.rivalKey})
		if own.status != http.StatusOK || !strings.Contains(string(own.body), c.ownerGets) {
			t.Errorf("%s: the rival's own program gets nothing: %d %s", c.path, own.status, own.body)
		}
		a := w.do(t, call{path: c.path})
		if a.status != http.StatusNotFound || strings.Contains(string(a.body), marker) {
			t.Errorf("%s: %d %s", c.path, a.status, a.body)
		}
	}
}
