package openapi_test

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/tools/testkit"
)

// eachBody calls do with every operation that takes a JSON body, its path with an id, and the body's schema.
func (w *fixture) eachBody(do func(method, path string, op *openapi3.Operation, schema *openapi3.Schema)) {
	for path, item := range w.contract.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if schema := testkit.JSONBody(op); schema != nil {
				do(method, strings.NewReplacer("{id}", "987654321").Replace(path), op, schema)
			}
		}
	}
}

// A null member of a body counts as absent in every call that takes a body.
func TestNullIsAbsent(t *testing.T) {
	w := newFixture(t)
	pairs := 0
	w.eachBody(func(method, path string, op *openapi3.Operation, schema *openapi3.Schema) {
		for _, b := range testkit.NullBodies(t, schema) {
			pairs++
			want, got := w.do(t, w.newCall(method, path, b.Without)), w.do(t, w.newCall(method, path, b.Null))
			if got.status != want.status || string(got.body) != string(want.body) || got.status < 400 {
				t.Errorf(
					"%s, %s null: %d %s, absent: %d %s",
					op.OperationID,
					b.Member,
					got.status,
					got.body,
					want.status,
					want.body,
				)
			}
		}
	})
	if pairs < 10 {
		t.Errorf("%d bodies", pairs)
	}
	p := w.mustRefuse(
		t,
		w.newCall("POST", "/webhooks", `{"name":null,"url":"https://a.example","events":["opened"]}`),
		400,
	)
	if p.Parameter != "name" || !strings.Contains(p.Detail, "required") {
		t.Errorf("%+v", p)
	}
}

// Null in a list of a body is refused in every call, and the member is named.
func TestNullElements(t *testing.T) {
	w := newFixture(t)
	calls := 0
	w.eachBody(func(method, path string, op *openapi3.Operation, schema *openapi3.Schema) {
		for _, b := range testkit.NullElementBodies(t, schema) {
			calls++
			field, _, _ := strings.Cut(b.List, ".")
			p := w.mustRefuse(t, w.newCall(method, path, b.Body), 400)
			if p.Parameter != field || !strings.HasSuffix(p.Detail, "not in the right form") {
				t.Errorf("%s, null in %s: %+v", op.OperationID, b.List, p)
			}
		}
	})
	if calls < 2 {
		t.Errorf("%d bodies", calls)
	}
}
