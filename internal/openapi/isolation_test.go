package openapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// crossing is how one operation could be turned against another tenant: what
// the field's program asks for of the rival's, and what the rival's own gets
// for the same, which proves that there is something to be had.
type crossing struct {
	path   func(w *world) string
	status int    // for the field's program; 200 when zero: it gets its own, or nothing
	own    string // in the answer to the rival's
}

func path(p string) func(*world) string { return func(*world) string { return p } }

var crossings = map[string][]crossing{
	"listDevices": {
		{path: path("/devices"), own: marker + "-1"},
		{path: path("/devices?search=" + marker), own: marker + "-1"},
		{path: path("/devices?scene=" + marker + "%20scene"), status: http.StatusBadRequest, own: marker + "-1"},
	},
	"getDevice": {{path: path("/devices/" + marker + "-1"), status: http.StatusNotFound, own: marker + " mast"}},
	"getLatest": {{path: path("/devices/" + marker + "-1/latest"), status: http.StatusNotFound, own: "note of " + marker}},
	"getHistory": {
		{path: path("/devices/" + marker + "-1/history?from=0&to=2026-12-01T00:00:00Z"), status: http.StatusNotFound, own: "note of " + marker},
		{path: path("/devices/" + marker + "-1/history?format=csv&from=0&to=2026-12-01T00:00:00Z"), status: http.StatusNotFound, own: "note of " + marker},
	},
	"listNotices": {
		{path: path("/notices"), own: marker + " frost"},
		{path: path("/notices?device=" + marker + "-1"), own: marker + " frost"},
	},
	"getNotice": {{path: func(w *world) string { return fmt.Sprint("/notices/", w.theirNotice) }, status: http.StatusNotFound, own: marker + " frost"}},
}

// No operation lets a program see anything of another tenant; one that has no
// row here fails.
func TestTenantsAreApart(t *testing.T) {
	w := newWorld(t)
	if known := slices.Sorted(maps.Keys(crossings)); !slices.Equal(known, w.contract.operations()) {
		t.Fatalf("the contract has %v, this table %v", w.contract.operations(), known)
	}
	for id, rows := range crossings {
		for _, c := range rows {
			p := c.path(w)
			if own := w.do(t, call{path: p, as: &w.enemy}); own.status != http.StatusOK || !strings.Contains(string(own.body), c.own) {
				t.Errorf("%s: the rival itself has nothing there: %d %s", p, own.status, own.body)
			}
			status := http.StatusOK
			if c.status != 0 {
				status = c.status
			}
			for _, header := range []map[string]string{nil, {"tenant-id": fmt.Sprint(w.rival.ID), "X-Tenant": marker, "Host": marker + ".example"}} {
				a := w.do(t, call{path: p, header: header})
				told := strings.ReplaceAll(string(a.body), "scene: ", "")
				if c.status == http.StatusBadRequest { // the refusal names what was asked for
					told = strings.ReplaceAll(told, marker+" scene", "")
				}
				if a.status != status || strings.Contains(told, marker) {
					t.Errorf("%s %s: %d %s", id, p, a.status, a.body)
				}
			}
		}
	}
}
