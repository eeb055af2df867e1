package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/edge/openapi/wire"
	"tilth/internal/tools/testkit"
)

// Invalid UTF-8 in bodies and parameters is refused, and nothing of it is stored.
func TestNonUTF8RequestsAreRefused(t *testing.T) {
	w := newFixture(t)
	calls := 0
	for path, item := range w.contract.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if testkit.JSONBody(op) == nil {
				continue
			}
			calls++
			for _, body := range []string{"{\"name\":\"Pl\xe4ner\"}", `{"name":"\udf31"}`} {
				p := w.mustRefuse(t, w.newCall(method, strings.ReplaceAll(path, "{id}", "7"), body), 400)
				if p.Code != "invalid" || p.Detail != "The request is not valid UTF-8 text" {
					t.Errorf("%s, %q: %+v", op.OperationID, body, p)
				}
			}
		}
	}
	if calls < 2 {
		t.Errorf("%d calls", calls)
	}
	if list := ask[wire.WebhookList](t, w, call{path: "/webhooks"}); len(list.Items) != 0 {
		t.Errorf("%+v", list)
	}
	for path, parameter := range map[string]string{
		"/devices?scene=%ff": "scene", "/devices/%ff": "deviceName", "/devices/WS-%c3/latest": "deviceName",
		"/devices/WS-1/history?from=%ff&properties=rain": "from", "/devices/WS-1/history?from=0&properties=rain,%ff": "properties",
	} {
		p := w.mustRefuse(t, call{path: path}, 400)
		if p.Parameter != parameter || p.Detail != fmt.Sprint(parameter, ": not valid UTF-8 text") {
			t.Errorf("%s: %+v", path, p)
		}
	}
	w.mustRefuse(t, call{path: "/devices?%ff=x"}, 400)
}
